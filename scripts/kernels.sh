#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Fetches Debian's stock cloud kernels and their headers into the cache, and
# unpacks them there: nothing is installed.
#
#   scripts/kernels.sh SERIES...     SERIES is 6.1 or 6.12
#
# Leaves in CACHE/kernels/SERIES: release (a file that holds uname -r),
# vmlinuz, headers (to build modules against), root (all that was unpacked).
# CACHE is $KMEMTRACE_CACHE, or ~/.cache/kmemtrace. Debian's meta packages say
# which version is the current one; without a network the cached one is used.
set -eu

cache=${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}/kernels

depends() { # PACKAGE PATTERN: the packages it depends on that match
	apt-cache depends "$1" 2>/dev/null |
		sed -n 's/^[ |]*Depends: //p' | grep -E "$2" || :
}

meta_suffix() { # the series of Debian 12 itself has no number in its metas
	case $1 in
	6.1) echo cloud-amd64 ;;
	*) echo "$1-cloud-amd64" ;;
	esac
}

update_lists_once() {
	[ -z "${updated:-}" ] || return 0
	updated=1
	if [ "$(id -u)" -eq 0 ]; then
		apt-get update -qq >&2 || :
	elif command -v sudo >/dev/null; then
		sudo apt-get update -qq >&2 || :
	fi
}

unpack() { # SERIES IMAGE HEADERS
	dir=$cache/$1
	rm -rf "$dir.new"
	mkdir -p "$dir.new/root"
	common=$(depends "$3" '^linux-headers-.*-common$')
	kbuild=$(depends "$3" '^linux-kbuild-')
	echo "kernels: fetching $2 and its headers" >&2
	# shellcheck disable=SC2086 # each is one word
	(cd "$dir.new" && apt-get -o APT::Sandbox::User=root download -qq \
		"$2" "$3" $common $kbuild >&2)
	for deb in "$dir.new"/*.deb; do
		dpkg-deb -x "$deb" "$dir.new/root"
		rm "$deb"
	done
	release=${2#linux-image-}
	# the headers name their other half by an absolute path
	sed -i "s|^include /usr/src|include $dir/root/usr/src|" \
		"$dir.new/root/usr/src/$3/Makefile"
	ln -s "root/usr/src/$3" "$dir.new/headers"
	ln -s "root/boot/vmlinuz-$release" "$dir.new/vmlinuz"
	echo "$release" >"$dir.new/release"
	rm -rf "$dir"
	mv "$dir.new" "$dir"
}

fetch() { # SERIES
	suffix=$(meta_suffix "$1")
	image=$(depends "linux-image-$suffix" '^linux-image-[0-9]')
	if [ -z "$image" ]; then
		update_lists_once
		image=$(depends "linux-image-$suffix" '^linux-image-[0-9]')
	fi
	headers=$(depends "linux-headers-$suffix" '^linux-headers-[0-9]')
	have=$(cat "$cache/$1/release" 2>/dev/null || :)
	if [ -n "$image" ] && [ "linux-image-$have" != "$image" ]; then
		update_lists_once
		image=$(depends "linux-image-$suffix" '^linux-image-[0-9]')
		headers=$(depends "linux-headers-$suffix" '^linux-headers-[0-9]')
		(unpack "$1" "$image" "$headers") || {
			[ -n "$have" ] || exit 1
			echo "kernels: keeping $have" >&2
		}
	elif [ -z "$have" ]; then
		echo "kernels: apt knows no linux-image-$suffix; is this Debian 12 with its security updates?" >&2
		exit 1
	fi
}

for series; do
	fetch "$series"
done
