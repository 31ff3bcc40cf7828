# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only
#
# Makes the inputs of the cases, in the directory $work.

build() { # PROGRAM SOURCE OPTION...
	gcc -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror \
		-o "$work/$1" "tests/cli/$2" "${@:3}" || exit 1
}
build fail_each.so fail_each.c tests/cli/fail_malloc.c -fno-builtin -shared -fPIC
build leak_clock.so leak_clock.c -shared -fPIC -Iinclude/uapi
build cpu_clock.so cpu_clock.c -shared -fPIC
build leak_objects leak_objects.c -Iinclude/uapi
build make_proc make_proc.c -Itools/kmemtrace-user
build mkpages mkpages.c -Iinclude/uapi
build make_recording make_recording.c -Wno-address-of-packed-member -Iinclude/uapi \
	-Ilib -Itools/kmemtrace-user -Wl,--wrap=ZSTD_compressCCtx,--wrap=ZSTD_compress2 \
	build/obj/parts.a -lzstd -lz
"$work/make_recording" "$work" || exit 1
seq 1000 | head -c 3000 >"$work/noise"
head -c "$(($(stat -c %s "$work/golden.kmt") - 416))" "$work/golden.kmt" \
	>"$work/cut.kmt"
: >"$work/empty"
mkdir "$work/empties" && : >"$work/empties/cpu0"
ln -s loop "$work/loop"

# recordings from descriptions, made by an independent encoder
build mktrace mktrace.c -lzstd -lz
# copies a recording to the format that the tool writes
build columns ../fuzz/seeds/columns.c -Wno-address-of-packed-member -Iinclude/uapi \
	-Ilib -Itools/kmemtrace-user \
	build/obj/parts.a -lzstd -lz
describe() { # ORDER DESCRIPTION FILE
	"$work/mktrace" "$1" <"tests/cli/described/$2.txt" >"$work/$3"
}
for d in basic wrap unseen violations tasks stacks later moved; do
	describe little $d $d.kmt || exit 1
done
for d in basic wrap tasks stacks moved; do
	describe big $d $d-big.kmt || exit 1
done
mkdir "$work/little" "$work/big"
for order in little big; do
	for cpu in 0 1; do
		describe raw-$order raw$cpu $order/cpu$cpu.out || exit 1
	done
done
sed 's/^data 1 .*/& damaged/' tests/cli/described/basic.txt |
	"$work/mktrace" little >"$work/damaged.kmt" || exit 1
sed 's/^cpus=2/&\ncpus_recorded=1/; /^data 0/,/^\.$/d' tests/cli/described/basic.txt |
	"$work/mktrace" little >"$work/partial.kmt" || exit 1
describe little kept kept.kmt || exit 1
sed 's/^seq_whole=17/seq_whole=3/; s/^records=7/records=8/' \
	tests/cli/described/kept.txt | "$work/mktrace" little >"$work/kept-bad.kmt"
sed 's/^seq_whole=17/seq_whole=5/; s/^kept=flight/kept=snapshot/; /^seq_start/d
	s/^exchanged=0/exchanged=1/; s/^seq_end/snapshot_sequence/; s/cpus=2/cpus=8/' \
	tests/cli/described/kept.txt | "$work/mktrace" little >"$work/snapshot.kmt"
sed 's/^cpus=2/&\nfilter=kmem:kfree: call_site == 5/' tests/cli/described/basic.txt |
	"$work/mktrace" little >"$work/no-frees.kmt" || exit 1
sed 's/^cpus=2/&\nevents=kmem:kmalloc kmem:mm_page_alloc/' tests/cli/described/basic.txt |
	"$work/mktrace" little >"$work/allocs.kmt" || exit 1
sed 's/^seq_end=7/seq_end=9\nsnapshots=1/; s/^events=7/events=9/' tests/cli/described/basic.txt |
	"$work/mktrace" little >"$work/robbed.kmt" || exit 1
