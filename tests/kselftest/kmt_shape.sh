#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What the module must do on a machine of any shape: load, account to the byte, find a leak,
# record, and unload. The boots "shape-" of tests/groups.sh have the shapes. CPUs in the
# middle go offline if there are more than four, and huge pages of each size are allocated
# and freed, as far as the machine has memory for them.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=/tmp/log
dir=/sys/kernel/debug/kmemtrace
client=/sys/kernel/debug/kmt_client/run

stat() { # NAME
	sed -n "s/^$1 //p" $dir/stats
}

# Print live bytes and objects of a function; the bytes of per-CPU memory are those requested,
# because the kernel needs some for memory cgroups.
live() { # FUNCTION
	awk -v f="func:$1" '$NF == f { bytes += $1 == "percpu" ? $4 : $2; objects += $3 }
		END { print bytes + 0, objects + 0 }' $dir/tags
}

is_live() { # FUNCTION BYTES OBJECTS
	echo "$1: $(live "$1"), expected: $2 $3" >$log
	[ "$(live "$1")" = "$2 $3" ]
}

# Allocate huge pages of a size, and free them. The pool has as many as there is memory for.
huge_pages() { # DIRECTORY COUNT
	echo "$2" >"$1/nr_hugepages"
	echo "# ${1##*/}: $(cat "$1/nr_hugepages")"
	[ "$(cat "$1/nr_hugepages")" -gt 0 ] || return 0
	echo 0 >"$1/nr_hugepages"
	[ "$(cat "$1/nr_hugepages")" -eq 0 ]
}

# Whether the nodes 0 and 1 have memory for a huge page each, and room to find it.
nodes_have() { # KB
	[ "$(awk -v kb="$1" '/MemTotal:/ && $4 >= 3 * kb' \
		/sys/devices/system/node/node[01]/meminfo | wc -l)" = 2 ]
}

# Give the pools of both nodes a huge page.
fill_pools() { # KB
	nodes_have "$1" || return 0
	for node in /sys/devices/system/node/node[01]; do
		[ ! -e "$node/hugepages/hugepages-$1kB" ] ||
			echo 1 >"$node/hugepages/hugepages-$1kB/nr_hugepages"
	done
}

