# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

check export-list export --list
check export-help export --help
check export-no-format export golden.kmt
check export-bad-format export --to moon golden.kmt
check export-bad-kind export --to folded --kind moon golden.kmt
check export-bad-value export --to folded --value moon golden.kmt
check export-missing export --to folded nowhere.kmt
check export-no-module export --to folded
check export-state-filter export --to folded --filter 'cpu == 1' tags-now.tags
check export-two-states export --to folded tags-now.tags tags-then.tags
check export-output-is-directory export --to folded -o little golden.kmt

check export-folded export --to folded golden.kmt
check export-folded-stacks export --to folded stacks.kmt
check export-folded-peak export --to folded --value peak --kind slab stacks.kmt
check export-folded-raw export --to folded --raw-ip --value allocs little/cpu0.out little/cpu1.out
check export-folded-no-frees export --to folded no-frees.kmt
check export-folded-alloc export --to folded --value alloc no-frees.kmt
check export-folded-temporary export --to folded --value temporary --since 1.02 golden.kmt
check export-folded-state export --to folded --kind slab tags-now.tags
check export-folded-state-peak export --to folded --value peak tags-now.tags
streamed stacks.kmt export-folded-peak-pipe export --to folded --value peak
same stacks export --to folded --value peak
piped golden.kmt export --to folded

new_machine
check export-folded-module export --to folded
export KMEMTRACE_DIR=$work/nowhere
unset KMEMTRACE_PROC KMEMTRACE_SYS

# shellcheck disable=SC2317 # called by check_through
json_lines() {
	sed 's/},{/},\n{/g; s/\],\[/],\n[/g'
}
# shellcheck disable=SC2317 # called by check_through
pprof_text() {
	python3 "$top/tests/exports/pprof_text.py"
}
check_through json_lines export-speedscope export --to speedscope ids.kmt
check_through json_lines export-speedscope-hostile export --to speedscope hostile.kmt
check_through json_lines export-speedscope-state export --to speedscope tags-now.tags
check_through json_lines export-speedscope-no-frees export --to speedscope no-frees.kmt
check_through json_lines export-dhat export --to dhat ids.kmt
check_through json_lines export-dhat-hostile export --to dhat hostile.kmt
check_through json_lines export-dhat-no-frees export --to dhat no-frees.kmt
streamed stacks.kmt export-dhat-pipe export --to dhat
check export-dhat-state export --to dhat tags-now.tags
check export-dhat-value export --to dhat --value live golden.kmt
check_through pprof_text export-pprof export --to pprof ids.kmt
check_through pprof_text export-pprof-hostile export --to pprof hostile.kmt
check_through pprof_text export-pprof-tasks export --to pprof --kind pages tasks.kmt
check_through pprof_text export-pprof-raw export --to pprof --kind slab --raw-ip tasks.kmt
check_through pprof_text export-pprof-state export --to pprof tags-now.tags
check_through pprof_text export-pprof-no-frees export --to pprof no-frees.kmt
check export-folded-hostile export --to folded hostile.kmt
piped tasks.kmt export --to folded

# each stack of each recording has the values of report
python3 "$top/tests/exports/totals.py" "$tool" ./*.kmt >differences
verdict $? "the formats have the names and sums of report" ||
	head -c 4000 differences | sed 's/^/# /'

# a file that exists is kept
echo before >stacks.folded
"$tool" export --to folded -o stacks.folded golden.kmt 2>/dev/null
[ "$(cat stacks.folded.old)" = before ] && "$tool" export --to folded golden.kmt 2>/dev/null |
	cmp - stacks.folded
verdict $? "export keeps the file from before"
private stacks.folded
"$tool" export --to folded -o stacks.folded nowhere.kmt 2>/dev/null
[ $? -eq 1 ] && [ -s stacks.folded ] && [ ! -e stacks.folded.part ]
verdict $? "export leaves the file as it is if it fails"

no_memory 3 export --to folded --value peak golden.kmt
no_memory 1 export --to folded tags-now.tags
no_memory 1 export --to pprof tags-now.tags
no_memory 3 export --to pprof tasks.kmt
no_memory 5 export --to dhat basic.kmt
no_memory 5 export --to speedscope basic.kmt
