#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Snapshots: a snapshot does not change while recording goes on. A request, a trigger or
# the OOM killer takes one. The module's own tracepoints report it.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=/tmp/state

dir=/sys/kernel/debug/kmemtrace
tracing=/sys/kernel/tracing
touch /tmp/state

state() { # PATTERN
	cat $dir/snapshot >/tmp/state
	grep -q "^$1\$" /tmp/state
}

settled() { # wait until a snapshot can be read
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		state 'state freezing' || return 0
		sleep 1
	done
}

bytes() { # read the snapshot, and print its size
	cat $dir/snapshot_cpu* 2>/dev/null | wc -c
}

work() {
	ls -R /proc/self /sys/kernel/mm >/dev/null 2>&1
}

plan 32
insmod /lib/modules/kmemtrace.ko
state 'state off'
result $? "after load, no memory is allocated for snapshots"
! cat $dir/snapshot_cpu0 2>/dev/null >/dev/null
result $? "without a snapshot, snapshot_cpu0 cannot be read"
echo 1 >$dir/snapshot && state 'state taken' && [ "$(bytes)" -eq 0 ]
result $? "the first snapshot allocates memory; it is empty"
echo 1 >$dir/enabled
work
echo 1 >$dir/snapshot && [ "$(bytes)" -gt 1000 ]
result $? "snapshots work without overwrite=1"
echo 0 >$dir/snapshot && state 'state off'
result $? "0 frees the memory of snapshots"
echo 'snapshot:1 if bytes_req > 0' >$dir/events/kmem/kmalloc/trigger &&
	state 'taken 2'
work
settled
state 'state taken' && state 'reason trigger' && [ "$(bytes)" -gt 0 ]
result $? "a trigger takes one without overwrite=1"
echo 0 >$dir/snapshot && state 'state empty'
result $? "0 does not free the memory that a trigger needs"
echo 0 >$dir/enabled
work
cat $dir/cpu* >/tmp/a
echo 1 >$dir/snapshot
[ -s /tmp/a ] && [ "$(bytes)" -eq 0 ]
result $? "a snapshot does not have records that were read before"
echo 1 >$dir/overwrite
state 'state empty'
result $? "overwrite can be switched on"
echo '!snapshot' >$dir/events/kmem/kmalloc/trigger

echo 1 >$dir/enabled
work
! cat $dir/cpu0 2>/dev/null >/dev/null
result $? "with overwrite=1, cpu0 cannot be read while recording is on"
! echo 0 2>/dev/null >$dir/overwrite
result $? "... overwrite cannot be switched off"
echo 1 >$dir/snapshot
state 'state taken' && state 'reason request'
result $? "a request takes a snapshot"
first=$(bytes)
work
[ "$first" -gt 1000 ] && [ "$(cat $dir/enabled)" = 1 ]
result $? "... it can be read while recording goes on"
[ "$(bytes)" -eq 0 ]
result $? "... it can be read only once"
echo 1 >$dir/snapshot
cat $dir/snapshot_cpu* >/tmp/a
echo 1 >$dir/snapshot
[ -s /tmp/a ] && [ "$(bytes)" -gt 0 ]
result $? "the next snapshot has the events since"

exec 3<$dir/snapshot_cpu0
! echo 1 2>/dev/null >$dir/snapshot && state 'missed 1'
result $? "while a snapshot is being read, none is taken; missed counts it"
exec 3<&-
echo 0 >$dir/snapshot
state 'state empty'
result $? "a snapshot can be dropped"

[ -d $tracing/events/kmemtrace/kmemtrace_overrun ] &&
	[ -d $tracing/events/kmemtrace/kmemtrace_snapshot ] &&
	[ -d $tracing/events/kmemtrace/kmemtrace_tag_growth ]
result $? "the module's own tracepoints exist"
echo 1 >$tracing/events/kmemtrace/enable
echo 'snapshot:1 if bytes_req > 0' >$dir/events/kmem/kmalloc/trigger
work
settled
state 'state taken' && state 'reason trigger' &&
	grep -qx 'snapshot:count=0 if bytes_req > 0' \
		$dir/events/kmem/kmalloc/trigger
result $? "a trigger with a count of 1 takes one snapshot"
grep -q 'kmemtrace_snapshot: reason=trigger sequence=' $tracing/trace
result $? "... the tracepoint kmemtrace_snapshot reports it"
echo '!snapshot' >$dir/events/kmem/kmalloc/trigger
echo 0 >$dir/snapshot

dd if=/dev/zero of=/tmp/big bs=1M count=24 2>/dev/null
grep -q 'kmemtrace_tag_growth: call_site=shmem_.* kind=page live_bytes=1[67]...... ' \
	$tracing/trace
result $? "kmemtrace_tag_growth reports a tag at a power of two"
rm /tmp/big

sleep 1000 &
victim=$!
echo 1000 >/proc/$victim/oom_score_adj
echo f >/proc/sysrq-trigger
wait $victim 2>/dev/null
settled
state 'state taken' && state 'reason oom'
result $? "the OOM killer takes a snapshot"
[ "$(bytes)" -gt 0 ]
result $? "... it can be read"

echo 0 >$dir/enabled
work
echo 1 >$dir/snapshot && [ "$(bytes)" -gt 0 ] && echo 2 >$dir/snapshot &&
	state 'state empty'
result $? "a snapshot can be taken after recording; 2 drops it"
echo 0 >$dir/overwrite
state 'state off'
result $? "overwrite can be switched off"
echo 1 >$dir/overwrite
echo 'snapshot if bytes_req == 1' >$dir/events/kmem/kmalloc/trigger
echo 0 >$dir/overwrite
state 'state empty'
result $? "... also while a trigger needs snapshots"
echo '!snapshot' >$dir/events/kmem/kmalloc/trigger
echo 128 >$dir/buffer_size_kb
echo 1 >$dir/enabled
# enough events to fill the buffer of at least one CPU, on any CPUs
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ "$(cat $dir/lost_events)" -eq 0 ] && work
done
dd if=/dev/zero of=/tmp/big bs=1M count=8 2>/dev/null
echo 0 >$dir/enabled
# compare the last line of each CPU: ftrace's buffer may have overwritten earlier ones
awk 'FILENAME ~ /trace$/ && /kmemtrace_overrun: size=[0-9]+ / {
		match($0, /\[[0-9]+\]/)
		cpu = substr($0, RSTART + 1, RLENGTH - 2) + 0
		sub(/.*lost_events=/, "")
		told[cpu] = $1 + 0
	}
	FILENAME ~ /stats$/ && sub(/^lost_events\.cpu/, "") && $2 {
		lost += $2
		if (told[$1] != $2)
			exit failed = 1
	}
	END { exit failed || !lost }' $tracing/trace $dir/stats
result $? "kmemtrace_overrun reports the lost events of each CPU"
# else the kernel would warn, which ends the guest
! rmmod kmemtrace 2>/dev/null
result $? "the module cannot be unloaded while its tracepoint is in use"
echo 0 >$tracing/events/kmemtrace/enable
echo traceoff:0 >$tracing/events/kmemtrace/kmemtrace_snapshot/trigger
! rmmod kmemtrace 2>/dev/null
result $? "... also if a trigger of ftrace uses it"
echo '!traceoff' >$tracing/events/kmemtrace/kmemtrace_snapshot/trigger
rmmod kmemtrace
result $? "the module unloads"
exit $failed
