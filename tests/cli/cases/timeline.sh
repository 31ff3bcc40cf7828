# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

unset COLUMNS
LC_ALL=C check timeline timeline golden.kmt
LC_ALL=C.UTF-8 COLUMNS=50 check timeline-utf8 timeline --kind slab --top 2 golden.kmt
LC_ALL=C COLUMNS=1 check timeline-narrow timeline -n 1 --by kind golden.kmt
LC_ALL=C check timeline-process timeline --by process tasks.kmt
LC_ALL=C check timeline-filter timeline --since 1.02 --until 1.05 -f 'cpu == 1' golden.kmt
LC_ALL=C COLUMNS=40 check timeline-partial timeline partial.kmt
LC_ALL=C COLUMNS=40 check timeline-nothing timeline --filter 'bytes_req > 1G' golden.kmt
check_through "head -n 7" timeline-csv timeline --csv --top 2 golden.kmt
# shellcheck disable=SC2317 # called by check_through
timeline_json() { # the arrays have hundreds of elements: print each twentieth
	awk '/^ +-?[0-9]+,?$/ && n++ % 20 { next } { print }'
}
check_through timeline_json timeline-json timeline --json -n 1 --by kind golden.kmt
check timeline-raw timeline cpu0.out
check timeline-no-frees timeline no-frees.kmt
check timeline-kind-page timeline --kind page --top 1 golden.kmt
check timeline-after-end timeline --since 200% golden.kmt
check timeline-bad-kind timeline --kind moon golden.kmt
check timeline-bad-by timeline --by moon golden.kmt
check timeline-missing timeline nowhere.kmt
check timeline-help timeline --help

# failed allocations
no_memory 1 timeline golden.kmt
no_memory 3 timeline --json golden.kmt

# members that no case above prints
for by in site cache gfp order node cpu size process; do
	print_keys timeline --json --by $by tasks.kmt
done
