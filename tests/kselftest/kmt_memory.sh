#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The command memory, with accounting on from the first thing in the initramfs:
# its lines add up to MemTotal, agree with /proc/meminfo where that counts the
# same, grow by what is allocated, and explain at least 98 % of used memory.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh

run=/sys/kernel/debug/kmt_client/run
# what is written here is page cache, and not shmem as in /tmp
out=/tmp/memory
mkdir -p $out
mount -t ramfs ramfs $out
log=$out/why
: >$log
cpus=$(nproc)
plan 31

# --- what is read of the JSON ------------------------------------------------------

field() { # FILE LINE FIELD: of a line
	awk -v line="\"line\": \"$2\"" -v field="\"$3\":" '
		index($0, line) { on = 1 }
		on && index($0, field) { gsub(/[^0-9-]/, "", $2); print $2; exit }' "$1"
}

bytes() { # FILE LINE
	field "$1" "$2" bytes
}

value() { # FILE KEY: of the whole
	awk -v key="\"$2\":" 'index($0, key) { gsub(/[^0-9.-]/, "", $2); print $2; exit }' "$1"
}

site() { # FILE FUNCTION: bytes of a site
	awk -v name="func:$2\"" '/"bytes":/ { gsub(/[^0-9]/, "", $2); bytes = $2 }
		/"location":/ && index($0, name) { print bytes; found = 1 }
		END { if (!found) print 0 }' "$1"
}

# By how many bytes all slabs of /proc/slabinfo are more than what meminfo has: it
# does not matter how many they are just then, and programs come and go.
slabs_more() {
	awk 'FILENAME ~ /meminfo/ && $1 == "Slab:" { more -= $2 * 1024 }
		FILENAME ~ /slabinfo/ && FNR > 2 { more += $15 * $6 * 4096 }
		END { printf "%d\n", more }' /proc/slabinfo /proc/meminfo
}

# The stack of a process that has ended is freed after a grace period. To wait for
# that must not take a process.
mkfifo $out/nothing
settle() {
	# shellcheck disable=SC3045 # the shell of the guest has it
	read -r -t 1 _ <>$out/nothing
}

# Look at the machine when nothing moves: what meminfo says before and after is
# the same. On a kernel that debugs one look takes half a minute.
look() { # FILE
	end=$(($(date +%s) + 60))
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		slabs_more >$out/slabs-before
		settle
		kmemtrace-user memory --json --top 0 >"$1" || return 1
		slabs_more >$out/slabs-after
		[ "$(field "$1" free before)" = "$(field "$1" free after)" ] &&
			[ "$(field "$1" vmalloc before)" = "$(field "$1" vmalloc after)" ] &&
			[ "$(field "$1" slab before)" = "$(field "$1" slab after)" ] &&
			return 0
		[ "$(date +%s)" -lt $end ] || break
		sleep 1
	done
	echo "memory moves all the time"
}

within() { # NUMBER OTHER TOLERANCE WHAT
	if [ $(($1 - $2)) -le "$3" ] && [ $(($2 - $1)) -le "$3" ]; then
		return 0
	fi
	echo "$4: $1 is not $2 within $3" >>$log
	return 1
}

# A line against what meminfo says, and what is known to be between them.
agrees() { # LINE TOLERANCE MORE
	within $(($(bytes $out/now "$1") + ${3:-0})) \
		"$(field $out/now "$1" before)" "$2" "$1"
}

# A line is so much more than before.
grew() { # LINE BYTES TOLERANCE
	within $(($(bytes $out/now "$1") - $(bytes $out/then "$1"))) "$2" "$3" "$1"
}

# Bytes of the stacks that the kernel keeps, as KASAN has it do for all that is
# allocated and freed.
depot() {
	if [ -r /sys/kernel/debug/stackdepot/stats ]; then
		awk '$1 == "pools:" { print $2 * 16384 }' /sys/kernel/debug/stackdepot/stats
	else
		echo 0
	fi
}

# How much more KASAN has than then: stacks, and shadow of areas of vmalloc.
kasan_grew() {
	echo $(($(depot) - depot_then +
		$(site $out/now kasan_populate_vmalloc) -
		$(site $out/then kasan_populate_vmalloc)))
}

# --- the module first, then what uses memory ---------------------------------------

