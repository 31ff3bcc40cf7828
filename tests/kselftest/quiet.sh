#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks that the kernel has reported no error since it was booted. The last test of
# each boot. A kernel with lockdep, KASAN and kmemleak checks more than a stock kernel
# (make check-debug).
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=/tmp/quiet
kmemleak=/sys/kernel/debug/kmemleak

plan 5
# reports for which panic_on_warn does not stop the kernel are included: lockdep, RCU,
# scheduler
signs='BUG:|WARNING:|Oops|UBSAN:|KASAN:|KCSAN:|ODEBUG:|INFO: (task|lockdep|trying)'
signs="$signs|possible (circular|recursive|irq)|inconsistent .*lock state"
signs="$signs|suspicious RCU|scheduling while atomic|Invalid wait context"
signs="$signs|Redzone overwritten|Poison overwritten|Object already free"
dmesg | grep -E -B 2 -A 120 "$signs" | head -n 250 >$log
[ ! -s $log ]
result $? "the kernel log has no error report"

# 12288: an out-of-tree module, and an unsigned module, is or was loaded
echo "tainted: $(cat /proc/sys/kernel/tainted)" >$log
[ $(($(cat /proc/sys/kernel/tainted) & ~12288)) -eq 0 ]
result $? "the kernel is not tainted"

# lockdep switches itself off at its first report, or when its tables are full
if [ -f /proc/lockdep_stats ]; then
	cat /proc/lockdep_stats >$log
	grep -q 'debug_locks: *1$' $log
	result $? "lockdep is still on"
else
	skip "lockdep is still on" "this kernel has no lockdep"
fi

lsmod >$log
! grep -qE '^(kmemtrace|kmt_)' $log
result $? "no module of kmemtrace is loaded"

# Print the reports of kmemleak, except for one leak of the kernel itself: without
# memory, sysfs_slab_add() of v6.12 leaks the name of the cache (kmt_fault).
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
	skip "kmemleak finds no leak" "this kernel has no kmemleak"
elif ! { echo scan >$kmemleak; } 2>/dev/null; then
	skip "kmemleak finds no leak" "this kernel is locked down"
else
	# scan twice: an object that was just freed may still be on a list
	sleep 8
	echo scan >$kmemleak
	leaks $kmemleak | head -n 60 >$log
	[ ! -s $log ]
	result $? "kmemleak finds no leak"
fi
exit "$failed"
