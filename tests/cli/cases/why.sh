# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

check why-no-module why d_alloc
check why-no-module-address why 0xffff888000028000
check why-no-module-frame why pfn:40

# the machine, with ages, and the files of /proc that tell addresses and caches
new_why() { # DIRECTORY [FIRST END]: only objects from FIRST to END, for reads from there
	rm -rf "$1"
	cp -r "$top/tests/cli/described/machine" "$1" || exit 1
	cp "$top/tests/cli/described/slabinfo" "$1"
	awk -v first="${2:-}" -v end="${3:-}" '
		$1 != "object" || !first { print; next }
		$2 "" >= first "" && $2 "" < end "" {
			if (!seen++)
				print "seek", first
			print
		}' "$1/frames" "$top/tests/cli/described/why.txt" >"$1/rows"
	(cd "$1" && ../mkpages <rows) || exit 1
	echo '0xffffc90000100000-0xffffc90000103000 12288 load_table+0xc2/0x430 [d] pages=2 vmalloc N0=2' \
		>>"$1/vmallocinfo"
	echo 'ffffc90000100000 ffffc90000100000 0' >>"$1/vmalloc_starts"
	printf '%s\n' 'ffffffff81000800 t quiet' $'ffffffffc0001000 t late\t[d]' >>"$1/kallsyms"
	echo '0xffffffffc0004000-0xffffffffc0006000 8192 move_module+0xc2/0x430 pages=1 vmalloc N0=1' \
		>>"$1/vmallocinfo"
	echo 'ffffffffc0004000 ffffffffc0004000 0' >>"$1/vmalloc_starts"
	mkdir -p "$1/sys/fs/cgroup/a.slice"
	export KMEMTRACE_DIR=$work/$1 KMEMTRACE_PROC=$work/$1 KMEMTRACE_SYS=$work/$1/sys
}

# sites
new_why whole
check why-site why alloc_inode
like=why-site check why-sites why d_alloc -v
like=why-site check why-sites-top why d_alloc --top 1
like=why-sites-top check why-module why 'd_alloc [d]'
like=why-sites check why-file why dcache.c:1600
like=why-site check why-file-words why mm/memory.c:1063 func:folio_prealloc
like=why-module check why-symbol why 'd_alloc+0x10 [d]'
like=why-site check why-symbol-of-trace why alloc_thread_stack+0x10/0x100
like=why-site check why-static why big
check why-site-json why alloc_inode --json
like=why-site-json check why-sites-json why d_alloc --json --top 1
check why-misspelled why aloc_inode
check why-none why moon
check why-other-module why 'alloc_inode [d]'
check why-other-line why dcache.c:1601
check why-other-offset why d_alloc+0x12
# the same machine, whose module tells that some slabs are of kmalloc()
sed -E -i 's/^(frames [12] 0x80 0 4 200 0) 5 /\1 37 /' whole/rows
(cd whole && ../mkpages <rows) || exit 1
like=why-site-json check why-kmalloc why d_alloc --json
like=why-file check why-kmalloc-text why fs/dcache.c:1600
sed -i 's/^accounting 1/accounting 0/' whole/stats
like=why-site check why-off why alloc_inode
echo '0000000000000000 T d_alloc' >whole/kallsyms
like=why-static check why-hidden why big
rm whole/slabinfo
like=why-kmalloc-text check why-no-slabinfo why fs/dcache.c:1600

# code
new_why code
like=why-site check why-code-call why 0xffffffff81000210
like=why-sites-top check why-code-function why ffffffff81000004
like=why-file check why-code-two-calls why 0xffffffff81000541 --top 1
like=why-code-function check why-code-no-call why 0xffffffff81000804
like=why-code-no-call check why-module-code why 0xffffffffc0001800
like=why-site check why-module-data why 0xffffffffc0004010
like=why-site-json check why-code-json why 0xffffffff81000804 --json

# addresses of memory
new_why slab 0x28000 0x2a000
like=why-site check why-object why 0xffff888000029210
like=why-site-json check why-object-json why 0xffff888000029210 --json
like=why-object check why-object-free why 0xffff888000028800
like=why-object-free check why-slab-frame why pfn:41
new_why slab 0x2a000 0x2b000
like=why-object check why-object-first why 0xffff88800002a000
like=why-object-json check why-slab-json why pfn:0x2a --json
new_why slab 0x2b000 0x2c000
like=why-object-first check why-object-older why 0xffff88800002b010
like=why-object-first check why-page why 0xffff888000008123
like=why-site check why-image why 0xffffffff82000800
like=why-site check why-vmalloc why 0xffffc90000101004
like=why-site-json check why-vmalloc-json why 0xffffc90000101004 --json

