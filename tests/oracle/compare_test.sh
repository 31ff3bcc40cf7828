#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests compare.c on synthetic snapshots, as KTAP: it must accept differences that have a
# valid reason, and must fail for all others.
#
#   tests/oracle/compare_test.sh COMPARE
set -u
compare=$1
reasons=$(dirname "$0")/reasons
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0 failed=0

# Writes snapshots. Reads the changed sites from stdin, as "SIGHT KIND BYTES OBJECTS LINE
# FUNCTION FILE [MODULE]". SIGHT is both, mainline, ours or moving.
write() { # UNMATCHED-FREES UNMATCHED-PAGES SLABS
	awk -v dir="$work" '
	BEGIN {
		for (i = 0; i < 1200; i++) {
			place = "mm/filler.c:" i " func:filler" i " "
			for (s = 1; s <= 2; s++) {
				print 64, 1, place > dir "/before." s
				print 64, 1, place > dir "/after." s
			}
			print "slab 0 0 0 0 0 0 - ff 1", place > dir "/before.tags"
			print "slab 0 0 0 0 0 0 - ff 1", place > dir "/after.tags"
		}
	}
	{ place = $7 ":" $5 ($8 != "" ? " [" $8 "]" : "") " func:" $6 " " }
	$1 != "ours" {
		print $3, $4, place > dir "/after.1"
		print $3, $4, place > dir "/after.2"
	}
	$1 == "moving" { # mainline: BYTES, then twice as many; kmemtrace: 1.5 times
		print $3, $4, place > dir "/after.2"
		$3 *= 1.5
	}
	$1 != "mainline" {
		print $2, $3, $4, "0 0 0 0 - ff 1", place > dir "/after.tags"
	}'
	printf 'unmatched_frees 5\nunmatched_pages 5\n' >"$work/before.stats"
	printf 'unmatched_frees %d\nunmatched_pages %d\n' $((5 + $1)) \
		$((5 + $2)) >"$work/after.stats"
	echo 'kmalloc-64 100 64' >"$work/before.slabs"
	echo "kmalloc-64 $((100 + $3)) 64" >"$work/after.slabs"
}

# Writes the snapshot of totals.
totals() { # MAINLINE-FIRST MAINLINE-SECOND KMEMTRACE SLABS PAGE_EXT-PAGES
	echo "$1 1 mm/all.c:1 func:all " >"$work/total.1"
	echo "$2 1 mm/all.c:1 func:all " >"$work/total.2"
	echo "page $3 1 0 0 0 0 - ff 1 earlier/page:0 func:other " >"$work/total.tags"
	echo "kmalloc-64 $4 64" >"$work/total.slabs"
	echo "nr_memmap_pages $5" >"$work/total.vmstat"
	echo 'Percpu: 100 kB' >"$work/total.meminfo"
}

expect() { # STATUS NAME [WHAT-IT-PRINTS]
	n=$((n + 1))
	"$compare" "$reasons" "$work" 2 >"$work/out" 2>&1
	status=$?
	if [ $status -eq "$1" ] && grep -q "${3:-}" "$work/out"; then
		echo "ok $n $2"
	else
		echo "not ok $n $2"
		echo "# exit status $status, expected $1 ${3:-}"
		sed 's/^/# /' "$work/out"
		failed=1
	fi
}

common='both slab 10000000 100000 10 make kernel/a.c
both page 40960000 10000 20 map mm/b.c'

with() { # UNMATCHED-FREES UNMATCHED-PAGES SLABS [ROW]...
	printf '%s\n' "$common" "$@" | sed '3,5d' | write "$1" "$2" "$3"
	totals 500000000 500000000 500000000 0 0
}

echo 'KTAP version 1'
with 0 0 0
expect 0 'equal snapshots'
with 0 0 0 'ours slab 640 10 11 make kernel/a.c' \
	'mainline slab 640 10 12 make kernel/a.c'
expect 0 'a call whose line differs by one'
with 0 0 0 'mainline slab 5000 50 30 lost kernel/c.c'
expect 1 'a site that only mainline has' 'lost: NO REASON'
with 0 0 0 'ours slab 5000 50 30 invented kernel/c.c'
expect 1 'a site that only kmemtrace has' 'invented: NO REASON'
with 0 0 0 'mainline slab 4000 1 30 i kernel/c.c' \
	'mainline slab 4000 1 30 j kernel/c.c' \
	'mainline slab 4000 1 30 k kernel/c.c'
