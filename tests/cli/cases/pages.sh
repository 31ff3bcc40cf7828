# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

check pages-no-module pages

new_machine
check pages pages
like=pages check pages-two-keys pages --by site,kind --sort maps
check pages-flags pages --by kind,flags --csv
check pages-by-order pages -b order,zone --csv --sort pages
like=pages check pages-by-type pages -b migratetype,age
check pages-by-node pages -b node --json
like=pages-by-node check pages-by-order-node pages -b order,node --top 1 --json
for by in kind,flags order,zone migratetype,age process,site; do
	print_keys pages -b $by --json
done
like=pages check pages-site pages --site d.c --top 0
like=pages check pages-kind pages --kind anon --by age
like=pages check pages-filter pages --zone DMA32 --node 0 --order 3 --min-age 1
check pages-zone pages --zone DMA --csv
like=pages-two-keys check pages-none pages --zone DMA --order 20
check pages-no-site pages --site nowhere
check pages-no-site-fragmenting pages --fragmenting --site nowhere
check pages-no-site-pinned pages --pinned --site nowhere
check pages-big-order pages --order 21
check pages-no-node pages --node 7
like=pages-by-node check pages-json pages --json --top 2
like=pages check pages-leaks pages --leaks
check pages-leaks-by pages --leaks --by order,site --min-age 5 --csv
check pages-fragmenting pages --fragmenting
like=pages-by-node check pages-fragmenting-json pages --fragmenting --json --site d.c
check pages-pinned pages --pinned
check pages-pinned-site pages --pinned --site dcache --csv
like=pages-by-node check pages-pinned-json pages --pinned --json --sort oldest
# a site all of whose objects are in slabs that are full
{
	grep '^frames' machine/frames
	echo 'frames 2 0x80 0 4 200 0 5 0 1'
	grep -v '^frames' machine/frames
	for at in 0 1 2 3; do
		printf 'object 0x%x 12 300 2048 2000\n' $((0x40000 + at * 2048))
	done
} >full.txt
(cd machine && ../mkpages <../full.txt) || exit 1
cp machine/tags tags-of-full
echo 'slab 8192 4 8192 4 0 8192 3000 ffffffff81000120 12 fs/full.c:3 func:fills' >>machine/tags
like=pages-pinned check pages-pinned-full pages --pinned --site full.c
mv tags-of-full machine/tags
# blocks of eight pages in parts: two with 16 references, 20 with one, one that is still cut,
# one that is mapped; blocks of two pages with a second reference
parts() { # REFS TIMES
	local head="0 3 1000 3 1 0 $1"
	for _ in $(seq "$2"); do
		printf 'frames 1 0x8000 %s\nframes 7 0x10000 0 3 1000 3 0 0 %s\n' "$head" "$1"
	done
}
{
	cat machine/frames
	parts 16 2
	parts 1 20
	parts 32769 1
	parts 16 1 | sed '2s/ 0 3/ 1 3/'
	# the module's own, from before accounting: no leak
	echo 'frames 1 0 0 8 90000000 0 0xc1 0 1'
	for refs in 1 2 2; do
		printf 'frames 1 0x8000 0 8 70 1 1 0 %s\nframes 1 0x10000 0 8 70 1 0 0 %s\n' $refs $refs
	done
} >parts.txt
(cd machine && ../mkpages <../parts.txt) || exit 1
like=pages-pinned check pages-pinned-parts pages --pinned
check pages-leaks-known pages --leaks --by kind,order --sort oldest
# page tables and the module's own pages, which are older than a leak of more pages
{
	cat machine/frames
	printf 'frames %s 1 0 1\n' '8 0 0 20 90000000 0' '8 0 0 21 90000000 0' \
		'8 0 0 22 90000000 0' '64 0 0 23 10 0'
} | grep -v '^object\|^vmalloc' >uses.txt
(cd machine && ../mkpages <../uses.txt) || exit 1
cp machine/tags tags-of-uses
cat >>machine/tags <<'TAGS'
page 32768 8 32768 8 0 32768 90000000 ffffffff82000010 20 mm/memory.c:450 func:__pte_alloc_kernel
page 32768 8 32768 8 0 32768 90000000 ffffffffc2000010 21 stock.c:10 [kmemtrace] func:fill_reserve
page 32768 8 32768 8 0 32768 90000000 ffffffff82000020 22 mm/sparse-vmemmap.c:30 func:vmemmap_alloc_block_buf
page 262144 64 262144 64 0 262144 100 ffffffffc3000010 23 drivers/l.c:10 [l] func:leaks
TAGS
like=pages-leaks-known check pages-leaks-uses pages --leaks
like=pages-by-node check pages-leaks-uses-json pages --leaks --json --top 1
mv tags-of-uses machine/tags
(cd machine && ../mkpages <../parts.txt) || exit 1
check pages-pinned-parts-csv pages --pinned --csv --site d.c --top 1
like=pages-pinned-json check pages-pinned-parts-json pages --pinned --json --top 1
new_machine
{
	cat machine/frames
	for frame in 32 33 34; do
		echo "charged $frame 20"
	done
	printf 'charged %s 30 removed\n' 62 63
	echo 'charged 16 40'
} >charged.txt
(cd machine && ../mkpages <../charged.txt) || exit 1
cat >machine/cgroups <<'END'
1 online 9 /
30 removed 2 /gone
31 removed 0 /empty
20 online 3 /system.slice/a b
END
like=pages check pages-by-cgroup pages --by cgroup
check pages-by-cgroup-csv pages --by site,cgroup --csv
check pages-by-cgroup-process pages --by cgroup,process --csv
like=pages-by-node check pages-by-cgroup-json pages --by cgroup,kind --json --top 2
printf '1 online 9 /\n' >machine/cgroups
like=pages check pages-by-cgroup-none pages --by cgroup --kind shmem
new_machine
echo 's/ ts [0-9]* ns/ ts T ns/' >uptime.sed
blocks_in_lines() {
	sed -f uptime.sed | awk -v RS= '{ gsub("\n", " |"); print }'
}
check_through blocks_in_lines pages-page-owner pages --page-owner
check_through 'sed -f uptime.sed' pages-page-owner-kind pages --page-owner --kind stack
new_unaccepted
like=pages check pages-unaccepted pages --by kind
new_machine
check pages-by-process pages --by process
check pages-by-process-sort pages --by process --sort swap --top 1 --csv
like=pages-by-node check pages-by-process-json pages --by process --json --top 1
like=pages check pages-site-process pages --by site,process
check pages-process pages --process 41
like=pages-by-node check pages-process-json pages --process 41 --json
check pages-process-thread pages --process kthread --csv
like=pages check pages-process-by pages -p alpha --by kind
check pages-process-by-site pages -p be,ta --by process,site --csv
check pages-process-none pages -p moon
check pages-process-none-by pages -p moon --by site
# a process maps the zero page twice
{
	cat machine/frames
	printf '%s\n' 'frames 1 0x1000000 0 3 100 0 0 0 1' 'map 41 17 64' 'map 41 18 64'
} >zero.txt
(cd machine && ../mkpages <../zero.txt) || exit 1
check pages-zero-by-process pages --by process,kind --kind zero
check pages-zero-process pages --process 41 --csv
new_machine

