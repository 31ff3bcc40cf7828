#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs a command in ROOT, a directory with a small Debian that scripts/mkroot.sh made:
#
#   scripts/inroot.sh [-b DIR]... [-u DIR] ROOT COMMAND [ARGUMENT...]   as root
#
# -b makes a directory of the machine visible in ROOT, at the same path. The path has no
#    blanks.
# -u keeps ROOT unchanged: the files that the command changes are in DIR/changes.
#
# /proc and /dev/pts are mounted, too. The command has mount and process namespaces of its
# own, so all mounts and processes are gone when it ends.
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
	# Not by exec: a command that ends itself by a signal cannot do so as process 1. A make
	# that is interrupted would then run forever.
	chroot "$root" "$@"
	exit 0' sh "$binds" "$upper" "$@"
