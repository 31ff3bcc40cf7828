# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

check report report golden.kmt
check report-verbose report -v golden.kmt
like=report check report-after report golden.kmt --top 2
cp golden.kmt kmemtrace.kmt
like=report check report-default report --by kind
rm kmemtrace.kmt

like=report check report-by-cache report --by cache --sort total_waste golden.kmt
like=report-default check report-by-kind report --by kind golden.kmt
like=report check report-by-gfp report --by gfp golden.kmt
like=report check report-by-order report --by order golden.kmt
like=report check report-by-cpu report --by cpu golden.kmt
like=report check report-by-size report --by size golden.kmt
like=report check report-by-node report --by node golden.kmt
check report-by-process report --by process tasks.kmt
check report-by-process-filter report --by process --filter 'bytes_req > 64' --csv features.kmt
like=report check report-by-process-lacking report --by process golden.kmt
check report-by-stack report --by stack --top 4 stacks.kmt
check report-by-stack-csv report --by stack --csv tasks.kmt
check report-by-stack-json report --by stack,kind --json --top 2 tasks.kmt
printf '%s\n' 'text meta' page_size=4096 seq_start=0 features=time \
	'trigger=kmem:kmalloc: stacktrace' . 'data 0 mark=0' \
	'alloc 0 0 16384 0xffffffff81000010 60 64 0xcc0 -1' . \
	'text end' seq_end=1 events=1 lost_events=0 . | ./mktrace little >trigger.kmt || exit 1
check report-by-stack-trigger report --by stack trigger.kmt
like=report-by-stack-trigger check report-by-process-trigger report --by process trigger.kmt
like=report-by-process-lacking check report-by-stack-lacking report --by stack golden.kmt
like=report-by-process check report-by-function report --by function,comm tasks.kmt
like=report-by-stack check report-by-module \
	report --by module,cgroup,size --sort allocs --top 6 stacks.kmt
like=report-by-stack check report-by-cgroup report --by cgroup --sort allocs cgroups.kmt
like=report-by-stack check report-by-cgroup-named report --by cgroup --top 1 cgroups.kmt
check report-by-cgroup-csv report --by cgroup,kind --csv --top 2 cgroups.kmt
check report-by-site-process report --by site,process --csv --top 5 --sort peak stacks.kmt
like=report-by-stack check report-by-kind-stack report --by kind,stack --raw-ip --top 1 stacks.kmt
check report-by-twice report --by site,site golden.kmt
check report-by-nothing report --by site, golden.kmt
like=report check report-raw-ip report --raw-ip golden.kmt
check report-csv report --csv golden.kmt
like=report-by-stack-json check report-json report --json golden.kmt

# call trees
check report-tree report --tree stacks.kmt
check report-tree-callees report --tree --callees --sort allocs --min 20% stacks.kmt
like=report-by-process check report-tree-depth \
	report --tree --callers --depth 2 --min 0 --sort objects tasks.kmt
like=report-by-process check report-tree-peak report --tree --sort peak --raw-ip --depth 1 tasks.kmt
like=report check report-tree-lacking report --tree golden.kmt
check report-tree-no-frees report --tree no-frees.kmt
check report-tree-json report --tree --json --min 60 --depth 2 stacks.kmt
like=report-tree check report-tree-filter report --tree --filter 'bytes_req > 500' stacks.kmt
check report-tree-csv report --tree --csv stacks.kmt
check report-tree-sort report --tree --sort waste stacks.kmt
check report-tree-by report --tree --by site stacks.kmt
check report-tree-both report --tree --callers --callees stacks.kmt
check report-tree-view report --tree --lifetimes stacks.kmt
like=report-by-stack check report-lifetimes-stack \
	report --lifetimes --by stack,cpu --top 3 stacks.kmt
check report-temporary-keys report --temporary --by comm,function --csv --top 5 stacks.kmt
check report-at-tree report --at peak --tree --callees --min 25 stacks.kmt
check report-tree-min report --tree --min lots stacks.kmt
check report-depth-alone report --depth 3 stacks.kmt

# the figures of random recordings, as a second implementation computes them
# shellcheck disable=SC2046 # numbers
"$top/tests/cli/report_reference.py" "$tool" ./mktrace ./columns "$work" \
	$(seq "$(rounds 8)") >second
verdict $? "report counts as a second implementation does: $(tail -n 1 second)" ||
	head -n 20 second | sed 's/^/# /'

