#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kmemtrace-user with the loaded module: the flight recorder and snapshots; filters and
# triggers that the tool sets; its messages if the module refuses them.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=log

# The buffers are so small that events may be lost.
tool() {
	may_lose kmemtrace-user "$@" >log 2>&1
}

# The tool fails with STATUS, and its message has TEXT.
refused() { # STATUS NAME TEXT ARGUMENT...
	status=$1 name=$2 text=$3
	shift 3
	tool "$@"
	[ $? -eq "$status" ] && grep -q "$text" log
	result $? "$name"
}

fire() {
	echo "$*" >/sys/kernel/debug/kmt_client/run
}

# Print all settings that the tool may change.
settings() {
	(cd $dir && head -n 99 overwrite features set_event buffer_size_kb \
		enabled events/*/*/filter events/*/*/trigger)
}

dir=/sys/kernel/debug/kmemtrace
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work" || exit 1
plan 50
insmod /lib/modules/kmemtrace.ko subbufs=4 subbuf_size=16384
insmod /lib/modules/kmt_client.ko
settings >before

# --- the flight recorder ---------------------------------------------------------

# enough events to fill the buffer of at least one CPU, on any CPUs
kmemtrace-user record --flight -o a.kmt -- sh -c '
	for _ in 1 2 3 4 5; do find / -xdev >/dev/null; done
	echo "kmalloc 137 23" >/sys/kernel/debug/kmt_client/run' 2>log &&
	grep -q 'older events were overwritten' log
result $? "record --flight overwrites older events"
[ "$(stat -c %s a.kmt)" -lt 10000000 ] && tool check a.kmt &&
	grep -q '^flight recorder: [0-9]* records kept' log
result $? "check finds no violation"
tool report --top 0 a.kmt && grep -q 'client_kmalloc_alloc' log &&
	grep -q '^flight recorder: [0-9]* records kept; older' log &&
	! grep -q LOST log
result $? "the report names functions, and no lost events"
kmemtrace-user script a.kmt 2>/dev/null | tail -n 2000 >log
grep -q client_kmalloc_free log
result $? "the recording has the last events"
settings >after
diff before after >log
result $? "record --flight restores all settings"

kmemtrace-user record --flight --buffer-size 8M -e kmem:kmalloc,kmem:kfree -o b.kmt -- \
	sh -c 'echo "kmalloc 137 23" >/sys/kernel/debug/kmt_client/run' 2>log &&
	grep -q 'these are all events' log && tool check b.kmt &&
	tool report --top 0 --csv b.kmt &&
	grep -q "^0,0,23,23,3151,$((23 * $(slab_bytes kmalloc-192))),.*,client_kmalloc_alloc" log
result $? "record --flight in a large buffer has all events"

kmemtrace-user record --flight -o c.kmt 2>recorder &
pid=$!
wait_until is_recording
find / -xdev >/dev/null
kill -INT $pid
wait $pid && tool check c.kmt && tool report c.kmt
result $? "Ctrl-C ends record --flight, and the recording is complete"

# --- record --filter, --trigger ------------------------------------------------------

tool record -f 'bytes_req == 1012 || bytes_req == 1013' -f 'bytes_req & 1' \
	-e kmem:kmalloc -o d.kmt \
	--trigger 'kmalloc:stacktrace if bytes_req == 1013' -- \
	sh -c 'echo "kmalloc 1012 5" >/sys/kernel/debug/kmt_client/run
		echo "kmalloc 1013 5" >/sys/kernel/debug/kmt_client/run'
result $? "record --filter --trigger succeeds"
kmemtrace-user script d.kmt >log 2>&1
[ "$(grep -c 'bytes_req=1013' log)" -eq 5 ] && ! grep -q 'bytes_req=1012' log &&
	[ "$(grep -c '^ *<-.*client_kmalloc_alloc' log)" -ge 5 ]
result $? "... it records matching events, and stacks where triggered"
tool info d.kmt && grep -q '^filter  *kmem:kmalloc: (bytes_req == 1012' log &&
	grep -q '^trigger  *kmalloc:stacktrace if' log && tool report d.kmt &&
	grep -q '^recorded if  *kmem:kmalloc: (bytes_req' log && tool check d.kmt
result $? "... info and report show the filters"
# kfree() has a different call site
tool record -f 'call_site.function == client_kmalloc_alloc' -o e.kmt -- \
	sh -c 'echo "kmalloc 1014 5" >/sys/kernel/debug/kmt_client/run' &&
	grep -q 'frees are recorded whether they match' log &&
	kmemtrace-user report --csv --top 0 e.kmt >log &&
	grep -q '^0,0,5,5,5070,.*,client_kmalloc_alloc' log
result $? "a filter by call site does not apply to frees"
tool record -e kmem:kmalloc -o e.kmt -- \
	sh -c 'echo "kmalloc 1014 5" >/sys/kernel/debug/kmt_client/run' &&
	grep -q 'will have no live figures' log && tool report e.kmt &&
	grep -q 'There are no live figures' log
