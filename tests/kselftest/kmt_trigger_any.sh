#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The file triggers: triggers of events that kmemtrace does not record. The examples of the
# document on event tracing work with the events that it names. Probes are attached only
# while an event has a trigger, in each context, also in NMIs. Events of a module lose their
# triggers before the module is gone.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=/tmp/seen

dir=/sys/kernel/debug/kmemtrace
event=/sys/kernel/debug/kmt_event
: >$log

set_to() { # TRIGGER
	echo "$1" >$dir/triggers
}

none() { # the file has no trigger
	grep -v '^#' $dir/triggers >$log
	[ ! -s $log ]
}

lists() { # LINE
	cat $dir/triggers >$log
	grep -qxF "$1" $log
}

# The trigger is refused; the newest error is TEXT, and points at COLUMN of the command.
refused() { # TRIGGER COLUMN TEXT
	echo >$dir/error_log
	if echo "$1" 2>/dev/null >$dir/triggers; then
		result 1 "$1 is refused"
		return
	fi
	cat $dir/error_log >$log
	grep -qF "error: $3" $log &&
		[ "$(sed -n '$s/\^.*//p' $log | wc -c)" -eq $((2 + 9 + $2)) ]
	result $? "$1 is refused: $3"
}

wait_for() { # VALUE FILE
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ "$(cat "$2")" != "$1" ] || return 0
		sleep 1
	done
	cat "$2" >$log
	return 1
}

nmis() { # COUNT: send them to CPU 0
	echo "0 $1" >/sys/kernel/debug/kmt_nmi/run
}

snapshots() { # taken, or missed
	sed -n "s/^$1 //p" $dir/snapshot
}

attached() { # WHETHER-EVENT WHETHER-BARE
	cat $event/attached >$log
	[ "$(cat $log)" = "$1 $2" ]
}

plan 60
insmod /lib/modules/kmemtrace.ko overwrite=1
none
result $? "after load, no event has a trigger"
[ "$(stat -c %a $dir/triggers)" = 600 ]
result $? "only root can read and write the file"

# --- the examples of the document --------------------------------------------------

# enable_event:kmem:kmalloc at sys_enter_read, of one process
echo 0 >$dir/events/kmem/kmalloc/enable
mkfifo /tmp/fifo
(
	read -r _ </tmp/fifo
	read -r _ </proc/version
	exec sleep 100
) &
reader=$!
set_to "syscalls:sys_enter_read:enable_event:kmem:kmalloc:1 if common_pid == $reader"
result $? "enable_event:kmem:kmalloc at syscalls:sys_enter_read, if common_pid == PID"
lists "syscalls:sys_enter_read:enable_event:kmem:kmalloc:count=1 if common_pid == $reader"
result $? "... is listed"
cat /proc/version >/dev/null
[ "$(cat $dir/events/kmem/kmalloc/enable)" = '0*' ]
result $? "... a read by another process does not enable the event"
echo go >/tmp/fifo
wait_for '1*' $dir/events/kmem/kmalloc/enable
result $? "... a read by this process does"
lists "syscalls:sys_enter_read:enable_event:kmem:kmalloc:count=0 if common_pid == $reader"
result $? "... the count is used up"
set_to '!syscalls:sys_enter_read:enable_event:kmem:kmalloc' && none &&
	[ "$(cat $dir/events/kmem/kmalloc/enable)" = 1 ]
result $? "... it can be removed, and the event stays enabled"
kill $reader

# traceoff, traceon at the entry and exit of one system call
set_to 'syscalls:sys_enter_newuname:traceon:1 if comm == "uname"' &&
	[ "$(cat $dir/enabled)" = 0 ]
uname >/dev/null
wait_for 1 $dir/enabled
result $? "traceon at syscalls:sys_enter_newuname"
set_to 'syscalls:sys_exit_newuname:traceoff if comm == "uname" && cpu < 4096'
uname >/dev/null
wait_for 0 $dir/enabled
result $? "traceoff at syscalls:sys_exit_newuname"
set_to '!syscalls:sys_enter_newuname:traceon'
set_to '!syscalls:sys_exit_newuname:traceoff:unlimited if comm == "uname" && cpu < 4096'
none
result $? "a listed line, with ! in front, removes its trigger"

# snapshot at block_unplug
insmod /lib/modules/loop.ko 2>/dev/null
mkdir /tmp/disk
mount -t tmpfs none /tmp/disk
dd if=/dev/zero of=/tmp/disk/image bs=1M count=4 2>/dev/null
losetup /dev/loop0 /tmp/disk/image
# Linux 6.1 only fires the event if the queue has a scheduler
echo mq-deadline >/sys/block/loop0/queue/scheduler
echo 1 >$dir/enabled
taken=$(snapshots taken)
set_to 'block:block_unplug:snapshot:1'
dd if=/dev/zero of=/dev/loop0 bs=64k count=32 2>/dev/null
sync
lists 'block:block_unplug:snapshot:count=0'
result $? "snapshot at block:block_unplug"
cat $dir/snapshot >$log
grep -qx "taken $((taken + 1))" $log && grep -qx 'reason trigger' $log
result $? "... takes a snapshot"
set_to '!block:block_unplug:snapshot'
losetup -d /dev/loop0
umount /tmp/disk
rmdir /tmp/disk
echo 0 >$dir/enabled