# with a recording: of this boot, of another one, or an incomplete one
boot=$(cat /proc/sys/kernel/random/boot_id)
owned() { # FILE BOOT END
	sed "s/BOOT/$2/; s/^END/$3/" "$top/tests/cli/described/owned.txt" |
		"$work/mktrace" little >"$1" || exit 1
}
owned owned.kmt "$boot" ''
owned other.kmt 0-0-0 ''
owned ended.kmt "$boot" realtime_ns=1000000000
sed '/boot_id/d' "$top/tests/cli/described/owned.txt" | "$work/mktrace" little >no-boot.kmt
like=pages-process check pages-input pages --process 41 --input owned.kmt
like=pages-by-process check pages-input-all pages --by process -i owned.kmt
like=pages-process check pages-input-ended pages --process 41 --input ended.kmt
check pages-input-other pages --process 41 --input other.kmt
check pages-input-no-boot pages --process 42 --input no-boot.kmt --csv
check pages-input-no-task pages --process 41 --input golden.kmt
sed "s/BOOT/$boot/; s/^END//; s/^cpus=1/&\\nevents=kmem:kmalloc/" \
	"$top/tests/cli/described/owned.txt" | "$work/mktrace" little >no-frees-owned.kmt
sed "s/BOOT/$boot/; s/^END//; s/^cpus=1/&\\ncpus_recorded=0/" \
	"$top/tests/cli/described/owned.txt" | "$work/mktrace" little >some-cpus.kmt
head -c "$(($(stat -c %s owned.kmt) - 200))" owned.kmt >cut-owned.kmt
check pages-input-no-frees pages --process 41 --input no-frees-owned.kmt
check pages-input-some-cpus pages --by process --input some-cpus.kmt
like=pages-zero-process check pages-input-cut pages --process 41 --csv --input cut-owned.kmt
check pages-input-missing pages --by process --input nowhere.kmt
check pages-bad-input pages --input owned.kmt
check pages-bad-input-by pages --process 41 --by site --input owned.kmt
check pages-bad-process-with pages --process 41 --kind anon
check pages-bad-by-process-with pages --by process --site x
check pages-bad-leaks-process pages --leaks --process 41

check pages-help pages --help
check pages-bad-option pages --moon
check pages-bad-by pages --by moon
check pages-bad-by-twice pages --by site,site
check pages-bad-by-three pages --by site,kind,order
check pages-bad-sort pages --sort moon
check pages-bad-sort-leaks pages --leaks --sort maps
check pages-bad-kind pages --kind moon
check pages-bad-zone pages --zone Moon
check pages-bad-node pages --node moon
check pages-bad-order pages --order -1
check pages-bad-age pages --min-age soon
check pages-bad-top pages --top many
check pages-two-modes pages --pinned --leaks
check pages-bad-with pages --pinned --by kind
check pages-bad-with-owner pages --page-owner --json
check pages-argument pages 5

# files that are empty, cut or of another version
: >machine/vmallocinfo
like=pages check pages-no-areas pages --kind kernel
check pages-leaks-no-areas pages --leaks
head -c 100 machine/objects >objects && mv objects machine/objects
check pages-pinned-cut pages --pinned
: >machine/pagetypeinfo
check pages-fragmenting-no-types pages --fragmenting

echo 2 >machine/pages_version
check pages-newer pages
echo 1 >machine/pages_version
sed -i '1s/1$/3/' machine/tags
check pages-newer-tags pages --by site

new_machine
# failed allocations
no_memory pages
no_memory pages --by site,kind --csv
no_memory pages --json
no_memory pages --leaks
no_memory pages --fragmenting
no_memory pages --pinned
no_memory pages --page-owner
no_memory pages --by process
no_memory pages --process 41 --input owned.kmt
no_memory pages --process 41 --json
