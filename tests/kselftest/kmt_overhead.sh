#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The memory that the module takes, according to /proc/meminfo: below 1 % of RAM for
# accounting; buffers only from the start of recording until they are freed.
#
# KASAN takes an eighth of the RAM at boot, which MemTotal then lacks. Later it adds a byte
# for each eight bytes of an area of vmalloc(), until the kernel purges the freed area.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=/tmp/log

dir=/sys/kernel/debug/kmemtrace
: >$log

value() { # NAME: in stats
	sed -n "s/^$1 //p" $dir/stats
}

kb() { # NAME: in /proc/meminfo
	sed -n "s/^$1: *\([0-9]*\) kB/\1/p" /proc/meminfo
}

has_kasan() {
	grep -q ' kasan_populate_vmalloc$' /proc/kallsyms
}

ram_kb() {
	if has_kasan; then
		awk '$1 == "present" { kb += $2 * 4 } END { print kb }' /proc/zoneinfo
	else
		kb MemTotal
	fi
}

# Free what the caches of SLUB keep: empty slabs, and the freed objects that KASAN keeps.
shrink_caches() {
	for cache in /sys/kernel/slab/*; do
		[ -L "$cache" ] || echo 1 >"$cache/shrink"
	done
}

# Print what KASAN adds to the areas of vmalloc(), in KiB.
kasan_kb() {
	if has_kasan; then
		awk '{ bytes += $2 } END { print int(bytes / 8 / 1024) }' /proc/vmallocinfo
	else
		echo 0
	fi
}

# Print the memory in use that cannot be dropped, without KASAN's, in KiB. A CPU may keep
# many MiB of free pages, which the kernel may take back between reading two files: their
# number is read before and after.
used_kb() {
	sync
	shrink_caches
	echo 3 >/proc/sys/vm/drop_caches
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		awk 'FNR == 1 { file++ }
			file != 2 && $1 == "count:" { kept[file] += $2 * 4 }
			file == 2 && $1 == "MemTotal:" { used += $2 }
			file == 2 && /^(MemFree|Buffers|Cached|SReclaimable):/ { used -= $2 }
			END {
				print used - kept[1]
				moved = kept[1] - kept[3]
				exit moved > 256 || moved < -256
			}' /proc/zoneinfo /proc/meminfo /proc/zoneinfo >/tmp/used && break
	done
	echo $(($(cat /tmp/used) - $(kasan_kb)))
}

# Log /proc/meminfo, which is shown if a test fails.
show_memory() { # WHEN
	{ echo "$1:" && grep -v ' 0 kB' /proc/meminfo; } >>$log
}

# Both are equal within 0.1 % of RAM and 2 MiB.
is_about() { # KB BYTES
	echo "$1 KiB in /proc/meminfo, $(($2 / 1024)) KiB in stats" >>$log
	off=$(($1 - $2 / 1024))
	[ ${off#-} -le $((total / 1000 + 2048)) ]
}

plan 20
total=$(kb MemTotal)
before=$(used_kb)
show_memory "before loading"
insmod /lib/modules/kmemtrace.ko
result $? "the module loads"
loaded=$(($(used_kb) - before))
show_memory "loaded"
echo "# loaded: $loaded of $(ram_kb) KiB; memory_bytes $(value memory_bytes)"
[ $loaded -lt $(($(ram_kb) / 100)) ]
result $? "it takes less than 1 % of RAM"
is_about $loaded "$(value memory_bytes)"
result $? "... it takes as much as memory_bytes says"
: >$log
[ "$(value buffer_memory_bytes)" = 0 ] && [ -e $dir/cpu0 ]
result $? "cpu0 exists without a buffer"
echo 512 >$dir/buffer_size_kb && [ "$(cat $dir/buffer_size_kb)" = 512 ] &&
	[ "$(value buffer_memory_bytes)" = 0 ]
result $? "the size of buffers can be set before they are allocated"
echo 8192 >$dir/buffer_size_kb

echo 1 >$dir/enabled
size=$(($(nproc) * $(value buffer_bytes_per_cpu)))
[ "$(value buffer_memory_bytes)" = $size ]
result $? "recording allocates the buffers"
! echo 1 2>/dev/null >$dir/free_buffer
result $? "... they cannot be freed while recording is on"
echo 0 >$dir/enabled
is_about $(($(used_kb) - before - loaded)) $size
result $? "... they take as much as buffer_memory_bytes says"
exec 3<$dir/cpu0
! echo 1 2>/dev/null >$dir/free_buffer
result $? "... they cannot be freed while cpu0 is open"
exec 3<&-
echo 1 >$dir/free_buffer && [ "$(value buffer_memory_bytes)" = 0 ]
result $? "free_buffer frees them"
is_about $(($(used_kb) - before)) "$(value memory_bytes)"
result $? "... /proc/meminfo shows it"
exec 3<$dir/cpu0
[ "$(wc -c <&3)" = 0 ] && [ "$(value buffer_memory_bytes)" = 0 ]
result $? "without them cpu0 is empty"
echo 1 >$dir/enabled && taskset 1 ls -R /proc/self >/dev/null &&
	echo 0 >$dir/enabled && [ "$(wc -c <&3)" -gt 0 ] &&
	[ "$(value buffer_memory_bytes)" = $size ]
result $? "... recording allocates them again, of the same size"
exec 3<&-

# Request almost a quarter of RAM when less than that is available.
echo 1 >$dir/free_buffer
echo $((total * 6 / 25 / $(nproc))) >$dir/buffer_size_kb
mkdir -p /tmp/full && mount -t tmpfs -o size=95% tmpfs /tmp/full
dd if=/dev/zero of=/tmp/full/file bs=1M \
	count=$((($(kb MemAvailable) - total / 5) / 1024)) 2>/dev/null
! echo 1 >$dir/enabled 2>$log && grep -q 'Cannot allocate memory' $log
result $? "without enough memory, recording cannot be switched on"
cp $dir/error_log $log
grep -q 'buffers: error: Not enough memory: write a smaller size to buffer_size_kb' $log
result $? "... error_log says why, and what to do"
[ "$(cat $dir/enabled)" = 0 ] && [ "$(value buffer_memory_bytes)" = 0 ]
result $? "... recording stays off, without buffers"
umount /tmp/full
echo 1 >$dir/enabled && [ "$(value buffer_memory_bytes)" -gt 0 ]
result $? "with enough memory, recording can be switched on"
echo 0 >$dir/enabled

# Two sets of buffers, which together are larger than a quarter of RAM.
echo 1 >$dir/free_buffer
echo $((total / 6 / $(nproc))) >$dir/buffer_size_kb
! echo 1 >$dir/snapshot 2>$log && [ "$(value buffer_memory_bytes)" = 0 ]
result $? "a snapshot that fails leaves no buffers"
rmmod kmemtrace
insmod /lib/modules/kmemtrace.ko overwrite=1
! echo $((total / 6 / $(nproc))) >$dir/buffer_size_kb 2>$log &&
	echo 1 >$dir/enabled &&
	[ "$(value buffer_memory_bytes)" -lt $((total * 1024 / 4)) ]
result $? "with overwrite=1, the limit applies to two sets of buffers"
echo 0 >$dir/enabled
rmmod kmemtrace
result $? "the module unloads"
exit $failed
