# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

check allocinfo allocinfo --input tags-now.tags
sed 's/missed_calls 1/missed_calls 0/; s/ open$/ closed/' tags-now.tags >closed.tags
like=allocinfo check allocinfo-closed allocinfo --input closed.tags --top 1
like=allocinfo check allocinfo-verbose allocinfo --input closed.tags --top 1 -v
{ cat closed.tags && printf '# stat survey%s\n' ' 1' '_corrected_bytes 2048' '_complete 0'; } >stopped.tags
check_through "grep earlier/" allocinfo-survey-blocked allocinfo --input stopped.tags
sed 's/^# stat accounting 1/# stat accounting 0/' stopped.tags >off.tags
check_through "grep earlier/" allocinfo-survey-stopped allocinfo --input off.tags
sed 's/survey_complete 0/survey_complete 1/' stopped.tags >survey.tags
like=allocinfo check allocinfo-survey allocinfo --input survey.tags --top 1
{ cat survey.tags && printf '# stat survey_%s\n' 'unread_slabs 1' 'untracked_slabs 20'; } >slabs.tags
check_through "grep earlier/" allocinfo-survey-slabs allocinfo --input slabs.tags
check_through "grep survey" allocinfo-survey-json allocinfo --input slabs.tags --json
{ cat survey.tags && echo '# stat survey_cpu_lists 1'; } >survey-cpus.tags
like=allocinfo check allocinfo-survey-cpus allocinfo --input survey-cpus.tags --top 1
{ cat stopped.tags && echo '# stat survey_running 1'; } >running.tags
like=allocinfo check allocinfo-survey-running allocinfo --input running.tags --top 1
# why allocations were untracked: the parameter of a table that was full
for full in 'objects_refused 3/max_objects 1000' 'classes_refused 3/classes_full 1/max_tags 16' \
	'classes_refused 3/classes_full 0/max_tags 16'; do
	{ cat closed.tags && echo "# stat ${full//\//$'\n'# stat }"; } >full.tags
	check "allocinfo-full-${full//[ \/_]/-}" allocinfo -i full.tags --top 1
done
like=allocinfo check allocinfo-top allocinfo -i tags-now.tags --top 2 --sort oldest
like=allocinfo check allocinfo-all allocinfo -i tags-now.tags --top 0 --sort site
check allocinfo-kind allocinfo -i tags-now.tags --kind slab --sort waste
check allocinfo-json allocinfo -i tags-now.tags --json
check allocinfo-diff allocinfo -i tags-now.tags --diff tags-then.tags
like=allocinfo-json check allocinfo-json-top allocinfo -i tags-now.tags --json --top 2 --kind slab
sed '$a# stat accounting_since_ns 7' tags-now.tags >restarted.tags
sed '$a# stat accounting_since_ns 5' tags-then.tags >before.tags
like=allocinfo-json check allocinfo-diff-json \
	allocinfo -i restarted.tags --diff before.tags --force --json --top 1
check allocinfo-diff-restarted allocinfo -i restarted.tags --diff before.tags
like=allocinfo-diff check allocinfo-diff-forced \
	allocinfo -i restarted.tags --diff before.tags --force
like=allocinfo-diff check allocinfo-diff-back allocinfo -i tags-then.tags --diff tags-now.tags
like=allocinfo-diff-back check allocinfo-diff-top \
	allocinfo -i tags-then.tags --diff tags-now.tags --top 1

check allocinfo-save-diff allocinfo -i tags-now.tags --save both.tags --diff tags-then.tags
check allocinfo-save-json allocinfo -i tags-now.tags --save both.tags --json
check allocinfo-save allocinfo -i tags-now.tags --save saved.tags
cmp tags-now.tags saved.tags
verdict $? "the saved file is equal to the input"
private saved.tags
save_now() { # FILE
	"$tool" allocinfo -i tags-now.tags --save "$1" 2>saved.log
}
saves_to_fifo() {
	mkfifo fifo
	cat fifo >from-fifo &
	save_now fifo && wait $! && [ -p fifo ] && cmp tags-now.tags from-fifo
}
saves_to_target() {
	mkdir elsewhere
	cp tags-now.tags elsewhere/target
	ln -s elsewhere/target link
	save_now link && [ -L link ] && cmp tags-now.tags elsewhere/target &&
		cmp tags-now.tags elsewhere/target.old
}
saves_to_null() {
	save_now /dev/null && [ -c /dev/null ]
}
saves_to_stdout() {
	save_now - >from-stdout && cmp tags-now.tags from-stdout
}
refuses_directory() {
	! save_now elsewhere && grep -q 'elsewhere is a directory' saved.log &&
		! ls elsewhere.part 2>/dev/null
}
saves_to_fifo
verdict $? "a pipe is written to"
saves_to_target
verdict $? "the target of a link is written to"
saves_to_null
verdict $? "a device is written to"
saves_to_stdout
verdict $? "- is standard output"
keeps kept.tags allocinfo -i tags-now.tags --save kept.tags
refuses_directory
verdict $? "a directory is refused"
too_large() {
	head -c 100000 /dev/zero | tr '\0' '#' | cat tags-now.tags - >large.tags
	(
		ulimit -f 1
		exec "$tool" allocinfo -i large.tags --save large-saved.tags
	) 2>saved.log
	[ $? -eq 1 ] && grep -q 'cannot write large-saved.tags: File too large' saved.log
}
too_large
verdict $? "a file size limit is an error like any other"
closed_stdout() {
	! "$tool" allocinfo -i tags-now.tags --save - 2>saved.log >&- &&
		grep -q 'standard output is closed' saved.log &&
		! "$tool" report golden.kmt 2>saved.log >&- &&
		grep -q 'cannot write the output' saved.log
}
closed_stdout
verdict $? "a closed standard output is an error"

check allocinfo-bad allocinfo -i bad.tags
check allocinfo-newer allocinfo -i newer.tags
check allocinfo-noise allocinfo -i noise
check allocinfo-save-loop allocinfo -i tags-now.tags --save loop
check allocinfo-missing allocinfo -i nowhere.tags
# of a tool that was killed
: >part.tags.part
check allocinfo-part allocinfo -i part.tags
check allocinfo-diff-part allocinfo -i tags-now.tags --diff part.tags
check allocinfo-bad-option allocinfo --moon
check allocinfo-no-value allocinfo --top
check allocinfo-bad-sort allocinfo --sort moon
check allocinfo-bad-kind allocinfo --kind moon
check allocinfo-bad-top allocinfo --top many
check allocinfo-argument allocinfo now
check allocinfo-no-module allocinfo
check allocinfo-full allocinfo -i tags-now.tags --save /dev/full/x
check allocinfo-help allocinfo --help

# modules of other versions
new_machine
sed -i '1s/1$/3/' machine/tags
check allocinfo-newer-module allocinfo

new_machine
# failed allocations
no_memory allocinfo -i tags-now.tags --json
no_memory allocinfo --top 3
no_memory allocinfo --diff tags-then.tags --force
