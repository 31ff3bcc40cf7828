# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Runs in the guest for tests/bench/burst.sh. Prints a line for each recorded load: "LOAD
# RECORDER MADE MILLISECONDS RECORDED LOST".
# shellcheck source=tests/bench/peers_guest.sh
. /peers.sh
tracing=/sys/kernel/tracing

# Each of these functions runs a command, and sets $recorded and $lost.

by_no_recorder() {
	in_peers "$@" >/tmp/out 2>&1
	recorded=0 lost=0
}

by_kmemtrace() {
	rm -f /tmp/file # otherwise the old file is kept, and uses memory
	kmemtrace-user record -o /tmp/file -- chroot $peers "$@" >/tmp/out 2>&1
	recorded=$(sed -n 's/^\([0-9]*\) events in .*/\1/p' /tmp/out)
	lost=$(sed -n 's/^no event lost/0/p; s/^\([0-9]*\) events* lost.*/\1/p' /tmp/out)
}

by_trace_cmd() {
	trace_cmd /tmp/file "$@" >/tmp/out 2>&1
	# "entries" are left in the buffers at the end, and not part of "read events"
	in_peers trace-cmd report --stat /tmp/file | awk '
		/^(overrun|dropped events):/ { lost += $NF }
		/^(entries|read events):/ { recorded += $NF }
		END { printf "recorded=%d lost=%d\n", recorded, lost }' >/tmp/counts
	. /tmp/counts
}

by_perf_kmem() {
	in_peers perf kmem --slab record -o /tmp/file "$@" >/tmp/out 2>&1
	recorded=$(sed -n 's/.*(\([0-9]*\) samples).*/\1/p' /tmp/out)
	made=$(sed -n 's/^Processed \([0-9]*\) samples and lost.*/\1/p' /tmp/out)
	lost=$((${made:-$recorded} - recorded))
}

ftrace_events() { # 0|1
	for event in kmalloc kfree kmem_cache_alloc kmem_cache_free mm_page_alloc \
		mm_page_free; do
		echo "$1" >$tracing/events/kmem/$event/enable
	done
}

by_ftrace_alone() {
	echo >$tracing/trace
	ftrace_events 1
	in_peers "$@" >/tmp/out 2>&1
	ftrace_events 0
	cat $tracing/per_cpu/cpu*/stats | awk '
		/^overrun:/ { lost += $NF }
		/^entries:/ { recorded += $NF }
		END { printf "recorded=%d lost=%d\n", recorded, lost }' >/tmp/counts
	. /tmp/counts
}

load() { # LOAD RECORDER PARAMETER...
	name=$1 recorder=$2
	shift 2
	dmesg -c >/dev/null
	"by_$recorder" /sbin/insmod /tmp/kmt_burst.ko "$@"
	rm -f /tmp/file*
	counts=$(dmesg | sed -n 's/.*kmt_burst: \([0-9]* [0-9]*\)$/\1/p')
	if [ -z "$counts" ] || [ -z "$recorded" ] || [ -z "$lost" ]; then
		echo "$name by $recorder: it did not run" >&2
		cat /tmp/out >&2
		exit 1
	fi
	echo "$name $recorder $counts $recorded $lost"
}

# Halves the rate until no event is lost.
sustain() { # RECORDER
	load unpaced "$1" seconds=3
	rate=1600000
	while [ "$lost" -gt 0 ] && [ $rate -gt 10000 ]; do
		load "rate=$rate" "$1" seconds=3 rate=$rate
		rate=$((rate / 2))
	done
}

recorders() {
	insmod /lib/modules/kmemtrace.ko survey=0
	"$@" kmemtrace
	rmmod kmemtrace
	for other in trace_cmd perf_kmem; do
		"$@" $other
	done
}

burst() { # RECORDER
	load burst "$1" events=1600000
}

ten_seconds() {
	insmod /lib/modules/kmemtrace.ko survey=0
	load ten-seconds kmemtrace seconds=10
	rmmod kmemtrace
}

mount -o remount,size=90% /tmp
sleep 4 # wait until the kernel has tested its ciphers
mount_peers kmt_burst
burst no_recorder
recorders burst
burst ftrace_alone
recorders sustain
ten_seconds
