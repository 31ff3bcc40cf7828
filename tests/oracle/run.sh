#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Compares kmemtrace's live memory with mainline's own accounting, for each site, after a
# workload that both have counted. The kernel is built with mainline's accounting
# (scripts/build-kernel.sh bench). Writes the measurements and the comparison to
# build/oracle. compare.c defines the conditions of failure.
set -eu
cd "$(dirname "$0")/../.."
kernel=${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}/kernels/bench
out=build/oracle
cpus=2
mkdir -p $out

scripts/module.sh "$kernel/headers" build/module-bench
for program in snapshot compare; do
	gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -static \
		-o $out/$program tests/oracle/$program.c
done
tests/oracle/compare_test.sh $out/compare
build/kmemtrace-user codetags load --vmlinux "$kernel/vmlinux" -o $out/codetags
sed -n '/^#define KMT_WRAPPERS_MORE/,/^$/p' lib/kmt_allocators.h |
	grep -o '"[^"]*"' | tr -d '"' >$out/wrappers_more
rm -f $out/image
PATH=$PATH:/usr/sbin:/sbin mke2fs -q -t ext4 $out/image 64M

files=()
for m in drivers/net/dummy.ko fs/fat/vfat.ko drivers/block/loop.ko; do
	file=$(echo "$kernel"/root/lib/modules/*/kernel/$m)
	files+=(-f "$file:${file#"$kernel/root/"}")
done
# nokaslr: codetags has the addresses of vmlinux
tests/vm/run.sh -k bench -c $cpus -m 2048 -t 900 -a nokaslr -a sysctl.vm.mem_profiling=1 \
	-f $out/snapshot:bin/snapshot -f $out/codetags -f $out/wrappers_more \
	-f $out/image -f tests/oracle/guest.sh "${files[@]}" -o $out/result.gz \
	-- 'sh /guest.sh'
rm -f $out/before.* $out/after.* $out/total.*
tar -C $out -xzf $out/result.gz
echo 'kmemtrace, as it counted:'
grep -E '^(slab_allocs|slab_frees|page_allocs|page_frees|percpu_allocs|live_slab_objects|untracked_objects|implicit_frees|reaped_objects|unmatched_frees|unmatched_pages|missed_calls|hole .*) ' $out/after.stats |
	sed 's/^/  /'
echo
set -o pipefail
$out/compare tests/oracle/reasons $out $cpus | tee $out/comparison
