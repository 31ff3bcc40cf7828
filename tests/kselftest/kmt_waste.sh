#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# `kmemtrace-user waste` with live objects of a test module: caches of kmalloc(), a
# kmem_cache, a large kmalloc(), per-CPU memory. The savings are compared with the slabs
# that the kernel itself chose, and the same in a recording.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh

run=/sys/kernel/debug/kmt_client/run
log=/tmp/waste
plan 13

# shellcheck disable=SC2120 # a recording is passed by may_lose()
waste() { # ARGUMENT...
	kmemtrace-user waste --csv --site client_ "$@" >$log 2>&1
}
cells() { # KIND KEY...: print columns of the rows of this kind
	kind=$1
	shift
	awk -F , -v kind="$kind" -v keys="$*" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(keys, key, " "); next }
		$at["kind"] == kind {
			for (i = 1; i <= n; i++) printf "%s%s", $at[key[i]], i < n ? " " : "\n"
		}' $log
}
is() { # EXPECTED: compare it with standard input
	got=$(cat)
	[ "$got" = "$1" ] || {
		echo "# '$got', not '$1'"
		false
	}
}

insmod /lib/modules/kmt_client.ko
insmod /lib/modules/kmemtrace.ko
result $? "the modules load"
echo "hold kmalloc 1040 300" >$run
waste
# KASAN and slub_debug add data to objects, the latter maybe to those of other caches only
takes=$(cat /sys/kernel/slab/kmalloc-2k/slab_size)
padded=$((takes > 2048))
for file in /sys/kernel/slab/*/red_zone /sys/kernel/slab/*/store_user /sys/kernel/slab/*/poison; do
	[ "$(cat "$file")" = 0 ] || padded=1
done
cells kmalloc objects requested live waste size |
	is "300 312000 $((300 * takes)) $((300 * (takes - 1040))) $takes"
result $? "objects of kmalloc() have their waste and their cache"
# what the kernel itself chose: /sys/kernel/slab has the order of each cache
saved() { # print what 300 objects of 1040 bytes save, in the slabs of $cache
	big=/sys/kernel/slab/kmalloc-2k
	now=$((300 * (4096 << $(cat $big/order)) / $(cat $big/objs_per_slab)))
	small=/sys/kernel/slab/kmalloc-1k
	less=$((now - 300 * (4096 << $(cat $small/order)) / $(cat $small/objs_per_slab)))
	echo "$less"
}
remedy="$(saved) less"
[ $padded = 0 ] || remedy="0 "
cells kmalloc saved remedy | is "$remedy"
result $? "the saving by smaller objects is that of the kernel's slabs"
echo "drop kmalloc 1040" >$run
waste
cells kmalloc objects | is ""
result $? "freed objects waste nothing"

# The formula of slabs chooses the same order as the kernel, for each cache. The kernel
# counts the CPUs that are present, also if one is offline.
cpus=$(set -- /sys/devices/system/cpu/cpu[0-9]*; echo $#)
for cache in /sys/kernel/slab/*; do
	[ -r "$cache/order" ] || continue
	echo "$(cat "$cache/slab_size") $(cat "$cache/order") $(cat "$cache/objs_per_slab")"
done | sort -u >/tmp/caches
./slab_orders "$cpus" </tmp/caches >$log
status=$?
echo "# $(wc -l </tmp/caches) different caches"
[ $status -eq 0 ] && [ "$(wc -l </tmp/caches)" -gt 50 ]
result $? "slabs of a size are those that the kernel chose for its caches"

echo "hold cache 329 40" >$run
waste
cells cache objects requested size | is "40 13160 $(cat /sys/kernel/slab/kmt_client/slab_size)"
result $? "objects of a kmem_cache are none of kmalloc()"
echo "drop cache 329" >$run
echo "hold kmalloc 20000 7" >$run
waste
cells large objects requested live saved remedy | is "7 140000 229376 $((229376 - 140000 - 7 * 4095)) exact"
result $? "a large kmalloc() has the least that whole pages save"
kmemtrace-user waste --site client_kmalloc --json >$log
grep -q '"at_least": true' $log
result $? "which is marked in the JSON"
echo "drop kmalloc 20000" >$run
echo "hold percpu 30 5" >$run
waste
possible=$(($(sed 's/.*-//' /sys/devices/system/cpu/possible) + 1))
# the kernel rounds a size up to 4 bytes before the event
cells percpu objects requested | is "5 $((5 * 32 * possible))"
result $? "per-CPU memory counts for all CPUs"
echo "drop percpu 30" >$run

kmemtrace-user waste >$log
grep -q '^partial .* without an object$' $log && grep -q '^live figures: ' $log
result $? "the slabs of the machine and the error are shown"
[ "$(grep -c ' adds data to objects, .* no remedies for slabs' $log)" = $padded ]
result $? "it says whether objects contain debugging data"
kmemtrace-user record -o /tmp/waste.kmt -- sh -c "echo hold kmalloc 1040 300 >$run" \
	2>/tmp/record
may_lose waste /tmp/waste.kmt
cells kmalloc objects requested live size remedy | is "300 312000 $((300 * takes)) $takes ${remedy#* }"
result $? "a recording has the same"
echo "drop kmalloc 1040" >$run
rmmod kmt_client && rmmod kmemtrace
result $? "the modules unload"
exit "$failed"
