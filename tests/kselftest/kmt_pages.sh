#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# `kmemtrace-user pages` on pages that a module of ours has: who allocated them,
# and what they are, before and after they are split, mapped and freed in part; who
# has unmovable pages in movable pageblocks; who keeps slabs alive; what is lost.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh

run=/sys/kernel/debug/kmt_pages/run
tags=/sys/kernel/debug/kmemtrace/tags
log=/tmp/pages
plan 31

# The table, and columns of it, by their keys: the one row, or all.
pages() { # OPTION...
	kmemtrace-user pages --csv --top 0 "$@" >$log 2>&1
}
cells() { # KEY...
	awk -F , -v keys="$*" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(keys, key, " "); next }
		{ for (i = 1; i <= n; i++) printf "%s%s", $at[key[i]], i < n ? " " : "\n" }' $log
}
is() { # EXPECTED: of what is read
	got=$(cat)
	[ "$got" = "$1" ] || {
		echo "# '$got', not '$1'"
		false
	}
}
blocks() { # how many pageblocks the pages of the module lie in
	order=$(sed -n 's/^Page block order: *//p' /proc/pagetypeinfo)
	awk -v size=$((1 << order)) '{ print int($1 / size) }' \
		/sys/kernel/debug/kmt_pages/pfns | sort -u | wc -l
}

insmod /lib/modules/kmt_pages.ko
insmod /lib/modules/kmemtrace.ko
result $? "the modules load"

echo "alloc 0 64" >$run
echo "alloc 3 10" >$run
pages --site pages_alloc
cells pages mapped maps now now_pages | is "144 0 0 kernel 144"
result $? "pages have a site"
pages --site pages_alloc --by order && cells order pages | sort | is "0 64
3 80"
result $? "and an order"
pages --site pages_alloc --order 3 && cells pages | is 80
result $? "--order narrows"
pages --site pages_alloc --by kind,migratetype &&
	cells kind migratetype pages | is "kernel Unmovable 144"
result $? "two keys"
echo split >$run
pages --site pages_alloc && cells pages | is 144
result $? "what is split keeps its site"

./map_pages 144 >/tmp/mapped & one=$!
./map_pages 144 >/tmp/mapped2 & two=$!
while [ ! -s /tmp/mapped ] || [ ! -s /tmp/mapped2 ]; do sleep 1; done
pages --site pages_alloc && cells pages mapped maps | is "144 144 288"
result $? "what is mapped keeps its site"
pages --site pages_alloc --by process,site && cells process pages maps | sort |
	is "$(printf '%s map_pages 144 288\n' $one $two | sort)"
result $? "by whom it is mapped"
pages --leaks --site pages_alloc && cells pages | is ""
result $? "what is mapped is not lost"

# what a process costs
cost() { # WHAT: bytes of it, and their count
	sed -n "s/^\([0-9]*\),\([0-9]*\),$1,.*/\1 \2/p" $log
}
rollup() { # KEY: of smaps_rollup, or status
	cat /proc/$one/smaps_rollup /proc/$one/status |
		awk -v key="$1:" '$1 == key { print $2; exit }'
}
stack() { # bytes of one: of the kernel's powers of two that which is nearest
	awk 'FILENAME == "/proc/loadavg" { split($4, tasks, "/") }
		$1 == "KernelStack:" { bytes = $2 * 1024 }
		END { for (n = 4096; n * 1.5 < bytes / tasks[2]; n *= 2) ; print n }' \
		/proc/loadavg /proc/meminfo
}
pages --process $one
[ "$(($(cost 'resident (RSS)' | cut -d ' ' -f 1) / 1024))" = "$(rollup Rss)" ] &&
	[ "$(($(cost 'its part (PSS)' | cut -d ' ' -f 1) / 1024))" = "$(rollup Pss)" ]
result $? "what a process has is what smaps_rollup says"
cost kernel | is "$((144 * 4096)) 144"
result $? "and what its pages are"
[ "$(cost 'page tables')" = "$(($(rollup VmPTE) * 1024)) " ] &&
	cost 'kernel stacks' | is "$(stack) 1"
result $? "page tables and stacks"
pages --process $one --by site --site pages_alloc && cells pages | is 144
result $? "who allocated its pages"
pages --by process
[ "$(cells pid | grep -cxE "1|$one|$two")" = 3 ] &&
	[ "$(cells pid rss | grep -c "^$one $(($(rollup Rss) * 1024))$")" = 1 ]
result $? "what all processes cost"
kill $one $two
wait
echo "free 9" >$run
pages --site pages_alloc && cells pages mapped maps | is "135 0 0"
result $? "what is freed is not there"
pages --site pages_alloc --by age,zone && cells pages | awk '{ n += $1 } END { print n }' | is 135
result $? "by age and zone"

echo "vmalloc 77" >$run
pages --leaks --site pages_ && cells pages site | sed 's/ .*:/ /' |
	is "135 pages_alloc"
