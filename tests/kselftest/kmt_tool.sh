#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kmemtrace-user with the loaded module: recordings are complete, however they end, and
# each error has a clear message.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=/tmp/log

# The command fails with exit 1, and its message has TEXT.
refused() { # NAME TEXT COMMAND...
	name=$1 text=$2
	shift 2
	"$@" >/tmp/log 2>&1
	[ $? -eq 1 ] && grep -q "$text" /tmp/log
	result $? "$name"
}

# The recording is complete: each event is recorded or counted as lost.
adds_up() { # FILE NAME
	may_lose kmemtrace-user check "$1" >/tmp/log 2>&1 && grep -q 'events made =' /tmp/log
	result $? "$2"
}

# QUICK=1: a third of the load
load() { # ROUNDS
	i=0
	while [ $i -lt $(($1 / (1 + 2 * ${QUICK:-0}))) ]; do
		find /bin /sys/module >/dev/null
		/bin/true
		i=$((i + 1))
	done
}

dir=/sys/kernel/debug/kmemtrace
cd /tmp || exit 1
plan 55
refused "record fails without the module" "module is not loaded" kmemtrace-user record
refused "status fails without the module" "module is not loaded" kmemtrace-user
refused "record fails without root" "needs root" \
	start-stop-daemon -S -c nobody -x /bin/kmemtrace-user -- record
insmod /lib/modules/kmemtrace.ko
insmod /lib/modules/kmt_client.ko

kmemtrace-user record -o a.kmt -- sh -c 'find /bin /sys/module; exit 7' >/dev/null 2>log
[ $? -eq 7 ] && grep -q 'the command failed (exit 7)' log
result $? "record returns the exit status of its command"
adds_up a.kmt "... the recording is complete"
[ "$(stat -c %a a.kmt)" = 600 ] && [ ! -e a.kmt.part ]
result $? "... only its owner can read it"

# two writers of one log would overwrite each other
kmemtrace-user record -o b.kmt 2>recorder &
wait_until is_recording
refused "a second recorder fails" "another recorder" kmemtrace-user record -o c.kmt
[ ! -e c.kmt ] && [ ! -e c.kmt.part ]
result $? "... it leaves no file"
load 20
kill -INT $!
may_lose wait $!
result $? "Ctrl-C ends a recording"
adds_up b.kmt "... the recording is complete"

may_lose kmemtrace-user record -d 1 -o d.kmt 2>log
result $? "--duration ends a recording"
adds_up d.kmt "... the recording is complete"

kmemtrace-user record -o e.kmt -- sh -c 'kill -TERM $$' 2>log
[ $? -eq 143 ] && rm e.kmt
result $? "record returns 128 + the signal that ended its command"
begin=$(date +%s)
may_lose kmemtrace-user record -d 1 -o d.kmt -- sh -c 'trap "" TERM; exec sleep 1000' 2>log &&
	grep -q 'it is killed' log && [ $(($(date +%s) - begin)) -lt 100 ]
result $? "--duration ends a command that ignores SIGTERM"

refused "record fails if its command does not exist" "cannot run nonesuch" \
	kmemtrace-user record -o e.kmt -- nonesuch
[ ! -e e.kmt ] && [ ! -e e.kmt.part ]
result $? "... it leaves no file"
refused "record fails for an unknown event" \
	"there is no event 'kmem:moon': kmemtrace-user events lists" \
	kmemtrace-user record -o e.kmt -e kmem:kmalloc,kmem:moon,kmem:kfree -- true

mkdir small && mount -t tmpfs -o size=3m tmpfs small
kmemtrace-user record -o small/f.kmt -F none -e kmem:mm_page_alloc -- true 2>log
cp small/f.kmt earlier
# each (:) forks, which takes hundreds of events; the command ends with the recording
# shellcheck disable=SC2016 # the command expands it
refused "record fails on a full disk" \
	"cannot write .*No space left.*small/f.kmt.part has what" \
	kmemtrace-user record -F all -o small/f.kmt -- sh -c 'for i in $(seq 30000); do (:); done'
may_lose kmemtrace-user report small/f.kmt.part >log 2>&1
result $? "... the part that was written can be read"
cmp small/f.kmt earlier >log 2>&1
result $? "... the earlier recording is kept"
umount small
[ "$(cat $dir/enabled)" = 0 ]
result $? "... recording is off"

