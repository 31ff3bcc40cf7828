#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# /proc/allocinfo has exactly the form of mainline's file, also under load. Code tags
# give its rows files and lines.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh

dir=/sys/kernel/debug/kmemtrace
plan 30
insmod /lib/modules/kmt_client.ko
insmod /lib/modules/kmemtrace.ko
result $? "the module loads"
[ "$(stat -c %a /proc/allocinfo)" = 400 ]
result $? "mode of /proc/allocinfo is 400"
[ "$(stat -c %a /proc/sys/vm/mem_profiling)" = 644 ]
result $? "mode of mem_profiling is 644"
[ "$(cat /proc/sys/vm/mem_profiling)" = 1 ]
result $? "mem_profiling is 1"

find / -xdev >/dev/null
echo "hold kmalloc 1000 100" >/sys/kernel/debug/kmt_client/run
cat /proc/allocinfo >/tmp/info
[ "$(head -n 1 /tmp/info)" = 'allocinfo - version: 1.0' ]
result $? "the first line is that of mainline"
[ "$(sed -n 2p /tmp/info)" = '#     <size>  <calls> <tag info>' ]
result $? "the second line is that of mainline"
bytes=$(($(cat /sys/kernel/slab/kmalloc-1k/slab_size) * 100))
row='^ *[0-9]{1,12} +[0-9]{1,8} [^ ]+:[0-9]+( \[[a-z0-9_]+\])? func:[^ ]+ $'
[ "$(sed 1,2d /tmp/info | grep -cvE "$row")" = 0 ] &&
	[ "$(wc -l </tmp/info)" -gt 40 ]
result $? "every row has the form of mainline's rows"
grep -qE "^$(printf %12d $bytes)"'      100 client_kmalloc_alloc\+0x[0-9a-f]+:0 \[kmt_client\] func:client_kmalloc_alloc $' /tmp/info
result $? "a row of a module has the right figures and columns"
sort -g /proc/allocinfo | tail | numfmt --to=iec >/tmp/numfmt
[ "$(wc -l </tmp/numfmt)" = 10 ] &&
	[ "$(grep -cE '^ +[0-9.]+[KM]? +[0-9]+ [^ ]+:[0-9]+ .*func:' /tmp/numfmt)" = 10 ]
result $? "sort -g /proc/allocinfo | tail | numfmt --to=iec"
[ "$(awk 'NR > 2 && $1 < 0' /tmp/info | wc -l)" = 0 ]
result $? "no figure is negative"

site=$(awk '/func:client_kmalloc_alloc$/ { print $9; exit }' $dir/tags)
awk '/func:client_kmalloc_alloc$/' $dir/tags | grep -qE '^([^ ]+ ){7}[0-9]+ '
result $? "its row in tags has an age"
[ "$(awk '/func:client_kmalloc_alloc$/ { $8 = "-"; print }' $dir/tags)" = \
	"$(awk '/func:client_kmalloc_alloc$/' $dir/tags_quick)" ]
result $? "... and the same figures in tags_quick, without the age"
echo "0x$site drivers/client.c:42 client_kmalloc_alloc" >$dir/codetags
grep -q ' drivers/client.c:42 \[kmt_client\] func:client_kmalloc_alloc $' /proc/allocinfo
result $? "a code tag gives its site a file and a line"
[ "$(cat $dir/codetags)" = "0x$site drivers/client.c:42 client_kmalloc_alloc" ]
result $? "codetags can be read"
echo '0xffffffff81000010 mm/never.c:1 never_hit' >>$dir/codetags
grep -q '^           0        0 mm/never.c:1 func:never_hit $' /proc/allocinfo
result $? "a code tag without an allocation is listed"
bad=0
for text in nonsense '0x12 file 3' '0x12 file:x name' 'zz file:1 name' \
	'0x12 :1 name' '0x12 file:1' '0x0 file:1 name'; do
	if echo "$text" >>$dir/codetags 2>/dev/null; then
		echo "# accepted: $text"
		bad=1
	fi
done
result $bad "malformed code tags are refused"
echo >$dir/codetags
grep -q 'client_kmalloc_alloc+0x[0-9a-f]*:0 \[kmt_client\]' /proc/allocinfo &&
	[ -z "$(cat $dir/codetags)" ]
result $? "code tags are cleared"

