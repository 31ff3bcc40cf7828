#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the kernel's own tools for pages from Debian's linux-source-SERIES, once for
# each version. Tests compare them with kmemtrace-user.
#
#   scripts/mm-tools.sh SERIES...     SERIES is 6.1 or 6.12
#
# Creates page-types and page_owner_sort, linked statically, in CACHE/mm-tools/SERIES.
set -eu
cd "$(dirname "$0")/.."
cache=${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}/mm-tools
. scripts/linux-source.sh

build() { # SERIES
	dir=$cache/$1
	version=$(source_version "linux-source-$1" "$dir/version")
	[ "$(cat "$dir/version" 2>/dev/null || :)" != "$version" ] || return 0
	case $1 in
	6.1) tools=vm ;;
	*) tools=mm ;;
	esac
	fetch_source "linux-source-$1" "$version" "$dir" tools/$tools tools/lib tools/include \
		tools/arch tools/build tools/scripts include/uapi/linux
	# page-types uses elements of an array that it has not set: let the compiler
	# set them to 0
	make -C "$dir/linux/tools/$tools" page-types page_owner_sort \
		CC='gcc-12 -static -ftrivial-auto-var-init=zero' >"$dir/log" 2>&1 || {
		tail -n 30 "$dir/log" >&2
		exit 1
	}
	mv "$dir/linux/tools/$tools/page-types" \
		"$dir/linux/tools/$tools/page_owner_sort" "$dir/"
	rm -rf "$dir/linux"
	echo "$version" >"$dir/version"
}

for series; do
	build "$series"
done
