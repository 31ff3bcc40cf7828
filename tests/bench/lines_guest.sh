# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Runs in the guest for tests/bench/lines.sh:
#
#   sh lines_guest.sh events      prints a line "ROW KIND EVENT" for each row that the
#                                 plugin writes, in the same order
#   sh lines_guest.sh times       makes the plugin write rows of times; prints a line "row NAME"
#                                 for each of them, and the symbols of the module's code
modules=/lib/modules
control=/sys/kernel/debug/kmemtrace

# busybox tries twice, because loading fails; so each row is there twice
lines() {
	insmod $modules/kmt_lines.ko "$@" 2>/dev/null
}

# With many CPUs, fewer rounds have as many events.
rounds=$((128 / $(nproc)))
[ $rounds -ge 8 ] || rounds=8

rows() { # ROW
	dmesg -c >/dev/null
	lines rounds=$rounds
	dmesg | sed -n "s/.*kmt_lines: \([^ ]* [^ ]*\)$/$1 \1/p"
}

load() {
	insmod $modules/kmt_burst.ko events=20000 2>/dev/null
	for _ in 1 2 3; do
		find /sys/devices >/dev/null
		gzip -c /proc/kallsyms >/dev/null
		sh -c 'cat /proc/self/maps | sort >/dev/null'
	done
}

# Work on many frames at once.
large() {
	for pages in /sys/kernel/mm/hugepages/*; do
		echo 1 >"$pages/nr_hugepages"
		echo 0 >"$pages/nr_hugepages"
	done
	echo 1 >/proc/sys/vm/compact_memory
	cat $control/tags >/dev/null
}

# Other processes work on all CPUs. COMMAND is run before them.
measure() { # ROW [COMMAND...]
	echo "row $1"
	shift
	grep '^[0-9a-f]* [tT] .*\[kmemtrace\]$' /proc/kallsyms | sort >/tmp/code
	lines "begin=0x$(sed -n '1s/ .*//p' /tmp/code)" "end=0x$(sed -n '$s/ .*//p' /tmp/code)"
	"$@"
	load &
	first=$!
	load &
	second=$!
	load
	large
	wait $first $second # not for the recorder
	while grep -q '^survey_running 1' $control/stats; do
		sleep 1
	done
	lines print=1
}

measure_recorder() { # ROW
	kmemtrace-user record -o /tmp/file.kmt >/dev/null 2>&1 &
	recorder=$!
	until grep -q '^recording 1' $control/stats; do
		sleep 1
	done
	measure "$1"
	kill -TERM $recorder # a shell's background process ignores SIGINT
	wait $recorder
}

account() {
	echo 1 >/proc/sys/vm/mem_profiling
}

record() { # ROW ORDER
	echo time cache page >$control/features
	echo "$2" >$control/order
	echo 1 >$control/enabled
	rows "$1"
	echo 0 >$control/enabled
	if ! grep -q '^lost_events 0$' $control/stats; then
		echo "$1: events were lost" >&2
		exit 1
	fi
	for cpu in "$control"/cpu[0-9]*; do
		cat "$cpu" >/dev/null
	done
}

if [ "$1" = events ]; then
	rows nothing
	insmod $modules/kmemtrace.ko survey=0 mem_profiling=0 subbufs=32 subbuf_size=262144
	rows off
	record numbered sequence
	record record time
	account
	rows account
	record both time
else
	insmod $modules/kmemtrace.ko mem_profiling=0
	measure_recorder record
	measure survey account
	measure account
	measure_recorder both
	echo 1 >$control/overwrite
	echo 1 >$control/enabled
	echo 'snapshot:1000 if bytes_req > 0' >$control/events/kmem/kmalloc/trigger
	measure snapshots
	cat /tmp/code
fi
