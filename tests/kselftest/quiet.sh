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

# 12288: a module from elsewhere, and not signed, is or was loaded
echo "tainted: $(cat /proc/sys/kernel/tainted)" >$log
[ $(($(cat /proc/sys/kernel/tainted) & ~12288)) -eq 0 ]
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

# What kmemleak reports, without what is the kernel's own: v6.12's sysfs_slab_add()
# forgets the name of a cache that it finds no memory to show (kmt_fault).
leaks() {
	awk '
		function tell() {
			if (!(text ~ /comm "kmt_fault/ && text ~ /sysfs_slab_add/ &&
			      text ~ /kobject_set_name_vargs/))
				printf "%s", text
			text = ""
		}
		/^unreferenced object/ { tell() }
		{ text = text $0 "\n" }
		END { tell() }' "$1"
}

if [ ! -w $kmemleak ]; then
	skip "nothing leaked" "this kernel has no kmemleak"
elif ! { echo scan >$kmemleak; } 2>/dev/null; then
	skip "nothing leaked" "this kernel is locked down"
else
	# twice: what was just freed may still be on a list
	sleep 8
	echo scan >$kmemleak
	leaks $kmemleak | head -n 60 >$log
	[ ! -s $log ]
	result $? "nothing leaked"
fi
exit "$failed"
