#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs the Debian packages that are needed to build and to test, as root or through
# sudo. Packages that are installed already stay as they are.
#
#   scripts/deps.sh [deb|root|bench|exports|html|hermetic]...
#
# deb: also those to build Debian packages; root: for a Debian in a directory (mkroot.sh);
# bench: for comparison with other tools (userspace.sh); exports: the readers of exports;
# html: the browser that opens pages; hermetic: what changes the machine for tests.
set -eu

packages="gcc-12 gcc ccache make pkg-config libc6-dev libcrypt-dev
liburcu-dev libzstd-dev zlib1g-dev libelf-dev libdw-dev libdebuginfod-dev libjansson-dev libncurses-dev
libsqlite3-dev check
libtraceevent-dev
qemu-system-x86 busybox-static cpio xz-utils rsync kmod e2fsprogs
tmux flex bison bc perl libssl-dev dwarves sparse shellcheck clang-format
clang libclang-rt-dev lld llvm python3 python3-docutils valgrind"

for more; do
	case $more in
	deb) packages="$packages dpkg-dev debhelper dh-dkms bash-completion lintian" ;;
	root) packages="$packages mmdebstrap" ;;
	exports)
		packages="$packages golang-go chromium sqlite3 babeltrace2 python3-bt2"
		packages="$packages python3-prometheus-client jq curl"
		# the libraries of its server, which is unpacked
		packages="$packages clickhouse-common"
		command -v node >/dev/null || packages="$packages nodejs"
		# from another source than Debian, npm may be a part of node
		command -v npm >/dev/null || packages="$packages npm"
		;;
	html)
		packages="$packages chromium"
		command -v node >/dev/null || packages="$packages nodejs"
		command -v npm >/dev/null || packages="$packages npm"
		;;
	hermetic) packages="$packages locales faketime" ;;
	bench) packages="$packages linux-perf trace-cmd babeltrace2" ;;
	esac
done

missing=
for p in $packages; do
	state=$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null || :)
	[ "$state" = installed ] || missing="$missing $p"
done
[ -n "$missing" ] || exit 0

sudo=
if [ "$(id -u)" -ne 0 ]; then
	if ! command -v sudo >/dev/null; then
		echo "deps: run this as root, or install:$missing" >&2
		exit 1
	fi
	sudo=sudo
fi
echo "deps: installing, to build and to test:$missing" >&2
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq >&2
# shellcheck disable=SC2086 # one word for each package
$sudo apt-get install -y -qq --no-install-recommends \
	-o DPkg::Lock::Timeout=300 $missing >&2
# shellcheck source=scripts/versions.sh
. "$(dirname "$0")/versions.sh"
for p in $missing; do
	wanted=$(pinned "$p") have=$(dpkg-query -W -f '${Version}' "$p")
	[ "$have" = "${wanted:-$have}" ] || moved "$p $wanted" "$have"
done
