#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The survey: memory that was allocated before the load is charged to rows of its own, its
# frees match, and all rows together are the memory in use.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh

dir=/sys/kernel/debug/kmemtrace
log=/tmp/survey.log
long=kmt_pages_of_a_module_whose_name_has_fifty_five_letters
: >$log
plan 43

stat() { # NAME
	awk -v name="$1" '$1 == name { print $2 }' $dir/stats
}

# Print the live bytes of kernel stacks, whose caller depends on what the compiler has inlined.
stack_rows() {
	awk '/earlier\/vmalloc:0 func:(kernel_clone|copy_process|dup_task_struct|fork_idle|alloc_thread_stack_node) *$/ {
		bytes += $2
	}
	END { print bytes + 0 }' $dir/tags_quick
}

between() { # VALUE LEAST MOST
	echo "$1, from $2 to $3 expected" >>$log
	[ "$1" -ge "$2" ] && [ "$1" -le "$3" ]
}

# Let CPUs give back the free objects that they keep.
shrink() {
	for file in /sys/kernel/slab/*/shrink; do
		echo 1 >"$file"
	done
}

# Print the bytes of the objects that CPUs keep at most, which slabinfo counts as active: those of
# the slabs that they allocate from next.
kept_bytes() {
	for cache in /sys/kernel/slab/*; do
		[ -L "$cache" ] || echo "$(cat "$cache/cpu_slabs") $(cat "$cache/objs_per_slab")" \
			"$(cat "$cache/slab_size")"
	done | awk '{ bytes += $1 * $(NF - 1) * $NF } END { printf "%d\n", bytes }'
}

# The sum of all rows of objects is that of the active objects of slabinfo, less objects that CPUs
# may keep.
rows_are_slabinfo() { # BYTES
	for tries in 1 2 3 4 5 6 7 8; do
		shrink
		ours=$(awk '$1 == "slab" { bytes += $2 } END { printf "%d\n", bytes }' $dir/tags_quick)
		ours=$((ours - $(stat live_large_bytes)))
		theirs=$(awk 'NR > 2 { bytes += $2 * $4 } END { printf "%d\n", bytes }' /proc/slabinfo)
		kept=$(kept_bytes)
		echo "rows: $ours bytes, slabinfo: $theirs, CPUs keep at most $kept" >>$log
		[ "$ours" -gt 0 ] && [ $((ours - theirs)) -le "$1" ] &&
			[ $((theirs - kept - ours)) -le "$1" ] && return
		sleep 1
	done
	return 1
}

# --- memory of known sizes, before the load ------------------------------------

mkdir -p /tmp/early && mount -t tmpfs none /tmp/early
dd if=/dev/zero of=/tmp/early/file bs=1M count=8 2>/dev/null
mkdir /tmp/early/many
i=0
while [ $i -lt 2000 ]; do
	: >/tmp/early/many/$i
	i=$((i + 1))
done
echo 2 >/proc/sys/vm/nr_hugepages
huge=$(awk '$1 == "HugePages_Total:" { print $2 }' /proc/meminfo)
# its name has as many characters as the name of a module may have
insmod /lib/modules/$long.ko
echo vmalloc 300 >/sys/kernel/debug/kmt_pages/run
sync
sleep 3 # the kernel still works in the background after the boot
# CPUs give back the free objects that they keep, which newer kernels do not show
for cache in kernfs_node_cache shmem_inode_cache; do
	echo 1 >/sys/kernel/slab/$cache/shrink
done

# --- what the survey finds -------------------------------------------------------

insmod /lib/modules/kmemtrace.ko
result $? "the module loads"
[ "$(stat survey_complete)" = 1 ]
result $? "the survey has visited all memory"
[ "$(stat survey_unread_slabs)" = 0 ] && [ "$(stat survey_untracked_slabs)" = 0 ]
result $? "... and read all slabs"
echo "# survey: $(stat survey_ms) ms, $(stat survey_pages) pages," \
	"$(stat survey_objects) objects of $(stat survey_slabs) slabs"
pages_add_up 160
result $? "pages in use and accounted pages add up"
# a cache of many objects, of which CPUs keep few; slabinfo counts those as well
nodes=$(awk '$1 == "kernfs_node_cache" { print $2 }' $dir/caches_live)
all_nodes=$(awk '$1 == "kernfs_node_cache" { print $2 }' /proc/slabinfo)
between "$nodes" $((all_nodes * 97 / 100)) $((all_nodes * 101 / 100))
result $? "objects of a large cache are those of slabinfo"
shmem=$(earlier page shmem)
between "$shmem" 8388608 1000000000
result $? "pages of tmpfs are in their row"
[ "$(earlier page hugetlb)" = $((huge * 2097152)) ] && [ "$huge" -gt 0 ]
result $? "hugetlb pages are in their row"
between "$(earlier page page_table)" 8192 10000000
result $? "page tables are in their row"
# a table of the kernel for each 2 MiB that are mapped by 4 KiB pages; some are from early at boot
split=$(awk '$1 == "DirectMap4k:" { print int($2 / 2048) }' /proc/meminfo)
tables=$(kmemtrace-user pages --csv --by kind --site 'earlier/page:0 func:page_table' |
	awk -F , '$NF == "kernel" { print $1 }')
case $(uname -r) in
6.1.* | 6.12.*)
	between "${tables:-0}" $((split * 4096 / 2)) 10000000
	result $? "... also those that the kernel does not mark"
	;;
*) skip "... also those that the kernel does not mark" "it marks all" ;;
esac
stacks=$(awk '$1 == "KernelStack:" { print $2 * 1024 }' /proc/meminfo)
between "$(stack_rows)" $((stacks * 95 / 100)) $((stacks + 16384 * (2 * $(nproc) + 8)))
result $? "kernel stacks are in the row of the function that calls vmalloc()"
grep -q "^page 1228800 .* earlier/vmalloc:0 \[$long\] func:pages_vmalloc *\$" $dir/tags_quick
result $? "an area of a module is in the row of its function"
[ "$(earlier page vmalloc)" -le 65536 ]
result $? "the callers of almost all areas are known"
between "$(earlier page module)" 16384 100000000
result $? "modules are in their row"
between "$(earlier page anonymous)" 4096 100000000
result $? "anonymous pages are in their row"
[ "$(earlier page slab)" -gt "$(stat live_slab_bytes)" ]
result $? "pages of slabs are in their row"
oldest=$(awk '/ earlier\// && $8 != "-" && $8 > old { old = $8 } END { print old + 0 }' $dir/tags)
between "$oldest" 0 600000
result $? "their age begins with the survey"
inodes=$(earlier slab shmem_inode_cache)
size=$(cat /sys/kernel/slab/shmem_inode_cache/slab_size)
between $((inodes / size)) 2001 20000
result $? "inodes of tmpfs are in their row"
grep -qE '^ +[0-9]+ +[0-9]+ earlier/slab:0 func:shmem_inode_cache $' /proc/allocinfo
result $? "/proc/allocinfo has the row"
before=$(stat unmatched_frees)
[ "$before" -lt 50 ]
result $? "almost no free was unmatched"

# --- frees ---------------------------------------------------------------------------

rm -r /tmp/early/many /tmp/early/file
sync
sleep 2
between $((shmem - $(earlier page shmem))) 8388608 8388608
result $? "the pages of a removed file leave their row"
between $(((inodes - $(earlier slab shmem_inode_cache)) / size)) 2001 2002
result $? "inodes of removed files leave their row"
between $(($(stat unmatched_frees) - before)) 0 20
result $? "their frees match"
[ "$(stat unmatched_pages)" -lt 10 ]
result $? "frees of pages match"
echo 0 >/proc/sys/vm/nr_hugepages
[ "$(earlier page hugetlb)" = 0 ]
result $? "freed hugetlb pages leave their row"
pages_add_up 160
result $? "pages still add up"
if has_kasan; then
	skip "free objects that CPUs keep did not count" "KASAN keeps freed objects"
else
	[ "$(stat survey_cpu_lists)" = 1 ] &&
		between "$(stat survey_corrected_objects)" 0 20
	result $? "free objects that CPUs keep did not count"
fi
[ "$(stat implicit_frees)" = 0 ] && [ "$(stat reaped_objects)" = 0 ]
result $? "no free was missed"

# --- once more, under load -------------------------------------------------------------

load() {
	while [ -e /tmp/loaded ]; do
		mkdir -p "/tmp/early/$1"
		for f in 1 2 3 4 5 6 7 8; do
			head -c 100000 /dev/zero >"/tmp/early/$1/$f"
		done
		find /proc/self /sys/kernel/slab >/dev/null 2>&1
		rm -r "/tmp/early/$1"
	done
}
: >/tmp/loaded
load a & a=$!
load b & b=$!
load c & c=$!
sleep 1
for i in 1 2 3; do
	sysctl -q -w vm.mem_profiling=0
	sysctl -q -w vm.mem_profiling=1
	survey_wait
	[ "$(stat survey_complete)" = 1 ] || break
	sleep 1
done
[ "$(stat survey_complete)" = 1 ] && [ "$(stat accounting_starts)" = 4 ]
result $? "a survey under load comes to its end"
rm /tmp/loaded
wait "$a" "$b" "$c"
sync
sleep 2
pages_add_up 200
result $? "pages add up after a survey under load"
[ "$(stat implicit_frees)" = 0 ] && [ "$(stat reaped_objects)" = 0 ]
result $? "no free was missed under load"
grep -E 'unmatched|implicit|reaped' $dir/stats >$log
[ "$(stat unmatched_pages)" -lt 20 ] && [ "$(stat unmatched_frees)" -lt 50 ]
result $? "almost all frees matched under load"

# --- once more, when CPUs keep no objects ------------------------------------------------

sysctl -q -w vm.mem_profiling=0
shrink
sysctl -q -w vm.mem_profiling=1
survey_wait
# each process has one; free ones that a CPU keeps count as well, until the CPU uses them
set -- /proc/[0-9]*
signals=$(awk '$1 == "signal_cache" { print $2 }' $dir/caches_live)
in_slab=$(awk '$1 == "signal_cache" { print $5 }' /proc/slabinfo)
between "$signals" $(($# - 3)) $(($# + in_slab * $(nproc)))
result $? "there are as many live objects of signal_cache as processes"
echo "# signal_cache: $signals live objects, $# processes," \
	"$(awk '$1 == "signal_cache" { print $2 }' /proc/slabinfo) in slabinfo"
# newer kernels keep free objects in sheaves, and do not count them
if has_kasan || [ -e /sys/kernel/slab/signal_cache/sheaf_capacity ]; then
	skip "the rows of objects add up to slabinfo" "slabinfo counts free objects, and not where they are"
else
	# the processes that read them come and go
	rows_are_slabinfo 65536
	result $? "the rows of objects add up to slabinfo"
	tail -n 1 $log | sed 's/^/# /'
fi

# --- with two bytes for each page -------------------------------------------------------

rmmod kmemtrace
insmod /lib/modules/kmemtrace.ko mem_profiling=1,compressed
pages_add_up 200
result $? "compressed, pages add up"
[ "$(stat survey_objects)" = 0 ] && [ "$(stat survey_untracked_slabs)" -gt 100 ]
result $? "... and objects are not charged, which is counted"

# --- stopped before its end ---------------------------------------------------------------

rmmod kmemtrace
stopped=0
for i in 1 2 3 4 5 6 7 8; do
	command insmod /lib/modules/kmemtrace.ko || break
	echo 0 >/proc/sys/vm/mem_profiling
	echo 1 >/proc/sys/vm/mem_profiling
	echo 0 >/proc/sys/vm/mem_profiling
	[ "$(stat survey_running)" = 0 ] || break
	[ "$(stat survey_complete)" = 1 ] || stopped=$((stopped + 1))
	echo 1 >/proc/sys/vm/mem_profiling
	rmmod kmemtrace || break
done
[ $i = 8 ] && [ ! -d $dir ]
result $? "accounting is switched off, and the module unloads, while the survey runs"
echo "# stopped $stopped of 8 times"
[ $stopped -ge 4 ]
result $? "... which stops it"
insmod /lib/modules/kmemtrace.ko
pages_add_up 200
result $? "... and the next one is complete"

# --- without it ------------------------------------------------------------------------

rmmod kmemtrace
result $? "the module unloads"
insmod /lib/modules/kmemtrace.ko survey=0
[ "$(stat survey)" = 0 ] && [ "$(stat survey_pages)" = 0 ]
result $? "with survey=0, nothing is charged"
! grep -q earlier/ $dir/tags
result $? "... and makes no rows"
rmmod kmemtrace && rmmod $long
result $? "the modules unload"
umount /tmp/early
result $? "everything is taken down"
exit $failed
