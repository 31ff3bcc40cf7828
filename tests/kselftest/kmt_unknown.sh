#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What cannot be attributed is shown as such: call sites when no stack can be walked
# (lose_walks of the debug module), and a kernel on which the pages of slabs are not
# recognised.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh

stats=/sys/kernel/debug/kmemtrace/stats
file=/tmp/unknown
plan 4

unknown() {
	awk '/kmt_unknown_call_site/ { sum += $1 } END { print sum + 0 }' /proc/allocinfo
}

insmod /lib/modules/kmemtrace.ko
grep -q '^hole slab_pages closed' $stats
result $? "the pages of slabs are recognised"
dd if=/dev/zero of=$file bs=1M count=4 2>/dev/null
[ "$(unknown)" -lt 4194304 ]
result $? "call sites are known"
rm $file
rmmod kmemtrace

insmod /lib/modules/kmemtrace-debug.ko lose_walks=1
dd if=/dev/zero of=$file bs=1M count=4 2>/dev/null
[ "$(unknown)" -ge 4194304 ]
result $? "what no call site is found for is charged to an unknown one"
grep -q '^hole slab_pages open' $stats
result $? "pages of slabs that are not recognised are an open hole"
rm $file
rmmod kmemtrace
exit $failed
