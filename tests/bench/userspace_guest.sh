#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in the guest: each tool in turn records the same workload. The recordings are sent
# to /dev/ttyS2, compressed because this line is slow.
set -e
out=/tmp/out
mkdir -p $out /root
export HOME=/root
insmod /lib/modules/kmemtrace.ko survey=0

slab='kmalloc kmem_cache_alloc kfree kmem_cache_free'
pages='mm_page_alloc mm_page_free'

# the workload: creates files, makes archives of them, and copies these
cat >/tmp/workload <<'END'
for round in $(seq 100); do
	for i in 1 2 3 4 5 6; do
		mkdir -p /tmp/tree/$i
		for j in 1 2 3 4 5 6 7 8 9 10 11 12; do
			echo "file $j" >/tmp/tree/$i/$j
		done
	done
	find /tmp/tree /proc/self /proc/sys >/dev/null 2>&1
	tar cf /tmp/tree.tar /tmp/tree /bin/busybox 2>/dev/null
	dd if=/tmp/tree.tar of=/tmp/copy bs=64k 2>/dev/null
	rm -rf /tmp/tree /tmp/tree.tar /tmp/copy
done
END

kmemtrace-user record -o $out/ours.kmt -- sh /tmp/workload >/tmp/log 2>&1 ||
	[ $? -eq 3 ] # success, but events were lost

words=''
for event in $slab $pages; do
	words="$words -e kmem:$event"
done
# shellcheck disable=SC2086 # several words
trace-cmd record --compression zstd -o $out/trace.dat $words sh /tmp/workload \
	>>/tmp/log 2>&1

perf kmem --slab record -o $out/perf.data sh /tmp/workload >>/tmp/log 2>&1

ls -l $out
tail -n 20 /tmp/log
gzip -1 $out/*
cd $out
tar cf - . >/dev/ttyS2
