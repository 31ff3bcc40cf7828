#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks that quiet.sh can fail. Makes one defect of each kind (kmt_defect.ko) while the
# module is recording. The kernel must report it, and quiet.sh must fail. Needs a kernel
# with the debug configuration, booted with panic_on_warn=0.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=/tmp/detect

# RESULT is the number of the result of quiet.sh that must fail.
detected() { # DEFECT RESULT
	dmesg -c >/dev/null
	echo "$1" >/sys/kernel/debug/kmt_defect
	./quiet.sh >$log 2>&1
	grep -q "^not ok $2 " $log
	result $? "quiet.sh detects: $1"
}

insmod /lib/modules/kmt_defect.ko
insmod /lib/modules/kmemtrace.ko enable=yes
if [ -f /sys/kernel/debug/kcsan ]; then
	plan 1
	detected race 1
else
	plan 6
	# the order matters: lockdep switches itself off after some of these
	detected leak 5
	detected rcu 1
	detected sleep 1
	detected locks 3
	detected shift 1
	detected use_after_free 1
fi
rmmod kmemtrace kmt_defect
exit "$failed"
