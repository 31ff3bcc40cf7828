#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The command memory, with the module loaded first of all in the initramfs. The sum of
# its lines is MemTotal. Lines that /proc/meminfo has as well agree with it. Lines grow
# by the memory allocated. At least 99 % of used memory are explained, before a load and after it
# (with KASAN: 98 %, after it).
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh

run=/sys/kernel/debug/kmt_client/run
# files in a ramfs are page cache, not shmem as in /tmp
out=/tmp/memory
mkdir -p $out
mount -t ramfs ramfs $out
log=$out/why
: >$log
cpus=$(nproc)
plan 36

# --- read values of the JSON --------------------------------------------------------

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
	awk -v name="func:$2\"" '/"live":/ { gsub(/[^0-9]/, "", $2); bytes = $2 }
		/"site":/ && index($0, name) { print bytes; found = 1 }
		END { if (!found) print 0 }' "$1"
}

# Print the bytes of all slabs in /proc/slabinfo minus those in meminfo. The difference
# does not depend on how many slabs there are at that moment.
slabs_more() {
	awk 'FILENAME ~ /meminfo/ && $1 == "Slab:" { more -= $2 * 1024 }
		FILENAME ~ /slabinfo/ && FNR > 2 { more += $15 * $6 * 4096 }
		END { printf "%d\n", more }' /proc/slabinfo /proc/meminfo
}

# Wait until the stacks of ended processes are freed, which takes a grace period. The
# wait itself must not start a process.
mkfifo $out/nothing
settle() {
	# shellcheck disable=SC3045 # the shell of the guest has it
	read -r -t 1 _ <>$out/nothing
}

# Run memory until meminfo has the same values before and after. On a debug kernel one
# run takes half a minute.
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
	echo "# the values of /proc/meminfo change all the time"
}

within() { # NUMBER OTHER TOLERANCE WHAT
	if [ $(($1 - $2)) -le "$3" ] && [ $(($2 - $1)) -le "$3" ]; then
		return 0
	fi
	echo "$4: $1 is not $2 within $3" >>$log
	return 1
}

# LINE plus MORE bytes equals the value in meminfo, within TOLERANCE bytes.
agrees() { # LINE TOLERANCE [MORE]
	within $(($(bytes $out/now "$1") + ${3:-0})) \
		"$(field $out/now "$1" before)" "$2" "$1"
}

# LINE has grown by BYTES.
grew() { # LINE BYTES TOLERANCE
	within $(($(bytes $out/now "$1") - $(bytes $out/then "$1"))) "$2" "$3" "$1"
}

# Print the bytes of the stack depot, in which KASAN keeps a stack for each allocation
# and free.
depot() {
	if [ -r /sys/kernel/debug/stackdepot/stats ]; then
		awk '$1 == "pools:" { print $2 * 16384 }' /sys/kernel/debug/stackdepot/stats
	else
		echo 0
	fi
}

# Print by how much KASAN's memory has grown: stacks, and shadow of areas of vmalloc.
kasan_grew() {
	echo $(($(depot) - depot_then +
		$(site $out/now kasan_populate_vmalloc) -
		$(site $out/then kasan_populate_vmalloc)))
}

# Print by how much the module's stock of slots has grown, which is kernel memory as well.
stock_grew() {
	echo $(($(site $out/now add_span) - $(site $out/then add_span)))
}

# --- load the module first, then use memory ------------------------------------------

depot_before=$(depot)
insmod /lib/modules/kmemtrace.ko
result $? "the module loads"
look $out/now
[ "$(value $out/now version)" = 1 ] && [ "$(value $out/now no_module)" = "" ]
result $? "memory --json prints version 1"
# Print the percentage; the kernel's stacks for KASAN, from before the module, count.
explained() {
	awk -v percent="$(value $out/now explained_percent)" -v depot="$depot_before" \
		-v used="$(bytes $out/now used)" 'BEGIN { print percent + depot * 100 / used }'
}
# A kernel with KASAN allocates more at boot that it does not show.
least=99
! has_kasan || least=98
most_is_explained() { # WHEN
	awk -v percent="$(explained)" -v least=$least 'BEGIN { exit !(percent >= least) }'
	result $? "at least $least % of used memory are explained, $1 ($(explained) %)"
}
if has_kasan; then
	skip "most memory is explained at first ($(explained) %)" "there is KASAN"
else
	most_is_explained "at first"
fi

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