depot_before=$(depot)
insmod /lib/modules/kmemtrace.ko
result $? "the module loads"
look $out/now
[ "$(value $out/now version)" = 1 ] && [ "$(value $out/now no_module)" = "" ]
result $? "memory speaks JSON"
echo "# explained at first: $(value $out/now explained_percent) %"

insmod /lib/modules/kmt_client.ko
dd if=/dev/zero of=/tmp/shmem bs=1M count=24 2>/dev/null
cp -r /bin /tmp/bin
find / -xdev >/dev/null
tar cf /tmp/tar /lib /kselftest 2>/dev/null
httpd -p 127.0.0.1:8080 -h /tmp
for _ in 1 2 3 4 5; do
	wget -q -O /dev/null http://127.0.0.1:8080/tar
done
for _ in 1 2 3 4 5 6 7 8; do
	sleep 1000 &
	echo $! >>$out/pids
done
echo "hold vmalloc 1000000 16" >$run
insmod /lib/modules/kmt_fire.ko

# --- (a) nothing twice, nothing forgotten -------------------------------------------

look $out/now
adds_up() {
	awk -F '[ ",:]+' '$2 == "line" { line = $3 }
		$2 == "bytes" && line { bytes[line] = $3; sum += $3; line = "" }
		END { total = bytes["total"]; used = bytes["used"]
			exit !(used > 0 && sum == 2 * total + used && used + bytes["free"] +
				bytes["cpu_lists"] + bytes["offline"] == total) }' "$1"
}
adds_up $out/now
result $? "the lines add up to the total"
[ "$(value $out/now difference)" = 0 ] &&
	[ "$(bytes $out/now total)" = "$(awk '/^MemTotal:/ { print $2 * 1024 }' /proc/meminfo)" ]
result $? "the total is MemTotal"
awk '/"kinds":/ { on = 1 } on && /}/ { exit !(sum > 0 && sum % 4096 == 0) }
	on && NF == 2 { sum += $2 }' $out/now
result $? "kinds are of whole pages"

# --- (b) what /proc/meminfo says ------------------------------------------------------

agrees free 0
result $? "free"
agrees shmem 0
result $? "shmem"
agrees file 0
result $? "page cache"
agrees hugetlb 0
result $? "hugetlb"
agrees pgtable 0
result $? "page tables"
# what is unmapped may wait in a batch of the CPU until it is freed
agrees anon $((31 * 4096 * cpus))
result $? "anonymous"
# a CPU keeps two stacks of 16 kB
stack=$(bytes $out/now stack)
[ "$stack" -ge "$(field $out/now stack before)" ] &&
	within "$stack" "$(field $out/now stack before)" $((2 * 16384 * cpus)) stack
