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
check export-list-file export --list golden.kmt
check export-no-output-name export --to folded -o '' golden.kmt
check html-no-output-name html -o '' golden.kmt
check export-state-filter export --to folded --filter 'cpu == 1' tags-now.tags
check export-two-states export --to folded tags-now.tags tags-then.tags
check export-output-is-directory export --to folded -o little golden.kmt

check export-folded export --to folded golden.kmt
check export-folded-stacks export --to folded stacks.kmt
like=export-folded-stacks check export-folded-peak \
	export --to folded --value peak --kind slab stacks.kmt
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
pprof_text() {
	python3 "$top/tests/exports/pprof_text.py"
}
check_through pprof_text export-pprof export --to pprof ids.kmt
like=export-pprof check_through pprof_text export-pprof-hostile export --to pprof hostile.kmt
like=export-pprof check_through pprof_text export-pprof-tasks \
	export --to pprof --kind pages tasks.kmt
like=export-pprof-tasks check_through pprof_text export-pprof-raw \
	export --to pprof --kind slab --raw-ip tasks.kmt
check_through pprof_text export-pprof-state export --to pprof tags-now.tags
like=export-pprof check_through pprof_text export-pprof-no-frees export --to pprof no-frees.kmt
check export-perfetto-state export --to perfetto tags-now.tags
check export-perfetto-no-frees export --to perfetto no-frees.kmt
check export-perfetto-hostile export --to perfetto hostile.kmt
check export-perfetto-filter export --to perfetto --kind slab --filter 'cpu == 0' --until 10 basic.kmt
like=export-folded-slab-pages check export-folded-hostile export --to folded hostile.kmt
piped tasks.kmt export --to folded

# each stack of each recording has the values of report
# shellcheck disable=SC2046 # names without blanks
python3 "$top/tests/exports/totals.py" "$tool" $(recordings) >differences
verdict $? "the formats have the names and sums of report" ||
	head -c 4000 differences | sed 's/^/# /'

# copies and exports without addresses and names
python3 "$top/tests/exports/no_addresses.py" "$tool" \
	{allocs,basic,basic-big,cut,damaged,golden,hostile,kept,moved,moved-big,stacks,tasks,tasks-big,violations,wrap}.kmt \
	>differences 2>&1
verdict $? "without addresses, outputs have the same figures and none of the addresses" ||
	head -c 4000 differences | sed 's/^/# /'
# a location without a function has its address twice
sed 's,mm/filemap.c:1919 func:__filemap_get_folio,0xffffffffc0123456+0x0:0 func:0xffffffffc0123456,' \
	tags-now.tags >unknown.tags
for format in allocinfo prometheus folded; do
	"$tool" export --to $format --no-addresses unknown.tags >out 2>/dev/null &&
		grep -q site1 out && ! grep -q c0123456 out
	verdict $? "no address of a state is in $format"
done
for option in --json "--save saved.tags"; do
	# shellcheck disable=SC2086 # two words
	"$tool" allocinfo -i unknown.tags --no-addresses $option >out 2>/dev/null
	[ "$option" = --json ] || cp saved.tags out
	grep -q site1 out && ! grep -Eq 'c0123456|ffffffff8|18446744[0-9]{12}|81234567' out
	verdict $? "no address of a state is in the output of allocinfo $option"
done
"$tool" allocinfo -i unknown.tags --top 0 | grep -v c0123456 >out
"$tool" allocinfo -i saved.tags --top 0 | grep -v site >from-saved
cmp -s out from-saved
verdict $? "... with the same figures"
printf '# stat boot_id 0d1e2f\n# stat kernel 6.1\n' | cat tags-now.tags - >boot.tags
"$tool" allocinfo -i boot.tags --no-addresses --save saved.tags 2>/dev/null
! grep -q 0d1e2f saved.tags && grep -q 'kernel 6.1' saved.tags
verdict $? "... without the id of the boot"
"$tool" allocinfo -i tags-now.tags --no-addresses --save /dev/full >/dev/null 2>&1
verdict $((! $?)) "... a full disk fails"
cp unknown.tags db7.example.com.tags
for format in prometheus folded pprof sqlite; do
	"$tool" export --to $format --no-addresses --hash-names key -o out.state db7.example.com.tags
	gzip -dc out.state 2>/dev/null >out || cp out.state out
	! grep -aq db7.example out
	verdict $? "the name of a state's file is not in $format"
	rm -f out.state*