# --- events of modules ---------------------------------------------------------------

refused kmt_event:kmt_event_fired:snapshot 1 "There is no such event, or its module is not loaded"
insmod /lib/modules/kmt_event.ko
attached 0 0
result $? "no probe is attached at first"
set_to 'kmt_event:kmt_event_fired:snapshot:100000' && attached 1 0
result $? "an event of a module: its probe is attached"
set_to 'tracepoints:kmt_bare_tp:enable_event:kmem:kfree:0' && attached 1 1
result $? "a tracepoint without an event: likewise"
set_to 'kmt_event:kmt_event_fired:traceoff:0'
set_to '!kmt_event:kmt_event_fired:traceoff'
attached 1 1
result $? "the probe stays attached while there is another trigger"
echo 'event 7' >$event/fire
lists kmt_event:kmt_event_fired:snapshot:count=100000
result $? "snapshot does not fire, and does not count down, while recording is off"
echo 1 >$dir/enabled
taken=$(snapshots taken) missed=$(snapshots missed)
echo 'event 7' >$event/fire
echo 'all 1000' >$event/fire
taken=$(($(snapshots taken) - taken)) missed=$(($(snapshots missed) - missed))
lists "kmt_event:kmt_event_fired:snapshot:count=$((100000 - taken))" &&
	[ $((taken + missed)) -eq $((7 + 1000 * $(nproc))) ]
result $? "counts are exact while all CPUs fire ($taken snapshots, $missed missed)"
! set_to kmt_event:kmt_event_fired:snapshot 2>/dev/null
result $? "a second trigger of the same type is refused"
set_to '!kmt_event:kmt_event_fired:snapshot' && attached 0 1
result $? "the probe is detached with the last trigger"
set_to '!kmt_event:kmt_event_fired:snapshot' && set_to '!no:such:snapshot'
result $? "removing a trigger that does not exist is no error"
echo 0 >$dir/events/kmem/kfree/enable
set_to '!tracepoints:kmt_bare_tp:enable_event:kmem:kfree'
set_to 'tracepoints:kmt_bare_tp:enable_event:kmem:kfree'
echo 'bare 1' >$event/fire
[ "$(cat $dir/events/kmem/kfree/enable)" = '1*' ]
result $? "a tracepoint without an event fires triggers"

echo >$dir/error_log
set_to 'kmt_event:kmt_event_fired:traceoff:5'
rmmod kmt_event
result $? "the module can be unloaded while its events have triggers"
none
result $? "... the triggers are gone"
cat $dir/error_log >$log
[ "$(grep -c 'The module with this event was unloaded' $log)" = 2 ] &&
	dmesg | grep -q 'event kmt_event:kmt_event_fired is unloaded'
result $? "... error_log and the kernel log tell of them"
[ "$(cat $dir/events/kmem/kfree/enable)" = 1 ]
result $? "... and what they kept attached is released"
insmod /lib/modules/kmt_event.ko
set_to 'kmt_event:kmt_event_fired:traceoff:5' && attached 1 0
result $? "a trigger can be set after the module is loaded again"
set_to '!kmt_event:kmt_event_fired:traceoff'

# --- under load ------------------------------------------------------------------------

(while :; do
	echo 'all 500' >$event/fire
	echo 'bare 500' >$event/fire
done) &
load=$!
for i in $(seq 40); do
	set_to "kmt_event:kmt_event_fired:traceoff:$i if comm != \"x\""
	set_to 'tracepoints:kmt_bare_tp:traceon'
	set_to '!kmt_event:kmt_event_fired:traceoff'
	set_to '!tracepoints:kmt_bare_tp:traceon'
done
none
result $? "triggers are set and removed under load"
attached 0 0
result $? "... no probe is left"
kill $load
wait $load 2>/dev/null

set_to 'kmt_event:kmt_event_fired:snapshot:1000 if context & 0x10'
: >$log
insmod /lib/modules/kmt_nmi.ko
echo 0 >$dir/enabled
set_to 'nmi:nmi_handler:traceon:1'
nmis 5
[ "$(cat $dir/enabled)" = 1 ]
result $? "traceon in an NMI"
lists nmi:nmi_handler:traceon:count=0
result $? "... is counted"
set_to '!nmi:nmi_handler:traceon'
set_to 'nmi:nmi_handler:snapshot:100000'
(while :; do
	echo 'all 2000' >$event/fire
done) &
load=$!
set_to 'irq_vectors:irq_work_entry:traceoff:0'
missed=$(snapshots missed)
nmis 3000
result $? "3000 NMIs while the same CPU runs triggers"
kill $load
wait $load 2>/dev/null
left=$(sed -n 's/^nmi:nmi_handler:snapshot:count=//p' $dir/triggers)
nested=$(sed -n 's/^nested_triggers //p' $dir/stats)
missed=$(($(snapshots missed) - missed))
echo "# left $left, missed $missed, nested $nested" | tee $log
[ $((100000 - left + missed + nested)) -ge 3000 ]
result $? "... each of them fires, or is counted as nested"
rmmod kmt_nmi
set_to '!nmi:nmi_handler:snapshot'
set_to '!irq_vectors:irq_work_entry:traceoff'
set_to '!kmt_event:kmt_event_fired:snapshot'

