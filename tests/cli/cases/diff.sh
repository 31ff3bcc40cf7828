# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

sed 's/missed_calls 1/missed_calls 0/; s/ open$/ closed/' tags-now.tags >closed.tags
sed '$a# stat accounting_since_ns 7' tags-now.tags >restarted.tags
sed '$a# stat accounting_since_ns 5' tags-then.tags >before.tags
check diff diff tags-then.tags tags-now.tags
like="diff" check diff-top diff --sort objects --top 2 tags-then.tags tags-now.tags
check diff-csv diff --sort site --csv tags-now.tags tags-then.tags
check diff-json diff --json tags-then.tags closed.tags
check diff-itself diff tags-now.tags tags-now.tags
like=diff-json check diff-itself-json diff --json tags-now.tags tags-now.tags
check diff-restarted diff before.tags restarted.tags
like="diff" check diff-forced diff --force -v before.tags restarted.tags
for kernel in 6.1 6.12; do
	sed "\$a# stat boot_id $kernel-0\\n# stat kernel $kernel\\n# stat accounting_since_ns 7" \
		"$top/tests/cli/described/kernel-$kernel.tags" >kernel-$kernel.tags
done
sed 's/^# stat boot_id .*/# stat boot_id 7/' kernel-6.1.tags >kernel-6.1-again.tags
check diff-kernels diff kernel-6.1.tags kernel-6.12.tags
check diff-kernels-csv diff --csv kernel-6.1.tags kernel-6.12.tags
check diff-booted diff kernel-6.1.tags kernel-6.1-again.tags
check diff-booted-forced diff --force kernel-6.1.tags kernel-6.1-again.tags
check diff-recordings diff basic.kmt tasks.kmt
like=diff-json check diff-recordings-json diff --json basic.kmt wrap.kmt
like=diff-recordings check diff-lost diff basic.kmt wrap.kmt
check diff-lost-csv diff --csv wrap.kmt basic.kmt
check diff-lost-itself diff wrap.kmt wrap.kmt
check diff-kept diff --top 1 basic.kmt kept.kmt
# a flight recording that is complete
sed 's/^overwritten=.*/overwritten=0/; s/^exchanged=.*/exchanged=0/' \
	"$top/tests/cli/described/kept.txt" | "$work/mktrace" little >all-kept.kmt
"$tool" report --json --top 0 all-kept.kmt >all-kept.json
head -c 100 golden.kmt >begun.kmt
check diff-begun diff begun.kmt golden.kmt
check report-begun report begun.kmt
check diff-kept-json diff all-kept.kmt all-kept.json
"$tool" report --json --top 0 golden.kmt >golden.json
"$tool" report --json --top 1 golden.kmt >top.json
"$tool" report --json --top 0 --filter 'cpu == 1' golden.kmt >filtered.json
"$tool" report --json --top 0 --by cache golden.kmt >caches.json
"$tool" report --json --top 0 --by cache basic.kmt >other-caches.json
"$tool" allocinfo --json -i restarted.tags >restarted.json
"$tool" allocinfo --json -i tags-now.tags --diff tags-then.tags >changes.json
"$tool" allocinfo --json -i tags-now.tags --top 2 >two.json
"$tool" info --json golden.kmt >info.json
check diff-document diff golden.kmt golden.json
check diff-document-by diff caches.json other-caches.json
check diff-state-document diff restarted.tags restarted.json
check diff-document-restarted diff restarted.json before.tags
check diff-document-top diff golden.json top.json
check diff-document-two diff two.json tags-now.tags
check diff-document-by-other diff golden.json caches.json
# each kind of row
for by in site function module cache gfp order node cpu size stack process comm cgroup kind \
	site,process stack,cpu; do
	"$tool" report --json --top 0 --by $by stacks.kmt >by.json 2>/dev/null
	cp by.json by-copy.json
	"$tool" diff by.json by-copy.json >out 2>&1
	[ $? = 3 ] && grep -qx 'no difference' out
	verdict $? "diff of a report by $by and its copy" || sed 's/^/# /' out