result $? "a recording without frees shows no live figures"
rm e.kmt
settings >after
diff before after >log
result $? "record restores all settings"
refused 2 "record refuses a filter with an error" ' \^' \
	record -f 'bytes_req >< 1' -o e.kmt -- true
refused 1 "record refuses a filter with an unknown function" 'Function not found' \
	record -f 'call_site.function == moon' -o e.kmt -- true
refused 2 "record refuses a trigger snapshot without --flight" 'record --flight' \
	record --trigger kmalloc:snapshot -o e.kmt -- true
settings >after
diff before after >log && [ ! -e e.kmt ] && [ ! -e e.kmt.part ]
result $? "... these leave no file and change no setting"

# --- snapshots -------------------------------------------------------------------------

echo 1 >$dir/enabled
fire kmalloc 1012 3
tool snapshot -o s.kmt && tool check s.kmt &&
	kmemtrace-user script s.kmt 2>/dev/null | grep -q bytes_req=1012
result $? "snapshot saves one without overwrite"
echo 0 >$dir/enabled
rm s.kmt
echo 0 >$dir/snapshot
echo 1 >$dir/overwrite
refused 1 "snapshot fails if nothing was recorded" 'nothing was recorded' \
	snapshot -o s.kmt
[ ! -e s.kmt ] && [ ! -e s.kmt.part ]
result $? "... it leaves no file"
echo 'time task' >$dir/features
tool events trigger kmalloc 'snapshot:1 if bytes_req == 1013' &&
	kmemtrace-user events | grep -q '^    snapshot:count=1 if bytes_req == 1013'
result $? "events trigger adds a trigger"
refused 1 "events trigger refuses a second one of the same type" \
	"has a trigger of this kind" \
	events trigger kmalloc snapshot
echo 1 >$dir/enabled
find / -xdev >/dev/null
fire kmalloc 1012 3
fire kmalloc 1013 1
find / -xdev >/dev/null
tool snapshot -o s.kmt && grep -q '^snapshot (trigger): [0-9]* events' log
result $? "snapshot saves the snapshot that a trigger took"
[ "$(cat $dir/enabled)" = 1 ]
result $? "... recording stays on"
tool check s.kmt && grep -q '^snapshot: [0-9]* records kept' log
result $? "... check finds no violation"
kmemtrace-user script --filter 'comm == "kmt_flight.sh"' s.kmt 2>/dev/null |
	tail -n 200 >log
grep -q 'bytes_req=1012' log && grep -q 'bytes_req=1013' log
result $? "... its last records have the triggering event and those before"
tool info s.kmt && grep -q '^snapshot_reason  *trigger' log &&
	grep -q '^snapshot_sequence  *[0-9]' log
result $? "... info shows the reason for the snapshot"
refused 1 "... it cannot be saved a second time" 'saved before' snapshot -o t.kmt
tool snapshot --new --drop -o t.kmt && grep -q '^snapshot (request)' log &&
	tool check t.kmt && tool report t.kmt &&
	grep -q '^snapshot: [0-9]* records kept' log
result $? "snapshot --new --drop takes and saves one"
grep -qx 'state empty' $dir/snapshot
result $? "... it drops the snapshot"
echo 0 >$dir/enabled
tool events trigger kmalloc '!snapshot' &&
	[ -z "$(kmemtrace-user events trigger kmalloc)" ]
result $? "events trigger removes a trigger"
tool record -o g.kmt -- find /bin && tool check g.kmt &&
	grep -q 'events made =' log && [ "$(cat $dir/overwrite)" = 1 ]
result $? "record loses no event although overwrite was on"
echo 0 >$dir/overwrite
echo none >$dir/features
kmemtrace-user record --flight -o f.kmt \
	--trigger 'kmalloc:snapshot:1 if bytes_req == 1013' -- sh -c '
	echo "kmalloc 1012 3" >/sys/kernel/debug/kmt_client/run
	echo "kmalloc 1013 1" >/sys/kernel/debug/kmt_client/run
	echo "kmalloc 1014 1" >/sys/kernel/debug/kmt_client/run' 2>log &&
	tool check f.kmt && tool check f.kmt.snapshot &&
	kmemtrace-user script f.kmt 2>/dev/null | grep -q bytes_req=1014 &&
	kmemtrace-user script f.kmt.snapshot 2>/dev/null | grep -q bytes_req=1012
result $? "record --flight saves the snapshot that a trigger took"

kmemtrace-user record --flight -o i.kmt -- kmemtrace-user snapshot --new -o j.kmt 2>log &&
	tool check i.kmt && tool check j.kmt && [ ! -e i.kmt.snapshot ]
result $? "record --flight succeeds if its snapshot was saved meanwhile"

