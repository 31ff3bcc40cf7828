#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# codetags load: files and lines of a module that was found as the distribution places it,
# kept by build id, without its file, after it was loaded again, and of modules that are
# loaded while codetags load --follow runs.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
log=/tmp/codetags.log
cache=/tmp/codetags.dir
place=/lib/modules/$(uname -r)/extra
row=' [^ ]*kmt_client\.c:[0-9]* \[kmt_client\] func:client_kmalloc_alloc'

load() {
	kmemtrace-user codetags load --cache $cache >$log 2>&1
}

files() { # in the cache
	find $cache -type f | wc -l
}

# Wait for a row in /proc/allocinfo.
appears() { # PATTERN
	for _ in $(seq 150); do
		! grep -q "$1" /proc/allocinfo 2>/dev/null || return 0
		usleep 200000
	done
	return 1
}

reload() { # MODULE: a module with rows
	rmmod "$1"
	insmod "/lib/modules/$1.ko"
}

plan 17
mkdir -p "$place"
cp /lib/modules/kmt_client.ko "$place"
insmod /lib/modules/kmemtrace.ko && insmod /lib/modules/kmt_client.ko
result $? "modules load"
echo "kmalloc 100 10" >/sys/kernel/debug/kmt_client/run
load
result $? "codetags load finds the file of a module"
grep -q "$row" /proc/allocinfo
result $? "... its rows have file and line"
[ "$(files)" = 1 ] && [ -s "$(echo $cache/*)" ]
result $? "... which a file of the cache keeps"

rm -r "${place%/extra}"
echo >/sys/kernel/debug/kmemtrace/codetags
load && grep -q "1 with debug information (1 from the cache)" $log
result $? "without the file of the module, the cache has them"
grep -q "$row" /proc/allocinfo
result $? "... with the right addresses"
reload kmt_client
echo "kmalloc 100 10" >/sys/kernel/debug/kmt_client/run
load && grep -q "$row" /proc/allocinfo
result $? "... also after the module was loaded again"

echo "client_kmalloc_alloc" >>/sys/kernel/debug/kmemtrace/wrappers
load && grep -q "(1 from the cache)" $log
result $? "with other wrappers and no file, what the cache has is used"
echo "!client_kmalloc_alloc" >>/sys/kernel/debug/kmemtrace/wrappers

kept=$(echo $cache/*)
cp "$kept" /tmp/codetags.kept
echo "0x12 no line" >>"$kept"
! load && grep -q "is damaged" $log && grep -q "no debug information was found" $log
result $? "a damaged file is not used, and a message names it"
mkdir -p "$place"
cp /lib/modules/kmt_client.ko "$place"
load && cmp -s "$kept" /tmp/codetags.kept
result $? "... with the file of the module, it is made again"
kmemtrace-user codetags load --cache /proc/none/deep >$log 2>&1 &&
	grep -q "cannot keep what was found in /proc/none/deep" $log
result $? "without a place for the cache, the rows are loaded all the same"
kmemtrace-user codetags cache --cache $cache /lib/modules/kmt_grows.ko 2>$log &&
	[ "$(files)" = 2 ]
result $? "codetags cache keeps what a file says, before the module is loaded"

rmmod kmt_client
rmmod kmemtrace
kmemtrace-user codetags load --follow --cache $cache >$log 2>&1 &
follower=$!
usleep 500000
insmod /lib/modules/kmt_client.ko
insmod /lib/modules/kmemtrace.ko
echo "kmalloc 100 10" >/sys/kernel/debug/kmt_client/run
appears "$row"
result $? "codetags load --follow loads when kmemtrace is loaded"
insmod /lib/modules/kmt_grows.ko
appears ' [^ ]*kmt_grows\.c:[0-9]* \[kmt_grows\] func:grows_hold'
result $? "... and what the cache knows of a module that is loaded later"
reload kmt_client
echo "kmalloc 100 10" >/sys/kernel/debug/kmt_client/run
appears "$row"
result $? "... and what the file of a module has"
rmmod kmt_grows
rmmod kmt_client
reload kmemtrace
insmod /lib/modules/kmt_client.ko
echo "kmalloc 100 10" >/sys/kernel/debug/kmt_client/run
appears "$row"
result $? "... also after kmemtrace was loaded again"
kill $follower
wait $follower 2>/dev/null
rmmod kmt_client && rmmod kmemtrace
result $? "modules unload"
rm -r "${place%/extra}" $cache
exit "$failed"
