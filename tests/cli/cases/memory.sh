# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

new_machine
check memory memory
check memory-json memory --json --top 1
mkdir tracing dma_pools
echo '100 pages:1 groups: 1' >tracing/dyn_ftrace_total_info
echo 4096 >dma_pools/pool_size_dma32
check memory-counts memory --by-node -n 1
cat >machine/kmsg <<'KMSG'
<6>[    0.1] Memory: 216K/256K available (4K kernel code)
<6>[    0.2] TCP bind hash table entries: 512 (order: 0, 4096 bytes, linear)
KMSG
check memory-log memory --top 0
KMEMTRACE_DIR=$work/nowhere check memory-no-module memory
KMEMTRACE_PROC=nowhere check memory-no-proc memory
check memory-bad-top memory --top many
check memory-bad-option memory --moon
check memory-argument memory now
check memory-help memory --help

sed 's/0x[0-9a-f]*-0x[0-9a-f]*/0x0000000000000000-0x0000000000000000/' \
	machine/vmallocinfo >hidden-areas
cp hidden-areas machine/vmallocinfo
check memory-hidden memory
: >machine/meminfo
check memory-no-meminfo memory

echo 2 >machine/pages_version
check memory-newer memory
echo 1 >machine/pages_version
rm machine/pages
check memory-older memory

new_machine
# failed allocations
no_memory 1 memory
no_memory 5 memory --json
rm -r tracing dma_pools