result $? "kernel stacks: and those that are kept"
first=$(dmesg | sed -n 's|.*percpu: Embedded \([0-9]*\) pages/cpu.*|\1|p')
agrees percpu 0 $((first * 4096 * cpus))
result $? "per-CPU memory: and the first chunk"
agrees vmalloc 0 $((stack + $(bytes $out/now module)))
result $? "vmalloc: and stacks and modules"
more=$(cat $out/slabs-before)
change=$(($(cat $out/slabs-after) - more))
within $(($(bytes $out/now slab) - $(field $out/now slab before))) "$more" \
	$((${change#-} + 65536)) slabinfo
result $? "slab: as slabinfo has it"
agrees slab 0 $(($(bytes $out/now large) + $(bytes $out/now large_before)))
result $? "slab: and large kmalloc"

# --- (c) how much is explained ---------------------------------------------------------

awk -v percent="$(value $out/now explained_percent)" -v depot="$depot_before" \
	-v used="$(bytes $out/now used)" \
	'BEGIN { exit !(percent + depot * 100 / used >= 98) }'
result $? "98 % of used memory are explained"
echo "# explained: $(value $out/now explained_percent) %"
awk -v used="$(bytes $out/now used)" -v not="$(bytes $out/now unexplained)" \
	-v percent="$(value $out/now explained_percent)" 'BEGIN {
		d = percent - (100 - not * 100 / used); exit !(d < 0.001 && d > -0.001) }'
result $? "and that is what the lines say"

# --- (d) what is allocated is seen, where it belongs ----------------------------------

echo "drop vmalloc 1000000" >$run
depot_then=$(depot)
look $out/then
echo "hold pages 5 256" >$run
look $out/now
within "$(site $out/now client_pages_alloc)" $((32 << 20)) 0 site &&
	grew kernel $((32 << 20)) $((65536 + $(kasan_grew)))
result $? "32 MB of alloc_pages(), with their site"
echo "drop pages 5" >$run
look $out/now
within "$(site $out/now client_pages_alloc)" 0 0 site &&
	grew kernel 0 $((65536 + $(kasan_grew)))
result $? "and gone when freed"

look $out/then
echo "hold kmalloc 65536 64" >$run
look $out/now
grew large $((4 << 20)) 0
result $? "large kmalloc()"
echo "drop kmalloc 65536" >$run

look $out/then
echo "hold vmalloc 1048576 8" >$run
look $out/now
# and the page with the pointers to them
grew vmalloc $((8 << 20)) 4096
result $? "vmalloc()"
echo "drop vmalloc 1048576" >$run

look $out/then
mkdir $out/ram $out/huge
mount -t ramfs ramfs $out/ram
dd if=/dev/zero of=$out/ram/file bs=1M count=8 2>/dev/null
look $out/now
grew file $((8 << 20)) 65536
result $? "page cache of a file"

# the tails of a huge page have no flags on 6.1
look $out/then
mount -t tmpfs -o huge=always tmpfs $out/huge
dd if=/dev/zero of=$out/huge/file bs=1M count=8 2>/dev/null
look $out/now
grep ShmemHugePages /proc/meminfo >>$log
grew shmem $((8 << 20)) 0
result $? "huge pages of tmpfs"

look $out/then
echo always >/sys/kernel/mm/transparent_hugepage/enabled
dd if=/dev/zero bs=16M count=1 2>/dev/null | (
	sleep 1000 &
	echo $! >$out/sleep
	wait
) &
sleep 3
look $out/now
grep AnonHugePages /proc/meminfo >>$log
grew anon $((16 << 20)) 1048576
result $? "anonymous memory, huge pages too"
kill "$(cat $out/sleep)"

look $out/then
echo 4 >/proc/sys/vm/nr_hugepages
look $out/now
agrees hugetlb 0 && grew hugetlb $((8 << 20)) 0
result $? "hugetlb"
echo 0 >/proc/sys/vm/nr_hugepages

# --- what cannot be known ------------------------------------------------------------------

sysctl -q -w kernel.kptr_restrict=2
kmemtrace-user memory --json >$out/now
sysctl -q -w kernel.kptr_restrict=0
grep -q '"no_vmalloc": ".*kptr_restrict=1' $out/now && adds_up $out/now &&
	within "$(bytes $out/now stack)" 0 0 stack
result $? "it goes on without areas of vmalloc()"
su nobody -s /bin/sh -c 'kmemtrace-user memory' >$out/nobody 2>&1
[ $? -eq 1 ] && grep -q 'this needs root' $out/nobody
result $? "it needs root, and says so"

# --- memory that is taken out of use ---------------------------------------------------------

# Newer kernels set no flag on such frames. A page that cannot move keeps a block in
# use; the kernel tries until a signal comes.
blocks=/sys/devices/system/memory
offline() { # sets block
	for block in "$blocks"/memory[1-9]*; do
		timeout 20 sh -c "echo offline >$block/state" 2>/dev/null && return 0
	done
	return 1
}
before=$(bytes $out/now total)
offline && look $out/now &&
	[ "$(($(bytes $out/now total) + 0x$(cat $blocks/block_size_bytes)))" = "$before" ] &&
	[ "$(value $out/now difference)" = 0 ] && adds_up $out/now
result $? "memory that is offline is no part of the total"
rmmod kmt_fire kmt_client kmemtrace
kmemtrace-user memory --json >$out/now &&
	[ "$(value $out/now difference)" = 0 ] && adds_up $out/now &&
	grep -q '"no_module": "the module is not loaded' $out/now
result $? "it works without the module, and says so"
echo online >"$block/state" && kmemtrace-user memory --json >$out/now &&
	[ "$(bytes $out/now total)" = "$before" ] && [ "$(value $out/now difference)" = 0 ]
result $? "and sees what is online again"
[ "$failed" -eq 0 ] || kmemtrace-user memory | sed 's/^/# /'
while read -r pid; do
	kill "$pid"
done <$out/pids
killall httpd
rm -rf /tmp/bin /tmp/tar /tmp/shmem
umount $out/ram $out/huge $out
exit "$failed"
