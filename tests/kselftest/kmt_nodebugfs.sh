#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# On a kernel that was booted with debugfs=off or debugfs=no-mount, the module accounts memory,
# says what is missing, and can be unloaded.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=/tmp/log

plan 7
! grep -q debugfs /proc/filesystems
result $? "the kernel has no debugfs"
dmesg -c >/dev/null
insmod /lib/modules/kmemtrace.ko enable=yes >$log 2>&1
result $? "the module loads, although it is to record"
dmesg >$log
[ "$(grep -c "kmemtrace: .*debugfs=off or debugfs=no-mount" $log)" = 1 ]
result $? "... and the log says once why nothing is recorded"
awk 'NR > 2 && $1 > 0 { bytes += $1 } END { exit !(bytes > 1000000) }' /proc/allocinfo
result $? "/proc/allocinfo shows live memory"
sysctl -w vm.mem_profiling=0 >$log 2>&1 && sysctl -w vm.mem_profiling=1 >>$log 2>&1
result $? "accounting is switched off and on"
! kmemtrace-user allocinfo >$log 2>&1 && grep -q "no debugfs.*boot it without.*/proc/allocinfo" $log
result $? "the tool says what to do"
rmmod kmemtrace >$log 2>&1
result $? "the module unloads"
exit "$failed"
