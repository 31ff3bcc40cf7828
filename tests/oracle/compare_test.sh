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
: >"$work/after.tags"
expect 2 'an empty snapshot' 'no tags'
echo "1..$n"
exit $failed
