#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Downloads Debian's stock kernels and their headers, and unpacks them in the cache.
# Nothing is installed.
#
#   scripts/kernels.sh SERIES...     SERIES is 6.1, 6.12, 6.1-rt, 6.12-rt or newest
#
# These are the cloud kernels, which are the smallest; those with -rt have PREEMPT_RT.
#
# Creates in CACHE/kernels/SERIES: release (a file with the output of uname -r), vmlinuz,
# headers (to build modules against), root (all unpacked files). CACHE is
# $KMEMTRACE_CACHE, or ~/.cache/kmemtrace. Debian's meta packages depend on the current
# version; without a network, the cached version is used. The script checks for a new
# version once in six hours.
#
# "newest" is the kernel in the backports of a newer Debian (needs root, 500 MB). Its
# compiler and the programs in its headers run only in that release, so its root is a
# whole Debian, and scripts/module.sh builds in it.
set -eu
scripts=$(dirname "$0")
newer=trixie

cache=${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}/kernels

depends() { # PACKAGE PATTERN: print its dependencies that match
	apt-cache depends "$1" 2>/dev/null |
		sed -n 's/^[ |]*Depends: //p' | grep -E "$2" || :
}

meta_suffix() { # meta packages for Debian 12's own series have no number in their names
	case $1 in
	6.1) echo cloud-amd64 ;;
	6.1-rt) echo rt-amd64 ;;
	*-rt) echo "$1-amd64" ;;
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
	common=$(depends "$3" '^linux-headers-.*-common(-rt)?$')
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
	# the headers include the common headers by an absolute path
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

in_newest() { # COMMAND...
	"$scripts/inroot.sh" "$cache/newest/root" "$@"
}

fetch_newest() {
	headers=linux-headers-cloud-amd64
	have=$(cat "$cache/newest/release" 2>/dev/null || :)
	if [ -d "$cache/newest/root/lib/modules/$have/kernel" ]; then
		in_newest apt-get update -qq >&2 || :
		in_newest apt-cache depends $headers |
			grep -q "linux-headers-$have\$" && return 0
	fi
	echo "kernels: fetching $newer with its newest kernel" >&2
	dir=$cache/newest.new
	rm -rf "$dir"
	"$scripts/mkroot.sh" "$dir/root" $newer gcc make \
		$headers/$newer-backports
	release=$(basename "$dir"/root/lib/modules/*)
	"$scripts/inroot.sh" "$dir/root" sh -euc "apt-get update -qq
		apt-get install -qq linux-binary-$release \
			linux-modules-$release" >/dev/null
	ln -s "root/usr/src/linux-headers-$release" "$dir/headers"
	ln -s "root/lib/modules/$release/vmlinuz" "$dir/vmlinuz"
	echo "$release" >"$dir/release"
	rm -rf "$cache/newest"
	mv "$dir" "$cache/newest"
}

asked_lately() { # SERIES
	[ -n "$(find "$cache/$1/asked" -mmin -360 2>/dev/null)" ]
}

for series; do
	! asked_lately "$series" || continue
	case $series in
	newest) fetch_newest ;;
	*) fetch "$series" ;;
	esac
	touch "$cache/$series/asked"
done