# page frames
like=why-page check why-frame-tail why pfn:9
like=why-frame-tail check why-frame-anonymous why pfn:16
like=why-frame-anonymous check why-frame-free why pfn:29
like=why-site check why-frame-hole why pfn:1
like=why-site-json check why-frame-hole-json why pfn:1 --json
like=why-image check why-frame-older why pfn:2
like=why-frame-tail check why-frame-driver why pfn:47
like=why-frame-anonymous check why-frame-shmem why pfn:63
like=why-slab-json check why-frame-stack why pfn:50 --json
like=why-frame-older check why-frame-newer why pfn:53
check why-frame-after why pfn:64
check why-frame-far why pfn:0xffffffffffffffff
echo "cgroup 17 $(stat -c %i slab/sys/fs/cgroup/a.slice)" | cat slab/rows - >grouped
(cd slab && ../mkpages <../grouped) || exit 1
like=why-object-json check why-frame-cgroup why pfn:17 --json
like=why-frame-anonymous check why-frame-no-cgroup why pfn:16
echo cgroup 17 1 | cat slab/rows - >grouped
(cd slab && ../mkpages <../grouped) || exit 1
like=why-frame-anonymous check why-frame-cgroup-gone why pfn:17

# addresses that lead to nothing, and files that are missing or damaged
check why-process why 0x7ffc00001000
check why-nowhere why 0xffffea0000000000
head -c 100 slab/kcore >short
cp short slab/kcore
check why-kcore-short why 0xffff888000029210
echo nonsense >slab/kcore
check why-kcore-damaged why 0xffff888000029210
rm slab/kcore
check why-kcore-missing why 0xffff888000029210
rm slab/ages
check why-no-ages why alloc_inode
echo nonsense >slab/ages
check why-ages-damaged why alloc_inode
rm slab/kpagecount
"$tool" why pfn:40 2>&1 | grep -q 'there is no .*/kpagecount: this kernel was built without'
verdict $? "why says which file is missing"

# callers, from a recording: of another boot, whose addresses differ
new_why whole
callers() { # [BUILD-ID]
	cat <<META
text meta
release=6.12.0-test
page_size=4096
seq_start=0
cpus=1
features=time cache task stack
build_id=${1:-0}
.
text kallsyms
ffffffff91000000 T d_alloc	[d]
ffffffff91000200 t alloc_slab_page
ffffffff92000000 T open_file
ffffffff92000100 T close_file
ffffffff92000200 T outer
.
data 0 mark=9
alloc 1 0 0xffff888000001000 0xffffffff91000010 180 192 0xcc0 -1 time=1000000 cache=7 task=41:41:0x0:0:alpha stack=0xffffffff91000010,0xffffffff92000010,0xffffffff92000220
alloc 1 1 0xffff888000002000 0xffffffff91000010 190 192 0xcc0 -1 time=2000000 cache=7 task=41:41:0x0:0:alpha stack=0xffffffff91000010,0xffffffff92000010,0xffffffff92000220
alloc 0 2 0xffff888000003000 0xffffffff91000020 100 128 0xcc0 -1 time=3000000 task=42:42:0x0:0:beta stack=0xffffffff91000020
alloc 1 3 0xffff888000004000 0xffffffff91000010 20 192 0xcc0 -1 time=4000000 cache=7 task=42:42:0x0:0:beta stack=0xffffffff91000010,0xffffffff92000230
free 1 4 0xffff888000001000 0xffffffff92000110 time=5000000 cache=7 task=41:41:0x0:0:alpha
free 1 5 0xffff888000004000 0xffffffff92000240 time=6000000 cache=7 task=41:41:0x0:0:alpha
free 0 6 0xffff888000003000 0xffffffff92000120 time=7000000 task=41:41:0x0:0:alpha
.
text caches
7 180 192 dentry
.
text end
seq_end=${2:-7}
events=7
lost_events=0
.
META
}
callers | ./mktrace little >callers.kmt || exit 1
callers 0 9 | ./mktrace little >callers-lost.kmt || exit 1
callers 0123456789 | ./mktrace little >callers-other.kmt || exit 1
new_program
callers "$(readelf -n program | sed -n 's/.*Build ID: //p')" | ./mktrace little >callers-same.kmt
like=why-module check why-callers why 'd_alloc [d]' -i callers.kmt
like=why-site check why-callers-none why alloc_slab_page -i callers.kmt
like=why-callers check why-callers-lost why 'd_alloc [d]' --input callers-lost.kmt
like=why-module check why-callers-unlike why 'd_alloc [d]' -i golden.kmt
check why-callers-static why big -i callers.kmt
check why-callers-missing why d_alloc -i nowhere.kmt
check why-callers-noise why d_alloc -i noise
"$tool" why 'd_alloc [d]' -i callers.kmt --json >out
python3 - out <<'CHECK'
import json, sys
c = json.load(open(sys.argv[1]))["sites"][0]["callers"]
assert [p["allocs"] for p in c["paths"]] == [2, 1], c
assert [p["frees"] for p in c["paths"]] == [1, 1], c
assert c["paths"][0]["stack"] == ["d_alloc+0x10 [d]", "open_file+0x10", "outer+0x20"], c
assert c["paths"][0]["cache"] == "dentry", c
assert [t["comm"] for p in c["paths"] for t in p["tasks"]] == ["alpha", "beta"], c
assert {f["site"] for f in c["freed_at"]} == {"close_file+0x10", "outer+0x40"}, c
CHECK
verdict $? "the callers in JSON are those of the recording"
"$tool" why 'd_alloc [d]' -i callers-lost.kmt --json | grep -q '"lost_events": 2,\?$'
verdict $? "... with the number of lost events"
json_keys why <out >>"$work/keys"
mkdir whole/sys/kernel
objcopy -O binary --only-section=.note.gnu.build-id program whole/sys/kernel/notes
for file in other same; do
	"$tool" why 'd_alloc [d]' -i callers-$file.kmt >out-$file 2>&1
