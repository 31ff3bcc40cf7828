#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Makes the files that "kmemtrace-user codetags load" keeps, for stock kernels, from Debian's
# package with their debug information: a download of about 320 MB, and 1.8 GB of disk space
# until the script ends. They are made once for each kernel, and again if the tool would make
# other ones.
#
#   scripts/debug-lines.sh SERIES...     SERIES is 6.1 or 6.12
#
# Creates CACHE/lines/SERIES.tar.gz. Needs build/kmemtrace-user.
set -eu
cd "$(dirname "$0")/.."

tool=$(cat tools/kmemtrace-user/codetags/*.[ch] lib/kmt_allocators.h lib/kmt_place.h | cksum)
cache=${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}
top=$PWD

make_lines() { # SERIES RELEASE
	work=$(mktemp -d "$cache/lines/XXXXXX")
	trap 'rm -rf "$work"' EXIT INT TERM
	echo "debug-lines: fetching the debug information of $2" >&2
	(cd "$work" && apt-get -o APT::Sandbox::User=root download -qq "linux-image-$2-dbg" >&2)
	mkdir "$work/root" "$work/codetags"
	dpkg-deb -x "$work"/*.deb "$work/root"
	# the kernel, and all its modules
	find "$work/root/usr/lib/debug/boot" "$work/root/usr/lib/debug/lib/modules" \
		\( -name 'vmlinux-*' -o -name '*.ko*' \) -type f -print0 |
		xargs -0 "$top/build/kmemtrace-user" codetags cache --cache "$work/codetags"
	tar -C "$work" -czf "$work/new" codetags
	mv "$work/new" "$cache/lines/$1.tar.gz"
	echo "$2 $tool" >"$cache/lines/$1.made"
	rm -rf "$work"
	trap - EXIT INT TERM
}

mkdir -p "$cache/lines"
for series; do
	scripts/kernels.sh "$series"
	release=$(cat "$cache/kernels/$series/release")
	[ "$(cat "$cache/lines/$series.made" 2>/dev/null || :)" = "$release $tool" ] ||
		make_lines "$series" "$release"
done
