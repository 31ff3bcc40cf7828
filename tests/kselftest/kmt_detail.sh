#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The file detail: a site whose live memory or growth exceeds a number of bytes is looked at
# in detail, for a bounded time and number of allocations, and no other site.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
dir=/sys/kernel/debug/kmemtrace
run=/sys/kernel/debug/kmt_client/run
log=/tmp/detail.log

# Wait until the file detail has a line that matches.
appears() { # PATTERN
	for _ in $(seq 400); do
		cat $dir/detail >$log
		! grep -q "$1" $log || return 0
		usleep 100000
	done
	return 1
}

refused() { # RULE MESSAGE
	! echo "$1" 2>/dev/null >>$dir/detail && cat $dir/error_log >$log && grep -q "$2" $log
}

# Print the sum of a value of all entries.
sum() { # NAME
	sed -n "s/.* $1: *\([0-9]*\).*/\1/p" $log | awk '{ sum += $1 } END { print sum + 0 }'
}

plan 37
insmod /lib/modules/kmemtrace.ko && insmod /lib/modules/kmt_client.ko
result $? "modules load"
cat $dir/detail >$log
grep -q '^# \[FUNCTION\] live_bytes > BYTES' $log
result $? "without a rule, the file shows the syntax"

# The last of so many objects exceeds 1 MiB. So none is allocated after the site is looked at,
# however slow the machine is.
size=$(slab_bytes kmalloc-512)
above=$((1048576 / size + 1))
echo 'client_kmalloc_alloc live_bytes > 1M for 600 records 100' >$dir/detail
cat $dir/detail >$log
[ "$(cat $log)" = 'client_kmalloc_alloc live_bytes > 1048576 for 600 records 100' ]
result $? "a rule is listed as it can be written"
refused 'client_kmalloc_alloc live_bytes > 1M' "remove it first"
result $? "a second rule with the same condition is refused"
refused 'live_bytes 5' "Expecting >"
result $? "... and a rule without >"
refused 'live_bytes > many' "a number from 1"
result $? "... and without a number"
refused 'live_bytes > 1M over 5' "Only growth"
result $? "... and the live bytes over a time"
refused 'live_bytes > 1M; growth > 1M' "Only one rule"
result $? "... and two rules at once"
refused '!growth > 1' "no such rule"
result $? "... and the removal of a rule that does not exist"

echo "hold kmalloc 512 $((above / 2))" >$run
sleep 3
cat $dir/detail >$log
! grep -q 'func:' $log
result $? "nothing is looked at before the limit, nor a site of another function"
echo 'drop kmalloc 512' >$run
echo "hold kmalloc 512 $above" >$run
appears '^# .*func:client_kmalloc_alloc'
result $? "a site above the limit is looked at"
grep -q '^# client_kmalloc_alloc live_bytes > 1048576: [0-9]* bytes of objects were live. 0 of 100 allocations in .*, continuing' $log
result $? "... with the rule, and what was live"
echo 'kmalloc 512 30' >$run
echo 'cache 100 30' >$run
appears ' 30 of 100 allocations'
result $? "each allocation of the site is counted"
[ "$(sum hitcount)" = 30 ] && [ "$(sum bytes_alloc)" = $((30 * size)) ]
result $? "... with its bytes"
grep -q 'client_kmalloc_alloc+0x' $log && grep -q 'do_syscall_64+0x' $log
result $? "... and the call path"
! grep -q '\[kmemtrace\]' $log
result $? "... without functions of the module"
grep -q "pid: kmt_detail.sh *\[ *$$\]" $log
result $? "... the thread"
grep -q 'cgroup: /' $log && grep -q 'nid: *0' $log
result $? "... its cgroup and the node"
grep 'func:client_kmalloc_alloc' /proc/allocinfo >$log
[ "$(awk '{ sum += $2 } END { print sum }' $log)" = $above ]
result $? "accounting counts them as before"

