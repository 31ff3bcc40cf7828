# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Debian's source of the kernel, for scripts that build from it: they source
# this. Functions run in shells of their own, and so leave the variables alone.

source_version() ( # PACKAGE FILE: that apt would download, or else that of FILE
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

# Leaves the source, or parts of it, in DIR/linux; nothing else is left in DIR.
fetch_source() ( # PACKAGE DIR [PART...]
	name=$1 into=$2
	shift 2
	echo "fetching the source of $name" >&2
	rm -rf "$into"
	mkdir -p "$into/deb" "$into/linux"
	(cd "$into/deb" && apt-get -o APT::Sandbox::User=root download \
		-qq "$name" >&2 && dpkg-deb -x ./*.deb .)
	# the parts lie below a directory of the package's name
	for part; do
		set -- "$@" "$name/$part"
		shift
	done
	tar -C "$into/linux" --strip-components=1 \
		-xf "$into/deb/usr/src/$name.tar.xz" "$@"
	rm -rf "$into/deb"
)