empty_pools() {
	for pages in /sys/kernel/mm/hugepages/*/nr_hugepages; do
		[ ! -e "$pages" ] || echo 0 >"$pages"
	done
}

# The row of huge pages from before accounting has all that are in the pools, to the byte.
pools_are_exact() {
	expected=0
	for pages in /sys/kernel/mm/hugepages/*; do
		[ -e "$pages" ] || continue
		kb=${pages##*-}
		expected=$((expected + $(cat "$pages/nr_hugepages") * ${kb%kB}))
	done
	charged=$(awk '/ earlier\/page:0 func:hugetlb *$/ { bytes += $2 } END { print bytes / 1024 }' $dir/tags_quick)
	echo "# charged: $charged KiB, in pools: $expected KiB" | tee -a $log
	[ "$charged" = "$expected" ]
}

# Move a huge page to the other node.
move_page() { # KB
	name="a huge page of $1 kB moves to another node"
	if [ ! -e /sys/kernel/mm/hugepages/hugepages-"$1"kB ]; then
		skip "$name" "the kernel has none of this size"
	elif ! nodes_have "$1"; then
		skip "$name" "there are no two nodes with memory for it"
	else
		./move_huge $(($1 * 1024)) >$log 2>&1
		result $? "$name"
	fi
}

plan 25
memory_blocks() {
	find /sys/devices/system/memory -name 'memory[0-9]*' | sort -t y -k 5 -n
}

# The kernel may have no memory hotplug.
bring_online() { # BLOCK
	[ ! -e "$1/state" ] || [ "$(cat "$1/state")" = online ] || echo online_kernel >"$1/state"
}

# Memory that is plugged in comes online; its node with it, if it has none yet.
memory_online() {
	for block in $(memory_blocks); do
		bring_online "$block" || return
	done
}

i=1
while [ "$(nproc)" -gt 3 ] && [ $i -lt 4 ] && [ -e /sys/devices/system/cpu/cpu5 ]; do
	echo 0 >/sys/devices/system/cpu/cpu$i/online
	i=$((i + 1))
done
echo "# CPUs: $(cat /sys/devices/system/cpu/online) of $(cat /sys/devices/system/cpu/possible); nodes: $(cat /sys/devices/system/node/online)"
# The modules are loaded while the last memory is online, and other memory that was plugged in is
# not, unless a node has no memory then.
nodes=/sys/devices/system/node
if [ -e $nodes/has_memory ] && [ "$(cat $nodes/has_memory)" = "$(cat $nodes/possible)" ]; then
	bring_online "$(memory_blocks | tail -n 1)"
	result $? "the last memory comes online"
else
	skip "the last memory comes online" "a node has no memory"
fi
insmod /lib/modules/kmemtrace.ko && insmod /lib/modules/kmt_client.ko
result $? "the modules load"
memory_online
result $? "memory comes online"
echo "# nodes with memory: $(cat /sys/devices/system/node/has_memory)"
size=$(slab_bytes kmalloc-192)
bad=0
for pages in /sys/kernel/mm/hugepages/*; do
	huge_pages "$pages" 2 || bad=1
done
result $bad "huge pages of all sizes come and go"

# The client holds one kind at a time.
held() { # KIND SIZE COUNT FUNCTION BYTES
	echo "hold $1 $2 $3" >$client
	is_live "$4" "$5" "$3"
	result $? "what the test module holds is live, to the byte: $1"
	echo "drop $1 $2 0" >$client
	is_live "$4" 0 0
	result $? "... and nothing when it is freed"
}
held kmalloc 137 1000 client_kmalloc_alloc $((1000 * size))

# Objects in all caches of the size of kmalloc-192, as in Documentation/guide.rst.
objects_of_192() {
	grep -E 'kmalloc-(.*-)?192 ' $dir/caches_live >$log
	awk '{ n += $2 } END { print n + 0 }' $log
}
before=$(objects_of_192)
echo 'hold kmalloc 137 100000' >$client
[ "$(objects_of_192)" -ge $((before + 90000)) ]
result $? "caches_live has what fills kmalloc-192"
echo 'drop kmalloc 137 0' >$client
held pages 1 100 client_pages_alloc 819200
possible=$(($(sed "s/.*-//" /sys/devices/system/cpu/possible) + 1))
held percpu 8 10 client_percpu_alloc $((80 * possible))
for pages in /sys/kernel/mm/hugepages/*; do
	huge_pages "$pages" 2 || bad=1
done
result $bad "huge pages come and go once more"
echo "storm 0 20000" >$client
is_live client_kmalloc_alloc 0 0
result $? "a storm on all CPUs leaves nothing"
cat $dir/stats >$log
[ "$(stat implicit_frees)" = 0 ] && [ "$(stat reaped_objects)" = 0 ] &&
	[ "$(stat untracked_objects)" = 0 ]
result $? "no free was missed, and nothing is untracked"

# The cache of the client is destroyed while accounting is off. Its objects were in KFENCE's
# pages as well, if there are any, and these still point to the cache.
echo 'hold cache 0 50000' >$client
sysctl -q -w vm.mem_profiling=0
echo 'drop cache 0' >$client
rmmod kmt_client && cat $dir/caches_live >$log
result $? "caches_live can be read when a cache has gone while accounting was off"
fill_pools 2048
fill_pools 1048576
sysctl -q -w vm.mem_profiling=1
survey_wait
pools_are_exact
result $? "huge pages from before are charged"
move_page 2048
move_page 1048576
pools_are_exact && empty_pools && pools_are_exact
result $? "... they still are, until they are freed"
insmod /lib/modules/kmt_client.ko

# each round leaves a directory, and so an inode
kmemtrace-user leaks --repeat 6 --settle 1 -- sh -c 'mkdir /tmp/round.$$' >$log 2>&1
grep -q alloc_inode $log
result $? "a leak is found"

may_lose kmemtrace-user record -o /tmp/a.kmt -- sh -c "echo kmalloc 137 23 >$client" >$log 2>&1 &&
	may_lose kmemtrace-user check /tmp/a.kmt >$log 2>&1
result $? "a recording adds up"
kmemtrace-user report --top 0 --csv /tmp/a.kmt >$log 2>&1
grep -q ",23,23,3151,$((23 * size)),.*client_kmalloc_alloc" $log
result $? "... its report has the allocations of the test module"
# Print the pages of the buffers of a size on a node.
buffer_pages() { # NODE BYTES
	awk -v bytes="$2" -v node="N$1=" '$2 == bytes && /\[kmemtrace\]/ {
		for (i = 3; i <= NF; i++)
			if (index($i, node) == 1)
				pages += substr($i, length(node) + 1)
		} END { print pages + 0 }' /proc/vmallocinfo
}

# The area of a buffer has a page more than the buffer.
buffers_are_local() {
	bytes=$(($(cat $dir/buffer_size_kb) * 1024))
	sed 's/0x[0-9a-f-]*/0x/' /proc/vmallocinfo | grep '\[kmemtrace\]' >$log
	for node in /sys/devices/system/node/node[0-9]*; do
		grep -q 'MemTotal: *[1-9]' "$node/meminfo" || continue
		cpus=$(tr , '\n' <"$node/cpulist" | awk -F - 'NF { n += $NF - $1 + 1 } END { print n + 0 }')
		found=$(buffer_pages "${node##*/node}" $((bytes + 4096)))
		echo "${node##*/}: $cpus CPUs, $found pages in buffers of $((bytes / 4096))" >>$log
		[ "$found" = $((cpus * bytes / 4096)) ] || return
	done
}
echo 1 >$dir/enabled
buffers_are_local
result $? "the buffer of each CPU is on its node"
echo 0 >$dir/enabled
kmemtrace-user memory >$log 2>&1
result $? "the lines of memory can be printed"
rmmod kmt_client && rmmod kmemtrace
result $? "the modules unload"
exit "$failed"