# the module's addresses are those in memory, its lines are those of the file
kmemtrace-user codetags load --module /lib/modules/kmt_client.ko 2>/tmp/load
result $? "the tool loads the code tags of a module"
grep -qE ' [^ ]*kmt_client\.c:[0-9]+ \[kmt_client\] func:client_kmalloc_alloc $' /proc/allocinfo
result $? "... its rows have file and line"

! kmemtrace-user codetags load --module kmt_client=/lib/modules/kmemtrace.ko 2>/tmp/other &&
	grep -q 'another build' /tmp/other
result $? "code tags of another build are refused"

# The CPU that allocates a page counts it, and the CPU that frees it: a sum that is read
# in between may be inconsistent, but not each time.
whole() {
	for _ in 1 2 3; do
		cat /proc/allocinfo $dir/tags $dir/caches_live >/tmp/all || return 1
		grep -q ' -[0-9]' /tmp/all || return 0
	done
	return 1
}

# with the bytes on each node
nodes=/sys/module/kmemtrace/parameters/allocinfo_nodes
echo 1 >$nodes
cat /proc/allocinfo >/tmp/info
[ "$(head -n 1 /tmp/info)" = 'allocinfo - version: 2.0' ]
result $? "with allocinfo_nodes=1, the version is that of rows with pairs"
row='^ *[0-9]{1,12} +[0-9]{1,8} [^ ]+:[0-9]+( \[[a-z0-9_]+\])? func:[^ ]+ (nid[0-9]+:[1-9][0-9]* )*$'
[ "$(sed 1,2d /tmp/info | grep -cvE "$row")" = 0 ]
result $? "... each row ends with its pairs"
# the client's objects were allocated one after the other, and the slabs of one CPU are on its node
grep -qE "^ *$bytes +100 .* func:client_kmalloc_alloc nid[0-9]+:$bytes \$" /tmp/info
result $? "... which have the bytes of the row"
percpu=$(awk '$1 == "percpu" { sum += $2 } END { printf "%d\n", sum }' $dir/tags_quick)
awk -v percpu="$percpu" 'NR > 2 { all += $1
		for (i = 4; i <= NF; i++)
			if (split($i, pair, ":") == 2 && pair[1] ~ /^nid/)
				on += pair[2]
	}
	END { all -= percpu
		printf "# %d bytes, %d on nodes\n", all, on
		exit !(on <= all * 1.01 && on >= all * 0.99) }' /tmp/info
result $? "... the sum of all pairs is that of all rows, but for per-CPU memory"
echo 0 >$nodes
[ "$(head -n 1 /proc/allocinfo)" = 'allocinfo - version: 1.0' ]
result $? "... until it is 0 again"

# read under load
echo "storm 0 30000" >/sys/kernel/debug/kmt_client/run &
bad=0
for _ in 1 2 3 4 5 6 7 8 9 10; do
	whole || bad=1
done
wait
result $bad "no figure is negative under load"
echo "drop kmalloc 1000" >/sys/kernel/debug/kmt_client/run
# live objects are forgotten when accounting is switched on again
kmemtrace-user allocinfo --save /tmp/old.tags 2>/tmp/load
kmemtrace-user allocinfo --diff /tmp/old.tags >/tmp/load 2>&1
result $? "allocinfo --diff compares with a saved file"
echo 0 >/proc/sys/vm/mem_profiling && echo 1 >/proc/sys/vm/mem_profiling
! kmemtrace-user allocinfo --diff /tmp/old.tags >/tmp/load 2>&1 &&
	grep -q 'accounting was restarted' /tmp/load &&
	kmemtrace-user allocinfo --force --diff /tmp/old.tags >/tmp/load 2>&1
result $? "... it refuses after accounting was restarted, unless forced"
kmemtrace-user allocinfo --save /tmp/old.tags 2>/tmp/load
rmmod kmemtrace && insmod /lib/modules/kmemtrace.ko &&
	! kmemtrace-user allocinfo --diff /tmp/old.tags >/tmp/load 2>&1 &&
	grep -q 'module loaded again' /tmp/load
result $? "... it refuses after the module was loaded again"
rmmod kmemtrace && [ ! -e /proc/allocinfo ] && [ ! -e /proc/sys/vm/mem_profiling ]
result $? "the module unloads, the files are gone"
[ $failed -eq 0 ] || tail -n 20 /tmp/info /tmp/numfmt /tmp/load | sed 's/^/# /'
exit $failed