done
for by in function site,process stack; do
	"$tool" report --json --top 0 --by $by basic.kmt >basic-$by.json
	"$tool" report --json --top 0 --by $by tasks.kmt >tasks-$by.json 2>/dev/null
	check "diff-document-by-${by/,/-}" diff --top 4 basic-$by.json tasks-$by.json
done
check diff-document-by-two diff basic-site,process.json tasks-function.json
"$tool" report --json --top 0 --lifetimes golden.kmt >lifetimes.json
"$tool" report --json --matrix cpu golden.kmt >matrix.json
check diff-document-lifetimes diff lifetimes.json golden.json
check diff-document-matrix diff matrix.json golden.json
# filters that are longer than lines in other texts, and differ only at their ends
long=$(seq -s ' || cpu == ' 2 300)
for end in 1000 1001; do
	sed "s/^cpus=2/&\nfilter=kmem:kmem_cache_alloc: cpu == 1\nfilter=kmem:kmalloc: cpu == $long || cpu == $end/" \
		"$top/tests/cli/described/basic.txt" | "$work/mktrace" little >long-$end.kmt
	"$tool" report --json --top 0 -f "cpu == $long || cpu == $end" basic.kmt >long-$end-f.json
done
"$tool" report --json --top 0 long-1000.kmt >long.json
for new in long-1000.kmt long.json long-1001.kmt; do
	"$tool" diff long-1000.kmt $new >out 2>&1
	[ $? = "$([ $new = long-1001.kmt ] && echo 1 || echo 0)" ]
	verdict $? "diff of recordings with long filters: $new" || sed 's/^/# /' out
done
for new in 1000 1001; do
	cp long-$new-f.json new.json
	"$tool" diff long-1000-f.json new.json >out 2>&1
	[ $? = $((new - 1000)) ]
	verdict $? "diff of reports with long filters: $new" || sed 's/^/# /' out
done
check diff-document-filtered diff golden.json filtered.json
like=diff-json check diff-filtered diff --json filtered.json filtered.json
sed 's/^# stat kernel/# stat build_id 5f\n&/' kernel-6.12.tags >built.tags
check diff-built-json allocinfo --json --top 1 -i built.tags
check diff-document-changes diff changes.json tags-now.tags
check diff-document-other diff golden.json info.json
sed 's/"live": 2288/"live": "x"/' golden.json >damaged.json
head -c 300 golden.json >cut.json
check diff-document-damaged diff damaged.json golden.json
check diff-document-cut diff cut.json golden.json
check diff-mixed diff golden.kmt tags-now.tags
check diff-no-frees diff golden.kmt no-frees.kmt
check diff-filters diff kept.kmt golden.kmt
check diff-noise diff golden.kmt noise
check diff-missing diff golden.kmt nowhere.kmt
: >part.tags.part
check diff-part diff tags-now.tags part.tags
check diff-directory diff empties golden.kmt
for file in tags-then.tags golden.kmt golden.json; do
	"$tool" diff $file <(cat $file) >out 2>&1
	[ $? = 1 ] && grep -q 'is not a regular file: save it to a file first$' out
	verdict $? "diff refuses a pipe with $file" || sed 's/^/# /' out
done
check diff-one diff golden.kmt
check diff-three diff golden.kmt golden.kmt golden.kmt
check diff-bad-sort diff --sort moon golden.kmt golden.kmt
check diff-bad-top diff --top many golden.kmt golden.kmt
check diff-bad-option diff --moon golden.kmt golden.kmt
check diff-help diff --help
mkdir -p reference
(cd reference && "$top/tests/cli/diff_reference.py" "$tool" 1 "$(rounds 150)") >reference.log
verdict $? "diff is equal to a second implementation, on random input"
sed 's/^/# /' reference.log

no_memory diff kernel-6.1.tags kernel-6.12.tags
no_memory diff --json golden.json tasks.kmt