done
rm out
"$tool" html --hash-names key -o out db7.example.com.tags
! grep -q db7.example out && grep -q '"title":"h-' out
verdict $? "... nor in a page"
rm -f out out.old saved.tags saved.tags.old from-saved boot.tags unknown.tags db7.example.com.tags
check export-recording-as-it-is export --to recording golden.kmt
check export-recording-no-key export --to recording --hash-names "" golden.kmt
# KEY: from a file or the environment, so that no other user sees it
hashed() { # KEY FILE: copies a recording
	"$tool" export --to recording --hash-names "$1" -o "$2" tasks.kmt >out 2>&1 &&
		rm -f "$2.old"
}
printf 'a key\nanother line\n' >key
printf 'a key' >key-only
: >key-empty
printf '\n' >key-line
printf 'a\0key\n' >key-zero
printf '%0256d\n' 1 >key-longest
printf '%0257d\n' 1 >key-too-long
hashed 'a key' by-text.kmt
"$tool" export --to recording --hash-names 'a key' -o by-cgroup.kmt cgroups.kmt >out 2>&1
"$tool" report --by cgroup by-cgroup.kmt >out 2>&1
! grep -aq 'service\|slice' by-cgroup.kmt && [ "$(grep -c '/h-[A-Za-z0-9_-]*$' out)" -ge 2 ]
verdict $? "the paths of cgroups are hashed" || sed 's/^/# /' out
"$tool" info by-cgroup.kmt >out 2>&1
! grep -q 'slice' out && [ "$(grep -cE 'held_files.*a7 [23] /h-[A-Za-z0-9_-]*$' out)" -eq 2 ]
verdict $? "... and so are those where a tmpfs is mounted" || sed 's/^/# /' out
grep -qE 'held_backlogs.*3a5f 7 tcp/h-[A-Za-z0-9_-]*$' out
verdict $? "... and the addresses of listening sockets" || sed 's/^/# /' out
for key in 'pass:a key' file:key file:key-only 'env:KMT_KEY' 'file:/dev/stdin'; do
	echo 'a key' | KMT_KEY='a key' hashed "$key" by-other.kmt && cmp -s by-text.kmt by-other.kmt
	verdict $? "the same hashes with --hash-names $key"
done
hashed file:key-longest by-other.kmt && ! cmp -s by-text.kmt by-other.kmt
verdict $? "a key of 256 bytes"
for key in pass: file:key-empty file:key-line file:key-zero file:key-too-long file:nowhere \
	file:. env:KMT_KEY_EMPTY env:KMT_KEY_NONE "$(cat key-too-long)"; do
	KMT_KEY_EMPTY='' "$tool" export --to recording --hash-names "$key" -o refused.kmt \
		tasks.kmt 2>&1
	echo "exit status $? for ${key::20}"
	[ ! -e refused.kmt ] || echo "... and there is a file"
done >refused
check_through "cat refused -" export-recording-keys export --to recording --hash-names file:/dev/zero golden.kmt
rm -f key key-* by-*.kmt refused

