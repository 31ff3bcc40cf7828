#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What the kernel itself has found wrong since it was booted: nothing. The last
# test of each boot; a kernel that watches over locks, memory and leaks has more
# to say than a stock one (make check-debug).
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=/tmp/quiet
kmemleak=/sys/kernel/debug/kmemleak

plan 5
# what panic_on_warn does not stop at: reports of lockdep, RCU and the scheduler
signs='BUG:|WARNING:|Oops|UBSAN:|KASAN:|KCSAN:|ODEBUG:|INFO: (task|lockdep|trying)'
signs="$signs|possible (circular|recursive|irq)|inconsistent .*lock state"
signs="$signs|suspicious RCU|scheduling while atomic|Invalid wait context"
signs="$signs|Redzone overwritten|Poison overwritten|Object already free"
dmesg | grep -E "$signs" >$log
[ ! -s $log ]
result $? "no report in the log"

# 4096: a module from elsewhere is, or was, loaded
echo "tainted: $(cat /proc/sys/kernel/tainted)" >$log
[ $(($(cat /proc/sys/kernel/tainted) & ~4096)) -eq 0 ]
result $? "the kernel is not tainted"

# lockdep switches itself off at its first report, or when its tables are full
if [ -f /proc/lockdep_stats ]; then
	cat /proc/lockdep_stats >$log
	grep -q 'debug_locks: *1$' $log
	result $? "lockdep is still looking"
else
	skip "lockdep is still looking" "this kernel has none"
fi

lsmod >$log
! grep -qE '^(kmemtrace|kmt_)' $log
result $? "no module is left"

# twice: what was just freed may still be on a list
if [ -w $kmemleak ]; then
	echo scan >$kmemleak
	sleep 8
	echo scan >$kmemleak
	cat $kmemleak >$log
	[ ! -s $log ]
	result $? "nothing leaked"
else
	skip "nothing leaked" "this kernel has no kmemleak"
fi
exit "$failed"
