#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The module is unloaded under load, with filters, triggers of every type and snapshots
# in force, and all features on; also with triggers of events that happen all the time.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
dir=/sys/kernel/debug/kmemtrace
rounds=$([ -n "${QUICK:-}" ] && echo 3 || echo 12)

plan 3
insmod /lib/modules/kmt_client.ko
(while :; do
	echo "storm 0 2000" >/sys/kernel/debug/kmt_client/run
done) &
storm=$!
trap 'kill $storm 2>/dev/null' EXIT
trap 'exit 1' TERM # run.sh ends a test that takes too long
loaded=0 unloaded=0
for i in $(seq "$rounds"); do
	command insmod /lib/modules/kmemtrace.ko overwrite=$((i % 2)) subbufs=8 \
		subbuf_size=65536 enable=yes \
		'filter="kmem.call_site != 0 && ptr != 1"' \
		"trigger=\"kmalloc.traceoff:50 if bytes_req < 300;
			mm_page_alloc.traceon:50; kfree.stacktrace:100;
			kmem_cache_alloc.disable_event:kmem:kfree:10 if comm ~ 'k*'\"" &&
		loaded=$((loaded + 1))
	# else the survey may still run when the module is unloaded
	[ $((i % 3)) -ne 0 ] || survey_wait
	[ $((i % 2)) -eq 0 ] ||
		echo 'snapshot if bytes_req == 64 || live_objects > 3' \
			>$dir/events/kmem/kmalloc/trigger
	echo 'age > 0 || cpu == 1' >$dir/events/kmem/mm_page_free/filter
	echo all >$dir/features
	# each of them waits for several grace periods
	[ $((i % 3)) -ne 0 ] || for event in sched:sched_switch irq:softirq_entry \
		timer:timer_start irq_vectors:local_timer_entry syscalls:sys_enter_write \
		syscalls:sys_exit_write rcu:rcu_utilization; do
		echo "$event:traceon" >$dir/triggers
		echo "$event:enable_event:kmem:kfree:5 if comm ~ \"k*\"" >$dir/triggers
	done
	[ $((i % 2)) -eq 0 ] || echo 'sched:sched_waking:snapshot' >$dir/triggers
	usleep $((i * 20000))
	rmmod kmemtrace && unloaded=$((unloaded + 1))
done
kill $storm
wait $storm 2>/dev/null
[ $loaded -eq "$rounds" ]
result $? "the module loads $rounds times under load"
[ $unloaded -eq "$rounds" ]
result $? "the module unloads $rounds times under load"
rmmod kmt_client
result $? "the client unloads"
exit "$failed"
