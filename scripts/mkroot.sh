#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs a small Debian in a directory, for work that needs another release:
#
#   scripts/mkroot.sh ROOT RELEASE PACKAGE...      as root
#
# RELEASE is a codename. Packages may come from its security updates, and
# PACKAGE/RELEASE-backports selects its backports. An existing ROOT is replaced.
# scripts/inroot.sh runs commands in ROOT.
set -eu

if [ "$(id -u)" -ne 0 ]; then
	echo "mkroot: run this as root: it makes a root file system" >&2
	exit 1
fi
root=$1 release=$2
shift 2
export release
packages=$(echo "$*" | tr ' ' ,)
"$(dirname "$0")/deps.sh" root
rm -rf "$root.new"
mkdir -p "$(dirname "$root")"
# shellcheck disable=SC2016 # mmdebstrap's shell expands it
mmdebstrap --quiet --mode=root --variant=apt --format=directory \
	--setup-hook='sources=$1/etc/apt/sources.list
		backports=$(sed -n "s/ $release main/ $release-backports main/p" "$sources")
		echo "$backports" >>"$sources"
		echo "exit 101" | install -D -m 755 /dev/stdin "$1/usr/sbin/policy-rc.d"' \
	--include="$packages" "$release" "$root.new" >&2
rm -rf "$root"
mv "$root.new" "$root"