# --- texts ---------------------------------------------------------------------------

# an event that kmemtrace records
echo 0 >$dir/enabled
set_to 'kmem:kmalloc:stacktrace:5 if bytes_req > 100' && none &&
	grep -qx 'stacktrace:count=5 if bytes_req > 100' $dir/events/kmem/kmalloc/trigger
result $? "an event of kmemtrace gets the trigger in its own file"
set_to '!kmem:kmalloc:stacktrace' &&
	grep -q '^#' $dir/events/kmem/kmalloc/trigger
result $? "... and loses it"

refused '' 1 "Expecting SYSTEM:EVENT:COMMAND"
refused 'sched:sched_switch' 1 "Expecting SYSTEM:EVENT:COMMAND"
refused 'sched:sched_switch:moon' 20 "Unknown command"
refused 'sched:sched_switch:stacktrace' 20 "A stack trace is part of a record"
refused 'sched:sched_switch:traceoff:5x' 29 "Illegal count"
refused 'sched:sched_switch:enable_event:a:b' 33 "Unknown event"
refused 'moon:sched_switch:traceoff' 1 "There is no such event"
refused '  sched:moon:traceoff' 1 "There is no such event"
refused 'tracepoints:moon:traceoff' 1 "There is no such tracepoint"
refused 'syscalls:sys_enter_moon:traceoff' 1 "There is no such system call"
refused 'kmemtrace:kmemtrace_overrun:traceoff' 1 "Events of the system kmemtrace"
refused 'sched:sched_switch:traceoff if bytes_req > 1' 11 "Field not found"
refused 'sched:sched_switch:traceoff if pid > 1 && ptr != 1' 16 "Field not found"
# a kprobe's event and a synthetic event have no tracepoint of the kernel's own
echo 'p:moon vfree' >/sys/kernel/tracing/kprobe_events
refused kprobes:moon:traceoff 1 "This event has no tracepoint"
echo >/sys/kernel/tracing/kprobe_events
echo 'sun u64 a' >/sys/kernel/tracing/synthetic_events
refused synthetic:sun:traceoff 1 "The tracepoint of this event belongs neither"
echo >/sys/kernel/tracing/synthetic_events
none
result $? "refused triggers leave nothing behind"

# --- all events ----------------------------------------------------------------------

# Each event at once, except those of kmemtrace, and of single system calls, which have the
# same probe.
grep -vE '^(syscalls|kmemtrace):' /sys/kernel/tracing/available_events |
	grep -vxFf $dir/available_events >/tmp/events
many=0
while read -r name; do
	set_to "$name:disable_event:percpu:percpu_free_percpu if comm == \"moon\" || cpu == 5000" &&
		many=$((many + 1))
done </tmp/events
echo "# $many of $(wc -l </tmp/events) events have a trigger"
wc -l $dir/triggers >$log
[ $many -gt 300 ] && [ $many -eq "$(wc -l </tmp/events)" ] &&
	[ "$(wc -l <$dir/triggers)" -eq $many ]
result $? "all events at once"
echo 'all 1000' >$event/fire
ls -R /sys/kernel/mm /proc/self >/dev/null 2>&1
rmmod kmt_event && [ "$(wc -l <$dir/triggers)" -eq $((many - 1)) ]
result $? "... one of their modules is unloaded"
rmmod kmemtrace
result $? "... kmemtrace is unloaded"

# --- parameters ------------------------------------------------------------------------

insmod /lib/modules/kmemtrace.ko \
	"trigger=\"syscalls:sys_enter_newuname.traceon:1 if comm == 'uname'; kmalloc.stacktrace:2\"" &&
	lists "syscalls:sys_enter_newuname:traceon:count=1 if comm == 'uname'"
result $? "triggers are set by the parameter"
uname >/dev/null
wait_for 1 $dir/enabled
result $? "... and fire"
kmemtrace-user events >$log
grep -q '^syscalls:sys_enter_newuname ' $log &&
	grep -q "traceon:count=0 if comm == 'uname'" $log
result $? "kmemtrace-user events lists them"
rmmod kmemtrace
dmesg -c >/dev/null
if insmod /lib/modules/kmemtrace.ko trigger=sched:moon.traceon 2>/dev/null; then
	rmmod kmemtrace
	result 1 "a wrong trigger is refused, and the log says why"
else
	dmesg >$log
	grep -q "'sched:moon:traceon' is refused: error -22: There is no such event" $log
	result $? "a wrong trigger is refused, and the log says why"
fi
rmmod loop 2>/dev/null
exit "$failed"
