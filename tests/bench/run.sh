#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What one event costs, in guest instructions (see kmt_bench.c), in one boot of
# each kernel: a row is what an allocation and a free take more than with
# nothing loaded. The filters have three terms, which all are looked at.
#
#   tests/bench/run.sh SERIES...
set -eu
cd "$(dirname "$0")/../.."

# shellcheck disable=SC2016 # it is the guest's shell that expands
commands='
sleep 4
run() {
	dmesg -c >/dev/null
	insmod /lib/modules/kmt_bench.ko 2>/dev/null
	dmesg | sed -n "s/.*kmt_bench: \(.* [0-9.]* [0-9.]*\)$/$1 \1/p" | head -n 4
}
run nothing
insmod /lib/modules/kmt_empty.ko; run empty-probe; rmmod kmt_empty
insmod /lib/modules/kmemtrace.ko mem_profiling=0 subbufs=40 subbuf_size=1048576
cd /sys/kernel/debug/kmemtrace
run loaded-and-off
echo 1 >/proc/sys/vm/mem_profiling
run account
echo 0 >/proc/sys/vm/mem_profiling
run off-again
record() {
	echo "$2" >features
	echo 1 >enabled
	run "$1"
	echo 0 >enabled
	[ "$(cat lost_events)" = 0 ] || echo "$1: events were lost" >&2
	cat cpu0 >/dev/null
}
record record none
record record+time time
record record+time+cache+page "time cache page"
echo "call_site != 1 && ptr != 2 && common_type < 1000" >events/kmem/filter
record record+filter none
echo "call_site != 1 && ptr != 2 && common_type > 1000" >events/kmem/filter
record filtered-out none
echo 0 >events/kmem/filter
record record+task "task"
record record+stack "stack"
echo 1 >/proc/sys/vm/mem_profiling
record account+record+time time
'

for kernel; do
	release=$(cat "${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}/kernels/$kernel/release")
	echo
	echo "$release: added instructions, alloc / free"
	tests/vm/run.sh -k "$kernel" -m 1024 -i -t 300 -- "$commands" | awk '
		{ row = $1; col = $2; a[row, col] = $3; f[row, col] = $4 }
		!(row in seen) { seen[row] = 1; rows[++n] = row }
		!(col in have) { have[col] = 1; cols[++m] = col }
		END {
			printf "%-24s", ""
			for (j = 1; j <= m; j++) printf " %20s", cols[j]
			print ""
			for (i = 1; i <= n; i++) {
				printf "%-24s", i == 1 ? "untraced (absolute)" : rows[i]
				for (j = 1; j <= m; j++) {
					x = a[rows[i], cols[j]]; y = f[rows[i], cols[j]]
					if (i > 1) { x -= a[rows[1], cols[j]]; y -= f[rows[1], cols[j]] }
					printf " %11.1f / %6.1f", x, y
				}
				print ""
			}
		}'
done
