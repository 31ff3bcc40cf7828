#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Memory that a module has not freed when it is unloaded, its init function included, is
# logged, counted, and shown under a name of its own. Unloading a module does not wait
# for a grace period of kmemtrace.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=/tmp/log

dir=/sys/kernel/debug/kmemtrace
tracing=/sys/kernel/tracing
: >$log

value() { # NAME: in stats
	sed -n "s/^$1 //p" $dir/stats
}

# The rows of the module, as "bytes calls location".
rows() {
	sed -n 's/  */ /g; s/^ //; s/ $//; /kmt_leaky/p' /proc/allocinfo | tee $log
}

has() { # OBJECTS LOCATION
	rows | grep -q "^$(($1 * object)) $1 [^ ]* \[kmt_leaky\] func:$2\$"
}

unique() { # no two rows have one name
	[ -z "$(rows | cut -d' ' -f3- | sort | uniq -d)" ]
}

# Wait until NAME in stats is VALUE: leaks are reported some seconds later.
becomes() { # NAME VALUE
	for _ in $(seq 60); do
		[ "$(value "$1")" != "$2" ] || return 0
		sleep 1
	done
	return 1
}

logged() { # OBJECTS FUNCTION
	dmesg >$log
	grep -q " module kmt_leaky func:$2 has $(($1 * object)) bytes in $1 objects allocated at module unload" $log
}

account() { # 0 or 1
	echo "$1" >/proc/sys/vm/mem_profiling
	survey_wait
}

plan 23
object=$(slab_bytes kmalloc-512)
insmod /lib/modules/kmemtrace.ko
result $? "the module loads"
dmesg -c >/dev/null
insmod /lib/modules/kmt_leaky.ko leak=1
has 10 leaky_alloc && has 5 kmt_leaky_init
result $? "the allocations of a module are accounted"
rmmod kmt_leaky
[ "$(value unloads_pending)" = 1 ] && becomes unloads_pending 0
result $? "stats tell whether the leaks of a module are not counted yet"
becomes unload_leaks 2
logged 10 leaky_alloc
result $? "after unload, its leaks are logged"
logged 5 kmt_leaky_init
result $? "... also those of its init function"
[ "$(value unload_leaks)" = 2 ] &&
	[ "$(value unload_leaked_bytes)" = $((15 * object)) ]
result $? "... stats count them"
has 10 'leaky_alloc (unloaded) #1' && has 5 'kmt_leaky_init (unloaded) #1'
result $? "... /proc/allocinfo marks them as unloaded"
kmemtrace-user allocinfo --top 0 >$log
grep -q 'func:leaky_alloc (unloaded) #1' $log
result $? "... kmemtrace-user allocinfo does so as well"

insmod /lib/modules/kmt_leaky.ko leak=1
has 10 leaky_alloc && has 10 'leaky_alloc (unloaded) #1' && unique
result $? "the module loaded again has rows of its own"
# other code may be at its addresses by the time that the rest of an open file is read
exec 3<$dir/tags
head -c 1 <&3 >/dev/null
rmmod kmt_leaky
cat <&3 >$log
exec 3<&-
grep -q ' - [0-9]* leaky_alloc.* func:leaky_alloc (unloaded) #2$' $log
result $? "a file that was opened before the module was unloaded has its functions"
has 10 'leaky_alloc (unloaded) #1' && has 10 'leaky_alloc (unloaded) #2' &&
	has 5 'kmt_leaky_init (unloaded) #2' && unique
result $? "... and again when it is unloaded"
becomes unload_leaks 4
result $? "... stats count these leaks as well"

dmesg -c >/dev/null
printf 'p:kmt_wait synchronize_rcu caller=%sstack0:symbol\n' '$' >$tracing/kprobe_events
echo 1 >$tracing/events/kprobes/kmt_wait/enable
[ "$(cat $tracing/events/kprobes/kmt_wait/enable)" = 1 ]
result $? "a kprobe on synchronize_rcu() can be set"
insmod /lib/modules/kmt_leaky.ko
rmmod kmt_leaky
insmod /lib/modules/kmt_client.ko
rmmod kmt_client
# only insmod and rmmod count: tags are freed in a workqueue, which waits
cp $tracing/trace $log
# ftrace still knows the names of the init functions of kmemtrace, whose memory was freed:
# code of another module may be there now
init=$(cat /sys/module/kmemtrace/sections/.init.text)
is_init() { # FUNCTION
	at=$(sed -n "s/ [tT] $1\t\[kmemtrace\]$//p" /proc/kallsyms | head -n 1)
	[ -n "$at" ] && [ $((0x$at - init)) -ge 0 ] && [ $((0x$at - init)) -lt 65536 ]
}
callers=$(sed -nE 's/^ *(insmod|rmmod)-.*caller=([^+ ]*)\+.*\[kmemtrace\]$/\2/p' $log)
waits=0
for caller in $callers; do
	is_init "$caller" || waits=$((waits + 1))
done
[ $waits -eq 0 ]
result $? "kmemtrace does not wait for a grace period in insmod or rmmod"
for _ in $(seq 60); do
	grep -q 'kworker.*caller=.*\[kmemtrace\]' $tracing/trace && break
	sleep 1
done
grep -q 'kworker.*caller=.*\[kmemtrace\]' $tracing/trace
result $? "... it waits in a workqueue"
echo 0 >$tracing/events/kprobes/kmt_wait/enable
echo >$tracing/kprobe_events
! dmesg | grep -q 'module kmt_leaky'
result $? "a module that frees all its memory is not logged"

for _ in $(seq 60); do
	rows | grep -q '#3' || break
	sleep 1
done
! rows | grep -q '#3'
result $? "... its rows disappear"
insmod /lib/modules/kmt_leaky.ko rcu=1
rmmod kmt_leaky
becomes unloads_pending 0
! dmesg | grep -q 'module kmt_leaky' && [ "$(value unload_leaks)" = 4 ]
result $? "a module that frees its memory with kfree_rcu() is not logged"

# frees are not seen while accounting is off
insmod /lib/modules/kmt_leaky.ko
account 0
rmmod kmt_leaky
becomes unloads_pending 0
has 10 'leaky_alloc (unloaded) #[0-9]*'
result $? "a module is unloaded while accounting is off: its figures stay"
! dmesg | grep -q 'module kmt_leaky' && [ "$(value unload_leaks)" = 4 ]
result $? "... it is not logged"
account 1
insmod /lib/modules/kmt_leaky.ko leak=1
rmmod kmt_leaky
account 0
becomes unloads_pending 0
! dmesg | grep -q 'module kmt_leaky' && [ "$(value unload_leaks)" = 4 ]
result $? "accounting is switched off just after a module was unloaded: it is not logged"
account 1

for _ in $(seq 40); do
	insmod /lib/modules/kmt_leaky.ko leak=1
	rmmod kmt_leaky
done
insmod /lib/modules/kmt_leaky.ko leak=1 size=600
rmmod kmt_leaky
becomes unload_leaks 86
grep '^unload_leak ' $dir/stats >$log
[ "$(wc -l <$log)" -eq 64 ] &&
	grep -q "^unload_leak $((10 * $(slab_bytes kmalloc-1k))) bytes 10 objects .*func:leaky_alloc" $log
result $? "stats have a line for each of the last 64 leaks"
rmmod kmemtrace
result $? "the module unloads"
exit $failed
