#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# That quiet.sh would not be quiet: makes one defect of each kind while the
# module is loaded and at work, and looks whether the kernel reports it, and
# quiet.sh fails for it. On a kernel that debugs, booted with panic_on_warn=0.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=/tmp/detect

# Of a defect, the result of quiet.sh that must fail.
detected() { # DEFECT RESULT
	dmesg -c >/dev/null
	echo "$1" >/sys/kernel/debug/kmt_defect
	./quiet.sh >$log 2>&1
	grep -q "^not ok $2 " $log
	result $? "$1 is noticed"
}

insmod /lib/modules/kmt_defect.ko
insmod /lib/modules/kmemtrace.ko enable=yes
if [ -f /sys/kernel/debug/kcsan ]; then
	plan 1
	detected race 1
else
	plan 6
	# in this order: lockdep looks no more after some of them
	detected leak 5
	detected rcu 1
	detected sleep 1
	detected locks 3
	detected shift 1
	detected use_after_free 1
fi
rmmod kmemtrace kmt_defect
exit "$failed"
