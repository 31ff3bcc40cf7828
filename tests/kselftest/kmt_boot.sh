#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Parameters on the kernel's command line, through modprobe, are in force from the first
# event on. Wrong values are refused, and the log has the reason.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh

dir=/sys/kernel/debug/kmemtrace
kmod=/lib/modules/$(uname -r)

# Loading with PARAMETERS fails, and the kernel log then has PATTERN.
refused() { # PARAMETERS PATTERN
	seen=$(dmesg | wc -l)
	# shellcheck disable=SC2086 # several parameters
	if eval "insmod /lib/modules/kmemtrace.ko $1" 2>/dev/null; then
		rmmod kmemtrace
		result 1 "$1 is refused"
	else
		dmesg | tail -n +$((seen + 1)) | grep -q "$2"
		result $? "$1 is refused, and the log says: $2"
	fi
}

# Run COMMAND as if the kernel had been booted with COMMAND-LINE, from which modprobe
# takes parameters of the module as well.
load_with() { # COMMAND-LINE COMMAND...
	echo "$1" >/tmp/cmdline
	shift
	mount --bind /tmp/cmdline /proc/cmdline
	"$@"
	status=$?
	umount /proc/cmdline
	ls /proc >/dev/null
	return $status
}

# With COMMAND-LINE and PARAMETER of the module, mem_profiling becomes VALUE.
profiles() { # VALUE COMMAND-LINE [PARAMETER]
	# shellcheck disable=SC2086 # there may be no parameter
	load_with "quiet $2 other=1" insmod /lib/modules/kmemtrace.ko ${3:-} &&
		[ "$(cat /sys/module/kmemtrace/parameters/mem_profiling)" = "$1" ] &&
		case $1 in
		1*) [ "$(cat $sysctl)" = 1 ] ;;
		0*) [ "$(cat $sysctl)" = 0 ] && echo 1 >$sysctl ;;
		never*) [ "$(cat $sysctl)$(stat -c %a $sysctl)" = 0444 ] ;;
		esac
	result $? "mem_profiling is $1 with '$2' ${3:-}"
	rmmod kmemtrace
}

sysctl=/proc/sys/vm/mem_profiling
plan 27

# modprobe looks for modules where they are installed
mkdir -p "$kmod"
cp /lib/modules/kmemtrace.ko "$kmod/"
echo "kmemtrace.ko:" >"$kmod/modules.dep"
# busybox's modprobe does not know quotes, so no value here has blanks
load_with "quiet kmemtrace.set_event=kmem:kmalloc,kmem:kfree kmemtrace.enable=yes kmemtrace.features=time,task kmemtrace.filter=kmalloc.bytes_req>100&&comm!='x;y';kfree.ptr!=1 other=1 kmemtrace.trigger=kmalloc.stacktrace:3;kmem:mm_page_alloc.traceon:1" \
	modprobe kmemtrace
result $? "modprobe loads with parameters on the kernel's command line"
echo 0 >$dir/enabled
[ "$(cat $dir/set_event)" = "kmem:kmalloc
kmem:kfree
kmem:mm_page_alloc" ]
result $? "set_event has the two events and the event with a trigger"
[ "$(cat $dir/features)" = 'time task' ]
result $? "features are set"
grep -qx "bytes_req>100&&comm!='x;y'" $dir/events/kmem/kmalloc/filter
result $? "a filter is set; a semicolon in quotes does not separate"
grep -qx 'ptr!=1' $dir/events/kmem/kfree/filter
result $? "another filter is set"
grep -q '^stacktrace:count=' $dir/events/kmem/kmalloc/trigger
result $? "a trigger is set"
grep -q '^traceon:count=' $dir/events/kmem/mm_page_alloc/trigger
result $? "a trigger of another event is set"
[ "$(cat $dir/events/kmem/mm_page_alloc/enable)" = '0*' ]
result $? "... this event is not enabled"
# as long as the trigger may start recording, a stream can only be read on its own CPU;
# and the trigger may have started recording again since
echo '!traceon' >$dir/events/kmem/mm_page_alloc/trigger
echo 0 >$dir/enabled
cat $dir/cpu* 2>/dev/null | wc -c | grep -qv '^0$'
result $? "records were made before"
rmmod kmemtrace
result $? "the module unloads"

insmod /lib/modules/kmemtrace.ko \
	'trigger="kmalloc.stacktrace:5 if bytes_req > 200; kfree.traceoff"' \
	'filter="percpu.bytes_req > 8"'
grep -q '^stacktrace:count=[0-5] if bytes_req > 200$' \
	$dir/events/kmem/kmalloc/trigger &&
	grep -qx 'traceoff:unlimited' $dir/events/kmem/kfree/trigger
result $? "parameters in quotes: triggers with blanks are set"
grep -qx 'bytes_req > 8' $dir/events/percpu/percpu_alloc_percpu/filter &&
	grep -qx none $dir/events/percpu/percpu_free_percpu/filter
result $? "a filter of a system is set for the events that have the field"
rmmod kmemtrace

insmod /lib/modules/kmemtrace.ko \
	'trigger="kmalloc.snapshot if bytes_req == 1;kfree.traceoff"' &&
	grep -qx 'state empty' $dir/snapshot
result $? "a trigger snapshot is set without overwrite=1"
rmmod kmemtrace

profiles 1 ''
profiles 0 'sysctl.vm.mem_profiling=0'
profiles never,compressed 'sysctl/vm/mem_profiling="never,compressed"'
profiles 1,compressed 'sysctl.vm.mem_profiling=never sysctl.vm.mem_profiling=1,compressed'
profiles 1 'sysctl.vm.mem_profiling2=0 xsysctl.vm.mem_profiling=0 -- sysctl.vm.mem_profiling=0'
profiles 1 sysctl.vm.mem_profiling=0 mem_profiling=1
profiles 1 sysctl.vm.mem_profiling=always
dmesg | grep -q "sysctl.vm.mem_profiling=always on the kernel's command line is ignored"
result $? "... and the log says why"

refused 'set_event=nosuch' 'there is no event nosuch'
refused '"filter=kmalloc.nosuch==1"' 'Field not found'
refused '"filter=nosuch.bytes_req==1"' 'expecting EVENT.FILTER'
refused '"trigger=kmalloc.nosuch;kfree.traceoff"' "trigger: 'nosuch' is refused"
refused 'features=time,nosuch' "there is no 'nosuch'"
insmod /lib/modules/kmemtrace.ko && rmmod kmemtrace
result $? "the module loads again, and unloads"
exit $failed
