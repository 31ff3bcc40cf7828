#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# `kmemtrace-user why` about what test modules allocate: sites, code, slab objects, pages,
# memory of vmalloc(), processes that map a page; callers and freeing sites, observed and
# recorded.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh

dir=/sys/kernel/debug/kmt_pages
client=/sys/kernel/debug/kmt_client/run
trace=/sys/kernel/debug/kmemtrace
cache=/sys/kernel/slab/kmt_pages
log=/tmp/why
plan 26

why() { # ARGUMENT...
	kmemtrace-user why "$@" >$log 2>&1
}
fact() { # LABEL: print the value of the first line with this label
	sed -n "s/^  $1  *//p" $log | head -n 1
}
tags() { # print kind, objects, allocations and frees of each tag of the first site
	awk '/^KIND/ { on = 1; next } /^$/ || /More:/ { if (on) exit }
		on { print $1, $3, $6, $7 }' $log
}
address() { # KIND: print the first address of this kind
	sed -n "s/^$1 //p" $dir/addresses | head -n 1
}
is() { # GOT EXPECTED
	[ "$1" = "$2" ] || {
		echo "# '$1', not '$2'"
		false
	}
}
plus() { # ADDRESS BYTES: the shell's numbers are signed, printf prints them all the same
	printf '0x%x' $(($1 + $2))
}

insmod /lib/modules/kmt_pages.ko
insmod /lib/modules/kmemtrace.ko
insmod /lib/modules/kmt_client.ko
result $? "the modules load"

# pages
echo "alloc 3 5" >$dir/run
echo "alloc 0 4" >$dir/run
why pages_alloc
is "$(tags)" "page 9 9 0"
result $? "a site has the objects and the allocations that the module made"
is "$(fact module)" kmt_pages && fact site | grep -q '^pages_alloc+0x.* \[kmt_pages\] func:pages_alloc$'
result $? "... and its module and name"
call=$(awk '/^KIND/ { getline; print $NF }' $log)
why "0x$call"
is "$(fact 'is in') $(fact function)" "code pages_alloc [kmt_pages]" && is "$(tags)" "page 9 9 0"
result $? "the address of the call is the same site"
start=$(sed -n 's/^\([0-9a-f]*\) . pages_alloc\t\[kmt_pages\]$/\1/p' /proc/kallsyms)
why "$start"
is "$(fact offset)" 0 && is "$(tags)" "page 9 9 0"
result $? "the start of the function is the site in it"
pfn=$(head -n 1 $dir/pfns)
why "pfn:$pfn"
is "$(fact kind) $(fact order) $(fact pages) $(fact compound)" "kernel 3 8 no" &&
	fact 'allocated by' | grep -q '^pages_alloc+'
result $? "a page frame has its kind, order and site"
why "pfn:$((pfn + 7))"
is "$(fact kind) $(fact order)" "kernel 3" && is "$(tags)" "page 9 9 0"
result $? "so has the last one of its block"
page=$(address page)
why "$(plus "$page" 4660)"
is "$(fact 'is in') $(fact number) $(fact physical)" \
	"the direct map, which has all memory $((pfn + 1)) $(printf 0x%x $((pfn * 4096 + 4660)))"
result $? "an address in a page leads to its frame"
echo split >$dir/run
map_twice 44
why "pfn:$pfn"
awk '/^ *PID/ { on = 1; next } /^$/ { on = 0 } on { print $1, $2, $3 }' $log | sort >/tmp/mappers
printf '%s 1 map_pages\n' $one $two | sort | cmp - /tmp/mappers && is "$(fact mappings)" 2
result $? "the processes that map a page are named"
kill $one $two
wait
why "pfn:$pfn" --json
grep -q '"processes": \[\]' $log
result $? "... until they have ended"
echo drop >$dir/run
why pages_alloc
is "$(tags)" "page 0 9 9"
result $? "the blocks are freed, although they were split"