check export-recording-filter export --to recording --no-addresses --filter 'cpu == 1' golden.kmt
check export-recording-raw export --to recording --no-addresses little/cpu0.out
# a filter would be applied to the new values, and be part of the output
filter_refused() { # FILTER OPTION...
	for command in "export --to folded" flame html "timeline --svg"; do
		# shellcheck disable=SC2086 # the words of a command
		"$tool" $command "${@:2}" --filter "$1" -o refused tasks.kmt 2>found
		[ $? -eq 1 ] && grep -q 'filter the copy by the new values' found && [ ! -e refused ]
		verdict $? "${command%% *} $2 does not take the filter $1"
	done
}
filter_refused 'comm == "bash"' --hash-names k
filter_refused 'bytes_req > 1 && COMM != "x"' --hash-names k
filter_refused 'ptr == 0xffff888000001000' --no-addresses
filter_refused '!(stack != -2130706416)' --no-addresses
filter_refused 'call_site.function == 0xffffffff81000010' --no-addresses
for filter in 'call_site.function == alpha && cache == "comm" || bytes_req == 100' 'cpu == 0'; do
	"$tool" export --to folded --value allocs --no-addresses --hash-names k \
		--filter "$filter" tasks.kmt >out 2>found
	grep -q "alpha" out
	verdict $? "... but the filter $filter"
done
rm -f out
check export-recording-two export --to recording --no-addresses little/cpu0.out little/cpu1.out
check export-recording-state export --to recording --no-addresses tags-now.tags
"$tool" export --to recording --no-addresses -o copy.kmt - 2>err < <(cat golden.kmt)
[ $? -eq 1 ] && grep -q "save it to a file first" err && [ ! -e copy.kmt ]
verdict $? "a pipe cannot be copied without addresses"
like=export-pprof-state check_through pprof_text export-pprof-state-no-addresses \
	export --to pprof --no-addresses tags-now.tags
check export-folded-no-addresses export --to folded --no-addresses --raw-ip moved.kmt
"$tool" export --to recording --no-addresses -o /dev/full golden.kmt >/dev/null 2>&1
verdict $((! $?)) "a full disk fails the copy"
ulimit_copy() {
	(
		trap '' XFSZ
		ulimit -f 1
		"$tool" export --to recording --no-addresses -o full.kmt stacks.kmt
	) >/dev/null 2>&1
}
! ulimit_copy && [ ! -e full.kmt ] && [ ! -e full.kmt.part ]
verdict $? "... and leaves no file"
mkdir little-room
for command in "export --to folded" flame html "timeline --svg"; do
	(
		trap '' XFSZ
		ulimit -f 1
		# shellcheck disable=SC2086 # the words of a command
		TMPDIR=little-room "$tool" $command --no-addresses -o full stacks.kmt
	) >found 2>&1
	[ $? -eq 1 ] && grep -q 'set TMPDIR to a place with more room' found &&
		[ ! -e full ] && rmdir little-room
	verdict $? "... ${command%% *}: nor does a temporary copy, and a message says where it was" ||
		sed 's/^/# /' found
	mkdir -p little-room
done
rmdir little-room
# a copy tells that the description of its recording is damaged, or more
python3 - tasks.kmt >no-meta.kmt <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at = struct.unpack_from("<H", data, 14)[0]
while struct.unpack_from("<IH", data, at)[1] != 1:
    at += 48 + (struct.unpack_from("<I", data, at + 12)[0] + 7 & ~7)
data[at + 50] ^= 1
sys.stdout.buffer.write(data)
END
"$tool" export --to recording --no-addresses -o copy.kmt no-meta.kmt >out 2>&1
[ $? -eq 3 ] && grep -q '1 damaged part is left out' out
verdict $? "a copy without the description of its recording is no success"
# what is unknown is left out of the copy, which then counts it as a part
figures() { # FILE: the report without the number of unknown parts
	"$tool" report "$1" 2>&1 | grep -v '^skipped '
	return "${PIPESTATUS[0]}"
}
figures no-meta.kmt >out
status=$?
figures copy.kmt >from-copy
[ $? -eq $status ] && grep -q 'is damaged' out && cmp -s out from-copy
verdict $? "... and its reports tell of the damage" || diff out from-copy | sed 's/^/# /'
rm -f copy.kmt no-meta.kmt from-copy

