#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures the speed of making recordings, without a module (recorder.c).
#
# Measures the speed of reading recordings, with report and script, and with other tools
# for their own recordings. All tools record the same workload, one after the other, in
# one guest. Then measures synthetic recordings of kmemtrace with 20 and 100 million
# events (mkrecording.c), and the module's hot paths that are plain C, on this machine.
#
# A row is the best of three runs, with the file in memory: events per second of CPU time
# and per second of elapsed time, on one CPU or on two; maximum memory; bytes in the file
# per event.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
scripts/deps.sh bench
work=${USERSPACE_DIR:-$(mktemp -d)}
[ -n "${USERSPACE_DIR:-}" ] || trap 'rm -rf "$work"' EXIT
ours=build/kmemtrace-user
events=${EVENTS:-20000000 100000000}
flags='-std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror
	-Wno-address-of-packed-member -Iinclude/uapi -Ilib -Itools/kmemtrace-user -Itests'

gcc -O2 -Wall -Wextra -Werror -o "$work/used" tests/bench/used.c
# shellcheck disable=SC2086 # several words
gcc $flags -Itests/bench -o "$work/mkrecording" tests/bench/{mkrecording,synthetic}.c \
	build/obj/parts.a -lzstd -lz

# Each kernel header that the live objects need is replaced by kernel.h, except for
# linux/types.h, which also exists for user space. The sizes of blocks are those of stock.c.
mkdir -p "$work/kernel"/{linux,asm}
sed -n 's|^#include <\(.*\)>|\1|p' module/account/{bucket.[ch],{frame,slots,stock}.h} |
	grep -v types.h | while read -r header; do
		echo '#include "kernel.h"' >"$work/kernel/$header"
	done
sed -n -e '/^#define SPAN_/p' -e '/^static const u16 size_words/,/};$/p' \
	-e '/^struct span {/,/^}/p' module/account/stock.c >"$work/kernel/stock_sizes.h"
