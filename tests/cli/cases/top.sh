# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

mkdir top && cd top || exit 1
new_moments
export LD_PRELOAD=$work/cpu_clock.so

# A file of the first directory is a pipe. When it has been opened for reading, its reader
# has the directory open already. So the link is changed before the pipe gets its text, and
# top reads the second directory next, however slow this machine is.
changing() { # FILE NAME ARGUMENT...: like check(), with a machine that changes
	local file=$1
	shift
	cp "first/$file" first-text
	rm "first/$file"
	mkfifo "first/$file"
	timeout 60 bash -c "exec 3>first/$file; ln -s second next; mv -T next now; cat first-text >&3" &
	check "$@"
	wait $!
	rm "first/$file"
	cp first-text "first/$file"
	become first
}
changing tags top-once top --once -d 0.2
changing tags top-once-module top --once -d 0.2 --by module --sort change
changing tags top-once-function top --once -d 0.2 -b function -k slab -s rate
changing tags top-once-kind top --once -d 0.2 --by kind --sort name
changing tags top-once-filter top --once -d 0.2 --filter INODE
changing tags top-once-rows top --once -d 0.2 --top 2 --sort waste
changing caches_live top-once-caches top --once -d 0.2 --by cache
changing tags top-json top --once -d 0.2 --json --top 3 --sort change
changing caches_live top-json-caches top --once -d 0.2 --json --by cache
check top-still top --once -d 0.01 -n 1
check top-no-terminal top
check top-bad-by top --by moon
check top-bad-sort top --sort moon
check top-bad-kind top --kind moon
check top-bad-delay top --delay soon
check top-bad-delay-short top -d 0.001
check top-bad-filter top --filter "$(printf '%064d' 0)"
check top-bad-caches-kind top --by cache --kind page
check top-bad-caches-pages top --by cache --kind pages
check top-bad-top top --top many
check top-bad-count top --count 2
check top-bad-count-once top --once --json --count 2
[ "$("$tool" top --json -d 0.01 --count 3 | wc -l)" -eq 3 ]
verdict $? "top --json --count 3 prints three refreshes"
check top-bad-option top --moon
check top-argument top now
check top-help top --help
# the row of several caches
sed -i 's/^accounting 1/&\ncaches_refused 7/' second/stats
echo '(other) 9 4608' >>second/caches_live
become second
check top-other-caches top --once -d 0.01 --by cache
rm second/caches_live
check top-no-caches top --once --by cache
sed 's/^accounting 1/accounting 0/; s/^missed_calls 0/missed_calls 3/
	s/^untracked_bytes 0/untracked_bytes 512/; s/^untracked_objects 0/untracked_objects 4/' \
	first/stats >second/stats
like=top-still check top-inexact top --once -d 0.01 -n 1
KMEMTRACE_DIR=$PWD/nowhere check top-no-module top --once
cat_late() {
	sleep 2
	cat >/dev/null
}
ends() { # SIGNAL STATUS: the signal ends top --json, also if its output has no reader
	timeout -k 60 --preserve-status -s "$1" 1 "$tool" top --json -d 0.1 | cat_late
	[ "${PIPESTATUS[0]}" -eq "$2" ]
}
many_rows() { # more than a pipe has room for
	seq 2000 | sed 's/.*/slab 8 1 8 1 0 8 - - & a.c:& func:f/'
}
mkdir many
cp -P first/{stats,tags_quick} many
{ head -n 2 first/tags && many_rows; } >many/tags
export KMEMTRACE_DIR=$PWD/many
ends INT 130
verdict $? "SIGINT ends top --json"
ends TERM 143
verdict $? "SIGTERM ends top --json"
export KMEMTRACE_DIR=$PWD/now
[ "$(timeout 60 "$tool" top --json -d 0.1 | head -n 2 | wc -l)" -eq 2 ]
verdict $? "a closed pipe ends top --json"
# each row costs only its own tags: with the square of rows, this took 9 s of CPU time
mkdir most
cp -P first/{stats,tags_quick} most
{ head -n 2 first/tags && seq 40000 | sed 's/.*/slab 8 1 8 1 0 8 - - & a.c:& func:f/'; } \
	>most/tags
(ulimit -t 3 && KMEMTRACE_DIR=$PWD/most exec "$tool" top --once -d 0.01 --json) >most.json
verdict $? "top --json takes time in proportion to its rows"
[ "$(grep -o '"history":' most.json | wc -l)" -eq 40000 ]
verdict $? "... and writes all of them"
"$top/tests/cli/top_model.py" "$tool" model >model.log 2>&1
verdict $? "figures of top are those of a second implementation"
sed 's/^/# /' model.log
unset LD_PRELOAD

cd "$work" || exit 1
new_machine
no_memory top --once -d 0.01
no_memory top --once -d 0.01 --json --by function