done
grep -q '^not known: .*callers-other.kmt is of another kernel' out-other && ! grep -q 'another kernel' out-same
verdict $? "why says whether a recording is of another kernel"
check why-observe why d_alloc --for 1

# source lines, with inlined functions: the calls of a program stand for those of a kernel
user=$(nm program | sed -n 's/ T user$//p')
text=$(nm program | sed -n 's/ [A-Za-z] _text$//p')
{
	echo 'kmemtrace tags - version: 1'
	id=30
	for at in $(returns program); do
		id=$((id + 1))
		printf 'slab %d 1 8 1 0 8 5 %x %d user+0x%x func:user\n' $((id * 8)) \
			$((0x$user + 0x7fff0000 + at)) $id "$at"
	done
} >whole/tags
printf '%x T _text\n%x T user\n%x T user_end\n' $((0x$text + 0x7fff0000)) \
	$((0x$user + 0x7fff0000)) $((0x$user + 0x7fff0000 + 4096)) >whole/kallsyms
# shellcheck disable=SC2317 # check_through() calls it
without_addresses() {
	sed -E 's/[0-9a-f]{12}$/ADDRESS/' | without_offsets
}
check_through without_addresses why-debuginfo why user --top 0 --debuginfo program
check why-debuginfo-missing why user --debuginfo nowhere
check why-debuginfo-noise why user --debuginfo noise

# wrong uses
new_why whole
check why-nothing why
check why-empty why ''
check why-number why 4711
check why-hex why 12ab
check why-frame-bad why pfn:
check why-frame-sign why pfn:-1
check why-frame-word why pfn:0xzz
check why-frame-large why pfn:99999999999999999999
check why-address-bad why 0x
check why-address-word why 0xfffg
check why-address-long why 0xfffffffffffffffff
check why-offset-alone why +0x12
check why-module-alone why '[d]'
check why-line-alone why :12
check why-time why d_alloc --for 10x
check why-time-zero why d_alloc --for 0
check why-two-sources why d_alloc --for 1 -i callers.kmt
check why-frame-callers why pfn:16 --for 1
check why-address-callers why 0xffff888000029210 -i callers.kmt
check why-top why d_alloc --top x
check why-option why --moon
check why-help why --help

# whatever the user writes gets an answer or one message
bad=0
for text in '%s%n' 'a b c' 'x+0x' 'x+0x/0x' '+0x+0x' 'a:b:c' 'a.c:' 'a.c:99999999999999999999' \
	'f [' 'f ]' 'f [] [' ' func:' 'a.c:1 func:' 'func:f' ' ' $'\t' $'\n' $'\xff\xfe' 'pfn' \
	'pfn:0x' 'pfn: 1' 'pfn:+1' '0x 1' '0x-1' '0x+1' '0X12' '-' '..' '/' 'x/0x1' 'f+0x1/0x2/0x3' \
	"$(printf 'x%.0s' {1..5000})" "$(printf '[%.0s' {1..2000})" "$(printf '0%.0s' {1..400})" \
	"pfn:$(printf '9%.0s' {1..400})" 'd_alloc+0xffffffffffffffffff' 'd_alloc [d' 'd_alloc  [d]'; do
	for option in --json --top=0; do
		timeout 200 "$tool" why "$option" -- "$text" >out 2>err
		status=$?
		messages=$(grep -c '^kmemtrace-user' err)
		if [ $status -gt 2 ] || [ "$messages" -ne $((status > 0)) ]; then
			bad=1
			printf '# %q: %d, %d messages\n' "$text" $status "$messages"
		fi
	done
done
verdict $bad "any text gets an answer or one message"

mkdir -p reference
(cd reference && "$top/tests/cli/why_reference.py" "$tool" "$work/mkpages" \
	"$top/tests/cli/described/machine" 1 "$(rounds 8)") >reference.log
verdict $? "why is equal to a second implementation, on random machines"
sed 's/^/# /' reference.log

no_memory why d_alloc --json
no_memory why d_alloc -i callers.kmt
no_memory why pfn:16
new_why slab 0x28000 0x2a000
no_memory why 0xffff888000029210
export KMEMTRACE_DIR=$work/nowhere
unset KMEMTRACE_PROC KMEMTRACE_SYS
