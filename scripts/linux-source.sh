# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Functions for scripts that build from Debian's source of the kernel, which source this
# file. The functions run in subshells, so they do not change variables of the script.

# Print the version that apt would download; without apt's lists, the version in FILE.
source_version() ( # PACKAGE FILE
	version=$(apt-cache policy "$1" 2>/dev/null |
		sed -n 's/^ *Candidate: //p')
	if [ -z "$version" ] || [ "$version" = '(none)' ]; then
		version=$(cat "$2" 2>/dev/null || :)
	fi
	if [ -z "$version" ]; then
		echo "apt knows no $1; is this Debian 12 with its security updates?" >&2
		exit 1
	fi
	echo "$version"
)

# Unpack the source, or PARTs of it, in DIR/linux. Other files in DIR are removed.
fetch_source() ( # PACKAGE DIR [PART...]
	name=$1 into=$2
	shift 2
	echo "fetching the source of $name" >&2
	rm -rf "$into"
	mkdir -p "$into/deb" "$into/linux"
	(cd "$into/deb" && apt-get -o APT::Sandbox::User=root download \
		-qq "$name" >&2 && dpkg-deb -x ./*.deb .)
	# the archive has all files in a directory with the name of the package
	for part; do
		set -- "$@" "$name/$part"
		shift
	done
	tar -C "$into/linux" --strip-components=1 \
		-xf "$into/deb/usr/src/$name.tar.xz" "$@"
	rm -rf "$into/deb"
)
