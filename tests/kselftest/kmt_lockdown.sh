#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# On a kernel that is locked down: which files can be read, that the tool says why it
# fails, and that a module without a signature does not load. Lockdown cannot be
# reversed, so this is the last test of a boot.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=/tmp/log
dir=/sys/kernel/debug/kmemtrace
lockdown=/sys/kernel/security/lockdown

# The command fails with exit 1 and says that the kernel is locked down.
locked() { # COMMAND...
	"$@" >$log 2>&1
	[ $? -eq 1 ] && grep -q 'this kernel is locked down' $log
	result $? "$1 ${2:-} says that the kernel is locked down"
}

reads() { # FILE...: each can be opened
	for file; do
		dd if="$file" of=/dev/null bs=64k count=1 2>$log || return 1
	done
}

refuses() { # FILE...: none can be opened
	for file; do
		dd if="$file" of=/dev/null bs=64k count=1 2>$log && return 1
		grep -q 'not permitted' $log || return 1
	done
}

plan 16
mount -t securityfs securityfs /sys/kernel/security
insmod /lib/modules/kmemtrace.ko
result $? "the module loads"
grep -q '\[none\]' $lockdown && kmemtrace-user >$log 2>&1
result $? "the kernel is not locked down yet"

echo integrity >$lockdown
reads $dir/stats $dir/tags $dir/tags_quick $dir/cpu0 $dir/pages /proc/allocinfo
result $? "integrity: files of accounting and recording can be read"
refuses $dir/enabled $dir/set_event $dir/codetags $dir/events/kmem/filter
result $? "... writable files cannot be opened"
kmemtrace-user allocinfo >$log 2>&1
result $? "... allocinfo works"
locked kmemtrace-user record -d 1 -o /tmp/locked.kmt
[ ! -e /tmp/locked.kmt ] && [ ! -e /tmp/locked.kmt.part ]
result $? "... it leaves no file"
locked kmemtrace-user snapshot -o /tmp/locked.kmt
locked kmemtrace-user events enable kmem

echo confidentiality >$lockdown
reads $dir/stats $dir/tags $dir/tags_quick /proc/allocinfo
result $? "confidentiality: files of accounting can be read"
refuses $dir/cpu0 $dir/objects $dir/vmalloc $dir/vmalloc_starts
result $? "... files with addresses cannot be opened"
kmemtrace-user allocinfo >$log 2>&1
result $? "... allocinfo works"
sysctl -w vm.mem_profiling=0 >$log 2>&1
result $? "... accounting can be switched off"
rmmod kmemtrace
result $? "the module unloads"
! insmod /lib/modules/kmemtrace.ko >$log 2>&1 && grep -q 'not permitted' $log
result $? "the module does not load again without a signature"
locked kmemtrace-user
exit $failed
