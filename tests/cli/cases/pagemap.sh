# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

# processes, from a directory that looks like /proc
./make_proc proc || exit 1
./make_proc hidden without || exit 1
export KMEMTRACE_PROC=$work/proc
check pagemap pagemap --pid 42
check pagemap-wide pagemap -p 42 --wide
check pagemap-csv pagemap --pid 42 --pid 1 --pid 42 --csv --mappings
check pagemap-json pagemap --pid 42 --json
check pagemap-json-summary pagemap --pid 42 --json --summary
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
check pagemap-kernel pagemap --pid 2
check pagemap-gone pagemap --pid 60
check pagemap-missing pagemap --pid 41 --pid 1
check pagemap-odd pagemap --pid 70 --csv
check pagemap-bad-maps pagemap --pid 80
export KMEMTRACE_PROC=$work/hidden
check pagemap-hidden pagemap --pid 42
check pagemap-hidden-all pagemap --name worker --json
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

export KMEMTRACE_PROC=$work/proc
# failed allocations
no_memory 1 pagemap --name worker
no_memory 1 pagemap --pid 42 --csv --mappings
no_memory 1 pagemap --name worker --json
