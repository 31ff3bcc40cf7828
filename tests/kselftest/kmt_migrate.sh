#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Pages that move: compaction moves pages of processes and of zsmalloc, and memory goes
# offline and online. Accounting must keep live pages. Pages that the kernel takes
# without an event must not be unmatched when they are freed.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh

dir=/sys/kernel/debug/kmemtrace
memory=/sys/devices/system/memory
work=/tmp/migrate
mkdir -p $work
mount -t tmpfs -o size=95% tmpfs $work
log=/tmp/migrate.log
: >$log
plan 14

stat() { # NAME
	awk -v name="$1" '$1 == name { print $2 }' $dir/stats
}

vmstat() { # NAME
	awk -v name="$1" '$1 == name { print $2 }' /proc/vmstat
}

note() {
	echo "$*" >>$log
}

# Create files of 3 MiB, and remove every second one.
fragment() { # DIRECTORY FILES
	for i in $(seq "$2"); do
		dd if=/dev/zero of="$1/$i" bs=3M count=1 2>/dev/null
	done
	for i in $(seq 1 2 "$2"); do
		rm "$1/$i"
	done
}

compact() {
	moved=$(vmstat pgmigrate_success)
	unmatched=$(stat unmatched_pages)
	echo 1 >/proc/sys/vm/compact_memory
	moved=$(($(vmstat pgmigrate_success) - moved))
	unmatched=$(($(stat unmatched_pages) - unmatched))
	note "$moved pages moved, $unmatched unmatched"
}

insmod /lib/modules/kmemtrace.ko
# the number of pages that move depends on the position of the files
total_moved=0 total_unmatched=0
for _ in $(seq 20); do
	mkdir $work/files
	fragment $work/files 100
	compact
	rm -r $work/files
	total_moved=$((total_moved + moved))
	total_unmatched=$((total_unmatched + unmatched))
	[ $total_moved -lt 500 ] || break
done
[ $total_moved -ge 500 ] && [ $total_unmatched -lt $((total_moved / 20)) ]
result $? "compaction causes no unmatched pages"

# --- pages of a driver -----------------------------------------------------------

zram() {
	for module in zsmalloc lz4_compress lz4hc_compress zram; do
		insmod /lib/modules/$module.ko 2>>$log
	done
	echo 64M >/sys/block/zram0/disksize
} 2>>$log

if zram; then
	mkdir $work/files
	dd if=/dev/urandom of=$work/random bs=512k count=1 2>/dev/null
	for i in $(seq 0 63); do
		cp $work/random "$work/files/$i"
		dd if=$work/random of=/dev/zram0 bs=512k seek="$i" \
			oflag=direct 2>/dev/null
	done
	rm -r $work/files
	echo 3 >/proc/sys/vm/drop_caches
	compact
	unmatched=$(stat unmatched_pages)
	echo 1 >/sys/block/zram0/reset
	unmatched=$(($(stat unmatched_pages) - unmatched))
	note "of zram, $unmatched unmatched"
	[ "$moved" -ge 500 ] && [ $unmatched -lt 100 ]
	result $? "frees of zsmalloc pages that moved are matched"
	[ "$(stat implicit_frees)" -lt 100 ]
	result $? "... nothing is live at their former addresses"
else
	skip "frees of zsmalloc pages that moved are matched" "no zram"
	skip "... nothing is live at their former addresses" "no zram"
fi

# --- memory that goes offline and online -------------------------------------------

states() { # STATE: the blocks in it
	grep -lx "$1" $memory/memory*/state 2>/dev/null | tac
}

offline() {
	for block in $(states online); do
		echo offline >"$block" && return 0
	done
	return 1
} 2>/dev/null

plugged=$(states offline)
# Print the live bytes of the rows of tmpfs, and of the functions that allocate the new place of a
# page that moves.
row_bytes() { # NAME-PATTERN
	awk -v name="func:$1" '$1 == "page" && $0 ~ name { bytes += $2 }
		END { printf "%d\n", bytes }' $dir/tags_quick
}
mover='(alloc_migration_target|compaction_alloc|alloc_misplaced_dst)'

unmatched=$(stat unmatched_pages)
if offline; then
	echo online >"$block"
	unmatched=$(($(stat unmatched_pages) - unmatched))
	note "$block was offline and online: $unmatched unmatched"
	[ $unmatched -lt 2000 ]
	result $? "memory that comes online causes no unmatched pages"
