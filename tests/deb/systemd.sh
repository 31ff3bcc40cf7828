#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs a script as a service of systemd, in a guest of tests/vm/run.sh, whose disk has a Debian
# (option -d):
#
#   systemd.sh SCRIPT MODULE
#
# systemd is the first process of a namespace. MODULE is /kmemtrace.ko for the script.
# Prints the output of the script, and exits with 0 if it succeeds.
set -eu
mkdir -p /mnt
mount -t ext4 /dev/nvme0n1 /mnt
rm -f /mnt/output /mnt/succeeded
cp "$1" /mnt/script
cp "$2" /mnt/kmemtrace.ko
cat >/mnt/etc/systemd/system/script.service <<'UNIT'
[Unit]
SuccessAction=exit
FailureAction=exit

[Service]
Type=oneshot
ExecStart=/bin/sh -c 'sh /script && touch /succeeded'
StandardOutput=file:/output
StandardError=file:/output
TimeoutStartSec=infinity
UNIT
# systemd does not run in a chroot: its root has to be that of its mounts
# shellcheck disable=SC2016 # the inner shell expands it
unshare -m -p -f sh -euc '
	cd /mnt
	mkdir -p proc sys dev run tmp
	mount -t proc proc proc
	mount --rbind /sys sys
	mount -t cgroup2 cgroup2 sys/fs/cgroup
	mount --rbind /dev dev
	mount -t tmpfs tmpfs run
	mount -t tmpfs tmpfs tmp
	mount --move . /
	exec env -i container=guest PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		chroot . /lib/systemd/systemd --unit=script.service --log-target=console \
		--show-status=no' || :
cat /mnt/output
[ -e /mnt/succeeded ] && umount /mnt
