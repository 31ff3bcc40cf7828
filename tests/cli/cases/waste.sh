# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

check waste-no-module waste

# live memory, of a machine
new_machine
# the slabs of d_alloc() are of kmalloc()
cp -r machine kmalloc-machine
sed -E 's/^(frames [12] 0x80 0 4 200 0) 5 /\1 37 /' machine/frames >kmalloc-machine/frames
(cd kmalloc-machine && ../mkpages <frames) || exit 1
export KMEMTRACE_DIR=$work/kmalloc-machine
check waste waste -v
check waste-top waste --top 1 --sort bytes
check waste-site waste --site D_ALLOC --csv
check waste-none waste --site moon
mkdir -p machine/sys/kernel/slab/kmalloc-64
echo 64 >machine/sys/kernel/slab/kmalloc-64/object_size
echo 128 >machine/sys/kernel/slab/kmalloc-64/slab_size
like=waste check waste-padded waste
rm -r machine/sys/kernel/slab
check waste-json waste --json

no_memory waste
no_memory waste --json
export KMEMTRACE_DIR=$work/nowhere
unset KMEMTRACE_PROC

# Prints a recording of 20,000 objects that are slightly too large, and of others; PADDED is
# 1 for a kernel that adds data to objects, and has one of kmalloc-4k, which takes 12 KiB.
ring() { # PADDED
	cat <<META
text meta
release=6.12.0-test
page_size=4096
seq_start=0
cpus=64
cpus_present=4
slabs_padded=$1
.
text kallsyms
ffffffff81000000 T ring_entry
ffffffff81000100 T ring_name
ffffffff81000200 T ring_table
.
META
	awk -v padded="$1" 'function alloc(type, site, req, size) {
			if (seq % 2000 == 0)
				print (seq ? ".\n" : "") "data 0 mark=" seq
			printf "alloc %d %d %d 0xffffffff810%05x %d %d 0xcc0 -1\n", type,
				seq, 16384 * (seq + 1), site, req, size
			seq++
		}
		BEGIN {
			for (i = 0; i < 20000; i++)
				alloc(0, 16, 1040, 2048)
			for (i = 0; i < 300; i++)
				alloc(0, 272, 65 + i * 7 % 31, 96)
			alloc(0, 528, 70000, 131072)
			if (padded)
				alloc(0, 528, 4096, 12288)
			for (i = 0; i < 10; i++)
				alloc(1, 544, 136, 192)
			alloc(3, 544, 12, 16)
			print ".\ntext end\nseq_end=" seq "\nevents=" seq "\nlost_events=0\n."
		}'
}
ring 0 | ./mktrace little >ring.kmt || exit 1
check waste-ring waste ring.kmt
ring 1 | ./mktrace little >padded.kmt || exit 1
like=waste-ring check waste-ring-padded waste padded.kmt
check waste-ring-csv waste --csv --sort waste ring.kmt
check waste-ring-json waste --json --top 2 ring.kmt
like=waste check waste-recording waste golden.kmt
like=waste-ring-json check waste-recording-json waste --json wrap.kmt
like=waste check waste-recording-site waste --site beta golden.kmt
like=waste-recording check waste-cut waste cut.kmt
like=waste check waste-partial waste --top 1 partial.kmt
like=waste-ring-json check waste-partial-json waste --top 1 --json partial.kmt
like=waste check waste-kept waste --top 1 kept.kmt
like=waste-partial-json check waste-snapshot-json waste --top 1 --json snapshot.kmt
like=waste check waste-robbed waste --top 1 robbed.kmt
like=waste check waste-damaged waste --top 1 damaged.kmt
like=waste-ring-json check waste-damaged-json waste --top 1 --json damaged.kmt
check waste-no-frees waste no-frees.kmt
check waste-noise waste noise
check waste-missing waste nowhere.kmt
check waste-two waste golden.kmt ring.kmt
check waste-bad-sort waste --sort moon
check waste-json-csv waste --json --csv
check waste-bad-top waste --top many
check waste-bad-option waste --moon
check waste-help waste --help
mkdir -p reference
(cd reference && "$top/tests/cli/waste_reference.py" "$tool" "$work/mktrace" 1 "$(rounds 100)") >reference.log
verdict $? "waste is equal to a second implementation, on random recordings"
sed 's/^/# /' reference.log

no_memory waste golden.kmt
no_memory waste --json kept.kmt