else
	skip "memory that comes online causes no unmatched pages" "none can go offline"
fi

if [ "$plugged" ]; then
	# a page has 64 bytes in the memory map
	size=$(($(printf '%d' "0x$(cat $memory/block_size_bytes)") * $(echo "$plugged" | wc -l)))
	map=$(earlier page memory_map)
	note "memory of $size bytes was plugged in before: $map bytes in the row of the memory map"
	[ "$map" -ge $((size / 64)) ]
	result $? "the memory map of memory that was plugged in before has its row"
	used=$(stat memory_bytes)
	total=$(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo)
	for block in $plugged; do
		echo online_movable >"$block"
	done
	total=$(($(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo) - total))
	used=$(($(stat memory_bytes) - used))
	note "$total KiB plugged in, $used bytes of entries"
	[ "$total" -gt 0 ] && [ $used -ge $((total * 2)) ]
	result $? "memory that is plugged in gets entries in the table of frames"
	untracked=$(stat untracked_objects)
	# the kernel allocates movable pages there first
	fill=128
	live=$(stat live_page_bytes)
	dd if=/dev/zero of=$work/fill bs=1M count=$fill 2>/dev/null
	untracked=$(($(stat untracked_objects) - untracked))
	live=$(($(stat live_page_bytes) - live))
	note "filled $fill MiB: $live bytes live, $untracked untracked"
	[ $untracked -eq 0 ]
	result $? "... no allocation there is untracked"
	[ $live -ge $(((fill - 1) * 1024 * 1024)) ]
	result $? "... allocations there are live"
	# each page of the file moves to other memory
	live=$(stat live_page_bytes)
	shmem=$(row_bytes shmem_)
	moved=$(vmstat pgmigrate_success)
	for block in $plugged; do
		echo offline >"$block"
	done
	moved=$(($(vmstat pgmigrate_success) - moved))
	grown=$(($(row_bytes shmem_) - shmem))
	note "$moved pages moved away: $shmem bytes of tmpfs before, $grown more now," \
		"$(row_bytes "$mover") bytes of the code that moves pages, $live bytes live before," \
		"$(stat live_page_bytes) now"
	[ $moved -ge $(((fill - 1) * 256)) ] && [ ${grown#-} -le 1048576 ]
	result $? "pages that move keep their site"
	[ "$(row_bytes "$mover")" -le 262144 ]
	result $? "... the code that moves them has none"
	pages_add_up 200
	result $? "memory that is unplugged has no charges"
	rm $work/fill
	pages_add_up 200
	result $? "... frees of what has moved are matched"
else
	for name in "the memory map of memory that was plugged in before has its row" \
		"memory that is plugged in gets entries in the table of frames" \
		"... no allocation there is untracked" \
		"... allocations there are live" "pages that move keep their site" \
		"... the code that moves them has none" \
		"memory that is unplugged has no charges" \
		"... frees of what has moved are matched"; do
		skip "$name" "none is plugged in"
	done
fi

# --- surveys meanwhile -------------------------------------------------------------

toggle() {
	while [ -e /tmp/toggling ]; do
		offline && echo online >"$block" && echo >>/tmp/toggled
	done
}

: >/tmp/toggling
: >/tmp/toggled
toggle &
toggles=$!
surveys=0
while [ $surveys -lt 10 ]; do
	sysctl -q -w vm.mem_profiling=0
	sysctl -q -w vm.mem_profiling=1
	survey_wait
	[ "$(stat survey_pages)" -gt 1000 ] || break
	surveys=$((surveys + 1))
done
rm /tmp/toggling
wait $toggles
if [ -s /tmp/toggled ]; then
	note "memory went offline and online $(wc -l </tmp/toggled) times during $surveys surveys"
	[ $surveys -eq 10 ]
	result $? "surveys end while memory goes offline and online"
	sysctl -q -w vm.mem_profiling=0
	sysctl -q -w vm.mem_profiling=1
	survey_wait
	[ "$(stat survey_complete)" = 1 ]
	result $? "... and the next one is complete"
else
	skip "surveys end while memory goes offline and online" "none can go offline"
	skip "... and the next one is complete" "none can go offline"
fi

umount $work
rmmod kmemtrace
exit $failed
