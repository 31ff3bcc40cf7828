#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# `kmemtrace-user pages` with the pages of a test module: their site and kind, before and
# after they are split, mapped and freed in part; unmovable pages in movable pageblocks;
# sites that keep slabs alive; leaked pages; pages that keep a removed cgroup in memory.
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh

run=/sys/kernel/debug/kmt_pages/run
tags=/sys/kernel/debug/kmemtrace/tags
log=/tmp/pages
plan 38

# Make the table, and print columns of it by their keys.
pages() { # OPTION...
	kmemtrace-user pages --csv --top 0 "$@" >$log 2>&1
}
is() { # EXPECTED: compare it with standard input
	got=$(cat)
	[ "$got" = "$1" ] || {
		echo "# '$got', not '$1'"
		false
	}
}
blocks() { # print the number of pageblocks that the pages of the module are in
	# each node has this line
	order=$(sed -n '/^Page block order: */{s///p;q}' /proc/pagetypeinfo)
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
result $? "--site shows the pages of a site"
pages --site pages_alloc --by order && cells order pages | sort | is "0 64
3 80"
result $? "--by order groups them by order"
pages --site pages_alloc --order 3 && cells pages | is 80
result $? "--order selects an order"
pages --site pages_alloc --by kind,migratetype &&
	cells kind migratetype pages | is "kernel Unmovable 144"
result $? "--by accepts two keys"
echo split >$run
pages --site pages_alloc && cells pages | is 144
result $? "pages that are split keep their site"

map_twice 144
pages --site pages_alloc && cells pages mapped maps | is "144 144 288"
result $? "pages that are mapped keep their site"
pages --site pages_alloc --by process,site && cells process pages maps | sort |
	is "$(printf '%s map_pages 144 288\n' $one $two | sort)"
result $? "--by process shows the processes that map them"
pages --leaks --site pages_alloc && cells pages | is ""
result $? "--leaks does not list mapped pages"

# the cost of a process
cost() { # ROW: print its bytes and its count
	sed -n "s/^\([0-9]*\),\([0-9]*\),$1,.*/\1 \2/p" $log
}
rollup() { # KEY: print its value in smaps_rollup or status
	cat /proc/$one/smaps_rollup /proc/$one/status |
		awk -v key="$1:" '$1 == key { print $2; exit }'
}
stack() { # print the bytes of one stack: the nearest power of two
	awk 'FILENAME == "/proc/loadavg" { split($4, tasks, "/") }
		$1 == "KernelStack:" { bytes = $2 * 1024 }
		END { for (n = 4096; n * 1.5 < bytes / tasks[2]; n *= 2) ; print n }' \
		/proc/loadavg /proc/meminfo
}
pages --process $one
[ "$(($(cost 'resident (RSS)' | cut -d ' ' -f 1) / 1024))" = "$(rollup Rss)" ] &&
	[ "$(($(cost 'its part (PSS)' | cut -d ' ' -f 1) / 1024))" = "$(rollup Pss)" ]
result $? "--process: RSS and PSS agree with smaps_rollup"
cost kernel | is "$((144 * 4096)) 144"
result $? "--process: the kinds of its pages are right"
[ "$(cost 'page tables')" = "$(($(rollup VmPTE) * 1024)) " ] &&
	cost 'kernel stacks' | is "$(stack) 1"
result $? "--process: page tables and stacks are right"
pages --process $one --by site --site pages_alloc && cells pages | is 144
result $? "--process --by site shows the sites of its pages"
pages --by process
[ "$(cells pid | grep -cxE "1|$one|$two")" = 3 ] &&
	[ "$(cells pid rss | grep -c "^$one $(($(rollup Rss) * 1024))$")" = 1 ]
result $? "--by process shows the cost of all processes"
kill $one $two
wait
echo "free 9" >$run
pages --site pages_alloc && cells pages mapped maps | is "135 0 0"
result $? "freed pages are not listed"
pages --site pages_alloc --by age,zone && cells pages | awk '{ n += $1 } END { print n }' | is 135
result $? "--by age,zone has all pages"

echo "vmalloc 77" >$run
pages --leaks --site pages_ && cells pages site | sed 's/ .*:/ /' |
	is "135 pages_alloc"
result $? "--leaks lists unreferenced pages, not those of vmalloc()"
pages --site pages_vmalloc && cells pages now now_pages | is "77 vmalloc 77"
result $? "pages of vmalloc() have the kind vmalloc"
# page_owner_sort, of this kernel's version
owners() { # OPTION...: print the times and the pages of pages_alloc()
	kmemtrace-user pages --page-owner >/tmp/owner 2>$log &&
		page_owner_sort "$@" /tmp/owner /tmp/sorted >>$log &&
		grep -A 4 '^[0-9]* times' /tmp/sorted >>$log &&
		awk '/ times, / { times = $1 " " $3 } /^ pages_alloc\+0x/ { print times }' /tmp/sorted
}
owners --cull=st | is "65 135"
result $? "page_owner_sort counts pages by our sites"
echo "free 57" >$run # two pages of blocks of eight are among them
owners --cull stacktrace -m | is "22 78"
result $? "... also of blocks that were freed in part"
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
result $? "page_owner_sort counts the pages of slabs"
# an age well above the duration of the command on this kernel
start=$(date +%s)
pages --leaks --site pages_alloc
age=$((3 * ($(date +%s) - start + 1) + 2))
sleep $((age + 1))
echo "alloc 0 5" >$run
pages --leaks --site pages_alloc --min-age $age && cells pages | is 78
result $? "--min-age leaves out newer pages"
echo drop >$run

echo "movable 50" >$run
pages --fragmenting --site pages_movable &&
	cells pages blocks spoiled_bytes | is "50 $(blocks) $(($(blocks) * 2097152))"
result $? "--fragmenting shows unmovable pages in movable pageblocks"
pages --by migratetype --site pages_movable && cells migratetype pages | is "Movable 50"
result $? "--by migratetype shows the type of their pageblocks"
echo drop >$run

size=$(slab_bytes kmt_pages)
fill
read -r alone both bytes </sys/kernel/debug/kmt_pages/slabs
[ "$alone $both" = "10 10" ]
result $? "20 slabs keep one or two objects"
pages --pinned --site pages_
cells slabs_alone slabs_with_others objects live site |
	sed 's/ [^ ]* [^ ]* func:/ /' | sort | is "0 10 10 $((10 * size)) pages_other
10 10 20 $((20 * size)) pages_object"
result $? "--pinned shows slabs and objects of each site"
cells pinned | awk '{ n += $1 } END { print n }' | is $((bytes - 30 * size))
result $? "--pinned: the sum of pinned bytes is exact"
slab=$((bytes / 20))
cells site pinned pinned_alone | sed 's/.*func://' | sort |
	is "pages_object $((10 * (slab - size) + 5 * (slab - 2 * size))) $((10 * (slab - size)))
pages_other $((5 * (slab - 2 * size))) 0"
result $? "--pinned: shared slabs are divided among their sites"
echo drop >$run
# newer kernels keep free objects in sheaves, and with them the slabs
pages --pinned --site pages_ && cells site | is ""
result $? "--pinned: free objects pin nothing"

# Compare the sites that neither allocated nor freed meanwhile, and from which the tool
# itself does not allocate. The client's three sites are always among them. Page tables of the
# upper levels have no flag, so their sites are left out by name.
sum() { # FILE
	awk '$1 == "page" { n[$NF] += $2 / 4096; calls[$NF] += $5 + $6 }
		END { for (s in n) print s, n[s], calls[s] }' "$1"
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
awk 'NR == FNR { was[$1] = $3; next } was[$1] == $3' /tmp/before.sum /tmp/after.sum |
	awk 'NR == FNR { steady[$1] = $2; next }
		$1 in steady { ours += $1 ~ /^pages_(alloc|vmalloc|movable)$/
			if (steady[$1] != $2) { print "#", $0, "not", steady[$1]; bad = 1 } }
		END { if (ours < 3) print "# of the client", ours, "sites"
			exit bad || ours < 3 }' - /tmp/counted
result $? "each site has as many pages as accounting counts"

# the memory that a process allocated in a recording
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
result $? "--process --input shows the live objects that a process allocated"
echo "drop kmalloc 1000" >/sys/kernel/debug/kmt_client/run
kill $holder
rmmod kmt_client
# loading modules has split large pages of the map of memory
pages --leaks
cells site >/tmp/sites
[ -s /tmp/sites ] && ! grep "^__change_page_attr" /tmp/sites
result $? "--leaks does not list page tables of the kernel"

# a removed cgroup stays in memory with the pages of a file that its process wrote
mkdir /tmp/cgroups && mount -t cgroup2 none /tmp/cgroups &&
	echo +memory >/tmp/cgroups/cgroup.subtree_control && mkdir /tmp/cgroups/gone
sh -c 'echo $$ >/tmp/cgroups/gone/cgroup.procs
	exec dd if=/dev/zero of=/tmp/kept bs=4096 count=300' 2>/dev/null
charged() { # CGROUP: print the number of its pages
	cells pages cgroup | awk -v want="$1" '{ n = $1; sub(/^[0-9]+ /, "") } $0 == want { print n }'
}
pages --by cgroup
[ "$(charged /gone)" -ge 300 ]
result $? "--by cgroup shows the pages that are charged to a cgroup"
sync
rmdir /tmp/cgroups/gone
now="/gone (removed)"
# newer kernels charge them to the parent, and the cgroup is gone
dying=$(sed -n 's/^nr_dying_descendants //p' /tmp/cgroups/cgroup.stat)
[ "$dying" -gt 0 ] || now=/
# a worker of the kernel takes the memory cgroup offline
as_many_removed() {
	[ "$(grep -c '^[0-9]* removed ' /sys/kernel/debug/kmemtrace/cgroups)" = "$dying" ]
}
for _ in $(seq 100); do
	! as_many_removed || break
	sleep 0.1
done
as_many_removed
result $? "as many cgroups are removed as the kernel says"
pages --by cgroup
[ "$(charged "$now")" -ge 300 ]
result $? "... also if it was removed: $now"
pages --by cgroup,kind
cells cgroup kind pages | grep -F "$now " | grep -qE " (file|shmem) 3[0-9][0-9]$"
result $? "... and their kind"
rm /tmp/kept
pages --by cgroup
[ -z "$(charged "/gone (removed)")" ]
result $? "... until they are freed"

mkdir "/tmp/cgroups/a b"
may_lose kmemtrace-user record -F +cgroup -o /tmp/cgroup.kmt -- sh -c 'echo $$ >"/tmp/cgroups/a b/cgroup.procs"
	ls -R /sys/kernel/mm' >$log 2>&1
may_lose kmemtrace-user report --by cgroup --top 0 /tmp/cgroup.kmt >$log 2>&1
grep -q " /a b$" $log && ! grep -q "^CGROUP: " $log
result $? "a recording has the paths of cgroups"

exit "$failed"