# damaged, raw, no recordings
like=report check report-cut report cut.kmt
like=report-verbose check report-cut-verbose report -v cut.kmt
check report-raw report cpu0.out
check report-raw-verbose report -v cpu0.out
like=report-raw-verbose check report-raw-big-endian report -v big-cpu0.out
check report-noise report noise
check report-empty report empty
check report-loop report loop
check report-nothing report
check report-missing report nowhere.kmt

# wrong uses, and odd ones that are right
check report-bad-by report --by moon golden.kmt
check report-bad-sort report --sort moon golden.kmt
check report-bad-top report --top many golden.kmt
check report-bad-option report --moon golden.kmt
check report-like report --filtre 'cpu == 1' golden.kmt
check report-ambiguous report --s live golden.kmt
check report-no-value report golden.kmt -n
check report-takes-no-value report --json=3 golden.kmt
check report-bad-letter report -nx golden.kmt
check report-unknown-letter report -x golden.kmt
like=report check report-letters report -n1 -bcache -s allocs golden.kmt
like=report check report-beginning report golden.kmt --to 1 --raw --
check report-two report golden.kmt golden.kmt
check report-help report --help

# choices of events
check report-filter report --filter 'call_site.function == alpha' golden.kmt
like=report-verbose check report-filter-verbose \
	report -v --filter 'call_site.function == alpha' golden.kmt
check report-filter-bad report -f 'bytes_req = 5' golden.kmt
like=report-json check report-filter-json report --json --top 1 --filter 'cpu == 1' golden.kmt
check report-filter-lacking report --filter 'cgroup != 1' --csv golden.kmt
like=report-tree-no-frees check report-no-frees report no-frees.kmt
like=report-verbose check report-no-frees-verbose report -v no-frees.kmt
like=report-by-stack-json check report-no-frees-json report --json --by kind no-frees.kmt
check report-no-frees-csv report --csv allocs.kmt
like=report check report-since report --since 50% golden.kmt
like=report-verbose check report-since-verbose report -v --since 50% golden.kmt
like=report-by-stack-json check report-until-json report --json --top 1 --until +10ms golden.kmt
check report-since-csv report --since +5ms --until +20ms --csv golden.kmt
check report-since-raw report -v --since 1 cpu0.out

# times outside of the recording, also from a pipe, which shows this only at its end
for time in '--at 9999' '--at 0' '--at 200%' '--since 200%' '--since 9999' '--until 1'; do
	# shellcheck disable=SC2086 # two words
	check "report-outside-${time//[^a-z0-9]/}" report $time golden.kmt
done
check report-outside-csv report --csv --since +1h golden.kmt
like=report check report-until-later report --until 200% --top 1 golden.kmt
for arguments in 'report --since 9999' 'report --json --at 0.5' 'script --since 9999' \
	'timeline --until 0.5'; do
	# shellcheck disable=SC2002,SC2086 # a pipe, several words
	cat golden.kmt | "$tool" $arguments - >/dev/null 2>out
	[ "${PIPESTATUS[1]}" = 1 ] && grep -q ': no record is in this part of the recording$' out
	verdict $? "no record in a part of a stream: $arguments" || sed 's/^/# /' out
done

# a moment, and peaks
check report-at-peak report --at peak golden.kmt
like=report-verbose check report-at-peak-slab report -v --at peak:slab --by kind golden.kmt
check report-at-peak-class report --at peak:slab --csv --sort objects stacks.kmt
check report-at-peak-class-top report --at peak:slab --top 3 stacks.kmt
like=report-tree check report-at-peak-tree report --tree --at peak:pages --depth 1 stacks.kmt
check report-at-peak-lost report --at peak --top 2 wrap.kmt
check report-at-peak-none report --at peak:percpu wrap.kmt
check report-at-peak-filter report --at peak --filter 'cpu == 0' --csv golden.kmt
like=report-until-json check report-at-peak-json report --at peak:slab --top 1 --json golden.kmt
check report-at-peak-raw report --at peak cpu0.out
check report-at-time report --at 1.03 golden.kmt
check report-at-until report --at 1.03 --until 2 golden.kmt
check report-at-bad report --at peak:moon golden.kmt
check report-at-no-live report --at peak no-frees.kmt
like=report-verbose check report-sort-peak report --sort peak --top 2 golden.kmt

