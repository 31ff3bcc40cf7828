#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A recording while the machine sleeps (S3). The time of records is still that of the
# kernel, which does not count the sleep, although the CPU's counter may. Each event is
# compared with the same event in ftrace.
# shellcheck disable=SC2317 # functions are called by eval
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
tracing=/sys/kernel/tracing
alarm=/sys/class/rtc/rtc0/wakealarm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
log=$work/log

fire() {
	echo "kmalloc 1234 5" >/sys/kernel/debug/kmt_client/run
}

# Sleep for some seconds; the real time clock wakes the machine.
machine_sleep() { # SECONDS
	echo 0 >"$alarm" && echo "+$1" >"$alarm" &&
		echo mem >/sys/power/state
}

# Print the time of each kmalloc() of the client in seconds, one on each line.
times_of_ftrace() {
	sed -n 's/.* \([0-9]*\.[0-9]*\): kmalloc: .*/\1/p' $tracing/trace
}

times_of_recording() {
	kmemtrace-user script -f 'bytes_req == 1234' "$work/s.kmt" |
		awk '{ print $1 }'
}

if [ $# -gt 0 ]; then # run by kmemtrace-user record
	eval "$1"
	exit
fi
plan 4
if ! grep -q '\[deep\]' /sys/power/mem_sleep 2>/dev/null || [ ! -e $alarm ]; then
	for name in "the machine sleeps twice during a recording" \
		"each event is recorded" \
		"its time is that of ftrace, before and after the sleep" \
		"check finds no violation"; do
		skip "$name" "this machine cannot sleep and wake up by itself"
	done
	exit 0
fi
insmod /lib/modules/kmemtrace.ko
insmod /lib/modules/kmt_client.ko
echo perf >$tracing/trace_clock # local_clock(), as the module's
echo 'bytes_req == 1234' >$tracing/events/kmem/kmalloc/filter
echo 1 >$tracing/events/kmem/kmalloc/enable

before=$(date +%s)
may_lose kmemtrace-user record -o "$work/s.kmt" -- \
	"$0" "fire && machine_sleep 4 && fire && machine_sleep 4 && fire" >"$log" 2>&1 &&
	[ $(($(date +%s) - before)) -ge 6 ]
result $? "the machine sleeps twice during a recording"
echo 0 >$tracing/events/kmem/kmalloc/enable
times_of_ftrace >"$work/ftrace"
times_of_recording >"$work/ours"
paste "$work/ftrace" "$work/ours" >>"$log"
[ "$(wc -l <"$work/ftrace")" -eq 15 ] && [ "$(wc -l <"$work/ours")" -eq 15 ]
result $? "each event is recorded"
# The two take their times one after the other. On a busy machine, the emulator may wait
# for its CPU in between, but not in all five events of a moment.
paste "$work/ftrace" "$work/ours" | awk '
	function abs(x) { return x < 0 ? -x : x }
	{ moment = int((NR - 1) / 5) }
	abs($1 - $2) <= 0.01 && !(moment in good) { good[moment]; n++ }
	abs($1 - $2) > 1 { bad = 1 }
	END { exit bad || n != 3 || NR != 15 }'
result $? "its time is that of ftrace, before and after the sleep"
may_lose kmemtrace-user check "$work/s.kmt" >"$log" 2>&1
result $? "check finds no violation"
rmmod kmt_client kmemtrace
for file in /sys/devices/system/cpu/cpu*/online; do
	[ ! -e "$file" ] || [ "$(cat "$file")" = 1 ] || echo "# after the sleep, $file is not 1"
done
exit "$failed"
