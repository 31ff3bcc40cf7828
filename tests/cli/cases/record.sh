# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

check record-bad-duration record --duration soon
check record-bad-size record --buffer-size lots
for size in 18446744073709551615K 17592186044417M 4096G 0 -1 99999999999999999999; do
	check record-bad-size-$size record --buffer-size $size
done
check record-bad-events record --events , -- true
check record-no-events record -e "" -- true
check record-bad-features record --features time,moon
check record-bad-features-added record -F +moon
check record-mixed-features record -F time,+task -- true
check record-behind record -o apart.kmt true --moon
check record-bad-cpus record --cpus 3-1
for size in x 0 18014398509481984K; do
	check record-bad-memory-$size record --memory $size
done
check record-bad-order record --order foo
check record-help record --help
check record-filter record -f 'bytes_req > 4K && moon'
check record-trigger record --trigger 'kmalloc:stacktrace iff'
check record-trigger-event record --trigger 'stacktrace if bytes_req > 4K'
check record-trigger-filter record --trigger 'kmem:kfree:stacktrace if bytes_req > 4K'
check record-trigger-remove record --trigger 'kfree:!stacktrace'
check record-trigger-hist record --trigger kmalloc:hist:keys=pid

new_module
check record-trigger-snapshot record --trigger kmalloc:snapshot -- true

printf '%s\n' 's/^([0-9]+ events) in .*/\1/' '/the kernel hides/d' >figures
recorded() { # NAME ARGUMENT...: leaves out numbers that depend on this machine
	rm -rf apart && mkdir apart
	check_through 'sed -E -f figures' "$@"
}
printf 'bytes_req > 4096\n' >"$fake/events/kmem/kmalloc/filter"
printf '%s\n' 'stacktrace:count=5 if bytes_req > 65536' snapshot:unlimited \
	>"$fake/events/kmem/kfree/trigger"
for file in enabled:0 sequence:5 overwrite:0 features:none 'stats:events 5' \
	lost_events:0 'caches:1 8 8 one' 'gfp_flags:0x1 A'; do
	echo "${file#*:}" >"$fake/${file%%:*}"
done
: >"$fake/cpu0"
# modules of other versions
echo 9 >"$fake/abi_version"
recorded record-newer-module record -F none -o apart/r.kmt -- true
rm -rf aside && cp -r apart aside
check check-newer-module check aside/r.kmt
echo 1 >"$fake/abi_version"
recorded record-older-module record -F none -o apart/r.kmt -- true
rm "$fake/abi_version"

# the message that recording starts comes when it is on, not before
mkfifo start
"$tool" record -F none -d 100 -o apart/r.kmt 2>start &
while read -r line; do
	[ "$line" = recording ] || continue
	cat "$fake/enabled" >state
	kill -INT $!
done <start
wait $!
[ "$(cat state)" = 1 ]
verdict $? "record says when it starts" || sed 's/^/# /' state
rm -f start state

# settings that others made
recorded record-others record -F none -o apart/r.kmt -- true
recorded record-others-replaced record -F none -f 'bytes_req > 5' -o apart/r.kmt -- true
rm "$fake/events/kmem/kfree/trigger"
for filter in "$fake"/events/*/*/filter; do
	echo none >"$filter"
done

features() { # EXPECTED OPTION...: the recording has the features EXPECTED
	local expected=$1
	shift
	: >"$fake/features"
	"$tool" record "$@" -o apart/r.kmt -- true 2>err &&
		"$tool" info apart/r.kmt | grep -qx "features  *$expected"
	verdict $? "$* records $expected"
}
features 'time cache page'
features 'none' -F none
features 'cache task' -F task,cache
features 'time cache page task' -F +task
features 'time cache page task stack' -F +task --features=+stack
features 'time cache task' -F +task,-page