# lifetimes, temporary allocations, matrices
like=report check report-lifetimes report --lifetimes golden.kmt
check report-lifetimes-csv report --lifetimes --by cpu --csv basic.kmt
like=report-json check report-lifetimes-json \
	report --lifetimes --top 1 --sort freed --json golden.kmt
check report-lifetimes-sort report --lifetimes --sort p50 --csv basic.kmt
check report-lifetimes-partial report --lifetimes partial.kmt
like=report-tree-no-frees check report-lifetimes-no-frees report --lifetimes no-frees.kmt
check report-lifetimes-no-times report --lifetimes cpu0.out
like=report check report-temporary report --temporary golden.kmt
check report-temporary-within report --temporary --within 3 --by kind --csv golden.kmt
like=report-lifetimes-json check report-temporary-json report --temporary --top 1 --json golden.kmt
check report-within-alone report --within 3 golden.kmt
check report-at-far report --at 99999999999999999999 golden.kmt
check report-within-bad report --temporary --within 0 golden.kmt
like=report check report-matrix report --matrix cpu golden.kmt
check report-matrix-csv report --matrix cpu --filter 'bytes_req < 100' --csv golden.kmt
like=report-json check report-matrix-json report --matrix cpu --top 1 --json golden.kmt
check report-matrix-node report --matrix node golden.kmt
sed 's/^cpus=2/&\nnodes=2\ncpus_of_node0=1\ncpus_of_node1=0/' "$top/tests/cli/described/basic.txt" |
	"$work/mktrace" little >nodes.kmt
check report-matrix-nodes report --matrix node nodes.kmt
# CPU 1 comes online, or is not known
sed -e 's/^cpus=2/&\nnodes=2\ncpus_of_node0=0\ncpus_of_node1=/' \
	-e 's/^seq_end=.*/&\ncpus_of_node0=0\ncpus_of_node1=1/' \
	"$top/tests/cli/described/basic.txt" >online.txt
"$work/mktrace" little <online.txt >online.kmt
like=report-matrix-nodes check report-matrix-online report --matrix node online.kmt
sed '/^cpus_of_node1=1/d' online.txt | "$work/mktrace" little >offline.kmt
check report-matrix-unknown report --matrix node offline.kmt
like=report-no-frees-json check report-matrix-unknown-json \
	report --matrix node --json --top 1 offline.kmt
# a file with long lists of CPUs for each of many nodes, and many losses; the CPU time is limited
list=$(yes 0-8191 | head -n 2000 | paste -sd ,)
{
	printf '%s\n' 'text meta' page_size=4096 seq_start=0 cpus=2 nodes=8192
	seq -f "cpus_of_node%.0f=$list" 0 50
	echo "cpus_recorded=0-1,$list"
	printf '%s\n' . 'data 0 mark=2' \
		'alloc 0 0 4096 0xffffffff81000010 60 64 0xcc0 -1' 'free 0 1 4096 0xffffffff81000030' . \
		'text end' seq_end=2 events=2 lost_events=0
	yes lost_events.cpu1=1 | head -n 50000
	echo .
} | ./mktrace little >endless.kmt || exit 1
for arguments in '--matrix node' -v; do
	# shellcheck disable=SC2086 # one or two words
	(ulimit -t 2; exec "$tool" report $arguments endless.kmt) >out 2>&1
	[ $? = 3 ]
	verdict $? "report $arguments of a malicious file" || sed 's/^/# /' out
done
check report-matrix-bad report --matrix moon golden.kmt
check report-two-views report --matrix cpu --lifetimes golden.kmt
check report-sort-view report --lifetimes --sort live golden.kmt

