#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in the guest of workload.sh. Prints "LOAD STATE HUNDREDTHS": the time that LOAD
# took in STATE, in hundredths of a second, without idle time.
#
# bench.sh LOAD runs one load.
work=/tmp/work

files() { # a tree of small files and an archive of it; both are removed
	for _ in 1 2 3 4 5; do
		mkdir $work
		for i in $(seq 40); do
			mkdir "$work/$i"
			for j in $(seq 25); do
				echo "file $j" >"$work/$i/$j"
			done
		done
		find $work /proc/sys >/dev/null
		tar cf /tmp/copy.tar $work 2>/dev/null
		rm -r /tmp/copy.tar $work
	done
}

processes() { # short processes
	for _ in $(seq 1500); do
		/bin/true
	done
}

network() { # downloads from a server on this machine
	for _ in $(seq 300); do
		wget -q -O /dev/null http://127.0.0.1:8080/file
	done
}

compress() { # work in user space, with little kernel memory
	for _ in 1 2 3 4 5; do
		gzip -c /tmp/file >/tmp/file.gz
	done
}

nothing() {
	:
}

if [ $# -gt 0 ]; then
	"$1"
	exit
fi

busy() {
	awk '{ print int(($1 - $2) * 100 + 0.5) }' /proc/uptime
}

measure() { # STATE COMMAND...: which runs a load
	state=$1
	shift
	for load in nothing $loads; do
		was=$(busy)
		"$@" "$load" >/dev/null 2>&1 || echo "$load failed in state $state"
		echo "$load $state $(($(busy) - was))"
	done
}

loads='files processes network compress'
head -c 1000000 /kselftest/stress >/tmp/file
httpd -p 127.0.0.1:8080 -h /tmp
for load in $loads; do # once before, for caches
	sh /bench.sh "$load" >/dev/null 2>&1
done
measure nothing sh /bench.sh
insmod /lib/modules/kmemtrace.ko survey=0
measure accounting sh /bench.sh
measure both kmemtrace-user record -o /tmp/r.kmt -- sh /bench.sh
echo 0 >/proc/sys/vm/mem_profiling
measure off sh /bench.sh
measure recording kmemtrace-user record -o /tmp/r.kmt -- sh /bench.sh
rmmod kmemtrace