result $? "what nothing leads to is lost, what vmalloc() has is not"
pages --site pages_vmalloc && cells pages now now_pages | is "77 vmalloc 77"
result $? "what vmalloc() has"
# page_owner_sort, of this kernel's version
owners() { # OPTION...: how many times, how many pages, for pages_alloc()
	kmemtrace-user pages --page-owner >/tmp/owner 2>$log &&
		page_owner_sort "$@" /tmp/owner /tmp/sorted >>$log &&
		grep -A 4 '^[0-9]* times' /tmp/sorted >>$log &&
		awk '/ times, / { times = $1 " " $3 } /^ pages_alloc\+0x/ { print times }' /tmp/sorted
}
owners --cull=st | is "65 135"
result $? "page_owner_sort counts pages by our sites"
echo "free 57" >$run # two pages of blocks of eight are among them
owners --cull stacktrace -m | is "22 78"
result $? "also of blocks that were freed in part"
cache=/sys/kernel/slab/kmt_pages
fill() { # 20 slabs of the client's cache
	echo "cache 20 $(cat $cache/objs_per_slab)" >$run
}
fill
owners --cull=ator >/dev/null
slab=$(awk '/^Page/ { n = 1; for (i = 0; i < $5 + 0; i++) n *= 2 }
	/^PFN.*slab/ { sum += n } END { print sum }' /tmp/owner)
[ "$slab" -ge $((20 << $(cat $cache/order))) ] &&
	sed -n 's/.* \([0-9]*\) pages, allocated by SLAB *$/\1/p' /tmp/sorted | is "$slab"
result $? "page_owner_sort knows pages of slabs"
# as much more than the command itself takes on this kernel
start=$(date +%s)
pages --leaks --site pages_alloc
age=$((3 * ($(date +%s) - start + 1) + 2))
sleep $((age + 1))
echo "alloc 0 5" >$run
pages --leaks --site pages_alloc --min-age $age && cells pages | is 78
result $? "--min-age leaves out what is new"
echo drop >$run

echo "movable 50" >$run
pages --fragmenting --site pages_movable &&
	cells pages blocks spoiled_bytes | is "50 $(blocks) $(($(blocks) * 2097152))"
result $? "unmovable pages in movable pageblocks"
pages --by migratetype --site pages_movable && cells migratetype pages | is "Movable 50"
result $? "which are told by their type"
echo drop >$run

size=$(slab_bytes kmt_pages)
fill
read -r alone both bytes </sys/kernel/debug/kmt_pages/slabs
[ "$alone $both" = "10 10" ]
result $? "slabs are thinned out"
pages --pinned --site pages_
cells slabs_alone slabs_with_others objects live site |
	sed 's/ [^ ]* [^ ]* func:/ /' | sort | is "0 10 10 $((10 * size)) pages_other
10 10 20 $((20 * size)) pages_object"
result $? "--pinned: who keeps how many slabs alive, and with how many objects"
cells pinned | awk '{ n += $1 } END { print n }' | is $((bytes - 30 * size))
result $? "--pinned: all of what is pinned, and no more"
slab=$((bytes / 20))
cells site pinned pinned_alone | sed 's/.*func://' | sort |
	is "pages_object $((10 * (slab - size) + 5 * (slab - 2 * size))) $((10 * (slab - size)))
pages_other $((5 * (slab - 2 * size))) 0"
result $? "--pinned: what is kept alone, and what is shared"
echo drop >$run
# newer kernels keep free objects in sheaves, and with them the slabs
pages --pinned --site pages_ && cells site | is ""
result $? "--pinned: free objects pin nothing"

# Of sites whose pages did not change meanwhile, and that the tool itself does not
# allocate from: as many as accounting counts. The client's three are always among
# them. Page tables of the upper levels have no flag that says so.
sum() { # FILE
	awk '$1 == "page" { n[$NF] += $2 / 4096 } END { for (s in n) print s, n[s] }' "$1"
}
echo "alloc 2 30" >$run
echo "vmalloc 40" >$run
echo "movable 10" >$run
dd if=/dev/zero of=/tmp/some bs=1M count=8 2>/dev/null
cat $tags >/tmp/before
pages --by site,kind
cat $tags >/tmp/after
cells site kind pages | awk '
	$NF { kind = $(NF - 1); sub(/.*func:/, "", $0); n[$1] += $NF
	      if (kind ~ /anon|pgtable|stack|slab/ || $1 ~ /p[g4um]d_alloc$/) volatile[$1] = 1 }
	END { for (s in n) if (!volatile[s]) print s, n[s] }' >/tmp/counted
sum /tmp/before | sed 's/^func://' | sort >/tmp/before.sum
sum /tmp/after | sed 's/^func://' | sort >/tmp/after.sum
awk 'NR == FNR { was[$1] = $2; next } was[$1] == $2' /tmp/before.sum /tmp/after.sum |
	awk 'NR == FNR { steady[$1] = $2; next }
		$1 in steady { ours += $1 ~ /^pages_(alloc|vmalloc|movable)$/
			if (steady[$1] != $2) { print "#", $0, "not", steady[$1]; bad = 1 } }
		END { if (ours < 3) print "# of the client", ours, "sites"
			exit bad || ours < 3 }' - /tmp/counted
result $? "as many pages as accounting counts, site by site"

# what a process allocated in a recording
insmod /lib/modules/kmt_client.ko
mkfifo /tmp/go /tmp/held
sh -c 'echo "hold kmalloc 1000 7" >/sys/kernel/debug/kmt_client/run
	read -r go </tmp/go
	echo "drop kmalloc 1000" >/sys/kernel/debug/kmt_client/run
	echo "hold kmalloc 1000 100" >/sys/kernel/debug/kmt_client/run
	echo held >/tmp/held
	exec sleep 1000' &
holder=$!
kmemtrace-user record -F +task -o /tmp/task.kmt \
	-f 'call_site.function == client_kmalloc_alloc' -- \
	sh -c 'echo go >/tmp/go; read -r held </tmp/held' >/dev/null 2>&1
pages --process $holder --input /tmp/task.kmt
cost kmalloc | is "$((100 * $(slab_bytes kmalloc-1k))) 100"
result $? "what a process allocated"
echo "drop kmalloc 1000" >/sys/kernel/debug/kmt_client/run
kill $holder
rmmod kmt_client

exit "$failed"
