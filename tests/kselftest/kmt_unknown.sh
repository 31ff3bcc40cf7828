#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Allocations without a call site, when stacks cannot be walked (lose_walks of the debug
# module), are charged to the unknown call site. If the module then does not recognise
# pages of slabs, stats show an open hole.
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
result $? "pages of slabs are recognised"
dd if=/dev/zero of=$file bs=1M count=4 2>/dev/null
[ "$(unknown)" -lt 4194304 ]
result $? "pages of a file are not charged to the unknown call site"
rm $file
rmmod kmemtrace

insmod /lib/modules/kmemtrace-debug.ko lose_walks=1
dd if=/dev/zero of=$file bs=1M count=4 2>/dev/null
[ "$(unknown)" -ge 4194304 ]
result $? "without stack walks they are charged to the unknown call site"
grep -q '^hole slab_pages open' $stats
result $? "pages of slabs that are not recognised are an open hole"
rm $file
rmmod kmemtrace
exit $failed
