#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In each context, the four characters of kmemtrace-user script are those of ftrace, for the
# same events. "Needs rescheduling" is left out: it may change between the two probes.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=/tmp/log
client=/sys/kernel/debug/kmt_client/run
tracing=/sys/kernel/tracing
sizes='bytes_req >= 2700 && bytes_req < 2720'

# The size tells the contexts apart.
contexts='kmalloc=2700 bh=2701 bh2=2702 softirq=2703 irq=2704'
# On PREEMPT_RT, memory cannot be allocated in these.
grep -q PREEMPT_RT /proc/version || contexts="$contexts preempt=2705 preempt2=2706 irqs=2707"

# For each of the sizes, print the characters of all its events, once.
characters() {
	sed -n 's/.*\[[0-9]*\] *\(.\).\(..\).*bytes_req=\(27[01][0-9]\) .*/\3 \1\2/p' | sort -u
}

# shellcheck disable=SC2086
set -- $contexts
plan $((3 + $#))
insmod /lib/modules/kmemtrace.ko && insmod /lib/modules/kmt_client.ko
result $? "the modules load"
echo "$sizes" >$tracing/events/kmem/kmalloc/filter
echo 1 >$tracing/events/kmem/kmalloc/enable
echo >$tracing/trace
export client contexts
# shellcheck disable=SC2016 # for the inner shell
kmemtrace-user record -o /tmp/a.kmt -e kmem:kmalloc --features +task -f "$sizes" -- \
	sh -c 'for c in $contexts; do echo "${c%=*} ${c#*=} 10" >$client; done' >$log 2>&1
result $? "events of all contexts are recorded"
echo 0 >$tracing/events/kmem/kmalloc/enable
echo 0 >$tracing/events/kmem/kmalloc/filter
characters <$tracing/trace >/tmp/ftrace
kmemtrace-user script /tmp/a.kmt | characters >/tmp/ours
for context in $contexts; do
	grep "^${context#*=} " /tmp/ftrace >/tmp/expected
	grep "^${context#*=} " /tmp/ours >/tmp/got
	{ echo ftrace: && cat /tmp/expected && echo kmemtrace: && cat /tmp/got; } >$log
	[ -s /tmp/expected ] && cmp -s /tmp/expected /tmp/got
	result $? "${context%=*}: $(cat /tmp/got)"
done
rmmod kmt_client && rmmod kmemtrace
result $? "the modules unload"
exit "$failed"
