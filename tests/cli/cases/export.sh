# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

check export-list export --list
check export-help export --help
check export-no-format export golden.kmt
check export-bad-format export --to moon golden.kmt
check export-bad-kind export --to folded --kind moon golden.kmt
check export-bad-value export --to folded --value moon golden.kmt
check export-missing export --to folded nowhere.kmt
check export-no-recording export --to folded
check export-no-module export --to folded --live
check export-live-file export --to folded --live golden.kmt
check export-live-dhat export --to dhat --live
check export-list-file export --list golden.kmt
check export-no-output-name export --to folded -o '' golden.kmt
check html-no-output-name html -o '' golden.kmt
check export-state-filter export --to folded --filter 'cpu == 1' tags-now.tags
check export-two-states export --to folded tags-now.tags tags-then.tags
check export-output-is-directory export --to folded -o little golden.kmt

check export-folded export --to folded golden.kmt
check export-folded-stacks export --to folded stacks.kmt
check export-folded-peak export --to folded --value peak --kind slab stacks.kmt
check export-folded-kinds export --to folded --kind pages --kind percpu basic.kmt
check export-folded-slab-pages export --to folded --kind pages --kind slab basic.kmt
check export-folded-objects-no-frees export --to folded --value objects no-frees.kmt
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
check export-folded-module export --to folded --live
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

# the input is not replaced, by whatever name
cp golden.kmt input.kmt && ln -sf input.kmt link.kmt
for command in "export --to folded" html; do
	# shellcheck disable=SC2086 # the words of a command
	"$tool" $command -o link.kmt input.kmt 2>found
	[ $? -eq 2 ] && cmp -s golden.kmt input.kmt && [ ! -e input.kmt.old ] &&
		grep -q 'would replace its input' found
	verdict $? "${command%% *} does not replace its input"
done

# the default recording
mkdir default && cp golden.kmt default/kmemtrace.kmt
(cd default && "$tool" export --to folded 2>/dev/null) >found
"$tool" export --to folded golden.kmt 2>/dev/null | cmp - found
verdict $? "export reads kmemtrace.kmt without FILE"

# a loss is told on standard error, whatever has the notes
for command in "export --to speedscope" "export --to pprof" "export --to dhat" html; do
	# shellcheck disable=SC2086 # the words of a command
	"$tool" $command -o lossy.out cut.kmt 2>found
	[ $? -eq 3 ] && grep -q '^kmemtrace-user: LOST 3 events' found
	verdict $? "the exit status 3 has a message: $command"
done

# a saved state with sums below 0; a pipe
sed 's/^slab 520192/slab -520192/' tags-now.tags >below.tags
check export-folded-below-0 export --to folded below.tags
"$tool" export --to folded /dev/stdin < <(cat tags-now.tags) 2>found
[ $? -eq 1 ] && grep -q 'a state of accounting to disk' found
verdict $? "export says that a saved state needs a file" || sed 's/^/# /' found

# outputs have no directories, but the number of files
(cd .. && "$tool" export --to speedscope "$work/golden.kmt") 2>/dev/null |
	grep -q '"name":"golden.kmt'
verdict $? "the title has no directory"
"$tool" export --to speedscope little/cpu0.out little/cpu1.out 2>/dev/null |
	grep -q '"name":"cpu0.out and 1 more file;'
verdict $? "the title has the number of files"

# a pipe has no peak, and the file says so
for form in speedscope pprof; do
	"$tool" export --to $form - 2>/dev/null < <(cat stacks.kmt) |
		{ if [ $form = pprof ]; then zcat; else cat; fi; } |
		grep -qa 'there is no peak'
	verdict $? "$form from a pipe notes that it has no peak"
done

# lifetimes that are not known
"$tool" export --to dhat wrap.kmt 2>/dev/null | grep -q 'lifetimes are not known' &&
	! "$tool" export --to dhat golden.kmt 2>/dev/null | grep -q 'lifetimes are not known'
verdict $? "dhat says whether lifetimes are known"

# numbers of 2^63 and more
sed 's/^\(alloc 0 [0-9]* [^ ]* [^ ]*\) 100 128 /\1 100 18446744073709551000 /' \
	"$top/tests/cli/described/basic.txt" | ./mktrace little >huge.kmt
for form in speedscope dhat; do
	"$tool" export --to $form huge.kmt 2>/dev/null >found
	grep -q 'cut to 2^63 - 1' found && ! grep -qE '[:\[,]-[0-9]' found
	verdict $? "$form has no negative numbers"
done

no_memory 3 export --to folded --value peak golden.kmt
no_memory 1 export --to folded tags-now.tags
no_memory 1 export --to pprof tags-now.tags
no_memory 3 export --to pprof tasks.kmt
no_memory 5 export --to dhat basic.kmt
no_memory 5 export --to speedscope basic.kmt
