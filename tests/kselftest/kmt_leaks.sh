#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# leaks names the site that loses 1 MB/h under a load of 100 MB/s, with its path, and no
# site that fills a cache, frees by kfree_rcu(), holds 64 MB, or grows and shrinks. Beside it,
# a process looks up names that do not exist, and makes and removes files of ext4: what this
# leaves is a cache. leaks restores the control files, also after a signal.
#
# SEEDS is the number of seeds, FOR the seconds of an observation. Each kind of guest has
# other seeds. QUICK=1 makes only one observation of a leak, and compares rounds of a command.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=/tmp/log

dir=/sys/kernel/debug/kmemtrace
seeds=${SEEDS:-2}
for=${FOR:-40}
first=$(($(nproc) * 100 + $(uname -r | cut -d. -f2) * 10))
: >$log

# The rows of the table of leaks, as "VERDICT LOCATION".
rows() {
	sed -n '/GROWTH/,/^$/p' $log | sed 1d | awk 'NF > 7 { print $7, $8, $9 }'
}

# The first call path: from its figures to those of the next.
first_path() {
	sed -n '/^Call paths/,/^Objects/p' $log | awk '/ allocated \(/ { n++ } n == 1'
}

# Creates files of ext4, and removes six of them.
# shellcheck disable=SC2317 # fill_caches calls it
use_files() { # NAME ROUND
	for i in $(seq $(($2 % 7 + 8))); do
		echo >"/tmp/files/$1-$2-$i"
	done
	rm "/tmp/files/$1-$2-"[1-6]
}

# Looks up files of sysfs, the names of which are in the file 3: the kernel makes inodes.
# shellcheck disable=SC2317 # fill_caches calls it
look_up_files() { # NAME ROUND
	for i in $(seq $(($2 % 7 + 8))); do
		read -r file <&3 && [ -e "$file" ]
	done
}

# sysfs keeps names that do not exist; tmpfs would not. Each round takes the same time, also if
# the host is busy: what fills more slowly is no cache.
fill_caches() { # NAME USE: the names start with NAME; what else each round does
	round=0
	while :; do
		round=$((round + 1))
		sleep 0.5 &
		rest=$!
		for i in $(seq 100); do
			[ -e "/sys/$1-$round-$i-a-name-of-more-than-forty-characters-that-does-not-exist" ]
		done
		"$2" "$1" $round
		wait $rest
	done
}

# Each second, creates at most 25 files that stay.
keep_files() { # NAME
	for i in $(seq 1000); do
		for k in 1 2 3 4 5; do
			echo >"/tmp/kept/$1-$i-$k"
		done
		sleep 0.2
	done
}

# Observes for 30 s, while process $1 runs, and ends it.
observe_beside() { # PID
	kmemtrace-user leaks --for 30 --settle 1 --stacks 0 --top 0 >$log 2>&1
	kill "$1"
	wait "$1" 2>/dev/null
}

state() {
	for file in enabled features set_event buffer_size_kb overwrite; do
		cat $dir/$file
	done
	cat $dir/events/*/*/filter $dir/events/*/*/trigger
}

