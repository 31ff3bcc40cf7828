#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# How many call sites get a file and a line from the debug information of a stock kernel.
# /lines.tar.gz has what scripts/debug-lines.sh has made of it. The modules of this project
# and of the guest are not in there.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=/tmp/lines.log

# Whether the lines of the module that was loaded last are there.
# shellcheck disable=SC2317 # wait_until calls it
has_lines() {
	kmemtrace-user codetags show | grep -q 'drivers/block/loop\.c:'
}

work() {
	find /kselftest /lib /bin -type f -print0 | xargs -0 cat >/dev/null
	ls -lR /proc >/tmp/proc 2>&1
	ping -c 3 127.0.0.1 >/dev/null
	dd if=/dev/zero of=/tmp/zeros bs=1M count=16 2>/dev/null
	for module in zsmalloc lz4_compress lz4hc_compress zram brd loop; do
		insmod /lib/modules/$module.ko 2>/dev/null
	done
	cp /lib/modules/loop.ko /dev/ram0 2>/dev/null
	truncate -s 16M /tmp/disk
	losetup /dev/loop0 /tmp/disk && losetup -d /dev/loop0
	unshare -m -u -i -n -p -f sh -c 'ip link set lo up; ip addr; mount -t proc none /mnt'
	find /sys/devices /sys/class -name uevent -exec cat {} + >/dev/null 2>&1
	echo 1 >/sys/kernel/tracing/events/sched/enable
	echo 0 >/sys/kernel/tracing/events/sched/enable
	wait_until has_lines
	sh -c 'for i in $(seq 50); do echo $i | cat; done' >/dev/null
	mount -t tmpfs none /mnt && umount /mnt
}

# Rows of sites of the kernel that have allocated, without those that the survey counts, and
# those of modules that Debian does not build.
sites() {
	kmemtrace-user allocinfo --top 0 2>/dev/null |
		awk '/ func:/ && $4 != "0" && !/ earlier\// && !/\[(kmemtrace|kmt_)/'
}

plan 5
mkdir -p /var/cache/kmemtrace /mnt
tar -C /var/cache/kmemtrace -xzf /lines.tar.gz
result $? "the kept files are there ($(du -sh /var/cache/kmemtrace | cut -f 1))"
insmod /lib/modules/kmemtrace.ko
kmemtrace-user codetags load --follow 2>$log &
follower=$!
for _ in $(seq 100); do
	! grep -q "from the cache" $log || break
	usleep 100000
done
grep -q "from the cache" $log
result $? "codetags load uses them"
sed 's/^/# /' $log
work >/dev/null
sites >/tmp/sites
all=$(wc -l </tmp/sites) none=$(grep -c ':0 \| [^ /]*+0x[0-9a-f]* ' /tmp/sites)
echo "# $all sites have allocated; $none of them without a file and line:"
grep ':0 \| [^ /]*+0x[0-9a-f]* ' /tmp/sites | sed 's/^/# /'
[ "$all" -ge 200 ]
result $? "many sites have allocated ($all)"
[ $((none * 100)) -le "$all" ]
result $? "at least 99 % of them have a file and line"
kill $follower
rmmod kmemtrace
result $? "the module unloads"
exit "$failed"
