# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

# processes, from a directory that looks like /proc
./make_proc proc || exit 1
./make_proc hidden hidden || exit 1
./make_proc forked forked || exit 1
export KMEMTRACE_PROC=$work/proc
check pagemap pagemap --pid 42
check pagemap-wide pagemap -p 42 --wide
check pagemap-csv pagemap --pid 42 --pid 1 --pid 42 --csv --mappings
check pagemap-json pagemap --pid 42 --json
like=pagemap-json check pagemap-json-summary pagemap --pid 42 --json --summary
check pagemap-all pagemap --all
check pagemap-all-csv pagemap --all --csv
check pagemap-all-mappings pagemap --all --mappings --top 1 --sort uss
check pagemap-name pagemap --name worker --sort hugetlb --wide
check pagemap-name-one pagemap --name init
check pagemap-name-none pagemap --name moon --name init --summary
check pagemap-map pagemap --all --map '[stack' --mappings
check pagemap-map-anon pagemap --pid 42 --map anon
check pagemap-map-none pagemap --pid 42 --map moon
check pagemap-range pagemap --pid 42 --range 606fff-0x7f0000200001
like=pagemap-map-none check pagemap-kernel pagemap --pid 2
check pagemap-gone pagemap --pid 60
like=pagemap-name-one check pagemap-missing pagemap --pid 41 --pid 1
check pagemap-odd pagemap --pid 70 --csv
check pagemap-bad-maps pagemap --pid 80
cp -r proc renamed
printf 'inner-job-\xe4\xb8\xad\xe6\x96\n' >renamed/1/comm
printf 'a\nb\n' >renamed/42/comm
export KMEMTRACE_PROC=$work/renamed
like=pagemap-all check pagemap-names pagemap --all --summary
like=pagemap-json check pagemap-names-printed \
	pagemap --name 'inner-job-中\xe6\x96' --name 'a\x0ab' --summary --json
check pagemap-names-typed pagemap --name $'inner-job-中\xe6\x96\x87-and-more' --summary --csv
export KMEMTRACE_PROC=$work/hidden
check pagemap-hidden pagemap --pid 42
like=pagemap-json check pagemap-hidden-all pagemap --name worker --json
check pagemap-compare-hidden pagemap --compare 42 100042
export KMEMTRACE_PROC=/nowhere
check pagemap-no-proc pagemap --all
unset KMEMTRACE_PROC
check pagemap-no-process pagemap --summary
check pagemap-bad-pid pagemap --pid init
check pagemap-bad-range pagemap --all --range 5000-4000
check pagemap-bad-sort pagemap --all --sort moon
check pagemap-bad-top pagemap --all --top many
check pagemap-bad-option pagemap --moon
check pagemap-no-value pagemap --pid
check pagemap-argument pagemap 42
check pagemap-help pagemap --help

# two processes
export KMEMTRACE_PROC=$work/forked
check pagemap-compare pagemap --compare 42 43
like=pagemap-compare check pagemap-compare-wide pagemap --compare 42 child --wide --map heap
check pagemap-compare-csv pagemap --compare child 42 --csv
like=pagemap-json check pagemap-compare-json pagemap --compare 42 43 --json --top 2 --sort only_b
like=pagemap-compare check pagemap-compare-sort pagemap --compare 42 43 --sort rss --top 3
like=pagemap-compare check pagemap-compare-sort-a pagemap --compare 42 43 --sort swap_only_a --top 1
check pagemap-compare-unlike pagemap --compare 1 100042
check pagemap-compare-map-none pagemap --compare 42 43 --map moon
check pagemap-compare-odd pagemap --compare 70 42 --map c
check pagemap-compare-same pagemap --compare 42 42
check pagemap-compare-thread pagemap --compare 43 44
check pagemap-compare-kernel pagemap --compare 42 2
check pagemap-compare-zombie pagemap --compare 45 42
check pagemap-compare-gone pagemap --compare 42 60
check pagemap-compare-missing pagemap --compare 42 4711
check pagemap-compare-bad-maps pagemap --compare 80 42
check pagemap-compare-names pagemap --compare worker child
check pagemap-compare-one pagemap --compare 42
check pagemap-compare-three pagemap --compare 42 43 44
check pagemap-compare-pid pagemap --compare 42 --pid 43
check pagemap-compare-range pagemap --compare 42 43 --range 1-2
check pagemap-compare-summary pagemap --compare 42 43 --summary
check pagemap-compare-bad-sort pagemap --compare 42 43 --sort pss

no_memory pagemap --compare 42 43
no_memory pagemap --compare 42 43 --json
export KMEMTRACE_PROC=$work/proc
# failed allocations
no_memory pagemap --name worker
no_memory pagemap --pid 42 --csv --mappings
no_memory pagemap --name worker --json