# --- (a) every page is in exactly one line -------------------------------------------

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
result $? "all kinds have whole pages"

owner() { # FILE NAME: its bytes
	awk -v name="\"owner\": \"$2\"" 'index($0, name) { on = 1 }
		on && /"bytes":/ { gsub(/[^0-9]/, "", $2); print $2; exit }' "$1"
}
owned=$(awk '/"owners":/ { on = 1 } on && /"bytes":/ { gsub(/[^0-9]/, "", $2); sum += $2 }
	/"sites":/ { on = 0 } END { printf "%.0f\n", sum }' $out/now)
within "$owned" "$(bytes $out/now total)" 0 "all owners"
result $? "the owners add up to the total"
# 16 areas of 1,000,000 bytes, and its code
within "$(owner $out/now kmt_client)" $((16 * 1003520)) 1000000 "kmt_client"
result $? "the memory of a module is in its row"

# --- (b) agreement with /proc/meminfo --------------------------------------------------

agrees free 0
result $? "free agrees with meminfo"
agrees shmem 0
result $? "shmem agrees with meminfo"
agrees file 0
result $? "page cache agrees with meminfo"
agrees hugetlb 0
result $? "hugetlb agrees with meminfo"
agrees pgtable 0
result $? "page tables agree with meminfo"
# unmapped pages may wait in a batch of the CPU until they are freed
agrees anon $((31 * 4096 * cpus))
result $? "anonymous memory agrees with meminfo"
# a CPU keeps two stacks of 16 kB
stack=$(bytes $out/now stack)
[ "$stack" -ge "$(field $out/now stack before)" ] &&
	within "$stack" "$(field $out/now stack before)" $((2 * 16384 * cpus)) stack
result $? "kernel stacks agree with meminfo, plus the stacks that CPUs keep"
first=$(dmesg | sed -n 's|.*percpu: Embedded \([0-9]*\) pages/cpu.*|\1|p')
agrees percpu 0 $((first * 4096 * cpus))
result $? "per-CPU memory agrees with meminfo, plus the first chunk"
agrees vmalloc 0 $((stack + $(bytes $out/now module)))
result $? "vmalloc, stacks and modules agree with VmallocUsed"
more=$(cat $out/slabs-before)
change=$(($(cat $out/slabs-after) - more))
within $(($(bytes $out/now slab) - $(field $out/now slab before))) "$more" \
	$((${change#-} + 65536)) slabinfo
result $? "slab agrees with slabinfo"
agrees slab 0 $(($(bytes $out/now large) + $(bytes $out/now large_before)))
result $? "slab and large kmalloc agree with Slab of meminfo"

# --- (c) explained memory ---------------------------------------------------------------

most_is_explained "after the load"
awk -v used="$(bytes $out/now used)" -v not="$(bytes $out/now unexplained)" \
	-v percent="$(value $out/now explained_percent)" 'BEGIN {
		d = percent - (100 - not * 100 / used); exit !(d < 0.001 && d > -0.001) }'
result $? "... the percentage agrees with the line unexplained"

# --- (d) allocations are in the right line ----------------------------------------------

echo "drop vmalloc 1000000" >$run
depot_then=$(depot)
look $out/then
echo "hold pages 5 256" >$run
look $out/now
within "$(site $out/now client_pages_alloc)" $((32 << 20)) 0 site &&
	grew kernel $(((32 << 20) + $(stock_grew))) $((65536 + $(kasan_grew)))
result $? "32 MiB of alloc_pages() are in kernel, with their site"
echo "drop pages 5" >$run
look $out/now
within "$(site $out/now client_pages_alloc)" 0 0 site &&
	grew kernel "$(stock_grew)" $((65536 + $(kasan_grew)))
result $? "... freed, they are in neither"

look $out/then
echo "hold kmalloc 65536 64" >$run
look $out/now
grew large $((4 << 20)) 0
result $? "large kmalloc() is in large"
echo "drop kmalloc 65536" >$run

look $out/then
echo "hold vmalloc 1048576 8" >$run
look $out/now
# vmalloc() may allocate one more page, for the pointers to the pages
grew vmalloc $((8 << 20)) 4096
result $? "vmalloc() is in vmalloc"
echo "drop vmalloc 1048576" >$run

look $out/then
mkdir $out/ram $out/huge
mount -t ramfs ramfs $out/ram
dd if=/dev/zero of=$out/ram/file bs=1M count=8 2>/dev/null
look $out/now
grew file $((8 << 20)) 65536
result $? "page cache of a file is in file"

# the tails of a huge page have no flags on 6.1
look $out/then
mount -t tmpfs -o huge=always tmpfs $out/huge
dd if=/dev/zero of=$out/huge/file bs=1M count=8 2>/dev/null
look $out/now
grep ShmemHugePages /proc/meminfo >>$log
grew shmem $((8 << 20)) 0
result $? "huge pages of tmpfs are in shmem"

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
result $? "anonymous memory with huge pages is in anon"
kill "$(cat $out/sleep)"

look $out/then
echo 4 >/proc/sys/vm/nr_hugepages
look $out/now
agrees hugetlb 0 && grew hugetlb $((8 << 20)) 0
result $? "pages of nr_hugepages are in hugetlb"
echo 0 >/proc/sys/vm/nr_hugepages

# --- one minute after the boot ------------------------------------------------------------

# of the guest's clock, which is there by now
wait_until awk "{ exit \$1 < 60 }" /proc/uptime
look $out/now
most_is_explained "one minute after the boot"

# --- without some of the sources --------------------------------------------------------

sysctl -q -w kernel.kptr_restrict=2
kmemtrace-user memory --json >$out/now
sysctl -q -w kernel.kptr_restrict=0
grep -q '"no_vmalloc": ".*kptr_restrict=1' $out/now && adds_up $out/now &&
	within "$(bytes $out/now stack)" 0 0 stack
result $? "it works without the areas of vmalloc(), and says so"
su nobody -s /bin/sh -c 'kmemtrace-user memory' >$out/nobody 2>&1
[ $? -eq 1 ] && grep -q 'this needs root' $out/nobody
result $? "it needs root, and says so"

# --- memory that is taken offline -------------------------------------------------------

# Newer kernels set no flag on such frames. If a page of a block cannot move, the kernel
# tries again until it gets a signal.
blocks=/sys/devices/system/memory
offline() { # sets block
	for block in "$blocks"/memory[1-9]*; do
		rm -f $out/ended
		(
			echo offline >"$block/state"
			echo ended >$out/ended
		) 2>/dev/null &
		wait_until [ -s $out/ended ] || kill $!
		wait $! 2>/dev/null
		[ "$(cat "$block/state")" != offline ] || return 0
	done
	return 1
}
before=$(bytes $out/now total)
offline && look $out/now &&
	[ "$(($(bytes $out/now total) + 0x$(cat $blocks/block_size_bytes)))" = "$before" ] &&
	[ "$(value $out/now difference)" = 0 ] && adds_up $out/now
result $? "the total does not include memory that is offline"

# In the page of html, only the rows of this part begin with one number and a text.
page_sum() { # FILE
	grep -o '\[[0-9]\{1,\},"' "$1" | tr -dc '0-9\n' |
		awk '{ sum += $1; rows++ } END { printf "%.0f\n", (rows > 10 ? sum : -rows) }'
}
total=$(awk '$1 == "MemTotal:" { printf "%.0f\n", $2 * 1024 }' /proc/meminfo)
kmemtrace-user html --live -o $out/page.html 2>$out/message
echo "# exit $?, MemTotal $total, sum $(page_sum $out/page.html)," \
	"$(grep -o '"total":[0-9]*,"difference":[0-9-]*' $out/page.html) $(cat $out/message)"
[ "$(page_sum $out/page.html)" = "$total" ] &&
	grep -q "\"total\":$total,\"difference\":0," $out/page.html
result $? "the tree map of html adds up to MemTotal"
rm -f $out/page.html
rmmod kmt_fire kmt_client kmemtrace
kmemtrace-user memory --json >$out/now &&
	[ "$(value $out/now difference)" = 0 ] && adds_up $out/now &&
	grep -q '"no_module": "the module is not loaded' $out/now
result $? "it works without the module, and says so"
echo online >"$block/state" && kmemtrace-user memory --json >$out/now &&
	[ "$(bytes $out/now total)" = "$before" ] && [ "$(value $out/now difference)" = 0 ]
result $? "the total includes memory that is online again"
[ "$failed" -eq 0 ] || kmemtrace-user memory | sed 's/^/# /'
while read -r pid; do
	kill "$pid"
done <$out/pids
killall httpd
rm -rf /tmp/bin /tmp/tar /tmp/shmem
umount $out/ram $out/huge $out
exit "$failed"