# messages say which file is wrong, and how
mkdir refused.part
for command in "export --to folded" flame html "timeline --svg" "export --to recording --hash-names k"; do
	# shellcheck disable=SC2086 # the words of a command
	"$tool" $command -o refused tasks.kmt 2>found
	[ $? -eq 1 ] && grep -q 'cannot create refused.part: something else has that name' found
	verdict $? "${command%% *}: the directory refused.part is in the way" || sed 's/^/# /' found
done
rmdir refused.part
for command in timeline report script "export --to ctf -o refused" "check"; do
	# shellcheck disable=SC2086 # the words of a command
	! "$tool" $command tags-now.tags >out 2>found &&
		grep -qE 'tags-now.tags is a state of accounting, but|needs a recording$' found
	verdict $? "${command%% *} says that a state is no recording" || sed 's/^/# /' found
done
"$tool" flame --no-addresses -o refused noise 2>found
[ $? -eq 1 ] && grep -q 'and noise is none' found
verdict $? "a text cannot be written without addresses" || sed 's/^/# /' found

# addresses in words: after letters, without 0x, in capitals, as negative numbers
sed -e 's/^cpus=4/&\ncommand=a -x0xffffffff81000010 y_0xffffffff81000011 -- ffffffff81000012 FFFFFFFF81000013 +-2130706412 -9 -100000 1234567890 deadbeef/' \
	-e 's/^cpus=4/&\nfilter=kmem:kmalloc: node == -1 || ptr != -0x7effffeb || call_site == 0XFFFFFFFF81000016/' \
	-e 's/^cpus=4/&\nmoon=ffffffff81000017/; s/^events=5/&\nmoon=ffffffff81000018/' \
	"$top/tests/cli/described/tasks.txt" | "$work/mktrace" little >words.kmt
"$tool" export --to recording --no-addresses -o copy.kmt words.kmt 2>found
"$tool" info copy.kmt >out
! grep -qiE '8100001[0-9a-f]|21307064|7effffeb|moon' out && grep -q '^left_out_newer *3$' out &&
	grep -q ' -9 -100000 1234567890 deadbeef$' out && grep -q ': node == -1 || ptr != 0x' out
verdict $? "a copy has no address in words, and no key that is unknown" || sed 's/^/# /' out
rm -f words.kmt copy.kmt out

no_memory export --to recording --no-addresses --hash-names key -o copy.kmt moved.kmt
no_memory export --to folded --no-addresses tasks.kmt

# an output that would rename or replace the input is refused
for end in '' .old .part .part.old; do
	cp basic.kmt "out$end"
	"$tool" export --to pprof -o out "out$end" >/dev/null 2>&1
	[ $? -eq 2 ] && cmp -s basic.kmt "out$end"
	verdict $? "the input out$end is not replaced"
	rm -f out out.*
done
cp leak.kmt out
"$tool" timeline --svg -o out out >/dev/null 2>&1
[ $? -eq 2 ] && cmp -s leak.kmt out
verdict $? "... nor by a timeline"
rm -f out
rm -f fifo # of another case
mkfifo fifo
timeout 100 "$tool" export --to sqlite -o fifo golden.kmt >/dev/null 2>&1
[ $? -eq 1 ]
verdict $? "a database is not written to a pipe, which nobody opens"
rm -f fifo
"$tool" export --to recording --no-addresses -o out golden.kmt 2>/dev/null
[ $? -eq 3 ]
verdict $? "a copy tells that events were lost"
rm -f out

# a file that exists is replaced only if it has the same format, which folded has not
for format in pprof perfetto sqlite "recording --hash-names k"; do
	# shellcheck disable=SC2086 # the words of an option
	keeps kept.out export --to $format -o kept.out leak.kmt
