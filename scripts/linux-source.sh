# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Functions for scripts that build from Debian's source of the kernel, which source this
# file, in the directory of the project. The functions run in subshells, so they do not
# change variables of the script.
# shellcheck source=scripts/versions.sh
. scripts/versions.sh

# Print the version to use: the pinned one, if FILE or the archive has it; else the one in
# FILE, or the current one.
source_version() ( # PACKAGE FILE
	wanted=$(pinned "$1") have=$(cat "$2" 2>/dev/null || :)
	if [ -n "$wanted" ] && { [ "$have" = "$wanted" ] ||
		apt-cache madison "$1" 2>/dev/null | grep -qF " $wanted "; }; then
		echo "$wanted"
		exit
	fi
	version=$(apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: //p')
	if [ -z "$version" ] || [ "$version" = '(none)' ] || [ -n "$wanted" ]; then
		version=${have:-$version}
	fi
	[ -z "$wanted" ] || moved "$1 $wanted" "$version"
	if [ -z "$version" ]; then
		echo "apt knows no $1; is this Debian 12 with its security updates?" >&2
		exit 1
	fi
	echo "$version"
)

# Unpack the source, or PARTs of it, in DIR/linux. Other files in DIR are removed.
fetch_source() ( # PACKAGE VERSION DIR [PART...]
	name=$1 version=$2 into=$3
	shift 3
	echo "fetching the source of $name" >&2
	rm -rf "$into"
	mkdir -p "$into/deb" "$into/linux"
	(cd "$into/deb" && apt-get -o APT::Sandbox::User=root download \
		-qq "$name=$version" >&2 && dpkg-deb -x ./*.deb .)
	# the archive has all files in a directory with the name of the package
	for part; do
		set -- "$@" "$name/$part"
		shift
	done
	tar -C "$into/linux" --strip-components=1 \
		-xf "$into/deb/usr/src/$name.tar.xz" "$@"
	rm -rf "$into/deb"
)
