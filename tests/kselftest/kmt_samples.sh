#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The modules of samples/, built with the files that `make install` installs: one has
# code tags of its own, the other a probe on a tracepoint of kmemtrace.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
dir=/sys/kernel/debug/kmemtrace
snapshots=/sys/module/sample_probe/parameters/snapshots
log=/tmp/samples.log

# Print line number and live objects of each line of a sample in /proc/allocinfo.
tagged() {
	sed -n 's/^ *[0-9]* *\([0-9]*\) [^ ]*sample_tags\.c:\([0-9]*\) \[sample_tags\] func:sample_tags_init *$/\2 \1/p' \
		/proc/allocinfo | sort -n
}

plan 6
insmod /lib/modules/kmemtrace.ko overwrite=1 subbufs=4 subbuf_size=65536 &&
	insmod /lib/modules/sample_tags.ko && insmod /lib/modules/sample_probe.ko
result $? "the samples load"
tagged >$log
[ "$(cut -d ' ' -f 2 $log | xargs)" = "2 10" ]
result $? "each caller of ring_make() is charged for its ring, and for its messages"
echo 1 >$dir/enabled
[ "$(cat $snapshots)" = 0 ] && echo 1 >$dir/snapshot && echo 1 >$dir/snapshot &&
	[ "$(cat $snapshots)" = 2 ]
result $? "the probe sees each snapshot"
echo 0 >$dir/enabled
rmmod sample_probe && echo 1 >$dir/enabled && echo 1 >$dir/snapshot
result $? "kmemtrace works after the probe is unloaded"
echo 0 >$dir/enabled
rmmod sample_tags && ! grep sample_tags /proc/allocinfo >$log
result $? "/proc/allocinfo has no tag of the unloaded sample"
rmmod kmemtrace
result $? "the module unloads"
exit "$failed"