# a recording of CPU 1 only; only CPU 0 lost events
sed 's/^cpus=2/&\ncpus_recorded=1/; /^data 0/,/^\.$/d
	s/^lost_events=0/lost_events=3\nlost_events.cpu0=3\nlost_events.cpu1=0/' \
	tests/cli/described/basic.txt | "$work/mktrace" little >"$work/other-lost.kmt" || exit 1
cp tests/cli/described/*.tags "$work/"
sed 's/^slab 1280 10 /slab 1280 ten /' tests/cli/described/tags-now.tags \
	>"$work/bad.tags"
sed '1s/1$/3/' tests/cli/described/tags-now.tags >"$work/newer.tags"
echo version 2 | "$work/mktrace" little >"$work/newer.kmt" || exit 1
# a chunk with a codec that this version does not know
sed 's/^data 1 .*/data 1 mark=7 codec=9/' tests/cli/described/basic.txt |
	"$work/mktrace" little >"$work/codec.kmt" || exit 1
# names with characters that have a meaning in a format, in JSON, or in a terminal
sed -e 's/ T alpha$/ T al;p"h\\\\a<b>\x1b[31m\xff/' -e 's/\[mod\]$/[m;"od]/' \
	-e 's/ dentry$/ den;"\xc3\x28try/' tests/cli/described/basic.txt |
	"$work/mktrace" little >"$work/hostile.kmt" || exit 1
# a state with such names, the same place twice, and sums below 0
hostile_tags() {
	# shellcheck disable=SC1003 # no quote is meant
	printf '%s\n' 'kmemtrace tags - version: 1' \
		'slab 640 10 600 20 10 700 - ffffffff81000010 1 a"b.c:1 [m] func:f" 1' \
		'slab 320 5 300 5 0 320 - ffffffff81000020 2 a\b.c:2 [m\n"] func:g\' \
		'slab 160 2 160 2 0 160 - ffffffff81000030 3 {x="y",}.c:3 [(other)] func:h} 4' \
		'slab 80 2 80 2 0 80 - ffffffff81000040 4 c.c:4 [kernel] func:k' \
		'slab 40 2 40 2 0 40 - ffffffff81000050 5 c.c:5 func:twice' \
		'slab 20 1 20 1 0 20 - ffffffff81000060 6 c.c:5 func:twice' \
		'page 4096 1 4096 1 0 4096 - ffffffff81000060 7 c.c:5 func:twice' \
		'page -4096 -1 -4096 3 4 4096 - ffffffff81000070 8 d.c:5 func:below.constprop.0' \
		'page 8192 2 8192 2 0 8192 - - 9 e.c:5 [gone] func:e (unloaded) #1' \
		$'percpu 8 1 8 1 0 8 - ffffffff81000080 10 \e[31m\xff.c:1 func:\xc3\x28' \
		'# stat accounting 0' '# stat untracked_bytes 18446744073709551615' \
		$'# stat kernel 6.1"\\\e' '# stat hole bulk open'
}
hostile_tags >"$work/hostile.tags"
# the paths of two cgroups; one is written twice, and a line is damaged; and of a tmpfs
sed -e '0,/^data/s|^data|text 13\n1 online 90 /\n1070 online 8 /before\n.\n&|' \
	-e 's|^text end|text 13\n1070 online 8 /system.slice/a.service\n1040 removed 2 /user.slice/b c\n1041\n.\n&|' \
	-e 's|^seq_end=33|&\nstart_held_files=a7 2 /run/user.slice/b\\040c\nheld_files=a7 3 /run/user.slice/b\\040c\nheld_backlogs=3a5f 7 tcp/10.1.2.3:80|' \
	tests/cli/described/stacks.txt | "$work/mktrace" little >"$work/cgroups.kmt" || exit 1
# build ids of the kernel and of a module
sed -e 's/^cpus=2/&\nbuild_id=0123456789abcdef/' \
	-e 's/^text kallsyms/text modules\nmod 4096 0xc0000000 fedcba9876543210\n.\n&/' \
	tests/cli/described/basic.txt |
	"$work/mktrace" little >"$work/ids.kmt" || exit 1
