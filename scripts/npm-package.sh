#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Downloads packages from npm into the cache, once, and prints the directory of each. A
# package is unpacked completely, or not there.
#
#   scripts/npm-package.sh NAME...     with the version in scripts/versions.sh
set -eu
# shellcheck source=scripts/versions.sh
. "$(dirname "$0")/versions.sh"

cache=${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}/npm
mkdir -p "$cache"

# Another download of the same package may have finished first.
download() { # NAME@VERSION DIRECTORY
	work=$(mktemp -d "$cache/download.XXXXXX") || return 1
	(
		cd "$work" &&
			archive=$(npm_config_cache=$work/npm-cache npm pack --loglevel=error "$1") &&
			tar -xzf "$archive" &&
			{ mv -T package "$2" || [ -d "$2" ]; }
	) >&2
	status=$?
	rm -rf "$work"
	return $status
}

for name; do
	package=$name@$(pinned "$name")
	# @scope/name@1.0 becomes scope-name-1.0
	directory=$cache/$(printf '%s' "$package" | sed 's,^@,,; s,[/@],-,g')
	if [ ! -d "$directory" ] && ! download "$package" "$directory"; then
		echo "npm-package: cannot download $package" >&2
		exit 1
	fi
	echo "$directory"
done
