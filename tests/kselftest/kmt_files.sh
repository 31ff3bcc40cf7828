#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The files of debugfs/kmemtrace exist, with the right modes and contents, and the tool
# works with them.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh

dir=/sys/kernel/debug/kmemtrace
plan 37
insmod /lib/modules/kmemtrace.ko
result $? "the module loads"

for file in cpu0:400 abi_version:400 total_overruns:400 lost_events:400 \
	sequence:400 stats:400 caches:400 gfp_flags:400 available_events:400 \
	tags:400 caches_live:400 wrappers:600 codetags:600 \
	enabled:600 features:600 set_event:600 buffer_size_kb:600 free_buffer:200; do
	[ "$(stat -c %a "$dir/${file%:*}")" = "${file#*:}" ]
	result $? "mode of ${file%:*} is ${file#*:}"
done

# The functions of kmt_allocators.h that the kernel has only as clones, or that are pools.
sed 's/ *\[.*//; s/.* //' /proc/kallsyms | grep -E \
	'^(bucket_table_alloc|sg_kmalloc|dma_pool_alloc|alloc_dr|kvasprintf|__alloc_skb|__build_skb|bpf_map_area_alloc|page_pool_alloc_(pages|frag|netmems|frag_netmem)|kobject_set_name_vargs|kobject_set_name|dev_set_name|skb_page_frag_refill)(\..*)?$' |
	sort -u >/tmp/wanted
log=/tmp/missing
grep -vxFf $dir/wrappers /tmp/wanted >$log
[ -s /tmp/wanted ] && [ ! -s $log ]
result $? "wrappers has pools, and clones that the compiler made"
sed -n 's/^functions_not_found //p' $dir/stats | tr , '\n' >$log
! grep -qx -e kvasprintf -e bucket_table_alloc -e kmem_cache_free_bulk $log &&
	{ grep -qx alloc_pages $log || grep -qx alloc_pages_noprof $log; }
result $? "stats lists the names of functions that were not found"
log=

# A function of which the kernel has only one clone, and is no wrapper yet.
clone=$(sed 's/ *\[.*//; s/.* //' /proc/kallsyms | awk '
	{ base = $1; sub(/\..*/, "", base); n[base] += !/\.cold/; }
	/^[a-z_]+\.(isra|constprop)\.0$/ { clone[base] = $1 }
	END { for (base in clone) if (n[base] == 1) { print clone[base]; exit } }')
if [ "$clone" ]; then
	echo "${clone%%.*}" >>$dir/wrappers && grep -qxF "$clone" $dir/wrappers &&
		echo "!${clone%%.*}" >>$dir/wrappers && ! grep -qxF "$clone" $dir/wrappers
	result $? "a wrapper is found by its name if the kernel has only a clone of it"
else
	skip "a wrapper is found by its name if the kernel has only a clone of it" "it has none"
fi
# The compiler may have inlined the function that gives back what compaction has taken.
if grep -qE ' (release_free_list|release_freepages)(\..*)?$' /proc/kallsyms; then
	compaction=closed
else
	compaction=open
fi
for hole in migrate compaction cache_release; do
	state=closed
	[ $hole != compaction ] || state=$compaction
	grep -qx "hole $hole $state" $dir/stats
	result $? "the hook of $hole is attached, or the hole is known to be open"
done
# the function of a driver that is not loaded
! grep '^hole .* open$' $dir/stats | grep -qvx "hole compaction $compaction" &&
	grep -q '^hole migrate_zsmalloc [cu]' $dir/stats
result $? "no hole is open"

[ "$(cat $dir/abi_version)" = 3 ]
result $? "abi_version is 3"
[ "$(cat $dir/enabled)" = 0 ]
result $? "recording is off at first"
grep -qx kmem:mm_page_alloc $dir/available_events
result $? "available_events lists kmem:mm_page_alloc"
grep -q ' GFP_KERNEL$' $dir/gfp_flags
result $? "gfp_flags names GFP_KERNEL"
grep -qx 'cache_layout_known 1' $dir/stats
result $? "the layout of struct kmem_cache is known"
echo 'time cache' >$dir/features && echo '-time +page' >$dir/features
[ "$(cat $dir/features)" = 'cache page' ]
result $? "features are added by + and removed by -"

kmemtrace-user record -o /tmp/a.kmt -- sh -c 'find / -xdev >/dev/null' 2>/tmp/log
result $? "kmemtrace-user record makes a recording"
[ "$(cat $dir/features)" = 'cache page' ] && [ "$(cat $dir/enabled)" = 0 ]
result $? "record restores the settings"
kmemtrace-user check /tmp/a.kmt >/tmp/check
result $? "check finds no violation"
kmemtrace-user report /tmp/a.kmt | grep -q 'no event lost'
result $? "report shows that no event was lost"
rmmod kmemtrace
result $? "the module unloads"
[ $failed -eq 0 ] || cat /tmp/log /tmp/check | sed 's/^/# /'
exit $failed