keeps r.kmt record -F none -o r.kmt -- true
echo before >r.kmt
"$tool" record -F none -o r.kmt --hash-names k -- true 2>err
[ $? -eq 1 ] && [ "$(cat r.kmt)" = before ] && grep -q 'r.kmt exists' err && [ ! -e r.kmt.private ]
verdict $? "... also a copy without names, before the recording is made" || sed 's/^/# /' err
rm r.kmt

# Whatever fails, the module has its settings again. A run that loses one loses it for all
# later ones. The texts are not shorter than those that the recorder writes, because plain
# files do not get shorter.
printf kmem:kmalloc,kmem:kfree >"$fake/set_event"
printf time,cache,page >"$fake/features"
echo 16384 >"$fake/buffer_size_kb"
for file in "$fake"/events/*/*/filter; do
	printf 'bytes_req > 4096' >"$file"
done
settings=("$fake"/{enabled,set_event,features,overwrite,buffer_size_kb,events/*/*/filter})
cat "${settings[@]}" >earlier
no_memory record -F none --buffer-size 1M -f 'bytes_req > 5' -d 0.01 -o apart/r.kmt
cat "${settings[@]}" | cmp earlier -
verdict $? "... the module has its settings again"
for file in "$fake"/events/*/*/filter; do
	echo none >"$file"
done
rm "$fake/buffer_size_kb"

# an order that the module has; less memory than the readers need
echo sequence >"$fake/order"
recorded record-order-sequence record --order sequence -o apart/r.kmt -- true
rm "$fake/order"
# of a recorder that was killed, or that found the disk full
head -c 700 golden.kmt >left.kmt.part
check_through 'sed -E -f figures' record-left record -o left.kmt -- true
# an older module
check record-no-order record --order time -o apart/r.kmt -- true
check record-no-buffer-size record --buffer-size 1M -o apart/r.kmt -- true
recorded record-memory-small record --memory 1 -o apart/r.kmt -- true

# CPU 1 is offline
mkdir -p machine/devices/system/cpu
echo 0 >machine/devices/system/cpu/online
echo 0-1 >machine/devices/system/cpu/present
export KMEMTRACE_SYS=$PWD/machine
recorded record-no-cpu record -C 900-1000 -o apart/r.kmt -- true
recorded record-cpu-offline record -C 1 -o apart/r.kmt -- true
recorded record-cpu-one-offline record -C 0-3 -o apart/r.kmt -- true
# ... and comes online while the recording is made
mkdir -p machine/devices/system/node/node{0,1}
echo 0-1 >machine/devices/system/node/possible
echo 0 >machine/devices/system/node/node0/cpulist
echo >machine/devices/system/node/node1/cpulist
"$tool" record -F none -o apart/r.kmt -- \
	sh -c 'echo 1 >machine/devices/system/node/node1/cpulist' 2>err
"$tool" info --json apart/r.kmt | grep -o '"cpus_of_node1": "[^"]*"' >out
[ "$(cat out)" = $'"cpus_of_node1": ""\n"cpus_of_node1": "1"' ]
verdict $? "the end of a recording has the nodes of CPUs that came online" || sed 's/^/# /' err out
unset KMEMTRACE_SYS

# lost events
printf '%s\n' 'lost_events.cpu0 0' 'lost_events.cpu1 3' 'lost_events.cpu17 4' >"$fake/stats"
echo 7 >"$fake/lost_events"
recorded record-other-lost record -C 0 -o apart/r.kmt -- true
recorded record-lost record -o apart/r.kmt -- true
recorded record-lost-command record -o apart/r.kmt -- sh -c 'exit 5'
recorded record-lost-duration record -o apart/r.kmt -d 0.2
echo 0 >"$fake/lost_events"
: >"$fake/stats"
# more CPUs than files may be open
for ((cpu = 1; cpu < 40; cpu++)); do
	: >"$fake/cpu$cpu"
done
(
	ulimit -Sn 32
	recorded record-many-files record -o apart/r.kmt -- sh -c 'ulimit -Sn >&2'
	exit "$failed"
) || failed=1
n=$((n + 1)) # the case above counted in a subshell
