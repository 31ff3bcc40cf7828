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
# $KMEMTRACE_CACHE, or ~/.cache/kmemtrace. The versions are those of scripts/versions.sh. With
# MOVING=1 they are the current ones, on which Debian's meta packages depend.
#
# "newest" is a kernel in the backports of a newer Debian (needs root, 500 MB). Its
# compiler and the programs in its headers run only in that release, so its root is a
# whole Debian, and scripts/module.sh builds in it.
set -eu
scripts=$(dirname "$0")
newer=trixie
# shellcheck source=scripts/versions.sh
. "$scripts/versions.sh"

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
	if [ -z "$common" ] || [ -z "$kbuild" ]; then
		echo "kernels: apt does not say what $3 depends on" >&2
		exit 1
	fi
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

# Print the release to use: the pinned one if the archive has it, else that of the meta
# package.
available() { # SERIES
	if [ -n "$wanted" ] && apt-cache show "linux-image-$wanted" >/dev/null 2>&1; then
		echo "$wanted"
	else
		depends "linux-image-$(meta_suffix "$1")" '^linux-image-[0-9]' |
			sed 's/^linux-image-//'
	fi
}

fetch() { # SERIES
	release=$(available "$1")
	if [ -z "$release" ] || [ "$release" != "$wanted" ]; then
		update_lists_once
		release=$(available "$1")
	fi
	if [ -n "$wanted" ] && [ "$release" != "$wanted" ]; then
		release=${have:-$release}
		moved "linux-image-$wanted" "$release"
	fi
	if [ -z "$release" ]; then
		echo "kernels: apt knows no linux-image-$(meta_suffix "$1"); is this Debian 12 with its security updates?" >&2
		exit 1
	fi
	[ "$release" = "$have" ] ||
		unpack "$1" "linux-image-$release" "linux-headers-$release"
}

# Install the pinned release in a root directory with the newer Debian, or else the current
# one, and print it.
install_newest() { # ROOT
	# shellcheck disable=SC2016 # expanded in the root directory
	"$scripts/inroot.sh" "$1" sh -euc '
		apt-get update -qq >&2
		release=$1
		if [ -z "$release" ] || ! apt-cache show "linux-headers-$release" >/dev/null 2>&1; then
			apt-get install -qq "linux-headers-cloud-amd64/$2-backports" >&2
			release=$(basename /usr/src/linux-headers-*-cloud-amd64 | cut -d - -f 3-)
		fi
		apt-get install -qq "linux-headers-$release" "linux-binary-$release" \
			"linux-modules-$release" >&2
		echo "$release"' sh "$wanted" "$newer"
}

fetch_newest() {
	echo "kernels: fetching $newer with the kernel ${wanted:-of its backports}" >&2
	dir=$cache/newest.new
	rm -rf "$dir"
	if ! "$scripts/mkroot.sh" "$dir/root" $newer gcc make ||
		! release=$(install_newest "$dir/root"); then
		[ -n "$have" ] || exit 1
		moved "linux-image-$wanted" "$have"
		return
	fi
	[ -z "$wanted" ] || [ "$release" = "$wanted" ] || moved "linux-image-$wanted" "$release"
	ln -s "root/usr/src/linux-headers-$release" "$dir/headers"
	ln -s "root/lib/modules/$release/vmlinuz" "$dir/vmlinuz"
	echo "$release" >"$dir/release"
	rm -rf "$cache/newest"
	mv "$dir" "$cache/newest"
}

# Whether the archive was asked for this version within six hours. It then has another one.
asked_lately() { # SERIES
	[ "$(cat "$cache/$1/asked" 2>/dev/null || :)" = "$wanted" ] &&
		[ -n "$(find "$cache/$1/asked" -mmin -360 2>/dev/null)" ]
}

for series; do
	have=$(cat "$cache/$series/release" 2>/dev/null || :)
	wanted=$(pinned "linux_$series")
	[ -z "$have" ] || [ "$have" != "$wanted" ] || continue
	if [ -n "$have" ] && asked_lately "$series"; then
		[ -z "$wanted" ] || moved "linux-image-$wanted" "$have"
		continue
	fi
	case $series in
	newest) fetch_newest ;;
	*) fetch "$series" ;;
	esac
	echo "$wanted" >"$cache/$series/asked"
done
