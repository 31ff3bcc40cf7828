#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Bulk frees are handled in short pieces, so that they do not keep the CPU for long. The
# unwinder is not used where the stack frames are known. The text of a long file is made
# once, so that it does not hold a lock again and again.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=/tmp/log

dir=/sys/kernel/debug/kmemtrace
tracing=/sys/kernel/tracing
: >$log

# Trace the calls of a function, with a kprobe, until unwatch.
watch() { # FUNCTION
	echo >$tracing/trace
	echo "p:kmt_watch $1 count=\$arg3:u64" >$tracing/kprobe_events &&
		echo 1 >$tracing/events/kprobes/kmt_watch/enable
}

unwatch() { # the trace is then in $log
	echo 0 >$tracing/events/kprobes/kmt_watch/enable
	grep kmt_watch: $tracing/trace >$log
	echo >$tracing/kprobe_events
}

# Reading FILE calls the function that prints it only once.
once() { # FILE FUNCTION
	watch "$2"
	size=$(wc -c <$dir/"$1")
	unwatch
	echo "$1: $size bytes" >>$log
	[ "$(grep -c kmt_watch: $log)" -eq 1 ]
}

plan 8
insmod /lib/modules/kmemtrace.ko && insmod /lib/modules/kmt_client.ko
result $? "modules load"
echo 'hold bulk 0 512' >/sys/kernel/debug/kmt_client/run
watch kmemtrace:kmt_probe_free_bulk
echo 'drop bulk 500 0' >/sys/kernel/debug/kmt_client/run
unwatch
[ "$(grep -c 'count=16$' $log)" -ge 16 ] &&
	! grep -vE 'count=([0-9]|1[0-6])$' $log
result $? "a bulk free handles at most 16 objects with preemption disabled"
# The call sites of pages need a walk of the stack. A large kmalloc() is made of pages.
deep() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		echo "deep 16384 40" >/sys/kernel/debug/kmt_client/run
	done
}
deep
watch kmemtrace:walk_unwinder
deep
unwatch
[ "$(grep -c kmt_watch: $log)" -le 10 ]
result $? "400 walks in soft interrupts hardly use the unwinder"
i=0
while [ $i -lt 500 ]; do
	printf '0xffffffff81%06x mm/some_file_in_a_folder.c:%d some_function\n' $i $i
	i=$((i + 1))
done >/tmp/rows
for i in $(seq 1 50 500); do
	sed -n "$i,$((i + 49))p" /tmp/rows >/tmp/part
	cat /tmp/part >>$dir/codetags
done
[ "$(wc -c <$dir/codetags)" -gt 16384 ]
result $? "codetags has 500 code tags"
once codetags kmemtrace:kmt_codetag_show
result $? "... the text of codetags is made once"
once stats kmemtrace:kmt_stats_show
result $? "the text of stats is made once"
once caches_live kmemtrace:kmt_live_show_caches
result $? "the text of caches_live is made once"
rmmod kmt_client && rmmod kmemtrace
result $? "modules unload"
exit $failed
