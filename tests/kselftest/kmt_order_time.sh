#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The control file order, the parameter order_time, and recordings in both orders: their
# losses, and CPUs that go offline meanwhile.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
dir=/sys/kernel/debug/kmemtrace
run=/sys/kernel/debug/kmt_client/run
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
log=$work/log

# Writing WORD to order fails with ERROR, changes nothing, and error_log has REASON.
refused() { # WORD ERROR REASON NAME
	was=$(cat $dir/order)
	: >$dir/error_log
	! sh -c "echo '$1' >$dir/order" 2>"$log" && grep -q "$2" "$log" &&
		cat $dir/error_log >>"$log" &&
		grep -q "order: error: $3" $dir/error_log &&
		[ "$(cat $dir/order)" = "$was" ]
	result $? "$4"
}

# Recording is switched on and off. The first record of CPU 0 then has one of the event
# ids FIRST and FIRST + 1.
first_record() { # FIRST
	echo 1 >$dir/enabled
	taskset 1 sh -c "echo kmalloc 100 10 >$run"
	echo 0 >$dir/enabled
	id=$(taskset 1 cat $dir/cpu0 | od -An -tu1 -N1)
	echo "event id $id" >"$log"
	[ "$id" -eq "$1" ] || [ "$id" -eq $(($1 + 1)) ]
}

# Record COMMAND. Sets $file. Events may be lost.
record() { # NAME COMMAND [OPTION]...
	file=$work/$1.kmt
	command=$2
	shift 2
	may_lose kmemtrace-user record -o "$file" "$@" -- sh -c "$command" >"$log" 2>&1
}

# The recording has ORDER, and each event is in it or is counted as lost.
is_good() { # ORDER
	may_lose kmemtrace-user check "$file" >"$log" 2>&1 &&
		grep -q 'events made =' "$log" &&
		kmemtrace-user info --json "$file" >>"$log" || return
	if [ "$1" = time ]; then
		grep -q '"order": *"time"' "$log"
	else
		! grep -q '"order": *"time"' "$log"
	fi
}

# A number in the part "end" of the recording.
number() { # NAME
	sed -n "s/.*\"$1\": *\"*\([0-9]*\).*/\1/p" "$log" | tail -n 1
}

# The sum of the losses of each CPU.
lost_of_cpus() {
	sed -n 's/.*"lost_events\.cpu[0-9]*": *"*\([0-9]*\).*/\1/p' "$log" |
		awk '{ sum += $1 } END { print sum + 0 }'
}

cpus=$(nproc)
plan 24
insmod /lib/modules/kmemtrace.ko && insmod /lib/modules/kmt_client.ko
result $? "modules load"

order_is sequence 3
result $? "the order is sequence at first, with version 3 of the ABI"
first_record 0
result $? "... cpu0 has records of version 3"
echo time >$dir/order && order_is time 4
result $? "time can be written: the ABI has version 4"
first_record 2
result $? "... cpu0 has compact records"
[ "$(cat $dir/sequence)" -eq "$(awk '/^next_number.cpu/ { sum += $2 }
	END { print sum }' $dir/stats)" ]
result $? "... sequence is the sum of the numbers of all CPUs"
echo sequence >$dir/order && order_is sequence 3 && first_record 0
result $? "sequence can be written: cpu0 has records of version 3 again"

refused times 'Invalid argument' 'The order is sequence or time' \
	"another word is refused"
refused '' 'Invalid argument' 'The order is sequence or time' "no word is refused"
echo 1 >$dir/enabled
refused time 'busy' 'The buffers are in use' "a new order is refused while recording"
echo sequence >$dir/order && order_is sequence 3
result $? "... the present one is not"
echo 0 >$dir/enabled
exec 3<$dir/cpu0
refused time 'busy' 'The buffers are in use' "a new order is refused while cpu0 is open"
exec 3<&-
echo traceon >$dir/events/kmem/kfree/trigger
echo 0 >$dir/enabled
refused time 'busy' 'The buffers are in use' \
	"a new order is refused while a trigger may start recording"
echo '!traceon' >$dir/events/kmem/kfree/trigger
echo 0 >$dir/enabled

record time "echo storm 0 20000 >$run" --order time && is_good time
result $? "record --order time makes a recording without violations"
record sequence "echo storm 0 20000 >$run" --order sequence && is_good sequence
result $? "record --order sequence makes one as well"
record default "echo storm 0 20000 >$run" && is_good time
result $? "record orders by time if there is no --order"
order_is sequence 3
result $? "... afterwards, the order is as before"

# the recorder stands still for a part of the events, so that some are lost on any machine
record small "kill -STOP \$PPID; echo storm 0 20000 >$run; kill -CONT \$PPID
	echo storm 0 100000 >$run" --order time --buffer-size 64K &&
	is_good time && [ "$(number lost_events)" -gt 0 ]
result $? "small buffers: each event is recorded or lost, and each lost number is missing"
[ "$(number lost_events)" -eq "$(lost_of_cpus)" ]
result $? "... the losses of all CPUs add up"

if [ "$cpus" -gt 1 ]; then
	last=/sys/devices/system/cpu/cpu$((cpus - 1))/online
	record hotplug "for i in 1 2 3; do echo 0 >$last; echo storm 0 20000 >$run
		echo 1 >$last; echo storm 0 20000 >$run; done" --order time &&
		is_good time
	result $? "a CPU goes offline and comes back: the recording has no violation"
	[ "$(nproc)" -eq "$cpus" ]
	result $? "... the CPU is back"
else
	skip "a CPU goes offline and comes back" "there is one CPU"
	skip "... the CPU is back" "there is one CPU"
fi
rmmod kmemtrace

insmod /lib/modules/kmemtrace.ko order_time=1 && order_is time 4 && rmmod kmemtrace
result $? "order_time=1: the order is time when the module is loaded"
! insmod /lib/modules/kmemtrace.ko order_time=perhaps 2>"$log"
result $? "order_time=perhaps is refused"
rmmod kmt_client
result $? "the client unloads"
exit "$failed"