# slab objects
echo "cache 10 $(cat $cache/objs_per_slab)" >$dir/run
size=$(slab_bytes kmt_pages)
object=$(address object)
why "$(plus "$object" 100)"
is "$(fact state) $(fact offset) $(fact requested)" "live 100 400" &&
	is "$(sed -n '/^Site/,$s/^  function  *//p' $log)" pages_object
result $? "an address in an object leads to the object and its site"
fact 'cache' | grep -qw kmt_pages && is "$(fact 'object takes')" "$size" &&
	is "$(fact 'live objects')" 1
result $? "... to its cache, and its slab"
why pages_object
is "$(fact slabs)" 10 && grep -q 'slab cache.* kmt_pages' $log && grep -q '10 x 400' $log &&
	tags | grep -q '^slab 10 '
result $? "the site has its slabs, its cache, and the sizes"
sed -n '/^Ages/,/^$/p' $log | awk 'NR > 2 { n += $2 } END { exit n != 10 }'
result $? "the ages of the site add up to its objects"
why "$object" --json
grep -q '"state": "live"' $log && grep -q '"offset": 0,' $log
result $? "--json has the object"
echo drop >$dir/run
why "$object"
status=$?
[ $status -eq 0 ] && ! grep -q '^  state *live' $log
result $? "a freed object is not live"

# vmalloc()
echo "vmalloc 7" >$dir/run
why "$(plus "$(address area)" 8192)"
fact 'vmalloc() by' | grep -q '^pages_vmalloc+.*\[kmt_pages\]' &&
	is "$(fact 'is in') $(fact offset) $(fact kind)" "an area of vmalloc() 8192 vmalloc" &&
	fact 'allocated by' | grep -q '^pages_vmalloc+'
result $? "an address of vmalloc() leads to its area, its page and its site"
why "$(plus "$(address area)" $((7 * 4096)))"
grep -q 'no page is mapped at this address' $log
result $? "... and the guard page after it is none"
echo drop >$dir/run

# callers, and where objects are freed
for file in enabled features set_event; do cat $trace/$file; done >/tmp/state
busy() {
	while [ -e /tmp/busy ]; do
		echo "kmalloc 100 20" >$client
		echo "cache 329 20" >$client
		sleep 0.05
	done
}
touch /tmp/busy
echo "kmalloc 100 20" >$client # so that the sites are known
echo "cache 329 20" >$client
busy &
worker=$!
may_lose why client_kmalloc_alloc --for 3
grep -q '^Objects of this site are freed at client_kmalloc_free+.*\[kmt_client\]' $log &&
	grep -q '^    client_kmalloc_alloc+.*\[kmt_client\]' $log
result $? "--for observes the callers, and where the objects are freed"
grep -q 'allocated (.*100 to 100 bytes requested' $log && grep -q "^    by .*-$worker (" $log
result $? "... the sizes and the process"
for file in enabled features set_event; do cat $trace/$file; done | cmp - /tmp/state
result $? "... and restores the settings"
may_lose kmemtrace-user record -d 3 -F +stack,+task -o /tmp/busy.kmt >$log 2>&1
result $? "a recording is made"
rm /tmp/busy
wait $worker
may_lose why client_cache_alloc -i /tmp/busy.kmt
grep -q '^Objects of this site are freed at client_cache_free+.*\[kmt_client\]' $log &&
	grep -q "^    by .*-$worker (" $log && grep -q '329 to 329 bytes requested' $log &&
	grep -q 'It allocates from the slab cache kmt_client\.' $log
result $? "--input has the same, with the cache"

why pages_alocc
status=$?
[ $status -eq 1 ] && grep -q "did you mean 'pages_alloc'" $log
result $? "a name that does not exist gets a suggestion"
echo 0 >/proc/sys/vm/mem_profiling
why pages_alloc
grep -q '^not known: .*sysctl vm.mem_profiling=1' $log
result $? "without accounting, the output says how to switch it on"
exit "$failed"