echo 'kmalloc 512 100' >$run
appears ' 100 of 100 allocations .*, complete'
result $? "it ends with the number of allocations"
echo 'kmalloc 512 100' >$run
cat $dir/detail >$log
[ "$(sum hitcount)" = 100 ]
result $? "... and does not begin again at once"
echo 'drop kmalloc 512' >$run
echo "hold kmalloc 512 $((2 * above))" >$run
appears ' 0 of 100 allocations .*, continuing'
result $? "... but when twice as much is live"

echo '!client_kmalloc_alloc live_bytes > 1M' >>$dir/detail
cat $dir/detail >$log
! grep -q 'func:' $log
result $? "without the rule, its findings are gone"
echo 'drop kmalloc 512' >$run

echo 'growth > 300K over 600 for 8 records 5' >$dir/detail
echo 'hold pages 0 60' >$run
sleep 2
cat $dir/detail >$log
! grep -q 'func:client_pages_alloc' $log
result $? "a site that grows less than the limit is not looked at"
echo 'drop pages 0' >$run
echo 'hold pages 0 76' >$run # 304 KiB
appears 'func:client_pages_alloc'
result $? "... one that grows more is"
echo 'pages 0 2' >$run
appears 'client_pages_alloc+0x' && appears ': [0-9]* bytes of pages were live. 2 of 5 allocations in [1-9][0-9.]* s, complete'
result $? "... until the time has passed"
echo 'drop pages 0' >$run

echo 'hold kmalloc 512 5000' >$run
echo 'client_kmalloc_alloc live_bytes > 1M records 5' >$dir/detail
appears ': [2-9][0-9]* bytes of objects were live'
result $? "a rule applies at once when it is written"
echo 'drop kmalloc 512' >$run
echo 0 >/proc/sys/vm/mem_profiling
for _ in $(seq 400); do
	cat $dir/detail >$log
	grep -q continuing $log || break
	usleep 100000
done
grep -q '^# accounting is off' $log && ! grep -q continuing $log
result $? "while accounting is off, no site is looked at"
echo 1 >/proc/sys/vm/mem_profiling
echo "hold kmalloc 512 $above" >$run
appears ": $((above * size)) bytes of objects were live"
result $? "accounting that was switched off and on begins anew"
echo 'drop kmalloc 512' >$run

echo 'client_kmalloc_alloc live_bytes > 1M records 5' >$dir/detail
echo 'client_kmalloc_alloc growth > 1M over 600' >>$dir/detail
echo "hold kmalloc 512 $above" >$run
appears ' 0 of 5 allocations'
echo 'kmalloc 512 5' >$run
appears ' 5 of 5 allocations .*, complete'
sleep 3
cat $dir/detail >$log
[ "$(grep -c 'func:client_kmalloc_alloc' $log)" = 1 ] && grep -q ' 5 of 5 allocations' $log
result $? "what one rule finds at a site is also for another one, and stays"
echo '!client_kmalloc_alloc live_bytes > 1M' >>$dir/detail
appears '^# client_kmalloc_alloc growth > 1048576 over 600: .* continuing'
result $? "... until it is removed: then the other one looks at the site"

echo 'drop kmalloc 512' >$run
echo >$dir/detail
echo 'hold kmalloc 512 3000' >$run # one of the 16 sites with most memory
for bytes in 3 2 1; do
	echo "live_bytes > $bytes for 3600" >>$dir/detail
done
appears '^# [1-9][0-9]* more sites wait'
result $? "the sites that have to wait are counted"
appears 'func:client_kmalloc_alloc'
result $? "... those with most memory are looked at first"
! grep -q '^# .*\[kmemtrace\]' $log
result $? "... and those of the module not at all"
echo 'drop kmalloc 512' >$run
echo >$dir/detail && cat $dir/detail >$log && grep -q '^# \[FUNCTION\]' $log
result $? "an empty write removes all rules"

echo 'live_bytes > 1' >$dir/detail
appears 'continuing'
rmmod kmt_client && rmmod kmemtrace
result $? "the modules unload while sites are looked at"
insmod /lib/modules/kmemtrace.ko 'detail="live_bytes>1T;growth>1G"' &&
	cat $dir/detail >$log && [ "$(grep -c '^[lg]' $log)" = 2 ] && rmmod kmemtrace
result $? "rules can be given when the module is loaded"
exit $failed