# Whether a process reads the ages of objects.
# shellcheck disable=SC2317 # wait_until calls it
observes() { # PID
	for fd in "/proc/$1"/fd/*; do
		[ "$(readlink "$fd")" != /sys/kernel/debug/kmemtrace/ages ] || return 0
	done
	return 1
}

if [ -n "${QUICK:-}" ]; then
	# some kernels, for example with KASAN, need 21 s: their clock of ages is coarser
	seeds=1 for=25
	plan 25
else
	plan $((11 * seeds + 33))
	# accounting does not see the inodes that this makes
	find /sys/kernel/slab -type f >/tmp/names
	echo 3 >/proc/sys/vm/drop_caches
fi
insmod /lib/modules/kmemtrace.ko
result $? "the module loads"
# ext4 is a module in the kernel with PREEMPT_RT
for module in crc16 crc32c_generic mbcache jbd2 ext4; do
	[ ! -e /lib/modules/$module.ko ] || insmod /lib/modules/$module.ko
done
# the disk has all its pages from the start, or it would grow
insmod /lib/modules/brd.ko rd_nr=1 rd_size=65536 &&
	dd if=/dev/zero of=/dev/ram0 bs=1M count=64 2>/dev/null &&
	mke2fs -i 4096 /dev/ram0 >/dev/null 2>&1 &&
	mkdir /tmp/files && mount -t ext4 /dev/ram0 /tmp/files
result $? "... and ext4 has a disk"
echo 'bytes_req > 7' >$dir/events/kmem/kmalloc/filter
echo time >$dir/features
state >/tmp/before
for seed in $(seq $first $((first + seeds - 1))); do
	insmod /lib/modules/kmt_grows.ko seed="$seed"
	fill_caches "$seed" use_files &
	names=$!
	sleep 5
	start=$(date +%s)
	kmemtrace-user leaks --for "$for" --top 0 --stacks 6 --debuginfo /lib/modules >$log 2>&1
	echo "# the verdict, the path and its lines took $(($(date +%s) - start)) s"
	rows | grep -vE 'oscillates|once' | sed 's/^/# /'
	rows | head -1 | grep -q "^leaks grows_get[+]"
	result $? "seed $seed: the site that leaks is the first"
	! rows | grep "^leaks" | grep -v "^leaks grows_get[+]"
	result $? "... and no other is named"
	grep -q "^grows_get.* leaks .* per hour (95 % confidence: .* to .*)\.$" $log
	result $? "... the report has its rate"
	first_path | grep -q " 0 freed; 100 %" && first_path | grep -q "grows_lose+"
	result $? "... the path that leaks before the other path through the site"
	first_path | grep -q "grows_lose+.*kmt_grows\.c:[0-9]"
	result $? "... with its source lines"
	grep -q "^Objects of this site are freed at grows_put[+]" $log
	result $? "... and where the other objects are freed"
	rows | grep -q "^cache __d_alloc[+]"
	result $? "... names that do not exist are a cache"
	grep -q "^__d_alloc[+].* fills a cache at .*: SReclaimable, freed by drop_caches\.$" $log &&
		! grep -q "^__d_alloc[+].* leaks " $log
	result $? "... which the kernel can reclaim, and no leak"
	rows | grep -q "^cache ext4_alloc_inode[+]"
	result $? "... inodes of files are a cache"
	sed -n '/^__d_alloc[+].* fills/,/^$/p' $log | grep -q "^    by .*-$names ("
	result $? "... with the process that fills it"
	kill $names
	wait $names 2>/dev/null
	state | cmp - /tmp/before
	result $? "... and the control files are restored"
	rmmod kmt_grows
done
more() {
	# of a recording, by the same rules
	insmod /lib/modules/kmt_grows.ko seed="$first"
	kmemtrace-user record -o /tmp/grows.kmt -F +task,+stack -f 'call_site.function == grows_get' \
		-d "$((for + 15))" >$log 2>&1 &&
		kmemtrace-user leaks --top 0 /tmp/grows.kmt >$log 2>&1
	rows | head -1 | grep -q "^leaks grows_get[+]"
	result $? "of a recording: the site that leaks is the first"
	first_path | grep -q " 0 freed; 100 %" && first_path | grep -q "grows_lose+"
	result $? "... the path that leaks before the other path"
	grep -q "^Objects of this site are freed at grows_put[+]" $log
	result $? "... and where the other objects are freed"
	rm -f /tmp/grows.kmt
	rmmod kmt_grows

	# The kernel is asked: what it frees is a cache, and what stays leaks. These are inodes of
	# sysfs, because 7.3 keeps the inodes of ext4 without a journal until it is unmounted.
	insmod /lib/modules/kmt_grows.ko seed="$first"
	fill_caches reclaim look_up_files 3</tmp/names &
	names=$!
	sleep 5
	kmemtrace-user leaks --for "$for" --top 0 --stacks 0 --reclaim >$log 2>&1
	kill $names
	wait $names 2>/dev/null
	rows | head -1 | grep -q "^leaks grows_get[+]"
	result $? "if the kernel is asked to free its caches, what stays leaks"
	rows | grep -q "^cache __d_alloc[+]" && rows | grep -q "^cache security_inode_alloc[+]" &&
		! rows | grep "^leaks" | grep -v "^leaks grows_get[+]"
	result $? "... and what goes is a cache, also what is kept for inodes"
	sed -n '/^__d_alloc[+].* fills/,/^$/p' $log |
		grep -q "^Of .* that were live, the kernel freed .*[KM]iB when it was asked to\.$"
	result $? "... with the amount that went"
	rmmod kmt_grows

	insmod /lib/modules/kmt_grows.ko leak=0
	sleep 5
	kmemtrace-user leaks --for "$for" --top 0 >$log 2>&1
	! rows | grep "\[kmt_grows\]" | grep -q "^leaks"
	result $? "without a leak, nothing of the module is named"
	rmmod kmt_grows

	insmod /lib/modules/kmt_grows.ko
	sleep 10
	# with this seed, the objects are large, so that few are lost in a short time
	kmemtrace-user leaks --for 60 --stacks 60 >$log 2>&1 &
	# the observation takes longer than one wait
	wait_until is_recording || wait_until is_recording
	kill -INT $!
	wait $!
	grep -q "^grows_get.* leaks " $log
	result $? "a signal while call paths are recorded does not lose the verdict"
	state | cmp - /tmp/before
	result $? "... and the control files are restored"
	echo 0 >$dir/events/kmem/kmalloc/filter
	kmemtrace-user record -e percpu_alloc_percpu -d 200 -o /tmp/busy.kmt >/tmp/recorder 2>&1 &
	kmemtrace-user leaks --for 60 >$log 2>&1
	status=$?
	kill -INT $! 2>/dev/null
	kill -TERM $! 2>/dev/null
	wait $!
	[ $status -eq 0 ] && grep -q "the call paths are missing" $log &&
		grep -q "^grows_get.* leaks " $log
	result $? "beside another recorder, the verdict has no call paths"
	rm -f /tmp/busy.kmt
	rmmod kmt_grows

	# the owner of files in tmpfs can delete them
	mkdir /tmp/kept && mount -t tmpfs none /tmp/kept
	keep_files live &
	observe_beside $!
	rows | grep -q "^held shmem_alloc_inode[+]" && ! rows | grep "^leaks"
	result $? "files that stay in a tmpfs are no leak"
	grep -q "^It grows with the files of tmpfs (df -i): /tmp/kept has " $log
	result $? "... and the report says where they are"
	keep_files recorded &
	kmemtrace-user record -o /tmp/kept.kmt -f 'call_site.function == shmem_alloc_inode' -d 30 \
		>$log 2>&1 &&
		kmemtrace-user leaks --settle 1 --stacks 0 --top 0 /tmp/kept.kmt >$log 2>&1
	kill $!
	wait $! 2>/dev/null
	rows | grep -q "^held shmem_alloc_inode[+]" && ! rows | grep "^leaks"
	result $? "... also of a recording"
	rm -f /tmp/kept.kmt
	umount /tmp/kept

	# a process grows
	awk 'BEGIN { while (1) { for (k = 0; k < 4000; k++) a[i++] = sprintf("%1000d", i); system("sleep 0.2") } }' &
	observe_beside $!
	! rows | grep "^leaks"
	result $? "what a process uses is no leak"
	(for _ in $(seq 200); do
		sleep 100 &
		echo $! >>/tmp/sleeping
		sleep 0.3
	done) &
	observe_beside $!
	rows | grep -q "^held copy_process[+]" && ! rows | grep "^leaks"
	result $? "more and more processes are no leak"
	xargs kill </tmp/sleeping 2>/dev/null
	rm /tmp/sleeping

	# The areas of the stacks of processes that ended wait until the kernel frees many of them.
	# Each CPU keeps two stacks for the next processes, so that more processes than this have to
	# end at once; and fewer end here than the kernel waits for (1,638 with one CPU).
	(while :; do
		for _ in $(seq $(($(nproc) * 2 + 6))); do
			sleep 0.2 &
		done
		wait
		sleep 0.5
	done) &
	short=$!
	kmemtrace-user leaks --for 30 --settle 1 --stacks 0 --top 0 >$log 2>&1
	rows | grep -q "^lazy alloc_vmap_area[+]" && grep -q "^lazy: .* wait now" $log
	result $? "areas of vmalloc() that wait to be freed are lazy"
	! grep -q "^alloc_vmap_area.* leaks " $log
	result $? "... and not named"
	kmemtrace-user record -o /tmp/lazy.kmt -f 'call_site.function == alloc_vmap_area' -d 30 \
		>$log 2>&1 && kmemtrace-user leaks --settle 1 --top 0 /tmp/lazy.kmt >$log 2>&1
	rows | grep -q "^lazy alloc_vmap_area[+]"
	result $? "... also of a recording"
	rm -f /tmp/lazy.kmt
	# an observation that is interrupted is judged
	kmemtrace-user leaks --for 60 --settle 1 --stacks 0 --top 0 >$log 2>&1 &
	wait_until observes $!
	sleep 20 # of the observation
	kill -INT $!
	wait $!
	grep -q "interrupted after [12].* s: suspects are checked again" $log && rows | grep -q .
	result $? "a signal ends an observation early, and it is judged"
	kill $short
	wait $short 2>/dev/null
}
[ -n "${QUICK:-}" ] || more

# each area takes pages, and objects of two functions of the kernel
insmod /lib/modules/kmt_grows.ko areas=1 seed=$first
sleep 5
kmemtrace-user leaks --for 20 --settle 1 --stacks 0 >$log 2>&1
rows | grep -q "^leaks grows_area[+]" &&
	! rows | grep -E "^leaks (alloc_vmap_area|__get_vm_area_node)[+]"
result $? "an area of vmalloc() that leaks is named once"
grep -qE "^[1-9] more sites? grows? in lock step with it, by " $log &&
	grep -q "^  __get_vm_area_node[+]" $log
result $? "... with the objects that it takes"
rmmod kmt_grows

# each round leaves a directory, and so an inode
kmemtrace-user leaks --repeat 6 --settle 2 -- sh -c 'mkdir /tmp/round.$$' >$log 2>&1
grep -q " of sh; the first 2 do not count" $log && grep -q "alloc_inode" $log
result $? "a command is repeated, and what it leaves is found"
! grep -q "do_anonymous_page" $log
result $? "... and what processes use is not named"
! grep -q "alloc_vmap_area[+]" $log
result $? "... nor what the kernel frees later"
kmemtrace-user leaks --repeat 4 --settle 1 -- sh -c 'mkdir /tmp/fails.$$; false' >$log 2>&1
grep -q "^sh failed in 4 of 4 rounds" $log && grep -q "alloc_inode" $log
result $? "what a command leaves that fails is found"
# names that do not exist are a cache; the inode of a name that exists stays
# shellcheck disable=SC2016 # the command's shell expands it
round='mkdir /tmp/name.$$; for i in $(seq 50); do [ -e /sys/$$-$i ]; done; true'
kmemtrace-user leaks --repeat 4 --settle 2 -- sh -c "$round" >$log 2>&1
grep -q " cache *__d_alloc[+]" $log && grep -q " stays *[a-z_]*alloc_inode[+]" $log
result $? "a cache that a command fills is no leak"
kmemtrace-user leaks --repeat 4 --settle 2 --reclaim -- sh -c "$round" >$log 2>&1
! grep -q "+5. .*__d_alloc[+]" $log && grep -q " +1 .* stays *[a-z_]*alloc_inode[+]" $log
result $? "... and if the kernel is asked to free it, what stays is left"
kmemtrace-user leaks --repeat 4 --settle 4 -- \
	sh -c 'insmod /lib/modules/kmt_leaky.ko leak=1; rmmod kmt_leaky' >$log 2>&1
awk '$NF == "(unloaded)" && / stays .* func:leaky_alloc / && $5 == "+10" { n++ } END { exit n != 1 }' $log
result $? "the loads of a module that leaks are one site"
grep -q "^  [0-9].* in [0-9]*0 objects, [0-9] times*: leaky_alloc+.*\[kmt_leaky\]" $log
result $? "... and what the module found when it was unloaded is printed"
kmemtrace-user leaks mark && [ "$(cat $dir/mark)" -lt 10000 ]
result $? "leaks mark sets the mark"
rmmod kmemtrace
result $? "the module unloads"
exit $failed
