#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# pages --pinned with a module that keeps one buffer of 2 KiB in each of 1,000 blocks of
# 32 KiB. It is ranked first, with the bytes that are in use to the byte, whether the module
# cuts the blocks itself, or page_frag_alloc() or a page_pool does. With buffers of
# kmalloc(), nothing is pinned.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=/tmp/parts
rounds=1000
held=$(((rounds + 3) * 32768))
live=$(((rounds + 48) * 2048))

pinned() { # OPTION...
	kmemtrace-user pages --pinned "$@" >$log 2>&1
}

plan 13
insmod /lib/modules/kmemtrace.ko
result $? "the module loads"
for scheme in own frag pool; do
	if [ $scheme = pool ] && ! grep -q " page_pool_create$" /proc/kallsyms; then
		for name in "the first row" "a sentence" "no row afterwards"; do
			skip "scheme pool: $name" "the kernel has no page_pool"
		done
		continue
	fi
	insmod /lib/modules/kmt_parts.ko scheme=$scheme rounds=$rounds
	pinned --csv
	got=$(cells kind block_bytes slabs_alone held live | head -n 1)
	[ "$got" = "page 32768 $((rounds + 3)) $held $live" ]
	result $? "scheme $scheme: the first row has the bytes held and in use ($got)"
	pinned
	grep -q "holds 31.3MiB in 1003 blocks of 32.0KiB for about 2.0MiB in use" $log
	result $? "... which a sentence says"
	[ $scheme != own ] || {
		grep -q "^parts_block.* holds " $log
		result $? "... with the function"
	}
	grep -h " holds \| page " $log | head -n 4 | sed 's/^/# /'
	rmmod kmt_parts
	pinned --csv
	! grep -q ",$held," $log
	result $? "... and it has no row once they are free"
done
insmod /lib/modules/kmt_parts.ko scheme=kmalloc rounds=$rounds
pinned --csv --site parts_kmalloc
name="with kmalloc(), the bytes held are those in use ($(cells held live | head -n 1))"
if has_kasan; then
	skip "$name" "KASAN keeps freed objects, and with them their slabs"
else
	# slabs that other sites share, or that the rounds filled in part; no row if there are none
	grep -q "^ *$live .* func:parts_kmalloc $" /proc/allocinfo &&
		awk -F , 'NR == 2 { held = $2; live = $3 } END { exit !(held * 10 <= live * 11) }' $log
	result $? "$name"
fi
rmmod kmt_parts
rmmod kmemtrace
result $? "the module unloads"
exit $failed
