# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Runs in the guest for tests/bench/events.sh and corners.sh. Prints a line "ROW COLUMN
# ALLOC FREE" for each figure.
#
#   sh events_guest.sh [corners [SUFFIX]]      SUFFIX is appended to the name of a row
modules=/lib/modules
control=/sys/kernel/debug/kmemtrace
# shellcheck source=tests/bench/peers_guest.sh
. /peers.sh

rows() { # ROW [COMMAND...]: COMMAND loads the benchmark; default: insmod
	row=$1
	shift
	[ $# -gt 0 ] || set -- insmod $modules/kmt_bench.ko
	dmesg -c >/dev/null
	"$@" >/tmp/out 2>&1
	dmesg | sed -n "s/.*kmt_bench: \([^ ]* [0-9.]* [0-9.]*\)$/$row \1/p" |
		tail -n 4 >/tmp/rows # busybox tries twice, because loading fails
	cat /tmp/rows
	if [ "$(wc -l </tmp/rows)" -ne 4 ]; then
		echo "$row: the benchmark did not run" >&2
		cat /tmp/out >&2
		exit 1
	fi
}

# --- kmemtrace --------------------------------------------------------------

record() { # ROW FEATURES
	echo "$2" >features
	echo 1 >enabled
	rows "$1"
	echo 0 >enabled
	if [ "$(cat lost_events)" != 0 ]; then
		echo "$1: events were lost" >&2
		exit 1
	fi
	cat cpu0 >/dev/null
}

# All events of allocations have a histogram.
hist() { # ROW DIRECTORY HISTOGRAM HISTOGRAM-OF-PAGES
	kmem=$2/events/kmem
	for event in kmalloc kmem_cache_alloc; do
		echo "hist:$3" >"$kmem/$event/trigger"
	done
	echo "hist:$4" >"$kmem/mm_page_alloc/trigger"
	rows "$1"
	for event in kmalloc kmem_cache_alloc; do
		echo "!hist:$3" >"$kmem/$event/trigger"
	done
	echo "!hist:$4" >"$kmem/mm_page_alloc/trigger"
}

ours() {
	insmod $modules/kmt_empty.ko
	rows empty-probe
	rmmod kmt_empty
	insmod $modules/kmemtrace.ko survey=0 mem_profiling=0 subbufs=40 \
		subbuf_size=1048576 stack_depth=8
	cd $control || exit 1
	rows loaded-and-off
	record record none
	record record+time time
	record record+time+cache+page "time cache page"
	echo time >order
	record record-by-time "time cache page"
	echo sequence >order
	record record+task task
	record record+cgroup cgroup
	record record+stack8 stack
	filter='call_site != 1 && ptr != 2 && common_type'
	echo "$filter < 1000" >events/kmem/filter
	record record+filter none
	echo "$filter > 1000" >events/kmem/filter
	record filtered-out none
	echo 0 >events/kmem/filter
	hist hist . keys=call_site:vals=bytes_alloc keys=order:vals=order
	hist hist-live . keys=call_site:vals=bytes_alloc,live \
		keys=order:vals=order,live
	hist hist-cgroup-node . keys=cgroup,nid:vals=bytes_alloc \
		keys=cgroup,nid:vals=order
	echo 1 >/proc/sys/vm/mem_profiling
	rows account
	echo 1 >/sys/module/kmemtrace/parameters/allocinfo_nodes
	rows account+nodes
	echo 0 >/sys/module/kmemtrace/parameters/allocinfo_nodes
	# another site is looked at in detail
	echo 'vm_area_* live_bytes > 1 for 86400' >detail
	sleep 3
	if ! grep -q continuing detail; then
		echo "account+detail: no site is armed" >&2
		exit 1
	fi
	# as before the other rows: kmalloc(64) takes its objects from one slab
	rows warm-up >/dev/null
	rows account+detail
	echo >detail
	record account+record none
	record account+record+time time
	echo time >order
	record account+record-by-time "time cache page"
	echo sequence >order
	echo 0 >/proc/sys/vm/mem_profiling
	rows off-again
	cd /
	rmmod kmemtrace
}

# --- rare cases --------------------------------------------------------------

free_rows() { # ROW: frees the pages of kmt_old; their allocation was not measured
	dmesg -c >/dev/null
	rmmod kmt_old
	dmesg | sed -n "s/.*kmt_old: \([^ ]*\) \([0-9.]*\)$/$1 \1 0 \2/p"
}

corners() { # SUFFIX
	rows "nothing$1"
	insmod $modules/kmt_old.ko
	free_rows "nothing$1"
	insmod $modules/kmt_old.ko
	insmod $modules/kmemtrace.ko survey=0
	free_rows "account-older-pages$1"
	rows "account$1"
	insmod $modules/kmt_old.ko
	free_rows "account$1"
	rmmod kmemtrace
	insmod $modules/kmemtrace.ko survey=0 max_tags=16
	rows "account-full-table$1"
	rmmod kmemtrace
}

# --- other tools, with usual options ------------------------------------------

memleak() {
	: >/tmp/memleak
	in_peers memleak-bpfcc 1000 >/tmp/memleak 2>&1 &
	n=0
	while ! grep -q ^Attaching /tmp/memleak; do
		sleep 1
		n=$((n + 1))
		[ $n -lt 300 ] || break
	done
	sleep 3
	rows bcc-memleak
	kill -KILL "$(pidof python3.11)" # its output is not needed
	wait
}

# shellcheck disable=SC2016 # @live and args are bpftrace's
live_map='
tracepoint:kmem:kmalloc, tracepoint:kmem:kmem_cache_alloc {
	@live[args->ptr] = args->bytes_alloc;
}
tracepoint:kmem:kfree, tracepoint:kmem:kmem_cache_free {
	delete(@live[args->ptr]);
}
tracepoint:kmem:mm_page_alloc { @pages[args->pfn] = 4096 << args->order; }
tracepoint:kmem:mm_page_free { delete(@pages[args->pfn]); }
END { clear(@live); clear(@pages); }'

others() {
	mount_peers kmt_bench
	bench='/sbin/insmod /tmp/kmt_bench.ko'
	# shellcheck disable=SC2086 # $bench is two words
	{
		rows trace-cmd-record trace_cmd /tmp/file $bench
		# with --page, perf always records stack traces
		rows perf-kmem in_peers perf kmem --slab record -o /tmp/file $bench
		rows perf-kmem-g in_peers perf kmem --slab --page record -g \
			-o /tmp/file $bench
	}
	hist ftrace-hist /sys/kernel/tracing keys=call_site:vals=bytes_alloc \
		keys=order:vals=order
	rows bpftrace-live-map in_peers bpftrace -e "$live_map" -c "$bench"
	memleak
	rows nothing-again
}

# --- mainline's accounting, in a kernel that has it ---------------------------

mainline() {
	grep -q page_owner=on /proc/cmdline && prefix=page_owner
	echo 0 >/proc/sys/vm/mem_profiling
	rows "${prefix:-nothing}"
	[ -z "${prefix:-}" ] || return 0
	echo 1 >/proc/sys/vm/mem_profiling
	rows allocinfo
}

sleep 4 # wait until the kernel has tested its ciphers
rows warm-up >/dev/null
if [ "${1:-}" = corners ]; then
	corners "${2:-}"
elif [ -f /proc/allocinfo ]; then
	mainline
else
	rows nothing
	ours
	others
fi
