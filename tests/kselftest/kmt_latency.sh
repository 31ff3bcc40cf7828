#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Bulk frees are handled in short pieces, so that they do not keep the CPU for long. The
# unwinder is not used where the stack frames are known. The text of a long file is made
# once, so that it does not hold a lock again and again. Walks of all memory can be killed. No
# event adds up the counters of all CPUs, and no read of records keeps the CPU for long.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=/tmp/log

dir=/sys/kernel/debug/kmemtrace
: >$log

# Count the calls of a function, until unwatch.
watch() { # FUNCTION [PARAMETER]
	# without survey_wait, which reads stats
	command insmod /lib/modules/kmt_watch.ko function="$1" ${2:+"$2"}
}

# How often the function was called; with its third argument equal to, or above, the limit.
# Fails if it could not be watched. It starts no process before all are read, because that
# would call functions as well.
unwatch() { # sets $calls, $equal and $above
	read -r calls </sys/module/kmt_watch/parameters/calls &&
		read -r equal </sys/module/kmt_watch/parameters/equal &&
		read -r above </sys/module/kmt_watch/parameters/above &&
		rmmod kmt_watch &&
		echo "calls $calls, equal $equal, above $above" >$log
}

# Reading FILE calls the function that prints it only once.
once() { # FILE FUNCTION
	watch "$2"
	size=$(wc -c <$dir/"$1")
	unwatch && echo "$1: $size bytes" >>$log && [ "$calls" -eq 1 ]
}

plan 12
insmod /lib/modules/kmemtrace.ko && insmod /lib/modules/kmt_client.ko
result $? "modules load"
echo 'hold bulk 0 512' >/sys/kernel/debug/kmt_client/run
watch kmemtrace:kmt_probe_free_bulk limit=16
echo 'drop bulk 500 0' >/sys/kernel/debug/kmt_client/run
unwatch && [ "$equal" -ge 16 ] && [ "$above" -eq 0 ]
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
unwatch && [ "$calls" -le 10 ]
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

# --- walks of all memory ------------------------------------------------------------

watch kmemtrace:kmt_live_oldest
kmemtrace-user allocinfo --top 5 >/dev/null
unwatch && [ "$calls" -eq 0 ]
result $? "allocinfo --top 5 does not visit all memory"
for file in tags ages caches_live; do
	watch kmemtrace:kmt_bucket_walk kill=kmemtrace:kmt_frame_walk
	cat $dir/$file >/dev/null 2>&1 || :
	unwatch && [ "$calls" -eq 0 ] || echo "$file" >>/tmp/survived
done
[ ! -s /tmp/survived ]
result $? "a task that visits all memory can be killed"

# --- recording ----------------------------------------------------------------------

echo 'live_bytes > 1G' >$dir/events/kmem/kmalloc/filter
echo 1 >$dir/enabled
watch kmemtrace:kmt_tag_sum
echo 'kmalloc 104 1000' >/sys/kernel/debug/kmt_client/run
unwatch && [ "$calls" -lt 100 ]
result $? "a filter by live_bytes does not add up the counters in each event"
echo 0 >$dir/events/kmem/kmalloc/filter
taskset 1 sh -c 'echo "kmalloc 104 40000" >/sys/kernel/debug/kmt_client/run'
echo 0 >$dir/enabled
watch cpus_read_lock
size=$(dd if=$dir/cpu0 bs=32M count=1 2>/dev/null | wc -c)
unwatch && echo "$size bytes" >>$log && [ "$size" -gt 1000000 ] && [ "$calls" -ge 8 ]
result $? "a read of 1 MB lets other tasks run after each sub-buffer"
rmmod kmt_client && rmmod kmemtrace
result $? "modules unload"
exit $failed