echo 1 >$dir/enabled
fire kmalloc 1012 3
echo 0 >$dir/enabled
mkdir small && mount -t tmpfs -o size=64k tmpfs small
refused 1 "snapshot fails on a full disk" 'nothing was taken out of the snapshot' \
	snapshot --new -o small/s.kmt
[ -z "$(ls small)" ] && tool snapshot -o s.kmt &&
	[ "$(kmemtrace-user script -f 'bytes_req == 1012' s.kmt | wc -l)" -eq 3 ]
result $? "... the snapshot can be saved elsewhere"
umount small
echo 0 >$dir/snapshot

# --- events ----------------------------------------------------------------------------

tool events filter kmem 'bytes_req > 4K' &&
	[ "$(kmemtrace-user events filter kmalloc)" = 'bytes_req > 4K' ] &&
	[ "$(kmemtrace-user events filter kfree)" = none ]
result $? "events filter sets the filters of a system"
refused 2 "events filter marks an error with a caret" '^   *^$' \
	events filter kmalloc 'bytes_req > 4K && moon == 1'
refused 1 "events filter shows the module's error for a function" \
	'parse_error: Function' \
	events filter kmalloc 'call_site.function == moon'
[ "$(kmemtrace-user events filter kmalloc)" = 'bytes_req > 4K' ]
result $? "... the filter in force is kept"
tool events filter kmem 0 && [ "$(kmemtrace-user events filter kmalloc)" = none ]
result $? "events filter clears the filters of a system"
tool events disable kmalloc kmem:kfree && tool events enable kfree &&
	kmemtrace-user events | grep -q '^kmem:kmalloc  *0  *none' &&
	kmemtrace-user events | grep -q '^kmem:kfree  *1  *none'
result $? "events enable and disable work"
refused 2 "events enable refuses an unknown event" 'no event' events enable kmem:moon
refused 1 "events trigger shows the module's error for a function" 'error: Function' \
	events trigger kmalloc 'stacktrace if call_site.function == moon'
tool events enable '*:*'
settings >after
diff before after >log
result $? "all settings are as before"
rmmod kmt_client && rmmod kmemtrace
result $? "the modules unload"

# --- billions of events ------------------------------------------------------------------

jump=/sys/module/kmemtrace/parameters/seq_jump
insmod /lib/modules/kmemtrace-debug.ko survey=0
# the low halves of the numbers say that CPU 0 was first
ordered() { # FILE
	kmemtrace-user script "$1" 2>log | grep -o 'bytes_req=[0-9]*' | tr '\n' ' ' >numbers
	[ "$(cat numbers)" = 'bytes_req=1012 bytes_req=1012 bytes_req=1013 bytes_req=1013 ' ]
}
if [ "$(nproc)" -gt 1 ]; then
	insmod /lib/modules/kmt_client.ko
	kmemtrace-user record --flight -e kmem:kmalloc -o k.kmt \
		-f 'bytes_req == 1012 || bytes_req == 1013' -- sh -c "
		taskset 2 sh -c 'echo kmalloc 1012 2 >/sys/kernel/debug/kmt_client/run'
		echo $(((1 << 32) - 1000)) >$jump
		taskset 1 sh -c 'echo kmalloc 1013 2 >/sys/kernel/debug/kmt_client/run'
		kmemtrace-user snapshot --new -o l.kmt" >log 2>&1
	ordered l.kmt
	result $? "old records of a quiet CPU are first in a snapshot"
	echo 0 >$dir/snapshot
	kmemtrace-user record --flight -e kmem:kmalloc -o k.kmt \
		-f 'bytes_req == 1012 || bytes_req == 1013' -- sh -c "
		taskset 2 sh -c 'echo kmalloc 1012 2 >/sys/kernel/debug/kmt_client/run'
		echo $(((1 << 32) - 1000)) >$jump
		taskset 1 sh -c 'echo kmalloc 1013 2 >/sys/kernel/debug/kmt_client/run'" >log 2>&1
	ordered k.kmt
	result $? "... and in record --flight"
	rmmod kmt_client
else
	skip "old records of a quiet CPU are first in a snapshot" "there is one CPU"
	skip "... and in record --flight" "there is one CPU"
fi
kmemtrace-user record -e kmem:kmalloc -f 'bytes_req == 1012' -o m.kmt -- taskset 1 sh -c "
	insmod /lib/modules/kmt_client.ko
	for _ in 1 2 3; do
		echo kmalloc 1012 1 >/sys/kernel/debug/kmt_client/run
		echo 1500000000 >$jump
	done
	echo kmalloc 1012 1 >/sys/kernel/debug/kmt_client/run
	rmmod kmt_client" >log 2>&1
kmemtrace-user script m.kmt >log 2>&1
[ "$(grep bytes_req=1012 log | grep -c client_kmalloc_alloc)" -eq 4 ]
result $? "a module has names for 4.5 billion events"
rmmod kmemtrace
result $? "the module unloads"
exit $failed
