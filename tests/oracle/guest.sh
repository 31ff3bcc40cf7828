# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Runs in the guest: takes snapshots of mainline's and kmemtrace's accounting, before and
# after a mixed workload that leaves much memory live; and a third one after a survey of all
# memory. Sends the snapshots to the host.
dir=/sys/kernel/debug/kmemtrace
modules=/lib/modules/$(uname -r)/kernel
mkdir -p /o /mnt /tmp
ip link set lo up
cd /tmp || exit 1

insmod /lib/modules/kmemtrace.ko survey=0 || exit 1
awk 'NR % 30 == 1 { close(part); part = "/o/codetags." NR }
	{ print >part }' /codetags
for part in /o/codetags.*; do cat "$part" >>$dir/codetags || exit 1; done
# mainline charges these functions themselves, so they must not be wrappers here
while read -r w; do
	! grep -qx "$w" $dir/wrappers || echo "!$w" >>$dir/wrappers || exit 1
done </wrappers_more

storm() { # COUNT NAME: short-lived processes, pipes and small files
	i=0
	while [ $i -lt "$1" ]; do
		echo $i | cat | sed s/1/2/ >"/tmp/$2.$((i % 50))"
		sh -c 'exit 0'
		i=$((i + 1))
	done
}

# Chains of sockets and pipes. No process reads the last pipe, so all buffers fill up.
sockets() {
	i=0
	while [ $i -lt 20 ]; do
		# shellcheck disable=SC2216 # sleep must not read
		sleep 10000 | nc -l -p $((4000 + i)) | sleep 10000 &
		i=$((i + 1))
	done
	sleep 1
	i=0
	while [ $i -lt 20 ]; do
		(head -c 3000000 /dev/zero; sleep 10000) |
			nc 127.0.0.1 $((4000 + i)) &
		i=$((i + 1))
	done
}

files() {
	mount -t tmpfs none /mnt
	mkdir -p /mnt/many /mnt/disk
	i=0
	while [ $i -lt 3000 ]; do
		echo $i >"/mnt/many/a-file-whose-name-is-too-long-to-be-inline-$i"
		i=$((i + 1))
	done
	dd if=/dev/zero of=/mnt/big bs=1M count=64 2>/dev/null
	cp /image /mnt/image
	losetup /dev/loop0 /mnt/image
	mount -t ext4 /dev/loop0 /mnt/disk || exit 1
	cp -r /mnt/many /mnt/disk/
	dd if=/dev/zero of=/mnt/disk/big bs=1M count=24 2>/dev/null
	sync
	echo 3 >/proc/sys/vm/drop_caches
	cat /mnt/disk/many/* /mnt/disk/big >/dev/null
}

load_modules() {
	i=0
	while [ $i -lt 15 ]; do
		insmod "$modules/drivers/net/dummy.ko"
		insmod "$modules/fs/fat/vfat.ko"
		rmmod dummy
		rmmod vfat
		i=$((i + 1))
	done
	insmod "$modules/drivers/net/dummy.ko" numdummies=20
}

# Checks that the workload ran. Otherwise the comparison would be meaningless.
is_done() {
	cat /proc/net/tcp /proc/net/tcp6 >/tmp/sockets
	grep -q 'dummy19:' /proc/net/dev &&
		grep -q '^/dev/loop0 /mnt/disk ext4' /proc/mounts &&
		[ "$(find /mnt/disk/many -type f | wc -l)" -eq 3000 ] &&
		[ "$(grep -c ' 01 ' /tmp/sockets)" -ge 40 ] &&
		[ "$(pidof sleep | wc -w)" -ge 100 ]
}

insmod "$modules/drivers/block/loop.ko"
# Make one-time allocations before the first snapshot, and free as much memory as possible
# that is older than kmemtrace: mainline would see its free, kmemtrace cannot.
storm 300 a
find / -xdev >/dev/null
echo 3 >/proc/sys/vm/drop_caches
storm 100 a
snapshot before || exit 1
storm 2500 a &
one=$!
storm 2500 b &
two=$!
files
load_modules
sockets
find / -xdev >/dev/null
i=0
while [ $i -lt 60 ]; do
	sleep 10000 &
	i=$((i + 1))
done
wait $one $two
sync
if ! is_done; then
	echo 'guest.sh: not all of the workload came about'
	ps
	cat /proc/mounts /tmp/sockets
	exit 1
fi
snapshot after || exit 1
# the totals of all memory: the survey charges what was allocated before
rmmod kmemtrace && insmod /lib/modules/kmemtrace.ko || exit 1
until grep -q '^survey_running 0$' $dir/stats; do usleep 10000; done
grep -q '^survey_complete 1$' $dir/stats || exit 1
snapshot total || exit 1
cat /proc/vmstat >/o/total.vmstat
cat /proc/meminfo >/o/total.meminfo
cd /o && tar -c before.* after.* total.* |
	gzip >/dev/ttyS2