may_lose kmemtrace-user record -o /dev/null -- true 2>log && [ -c /dev/null ]
result $? "record writes to a device and does not replace it"
kmemtrace-user record -o - -- echo text 2>log | cat >p.kmt
grep -q '^text$' log
result $? "record -o - does not mix in the output of the command"
adds_up p.kmt "... the recording is complete"
mkfifo fifo
cat fifo >p.kmt &
kmemtrace-user record -o fifo -- true 2>log
wait $!
[ -p fifo ]
result $? "record writes to a pipe and does not replace it"
adds_up p.kmt "... the recording is complete"
# Once recording is on, the client allocates 300 objects of a size that nothing else has.
client() {
	wait_until is_recording
	echo "kmalloc 5432 300" >/sys/kernel/debug/kmt_client/run
}
shown() { # FILE: how many of these script has shown
	grep -c 'kmem:kmalloc .*bytes_req=5432 ' "$1"
}
# shellcheck disable=SC2317 # wait_until calls it
has_shown() { # FILE COUNT
	[ "$(shown "$1")" -ge "$2" ]
}
until_shown() { # FILE COUNT
	wait_until has_shown "$@"
	[ "$(shown "$1")" -eq "$2" ]
}
kmemtrace-user script - <fifo >shown 2>&1 &
script=$!
kmemtrace-user record -o - -e kmem:kmalloc >fifo 2>recorder &
client
until_shown shown 300
result $? "script shows what record writes to a pipe, as it comes"
kill -INT $!
wait $!
wait $script
[ "$(shown shown)" -eq 300 ] && [ "$(cat $dir/enabled)" = 0 ]
result $? "... script ends with the recording"
kmemtrace-user script --follow 2>log | head -n 5 >shown
[ "$(wc -l <shown)" -eq 5 ] && [ "$(cat $dir/enabled)" = 0 ]
result $? "script --follow shows the events of the machine, and ends when its reader ends"
refused "record fails if FILE is a directory" "small is a directory" \
	kmemtrace-user record -o small -d 60
ln -s d.kmt link
cp d.kmt earlier
may_lose kmemtrace-user record -o link -- true 2>log && [ -L link ] &&
	cmp d.kmt.old earlier 2>log
result $? "record replaces the target of a link, and keeps the earlier file"
adds_up d.kmt "... the recording is complete"

kmemtrace-user record -o k.kmt 2>recorder &
wait_until is_recording
refused "writing a file fails while another process writes it" "being written by another" \
	kmemtrace-user allocinfo --save k.kmt
load 5
# shellcheck disable=SC2317 # wait_until calls it
has_caches() {
	kmemtrace-user report --by cache k.kmt.part >log 2>&1
	grep -q '% cache *[a-z_]*$' log
}
wait_until has_caches
load 5
kill -KILL $!
wait $! 2>log
[ "$(cat $dir/enabled)" = 0 ]
result $? "recording is switched off when the recorder is killed"
kmemtrace-user report --by cache k.kmt.part >log 2>&1
grep -q '% cache *[a-z_]*$' log
result $? "... its file has the names of caches"
cp k.kmt.part earlier
may_lose kmemtrace-user record -o k.kmt -- true 2>log && grep -q 'k.kmt.part.old' log &&
	cmp k.kmt.part.old earlier 2>log
result $? "... the next recorder keeps this file"

# make events that no recorder reads, as after a recorder that was killed
echo 1 >$dir/enabled
echo "kmalloc 131 29" >/sys/kernel/debug/kmt_client/run
echo 0 >$dir/enabled
refused "record fails for an unknown event with unread events" "no event .kmem:moon." \
	kmemtrace-user record -o e.kmt -e kmem:moon -- true
may_lose kmemtrace-user record -o u.kmt -- sh -c 'echo "kmalloc 139 7" >/sys/kernel/debug/kmt_client/run' 2>log &&
	[ "$(grep -o 'dropped [0-9]* events' log | tr -dc 0-9)" -ge 58 ] &&
	[ "$(kmemtrace-user script -f 'bytes_req == 139' u.kmt | wc -l)" -eq 7 ] &&
	[ "$(kmemtrace-user script -f 'bytes_req == 131' u.kmt | wc -l)" -eq 0 ]
result $? "record drops unread events from before, and prints their number"
adds_up u.kmt "... the recording is complete"

kmemtrace-user record -e kmem:kmalloc,kmem:kfree -F none -o g.kmt -- \
	sh -c 'echo "kmalloc 137 23" >/sys/kernel/debug/kmt_client/run' 2>log