# names of threads: UTF-8, and other bytes; each is another thread, also for a filter
comms='inner-job-\xe4\xb8\xad\xe6\x96 inner-job-\xe4\xb8\xad\xe7\x95 \xe4\xb8\xad\xe6\x96\x87
	a\x0ab a\x09b \xff )\x20S\x201\x20( =1+1 \x22 \x5cx41 A a\x27\x22'
# shellcheck disable=SC2086 # the names
{
	printf 'text meta\nfeatures=time task\nseq_start=0\ncpus=1\n.\ndata 0\n'
	seq=0
	for comm in $comms; do
		printf 'alloc 0 %d 0xffff888000%03x000 0xffffffff81000010 100 128 0xcc0 -1 ' \
			$seq $seq
		echo "time=$((1000 + seq)) task=$((10 + seq)):$((10 + seq)):0:0:$comm"
		seq=$((seq + 1))
	done
	printf '.\ntext end\nseq_end=%d\n.\n' $seq
} >threads.txt
"$work/mktrace" little <threads.txt >threads.kmt
check report-threads report --by comm threads.kmt
check report-threads-process report --by process threads.kmt
like=report-by-stack-json check report-threads-json report --by process --top 2 --json threads.kmt
check script-threads script threads.kmt
check script-threads-json script --json --fields comm threads.kmt
"$tool" report --by comm --csv threads.kmt 2>/dev/null >names.csv
python3 - "$tool" names.csv >differences <<'PYTHON'
import csv, json, subprocess, sys
names = [row["comm"] for row in csv.DictReader(open(sys.argv[2], encoding="utf-8"))]
for name in names:
    quote = '"' if "'" in name else "'"
    if quote in name:
        continue
    for op in ("==", "~") if not set(name) & set("*?[") else ("==",):
        out = subprocess.run([sys.argv[1], "report", "--by", "comm", "--json", "threads.kmt",
                              "--filter", f"comm {op} {quote}{name}{quote}"],
                             stdout=subprocess.PIPE).stdout
        found = [row["comm"] for row in json.loads(out)["rows"]]
        if found != [name]:
            print(name, op, found)
print(len(names), "names")
PYTHON
[ "$(cat differences)" = "12 names" ]
verdict $? "a printed name works as a filter" || sed 's/^/# /' differences

# what recordings may have
like=report-verbose check report-features report -v features.kmt
for d in basic wrap unseen violations damaged; do
	like=report-verbose check report-$d report -v $d.kmt
done
check report-kept report --top 1 kept.kmt
like=report-verbose check report-kept-verbose report -v --top 1 kept.kmt
for d in kept-bad snapshot; do
	like=report-kept check report-$d report --top 1 $d.kmt
	like=report-kept-verbose check report-$d-verbose report -v --top 1 $d.kmt
done
like=report-verbose check report-other-lost report -v other-lost.kmt
check report-robbed report robbed.kmt
like=report-verbose check report-robbed-verbose report -v robbed.kmt
like=report-by-stack-json check report-kept-json report --json --top 0 kept.kmt
like=report-raw-verbose check report-two-raw report -v little/cpu0.out little/cpu1.out

# recordings of other versions: see Compatibility in Documentation/file-format.rst
for version in later newer; do
	check report-$version report $version.kmt
done
like=report-by-stack-json check report-later-json report --json later.kmt
like=report-verbose check report-codec report -v codec.kmt

for d in basic wrap tasks stacks; do
	same $d report
	same $d report --by process
	same $d report --filter 'bytes_req > 32 && gfp_flags & 0x400'
done

# the figures of random streams, compared with another implementation
"$top/tests/cli/reference.py" "$tool" "$work/mktrace" "$work" 0 "${SEEDS:-$(rounds 30)}" >failures 2>&1
status=$?
sed 's/^/# /' failures
verdict $status "report and timeline agree with reference.py"

# failed allocations
no_memory report golden.kmt
no_memory report --json golden.kmt
no_memory report --by process tasks.kmt
no_memory report --by stack,function --csv tasks.kmt
no_memory report --tree tasks.kmt
no_memory report --tree --json stacks.kmt
no_memory report --at peak golden.kmt
no_memory report --lifetimes golden.kmt
no_memory report --temporary golden.kmt
no_memory report --matrix cpu golden.kmt

# members that no case above prints
for by in cache gfp order node cpu size; do
	print_keys report --json --by $by golden.kmt
done
keys_are_numbers() { # KEY COMMAND...
	"$tool" "${@:2}" --json --by "$1" | python3 -c 'import json, sys
rows = json.load(sys.stdin)["rows"]
sys.exit(not rows or not all(type(row[key]) is int for row in rows for key in sys.argv[1].split(",")))
' "$1"
	verdict $? "$2 --json --by $1 has numbers"
}
for by in order node cpu size node,cpu; do
	keys_are_numbers $by report golden.kmt
done
keys_are_numbers node timeline golden.kmt
like=report check report-by-node-order report --by node,order --top 3 golden.kmt
print_keys report --json --by process tasks.kmt
print_keys report --json --by function,module,comm,cgroup,stack tasks.kmt
print_keys report --json robbed.kmt
