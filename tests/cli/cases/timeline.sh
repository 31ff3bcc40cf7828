# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

unset COLUMNS
LC_ALL=C check timeline timeline golden.kmt
LC_ALL=C.UTF-8 COLUMNS=50 check timeline-utf8 timeline --kind slab --top 2 golden.kmt
LC_ALL=C COLUMNS=1 like=timeline check timeline-narrow timeline -n 1 --by kind golden.kmt
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
LC_ALL=C.UTF-8 like=timeline check timeline-kind-page timeline --kind page --top 1 golden.kmt
check timeline-after-end timeline --since 200% golden.kmt
LC_ALL=C.UTF-8 check timeline-kinds timeline --kind slab --kind percpu --top 1 basic.kmt
check timeline-bad-kind timeline --kind moon golden.kmt
check timeline-bad-by timeline --by moon golden.kmt
check timeline-missing timeline nowhere.kmt
check timeline-help timeline --help

# pictures
check_through svg_text timeline-svg timeline --svg golden.kmt
like=timeline-svg check_through svg_text timeline-svg-narrow \
	timeline --svg --width 400 -n 1 --by process tasks.kmt
like=timeline-svg-narrow check_through svg_text timeline-svg-hostile timeline --svg hostile.kmt
like=timeline-svg check_through svg_text timeline-svg-nothing \
	timeline --svg --filter 'bytes_req > 1G' golden.kmt
check timeline-svg-missing timeline --svg -o missing.svg nowhere.kmt
check timeline-svg-directory timeline --svg -o little golden.kmt
check timeline-svg-width timeline --svg --width 20001 golden.kmt
check timeline-output-only timeline -o timeline.svg golden.kmt
check timeline-width-only timeline --json --width 400 golden.kmt
"$tool" timeline --svg -o timeline.svg golden.kmt 2>/dev/null
"$tool" timeline --svg golden.kmt 2>/dev/null | cmp - timeline.svg
verdict $? "timeline --svg -o writes the same picture"
keeps timeline.svg timeline --svg -o timeline.svg golden.kmt
private timeline.svg
[ ! -e missing.svg ] && [ ! -e missing.svg.part ]
verdict $? "timeline leaves no picture if it fails"
# shellcheck disable=SC2046 # names without blanks
python3 "$top/tests/exports/timelines.py" "$tool" $(recordings) >differences
verdict $? "timeline --svg and Perfetto have the figures of timeline --json" ||
	head -c 4000 differences | sed 's/^/# /'

# failed allocations
no_memory timeline golden.kmt
no_memory timeline --json golden.kmt
no_memory timeline --svg -o - golden.kmt

# members that no case above prints
for by in site cache gfp order node cpu size process; do
	print_keys timeline --json --by $by tasks.kmt
done