done
for format in prometheus allocinfo; do
	keeps kept.out export --to $format -o kept.out tags-now.tags
done
"$tool" export --to folded -o stacks.folded golden.kmt 2>/dev/null
"$tool" export --to folded golden.kmt 2>/dev/null | cmp - stacks.folded
verdict $? "export writes the file"
private stacks.folded
"$tool" export --to folded -o stacks.folded leak.kmt 2>err
[ $? -eq 1 ] && grep -q 'stacks.folded exists' err && [ ! -e stacks.folded.old ]
verdict $? "stacks do not replace a file"
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
rm input.kmt link.kmt

# standard output by another name is not the file under it
for command in "export --to folded" flame html "timeline --svg" "export --to recording --hash-names k"; do
	rm -f whole whole.old direct direct.old
	echo before >direct
	# shellcheck disable=SC2086 # the words of a command
	{
		"$tool" $command -o whole leak.kmt 2>/dev/null
		"$tool" $command -o /dev/stdout leak.kmt 2>/dev/null >>direct
	}
	(echo before && cat whole) | cmp -s - direct && [ ! -e direct.old ]
	verdict $? "$command -o /dev/stdout writes to standard output"
done
# shellcheck disable=SC2094 # the tool refuses
"$tool" export --to sqlite -o /dev/fd/1 golden.kmt >direct 2>found
[ $? -eq 1 ] && grep -q 'sqlite needs a file' found && [ ! -s direct ]
verdict $? "a database is not written to a descriptor"
rm -f whole direct found

# the default recording
mkdir default && cp golden.kmt default/kmemtrace.kmt
(cd default && "$tool" export --to folded 2>/dev/null) >found
"$tool" export --to folded golden.kmt 2>/dev/null | cmp - found
verdict $? "export reads kmemtrace.kmt without FILE"

# a loss is told on standard error, whatever has the notes
for command in "export --to "{folded,pprof,perfetto,sqlite,ctf} flame html "timeline --svg" script; do
	# shellcheck disable=SC2086 # the words of a command
	if [ "$command" = script ]; then
		"$tool" script cut.kmt >/dev/null 2>found
	else
		"$tool" $command -o "lossy.${command##* }" cut.kmt 2>found
	fi
	[ $? -eq 3 ] && grep -q '^kmemtrace-user: LOST 3 events in [0-9]* gaps*, up to' found
	verdict $? "the exit status 3 has a message: $command"
done

# a saved state with sums below 0; a pipe
sed 's/^slab 520192/slab -520192/' tags-now.tags >below.tags
check export-folded-below-0 export --to folded below.tags
rm below.tags
"$tool" export --to folded /dev/stdin < <(cat tags-now.tags) 2>found
[ $? -eq 1 ] && grep -q 'a state of accounting to disk' found
verdict $? "export says that a saved state needs a file" || sed 's/^/# /' found

# outputs have no directories, but the number of files
(cd .. && "$tool" export --to pprof "$work/golden.kmt") 2>/dev/null | pprof_text |
	grep -q '^# golden.kmt'
verdict $? "the title has no directory"
"$tool" export --to pprof little/cpu0.out little/cpu1.out 2>/dev/null | pprof_text |
	grep -q '^# cpu0.out and 1 more file$'
verdict $? "the title has the number of files"

# a pipe has no peak, and the file says so
"$tool" export --to pprof - 2>/dev/null < <(cat stacks.kmt) | pprof_text |
	grep -q 'there is no peak'
verdict $? "pprof from a pipe notes that it has no peak"

# numbers of 2^63 and more
sed 's/^\(alloc 0 [0-9]* [^ ]* [^ ]*\) 100 128 /\1 100 18446744073709551000 /' \
	"$top/tests/cli/described/basic.txt" | ./mktrace little >huge.kmt
