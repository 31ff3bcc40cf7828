#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The memory for slots comes back after a peak, when the kernel is short of memory. Prints what
# slots take with half of the memory in slabs.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=/tmp/log
dir=/sys/kernel/debug/kmemtrace
run=/sys/kernel/debug/kmt_client/run
objects=400000
: >$log

value() { # NAME: in stats
	sed -n "s/^$1 //p" $dir/stats
}

# Whether at most so many bytes are left when the kernel asks for its memory.
shrinks_to() { # BYTES
	for cache in /sys/kernel/slab/*kmalloc*; do
		[ -L "$cache" ] || echo 1 >"$cache/shrink"
	done
	echo 2 >/proc/sys/vm/drop_caches
	now=$(value memory_bytes)
	[ "$now" -le "$1" ]
}

plan 8
insmod /lib/modules/kmemtrace.ko && insmod /lib/modules/kmt_client.ko
result $? "modules load"
for _ in 1 2 3; do
	shrinks_to 0
done
before=$now
for round in 1 2; do
	echo "hold kmalloc 64 $objects" >$run
	peak=$(value memory_bytes)
	[ "$peak" -gt $((before + objects * 8)) ]
	result $? "round $round: the slots of $objects objects take memory ($((peak - before)) bytes)"
	echo "drop kmalloc 64" >$run
	wait_until shrinks_to $((before + 262144))
	result $? "... it comes back ($((now - before)) bytes are left)"
done

half=$(awk '$1 == "MemTotal:" { print int($2 / 2) * 1024 }' /proc/meminfo)
for size in 192 1024; do
	echo "hold kmalloc $size $((half / size))" >$run &&
		echo "# half of the memory in objects of $size bytes: the module takes $(value memory_bytes) of $((2 * half)) bytes"
	echo "drop kmalloc $size" >$run
done
rmmod kmemtrace

insmod /lib/modules/kmemtrace-debug.ko stock_spans=2
result $? "the module loads, with room for a few slots"
echo "hold kmalloc 64 $objects" >$run
echo "drop kmalloc 64" >$run
refused=$(value stock_refused)
[ "$refused" -gt 1000 ]
result $? "... and counts pages that get none: $refused"
rmmod kmemtrace && rmmod kmt_client
result $? "modules unload"
exit $failed
