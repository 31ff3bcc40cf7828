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

# Allocate and free COUNT objects of SIZE bytes.
fire() { # SIZE COUNT
	echo "kmalloc $1 $2" >/sys/kernel/debug/kmt_client/run
}

# Memory runs out, and the kernel kills a process.
kill_one() {
	sleep 1000 &
	victim=$!
	echo 1000 >/proc/$victim/oom_score_adj
	echo f >/proc/sysrq-trigger
	wait $victim 2>/dev/null
	settled
}

# Processes of 1 GiB each fill the whole memory. One of them is killed.
fill_memory() {
	gib=$(awk '/^MemTotal:/ { print int($2 / 1048576) + 1 }' /proc/meminfo)
	victims=''
	echo 1 >/proc/sys/vm/overcommit_memory
	while [ "$gib" -gt 0 ]; do
		dd if=/dev/zero of=/dev/null bs=1G 2>/dev/null &
		victims="$victims $!"
		echo 1000 >/proc/$!/oom_score_adj
		gib=$((gib - 1))
	done
	wait_until state 'state taken'
	for victim in $victims; do
		kill "$victim" 2>/dev/null
		wait "$victim" 2>/dev/null
	done
	echo 0 >/proc/sys/vm/overcommit_memory
}

# The snapshot has the events of fire 1012, and no others are lost by reading it.
has_mark() {
	rm -f /tmp/s.kmt
	may_lose kmemtrace-user snapshot -o /tmp/s.kmt >/tmp/state 2>&1 &&
		kmemtrace-user script -f 'bytes_req == 1012' /tmp/s.kmt 2>/dev/null |
		grep -q 'bytes_req=1012'
}

work() {
	ls -R /proc/self /sys/kernel/mm >/dev/null 2>&1
}

plan 42
insmod /lib/modules/kmemtrace.ko
insmod /lib/modules/kmt_client.ko
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

# CPUs that record nothing keep what is in their buffers. It must not come back.
size_of() { # CPU: read its part of the snapshot, and print the size
	wc -c <$dir/snapshot_cpu"$1" 2>/dev/null
}
on_cpu() { # CPU
	taskset $((1 << $1)) sh -c "echo 'kmalloc 137 100' >/sys/kernel/debug/kmt_client/run"
}
echo kmem:kmalloc >$dir/set_event
echo 'bytes_req == 137' >$dir/events/kmem/kmalloc/filter
echo 1 >$dir/snapshot
on_cpu 0
[ "$(nproc)" -eq 1 ] || on_cpu 1
grep -q '^start_number.cpu0 ' $dir/stats && echo 1 >$dir/snapshot && echo 1 >$dir/snapshot &&
	! grep '^start_number' $dir/stats
result $? "stats does not have the start of records that were lost with a snapshot"
echo 1 >$dir/snapshot
cat $dir/snapshot_cpu* >/tmp/a
[ ! -s /tmp/a ]
result $? "a snapshot of quiet CPUs is empty, although the one before was not read"
on_cpu 0
echo 1 >$dir/snapshot
[ "$(size_of 0)" -ge 2000 ] && { [ "$(nproc)" -eq 1 ] || [ "$(size_of 1)" -eq 0 ]; }
result $? "... the next one has what one CPU recorded since, and nothing of the other"
if [ "$(nproc)" -gt 1 ]; then
	on_cpu 1
	echo 1 >$dir/snapshot
	[ "$(size_of 0)" -eq 0 ] && [ "$(size_of 1)" -ge 2000 ]
	result $? "... and so has the next one"
else
	skip "... and so has the next one" "there is one CPU"
fi
echo 0 >$dir/events/kmem/kmalloc/filter
echo '*:*' >$dir/set_event

exec 3<$dir/snapshot_cpu0
! echo 1 2>/dev/null >$dir/snapshot && state 'missed 1'
result $? "while a snapshot is being read, none is taken; missed counts it"
echo 'snapshot:1 if bytes_req == 1012' >$dir/events/kmem/kmalloc/trigger
fire 1012 1
exec 3<&-
state 'missed 2' && grep -qx 'snapshot:count=1 if bytes_req == 1012' \
	$dir/events/kmem/kmalloc/trigger
result $? "... a trigger that misses it keeps its count"
fire 1012 1
settled
state 'reason trigger' && grep -qx 'snapshot:count=0 if bytes_req == 1012' \
	$dir/events/kmem/kmalloc/trigger
result $? "... it takes the next one"
echo '!snapshot' >$dir/events/kmem/kmalloc/trigger
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

# the whole memory is allocated meanwhile: these events would overwrite the others
echo '!kmem:mm_page_alloc' >>$dir/set_event
echo '!kmem:mm_page_free' >>$dir/set_event
fire 1012 1
kill_one
state 'state taken' && state 'reason oom'
result $? "the OOM killer takes a snapshot"
taken=$(grep '^taken ' /tmp/state)
work
kill_one
state "$taken"
result $? "... the next kill does not replace it"
has_mark
result $? "... it has the events before the first kill"
kill_one
! state "$taken" && state 'reason oom'
result $? "... when it was read, the next kill takes a snapshot"
echo 1 >$dir/snapshot
kill_one
state 'reason request'
result $? "a kill does not replace a request's snapshot that was not read"
echo 2 >$dir/snapshot
fire 1012 1
fill_memory
state 'state taken' && state 'reason oom'
result $? "a process of 1 GiB is killed: there is a snapshot"
has_mark
result $? "... it has the events before that"
echo kmem: >>$dir/set_event

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
insmod /lib/modules/kmt_overrun.ko
echo 1 >$dir/enabled
dd if=/dev/zero of=/tmp/big bs=1M count=8 2>/dev/null
echo 0 >$dir/enabled
[ "$(cat /sys/module/kmt_overrun/parameters/calls)" -gt 0 ]
result $? "a probe of kmemtrace_overrun may allocate memory itself"
rmmod kmt_overrun
# else the kernel would warn, which ends the guest
! rmmod kmemtrace 2>/dev/null
result $? "the module cannot be unloaded while its tracepoint is in use"
echo 0 >$tracing/events/kmemtrace/enable
echo traceoff:0 >$tracing/events/kmemtrace/kmemtrace_snapshot/trigger
! rmmod kmemtrace 2>/dev/null
result $? "... also if a trigger of ftrace uses it"
echo '!traceoff' >$tracing/events/kmemtrace/kmemtrace_snapshot/trigger
rmmod kmt_client && rmmod kmemtrace
result $? "the modules unload"
exit $failed