"$tool" export --to pprof huge.kmt 2>/dev/null | pprof_text >found
grep -q 'cut to 2^63 - 1' found && grep -q 9223372036854775807 found &&
	! grep -qE '^sample .*[ [][0-9]{20}' found
verdict $? "pprof has no number above 2^63 - 1"
rm huge.kmt

no_memory export --to folded --value peak golden.kmt
no_memory export --to folded tags-now.tags
no_memory export --to pprof tags-now.tags
no_memory export --to pprof tasks.kmt
no_memory export --to perfetto basic.kmt

# a database: each event, site, loss, and the memory that is live
check export-sqlite-stdout export --to sqlite golden.kmt
check export-sqlite-device export --to sqlite -o /dev/null golden.kmt
check export-sqlite-value export --to sqlite --value live -o data.db golden.kmt
check export-sqlite-filter export --to sqlite --filter 'moon == 1' -o data.db golden.kmt
check export-sqlite-missing export --to sqlite -o data.db nowhere.kmt
# shellcheck disable=SC2317 # called by check_through
database_rows() {
	python3 -c 'import sqlite3
for line in sqlite3.connect("data.db").iterdump():
    if line.startswith("INSERT") and "tool_version" not in line: print(line)'
}
check_through database_rows export-sqlite-hostile export --to sqlite -o data.db hostile.kmt
private data.db
check_through database_rows export-sqlite-kind export --to sqlite --kind pages \
	--filter 'order == 0' --until 1.00004 -o data.db stacks.kmt
like=export-sqlite-hostile check_through database_rows export-sqlite-raw \
	export --to sqlite --raw-ip --until 1.01 \
	-o data.db golden.kmt
