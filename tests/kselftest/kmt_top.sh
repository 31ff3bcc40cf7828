#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kmemtrace-user top with the loaded module: it sees what a module allocates between two
# refreshes, to the byte, also by cache; a restart of accounting; and that the module is
# unloaded.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=/tmp/log
run=/sys/kernel/debug/kmt_client/run
cd /tmp || exit 1

# Print a member of the row of a name, from a line of JSON.
member() { # LINE NAME MEMBER
	echo "$1" | sed -n "s/.*{\([^{}]*\"name\":\"$2[^{}]*\)}.*/\1/p" |
		sed -n "s/.*\"$3\":\([^,}]*\).*/\1/p"
}

# Begin top, whose lines go to the file lines.
begin() { # OPTION...
	: >lines
	kmemtrace-user top --json -d 0.3 "$@" >lines 2>$log &
	pid=$!
	more 1
}

# Wait for a number of further complete lines.
more() { # NUMBER
	want=$(($(wc -l <lines) + $1))
	i=0
	while [ "$(wc -l <lines)" -lt $want ] && [ $i -lt 300 ]; do
		sleep 0.1
		i=$((i + 1))
	done
}

# Waits until a member of the newest line has a value; an earlier line may be printed first.
becomes() { # NAME MEMBER VALUE
	i=0
	while [ $i -lt 20 ]; do
		more 1
		line=$(tail -n 1 lines)
		[ "$(member "$line" "$1" "$2")" != "$3" ] || return 0
		i=$((i + 1))
	done
	echo "$2 of $1 is $(member "$line" "$1" "$2"), not $3" >$log
	return 1
}

finish() {
	kill $pid
	wait $pid
}

plan 10
kmemtrace-user top --once >$log 2>&1
[ $? -eq 1 ] && grep -q 'module is not loaded' $log
result $? "top fails without the module"
insmod /lib/modules/kmemtrace.ko && insmod /lib/modules/kmt_client.ko
echo "kmalloc 500 10" >$run
begin --by function --filter client_
becomes client_kmalloc_alloc live_since_start 0
result $? "a site that holds nothing has not changed"
size=$(slab_bytes kmalloc-512) # more than 512 with KASAN
echo "hold kmalloc 500 140" >$run
becomes client_kmalloc_alloc live_since_start $((140 * size)) &&
	[ "$(member "$line" client_kmalloc_alloc waste)" = $((140 * (size - 500))) ]
result $? "what it allocates is its change"
grep -q '"allocs_per_second":[1-9][^{}]*"name":"client_kmalloc_alloc' lines
result $? "... and its allocations have a rate"
echo "drop kmalloc 500" >$run
becomes client_kmalloc_alloc live_since_start 0 &&
	[ "$(member "$line" client_kmalloc_alloc frees)" -ge 150 ]
result $? "what it frees as well"
echo 0 >/proc/sys/vm/mem_profiling
more 2
tail -n 1 lines | grep -q '"accounting":false'
result $? "accounting that is off is noticed"
echo 1 >/proc/sys/vm/mem_profiling
echo "hold pages 1 3" >$run
becomes client_pages_alloc live $((3 * 8192)) && echo "$line" | grep -q '"restarts":1'
result $? "a restart of accounting is noticed"
echo "drop pages 1" >$run
finish
begin --by cache --filter kmalloc-4k
size=$(slab_bytes kmalloc-4k)
before=$(member "$(tail -n 1 lines)" kmalloc-4k live)
echo "hold kmalloc 4000 1000" >$run
i=0
while [ $i -lt 20 ]; do
	more 1
	now=$(member "$(tail -n 1 lines)" kmalloc-4k live)
	[ $((now - ${before:-0})) -lt $((900 * 4096)) ] || break
	i=$((i + 1))
done
[ $((now - ${before:-0})) -ge $((900 * 4096)) ] && [ "$size" -ge 4096 ]
result $? "caches are read from caches_live"
finish
echo "drop kmalloc 4000" >$run
begin --top 5
rmmod kmt_client && rmmod kmemtrace
wait $pid
[ $? -eq 1 ] && grep -q 'the module was unloaded' $log
result $? "top ends when the module is unloaded"
! grep -v '^{"version":1,.*}$' lines
result $? "... after a complete line"
exit "$failed"
