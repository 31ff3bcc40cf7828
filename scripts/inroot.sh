#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs a command in a root that scripts/mkroot.sh made:
#
#   scripts/inroot.sh [-b DIR]... [-u DIR] ROOT COMMAND [ARGUMENT...]   as root
#
# In ROOT, /proc, /dev/pts and each DIR of -b are mounted, the latter at the same path.
# The command has namespaces of its own for mounts and processes: none is left when it
# ends. With -u, its changes go to that DIR, and ROOT does not change.
set -eu

binds='' upper=''
while getopts b:u: option; do
	case $option in
	b) binds="$binds $OPTARG" ;;
	u) upper=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ -z "$upper" ] || mkdir -p "$upper/changes" "$upper/work" "$upper/root"
# shellcheck disable=SC2016 # the inner shell expands it
exec unshare --mount --pid --fork --kill-child sh -eu -c '
	binds=$1 upper=$2 root=$3
	shift 3
	if [ -n "$upper" ]; then
		mount -t overlay -o "lowerdir=$root,upperdir=$upper/changes,workdir=$upper/work" \
			overlay "$upper/root"
		root=$upper/root
	fi
	mount -t proc proc "$root/proc"
	# apt starts dpkg in a pseudo-terminal
	mount -t devpts devpts "$root/dev/pts"
	for dir in $binds; do
		mkdir -p "$root$dir"
		mount --bind "$dir" "$root$dir"
	done
	export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C
	exec chroot "$root" "$@"' sh "$binds" "$upper" "$@"