# shellcheck disable=SC2086 # several words
gcc $flags -I"$work/kernel" -Itests/bench -Imodule -o "$work/hotpath" \
	tests/bench/{hotpath,together,live_objects,live_memory}.c \
	module/account/bucket.c lib/*.c -lpthread

# The recorder is that of the tool, but its files of the module are replaced.
mapfile -t objects < <(find tools/kmemtrace-user lib -name '*.c' ! -name main.c |
	sed 's|^|build/obj/|; s|c$|o|')
# shellcheck disable=SC2046,SC2086 # several words
gcc $flags -Itests/bench -Wl,--wrap=openat,--wrap=read,--wrap=pread,--wrap=poll -o "$work/recorder" \
	tests/bench/{recorder,synthetic}.c "${objects[@]}" \
	$(pkg-config --libs liburcu-cds libzstd zlib jansson libdw libelf ncursesw libcrypt sqlite3) \
	-lpthread -lm

# --- the recorder -------------------------------------------------------------

# Prints a row. With a rate, events are lost if the recorder is slower.
record_row() { # NAME CPUS EVENTS RATE PATHS [MEMORY_KB [ORDER]]
	printf '%-34s %4d ' "$1" "$2"
	"$work/recorder" "$work/recorder.kmt" "$3" "$4" "$2" "$5" "${6:-0}" "${7:-sequence}"
	rm "$work/recorder.kmt"
}

# Two CPUs write 12 million events per second, and lose none that are made at this rate.
recorder_goals() { # FILE: rows of recorder()
	awk '
		function goal(what, is, met) {
			printf "goal: %-44s %9.2f, %s\n", what, is, met ? "met" : "MISSED"
		}
		/^(as fast|  --order time)/ { if (!n++ || $(NF - 4) < least) least = $(NF - 4) }
		/^12 M/ { lost = $(NF - 2) }
		END {
			goal("recorder, as fast as possible, 12 M/s:", least, least >= 12)
			goal("events that it loses of 12 M/s, 0:", lost, lost == 0)
		}' "$1"
}

recorder() {
	local n=${RECORD_EVENTS:-20000000} rate
	printf '\n%-34s %4s %9s %9s %9s %7s %7s\n' 'record, synthetic events' CPUs \
		'M/s' 'M/CPU s' lost MiB 'B/event'
	record_row 'as fast as possible' 2 "$n" 0 0
	record_row '  --order time' 2 "$n" 0 0 0 time
	record_row '  eight addresses, 10 paths' 2 $((n / 4)) 0 10
	for rate in 4 8 12 16; do
		record_row "$rate M/s are made" 2 "$n" $rate 0
	done
	record_row '512 CPUs' 512 $((n / 2)) 0 0
	record_row '512 CPUs, --memory 93M' 512 $((n / 2)) 0 0 $((93 << 10))
}

# --- recordings, made in a guest --------------------------------------------

# prints the options of run.sh that copy a program and its libraries into the guest
program() { # NAME
	local path lib
	path=$(command -v "$1")
	printf -- '-f\n%s:/bin/%s\n' "$path" "$1"
	ldd "$path" | grep -o '/[^ ]*' | while read -r lib; do
		printf -- '-f\n%s:%s\n' "$lib" "$lib"
	done
}

record() {
	local files
	mapfile -t files < <(program perf; program trace-cmd)
	tests/vm/run.sh -k 6.12 -c 2 -s -m 3072 -t 1800 \
		-f tests/bench/userspace_guest.sh:/guest.sh "${files[@]}" \
		-o "$work/recordings.tar" -- 'sh /guest.sh' >"$work/guest.log" || {
		cat "$work/guest.log"
		exit 1
	}
	tar xf "$work/recordings.tar" -C "$work"
	gunzip -f "$work"/{ours.kmt,trace.dat,perf.data}.gz
}

# --- the table --------------------------------------------------------------

heading() {
	printf '\n%-28s %4s %9s %9s %7s %7s\n' "$1" CPUs 'M/CPU s' 'M/s' MiB 'B/event'
}

# Prints a row of the table, on one CPU or on two. $all is the number of events in the
# file, if the command reads fewer than that.
row() { # NAME CPUS EVENTS FILE COMMAND...
	local name=$1 cpus=$2 count=$3 file=$4 list=0 all=${all:-$3} own passed memory
	shift 4
	[ "$cpus" = 1 ] || list=0,1
	read -r own passed memory < <("$work/used" 3 taskset -c $list "$@")
	awk -v name="$name" -v cpus="$cpus" -v n="$count" -v own="$own" \
		-v passed="$passed" -v mib="$memory" -v all="$all" \
		-v size="$(du -sb "$file" | cut -f 1)" 'BEGIN {
			printf "%-28s %4d %9.2f %9.2f %7.1f %7.1f\n", name, cpus,
				n / own / 1e6, n / passed / 1e6, mib, size / all
		}'
}

count_ours() { # FILE
	{ "$ours" report --json --top 1 "$1" || [ $? -eq 3 ]; } | sed -n 's/^ *"events": \([0-9]*\),$/\1/p'
}

compare() {
	local n cpus

	n=$(count_ours "$work/ours.kmt")
	heading "one workload"
	for cpus in 1 2; do
		row 'kmemtrace-user report' $cpus "$n" "$work/ours.kmt" \
			"$ours" report "$work/ours.kmt"
		row 'kmemtrace-user script' $cpus "$n" "$work/ours.kmt" \
			"$ours" script "$work/ours.kmt"
	done
	n=$(perf script -i "$work/perf.data" 2>/dev/null | wc -l)
	row 'perf kmem stat' 1 "$n" "$work/perf.data" \
		perf kmem -i "$work/perf.data" --slab --caller stat
	row 'perf script' 1 "$n" "$work/perf.data" \
		perf script -i "$work/perf.data"
	rm -rf "$work/ctf"
	if perf data convert --to-ctf "$work/ctf" -i "$work/perf.data" \
		>/dev/null 2>&1; then
		row 'babeltrace2 (of perf)' 1 "$n" "$work/ctf" babeltrace2 "$work/ctf"
		row 'babeltrace2, no output' 1 "$n" "$work/ctf" \
			babeltrace2 -o dummy "$work/ctf"
	else
		echo 'babeltrace2: this perf makes no CTF'
	fi
	n=$(trace-cmd report -i "$work/trace.dat" 2>/dev/null | grep -c ': [a-z_]*: ')
	row 'trace-cmd report' 1 "$n" "$work/trace.dat" \
		trace-cmd report -i "$work/trace.dat"
}

synthetic() { # EVENTS LIVE
	local file=$work/made.kmt name
	"$work/mkrecording" "$file" "$1" 4 "$2"
	cat "$file" >/dev/null
	name="$(($1 / 1000000)) M events, $2 live"
	row "$name" 1 "$1" "$file" "$ours" report "$file"
	row "$name" 2 "$1" "$file" "$ours" report "$file"
	all=$1 row '  their last hundredth' 1 $(($1 / 100)) "$file" \
		"$ours" report --since 99% "$file"
	rm "$file"
}

# Each record has a stack of eight addresses. The recording has 37,500 different ones.
stacks() { # EVENTS LIVE
	local file=$work/made.kmt name
	"$work/mkrecording" "$file" "$1" 4 "$2" 10
	cat "$file" >/dev/null
	name="$(($1 / 1000000)) M events, $2 live"
	row "$name" 1 "$1" "$file" "$ours" report --by stack "$file"
	row '  as a tree' 1 "$1" "$file" "$ours" report --tree "$file"
	all=$1 row '  their last hundredth' 1 $(($1 / 100)) "$file" \
		"$ours" report --by stack --since 99% "$file"
	rm "$file"
}

# EVENTS= and RECORD_EVENTS= make it shorter; ONLY=record and ONLY=stacks measure only a part
if [ "${ONLY:-}" != stacks ]; then
	recorder | tee "$work/rows"
	recorder_goals "$work/rows" | tee build/bench/goals
	grep MISSED build/bench/goals >>build/bench/missed || :
fi
[ "${ONLY:-}" = record ] && exit
if [ "${ONLY:-}" != stacks ]; then
	[ -f "$work/ours.kmt" ] || record
	compare
	heading 'report, synthetic events'
	for n in $events; do
		synthetic "$n" 1000
		synthetic "$n" 1000000
	done
fi
heading 'report by stack'
stacks "${STACK_EVENTS:-50000000}" 1000
stacks "${STACK_EVENTS:-50000000}" 1000000
[ "${ONLY:-}" = stacks ] && exit
echo
"$work/hotpath"