kmemtrace-user report --by kind --csv g.kmt >log 2>&1
[ "$(wc -l <log)" -eq 2 ] && grep -q ',kmalloc,kmalloc,' log
result $? "record -e records only these events"
kmemtrace-user report --top 0 --csv g.kmt >log 2>&1
grep -q "^0,0,23,23,3151,$((23 * $(slab_bytes kmalloc-192))),.*,client_kmalloc_alloc+0x[0-9a-f]* \[kmt_client\]" log
result $? "the report has the client's 23 allocations of 137 bytes"

echo 0 >/proc/sys/vm/mem_profiling
kmemtrace-user >log
grep -q '^accounting *off' log &&
	grep -q 'switching it on again forgets all live objects' log
result $? "status says that switching accounting on again forgets live objects"
echo 1 >/proc/sys/vm/mem_profiling
kmemtrace-user >log
grep -q '^accounting *on' log &&
	grep -q 'started again [0-9]* s ago; [1-9][0-9]* live objects* w[a-z]* forgotten' log
result $? "... then it says that they were forgotten"

cpu=$(($(nproc) - 1))
if [ $cpu -gt 0 ]; then
	kmemtrace-user record -o h.kmt -- sh -c "
		for i in 1 2 3; do
			echo 0 >/sys/devices/system/cpu/cpu$cpu/online
			find /bin >/dev/null
			echo 1 >/sys/devices/system/cpu/cpu$cpu/online
			find /bin >/dev/null
			taskset -c $cpu find /bin >/dev/null
		done" 2>log
	adds_up h.kmt "CPU $cpu goes offline and comes back while recording"
else
	skip "a CPU goes offline and comes back while recording" "there is only one CPU"
fi
exec 3>$dir/session
echo 1 >&3
[ "$(cat $dir/enabled)" = 1 ] && ! echo 1 2>log >$dir/session
result $? "a session switches recording on, and a second one is refused"
cat $dir/cpu0 >/dev/null
[ "$(cat $dir/enabled)" = 1 ]
result $? "... recording stays on when a reader closes cpu0"
exec 3>&-
[ "$(cat $dir/enabled)" = 0 ]
result $? "... the end of the session switches recording off"
exec 3>$dir/session
echo 1 >&3
echo 1 >$dir/enabled
exec 3>&-
[ "$(cat $dir/enabled)" = 1 ]
result $? "... unless it was switched on by the file enabled since"
echo 0 >$dir/enabled

kmemtrace-user record --trigger 'kmalloc:traceoff:1 if bytes_req == 137' -o t.kmt -- \
	sh -c 'echo "kmalloc 137 5" >/sys/kernel/debug/kmt_client/run' 2>log
kmemtrace-user script --filter 'bytes_req == 137' t.kmt >log 2>&1
[ "$(grep -c kmalloc log)" -eq 1 ]
result $? "record --trigger: the trigger is in force before the first event"

echo 'traceon if cache_id == 77777' >$dir/events/kmem/kmem_cache_free/trigger
may_lose kmemtrace-user record -d 1 -o w.kmt >log 2>&1
result $? "record works if a trigger may switch recording on"
adds_up w.kmt "... the recording is complete"
echo '!traceon' >$dir/events/kmem/kmem_cache_free/trigger

if [ $cpu -gt 0 ]; then
	mkdir groups && mount -t cgroup2 none groups
	echo +cpuset >groups/cgroup.subtree_control
	mkdir groups/one && echo 0 >groups/one/cpuset.cpus
	refused "record fails in a cpuset that lacks a CPU" \
		"CPU 1: it is not in the cpuset /one.*--cpus 0$" \
		sh -c 'echo $$ >groups/one/cgroup.procs
			exec kmemtrace-user record -d 20 -o x.kmt'
	may_lose sh -c 'echo $$ >groups/one/cgroup.procs
		exec kmemtrace-user record -d 1 --cpus 0 -o x.kmt' 2>log
	result $? "... it works with --cpus"
	rmdir groups/one
	umount groups
	may_lose kmemtrace-user record -C 0 -o x.kmt -- taskset -c 1 find /bin >/dev/null 2>log &&
		may_lose kmemtrace-user record -o x.kmt -- true 2>log && ! grep dropped log
	result $? "--cpus leaves no records of other CPUs behind"
else
	for name in "record fails in a cpuset that lacks a CPU" \
		"... it works with --cpus" \
		"--cpus leaves no records of other CPUs behind"; do
		skip "$name" "there is only one CPU"
	done
fi

rmmod kmt_client && rmmod kmemtrace
result $? "the modules unload"
exit $failed