expect 1 'small differences that sum up to more than 0.1 %' 'TOO FAR'
with 50 0 0 'ours slab 5000 50 30 older kernel/c.c'
expect 0 'older objects, as many as unmatched frees'
with 49 0 0 'ours slab 5000 50 30 older kernel/c.c'
expect 1 'more older objects than unmatched frees' 'older: NO REASON'
with 0 2 0 'ours page 8192 2 30 older kernel/c.c'
expect 0 'older pages, as many as unmatched pages'
with 0 1 0 'ours page 8192 2 30 older kernel/c.c'
expect 1 'more older pages than unmatched pages' 'older: NO REASON'
with 0 30 0 'ours page 122880 30 30 older kernel/c.c'
expect 1 'older pages, more than 0.1 % of all' 'TOO FAR'
with 0 30 0 'ours page 122880 30 30 older kernel/c.c kmemtrace'
expect 0 '... of kmemtrace itself'
with 0 29 0 'ours page 122880 30 30 older kernel/c.c kmemtrace'
expect 1 '... more of them than unmatched pages' 'TOO FAR'
with 0 0 100 'ours slab 102400 100 2010 alloc_slab_obj_exts mm/slub.c'
expect 0 'vectors that match the number of slabs'
with 0 0 10 'ours slab 102400 100 2010 alloc_slab_obj_exts mm/slub.c'
expect 1 'more vectors than the number of slabs explains' 'obj_exts: NO REASON'
with 0 0 0 'ours percpu 20000 10 30 counter kernel/c.c'
expect 0 'per-CPU memory that fits into the first chunk'
with 0 0 0 'ours percpu 200000 10 30 counter kernel/c.c'
expect 1 'per-CPU memory that does not fit' 'counter: NO REASON'
with 0 0 0 'mainline slab 8000 80 64 kstrdup mm/util.c' \
	'ours slab 4000 40 30 name kernel/c.c' \
	'ours slab 4000 40 30 label kernel/c.c'
expect 0 'strings that are counted at the callers'
with 0 0 0 'mainline slab 8000 80 64 kstrdup mm/util.c' \
	'ours slab 4000 40 30 name kernel/c.c'
expect 1 'strings that are not all counted at callers' 'kstrdup: NO REASON'
with 0 0 0 'mainline slab 8000 80 64 kstrdup mm/util.c' \
	'ours slab 8000 80 274 kobject_set_name_vargs lib/kobject.c'
expect 0 'strings that are counted at a known caller'
with 90 0 0 'mainline slab 8000 80 64 kstrdup mm/util.c' \
	'ours slab 16000 160 274 kobject_set_name_vargs lib/kobject.c'
expect 1 'more bytes at a caller than were moved' 'name_vargs: NO REASON'
with 0 0 0 'ours slab 9000 9 241 create_cache mm/slab_common.c' \
	'mainline slab 256 1 241 create_cache mm/slab_common.c'
expect 1 'mainline counts a site that it should not count' 'create_cache: NO REASON'
with 0 0 0 'ours slab 256 1 241 create_cache mm/slab_common.c'
expect 0 'a site that mainline does not count'
with 6000 0 0 'ours slab 600000 6000 30 here kernel/c.c' \
	'mainline slab 600000 6000 30 kstrdup mm/util.c'
expect 1 'more than 1 % of the bytes at other sites, for any reason' '^0 sites'
with 0 0 0 'moving slab 20000 200 30 busy kernel/c.c'
expect 0 'a value between the two values of mainline'
with 0 0 0
totals 500000000 600000000 550000000 0 0
expect 0 'a total between the two of mainline'
totals 600000000 500000000 550000000 0 0
expect 0 '... also if the first one is larger'
totals 500000000 500000000 499800000 0 0
expect 0 'a total without per-CPU memory from before kmemtrace'
totals 500000000 500000000 499700000 0 0
expect 1 'a total that lacks more than all per-CPU memory' 'TOO FAR'
totals 500000000 500000000 501048576 0 0
expect 0 'a total with pages from before page_ext'
totals 500000000 500000000 501048577 0 0
expect 1 'a total with more than these' 'TOO FAR'
totals 500000000 500000000 540960000 0 10000
expect 0 'a total with page_ext'
echo '36864000 9000 mm/page_ext.c:271 func:alloc_page_ext ' | tee -a "$work/total.1" >>"$work/total.2"
expect 0 '... of which mainline counts a part'
echo '4096000 1000 mm/page_ext.c:271 func:alloc_page_ext ' | tee -a "$work/total.1" >>"$work/total.2"
expect 0 '... or all of it'
totals 500000000 500000000 510240000 10000 0
expect 0 'a total with vectors'
totals 500000000 500000000 480000000 10000 0
expect 1 'vectors that are missing' 'TOO FAR'
totals 500000000 500000000 500000000 0 0
echo 'slab 9000000 1 0 0 0 0 - ff 1 earlier/slab:0 func:kmem_cache ' >>"$work/total.tags"
expect 0 'a total with the caches of caches'
sed -i 's/kmem_cache/kmem_caches/' "$work/total.tags"
expect 1 '... and not with others' 'TOO FAR'
: >"$work/total.vmstat"
expect 2 'totals without page_ext' 'no nr_memmap_pages'
with 0 0 0
: >"$work/after.tags"
expect 2 'an empty snapshot' 'no tags'
echo "1..$n"
exit $failed