check_through database_rows export-sqlite-state export --to sqlite -o data.db tags-now.tags
new_machine
module_rows() {
	database_rows | sed "s/'$(uname -r)'/'THIS KERNEL'/"
}
check_through module_rows export-sqlite-module export --to sqlite --live --kind slab -o data.db
export KMEMTRACE_DIR=$work/nowhere
unset KMEMTRACE_PROC KMEMTRACE_SYS
# shellcheck disable=SC2046 # names without blanks
python3 "$top/tests/exports/database.py" "$tool" "$top/README.md" $(recordings) ./*.tags >differences
verdict $? "a database has the events and sites of script and report" ||
	head -c 4000 differences | sed 's/^/# /'

# shellcheck disable=SC2094 # the tool does not write to its input
from_pipe() {
	"$tool" export --to sqlite -o data.db "$1" 2>/dev/null
	database_rows >by-name
	"$tool" export --to sqlite -o data.db - <"$1" 2>/dev/null
	database_rows >by-input
	"$tool" export --to sqlite -o data.db - < <(cat "$1") 2>/dev/null
	database_rows >by-pipe
	[ -s by-name ] && cmp by-name by-input && cmp by-name by-pipe
}
from_pipe tasks.kmt
verdict $? "a database is the same from a pipe"

# Ends the tool by a signal while it waits for its input.
ended_by() { # SIGNAL FORMAT OUTPUT
	local status child
	[ -p stream ] || mkfifo stream || return 1
	# otherwise the signal would end the shell before it runs the tool
	rm -rf "$3.part"
	# under nohup, the tool would ignore SIGHUP
	env --default-signal="$1" "$tool" export --to "$2" -o "$3" stream &
	child=$!
	until [ -e "$3.part" ]; do
		kill -0 $child || return 1
	done
	kill -"$1" $child
	wait $child 2>/dev/null
	status=$?
	[ $status -eq $((128 + $(kill -l "$1"))) ] && [ ! -e "$3.part" ]
}
cp data.db ended.db
for signal in TERM HUP; do
	ended_by $signal sqlite ended.db && cmp data.db ended.db
	verdict $? "a database that a signal ends leaves nothing: $signal"
done
too_large_for() { # FORMAT OUTPUT
	(
		ulimit -f 8
		exec "$tool" export --to "$1" -o "$2" stacks.kmt
	) 2>saved.log
	[ $? -eq 1 ] && grep -q "cannot write $2: $3" saved.log && [ ! -e "$2.part" ]
}
too_large_for sqlite ended.db "" && cmp data.db ended.db
verdict $? "a database on a full disk is an error, and leaves nothing"

# a trace: each field of each event, and each loss
check export-ctf-stdout export --to ctf golden.kmt
check export-ctf-state export --to ctf -o trace.ctf tags-now.tags
check export-ctf-not-empty export --to ctf -o little golden.kmt
check export-ctf-file export --to ctf -o golden.kmt basic.kmt
check export-ctf-nowhere export --to ctf -o nowhere/trace.ctf basic.kmt
check export-ctf-missing export --to ctf -o trace.ctf nowhere.kmt
mkdir busy.part
exec 8<busy.part
flock 8
check export-ctf-busy export --to ctf -o busy basic.kmt
exec 8<&-
echo before >busy.part/events
check export-ctf-left export --to ctf -o busy basic.kmt
[ -e busy/metadata ] && [ ! -e busy.part ] && [ "$(cat busy.part.old/events)" = before ]
verdict $? "a directory that was left by a killed process is kept"
rm -r busy
mkdir busy.part
echo before >busy.part/events
check export-ctf-left-twice export --to ctf -o busy basic.kmt
rm -r busy.part busy.part.old
mkdir linked
ln -s linked to-linked
"$tool" export --to ctf -o to-linked/ basic.kmt 2>found && [ -h to-linked ] && [ -e linked/metadata ]
verdict $? "a link to an empty directory stays" || sed 's/^/# /' found
rm -r linked to-linked
mkdir linked
cd linked || exit 1
check export-ctf-current export --to ctf -o . ../basic.kmt
cd .. && rmdir linked
# shellcheck disable=SC2317 # called by check_through
metadata() {
	grep -v tracer_version trace.ctf/metadata
	od -A d -t x1 trace.ctf/events | head -n 6
	rm -r trace.ctf
}
check_through metadata export-ctf export --to ctf -o trace.ctf hostile.kmt
like=export-ctf check_through metadata export-ctf-kind \
	export --to ctf -o trace.ctf/ --kind percpu --raw-ip \
	--filter 'cpu == 1' stacks.kmt
mkdir trace.ctf
"$tool" export --to ctf -o trace.ctf golden.kmt 2>/dev/null
[ "$(stat -c %a trace.ctf trace.ctf/*)" = "$(printf '700\n600\n600')" ]
verdict $? "an empty directory is replaced, and only the owner has access"
# a loss before the first event
sed '/^alloc 0 0 /d' "$top/tests/cli/described/basic.txt" | ./mktrace little >first-lost.kmt
# shellcheck disable=SC2046 # names without blanks
python3 "$top/tests/exports/traces.py" "$tool" own $(recordings) >differences
verdict $? "a trace has the events and losses of script" ||
	head -c 4000 differences | sed 's/^/# /'
for signal in TERM HUP; do
	ended_by $signal ctf ended.ctf && [ ! -e ended.ctf ]
	verdict $? "a trace that a signal ends leaves nothing: $signal"
done
too_large_for ctf ended.ctf "File too large" && [ ! -e ended.ctf ]
verdict $? "a trace on a full disk is an error, and leaves nothing"

"$tool" export --to ctf -o whole.ctf tasks.kmt 2>/dev/null
rm -rf trace.ctf
# shellcheck disable=SC2016 # another shell expands it
FAIL_AFTER='if [ $status = 1 ]; then [ ! -e trace.ctf ]; else diff -r whole.ctf trace.ctf; fi &&
	rm -rf trace.ctf' no_memory export --to ctf -o trace.ctf tasks.kmt
no_memory export --to sqlite -o data.db tasks.kmt
no_memory export --to sqlite -o data.db tags-now.tags
