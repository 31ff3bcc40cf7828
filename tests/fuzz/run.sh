#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the targets of libFuzzer, and prints the results as KTAP:
#
#   tests/fuzz/run.sh [-n RUNS] [-t SECONDS] [-s SEED] [-k PATTERN] [-a]
#
# -n: RUNS inputs for each target, divided among all CPUs
# -t: at most SECONDS for each target; without -n, each target runs on one CPU
# -a: make inputs from the seeds alone, so that every run is the same
#
# libFuzzer makes the inputs from the seeds in corpus/TARGET and in
# build/fuzz/seeds/TARGET (see seeds/make.sh), and from the inputs that earlier runs
# found, which are in build/fuzz/found/TARGET.
#
# An input that fails is kept in build/fuzz. To reproduce the failure:
#
#   build/fuzz/FOLDER/fuzz_TARGET build/fuzz/TARGET.crash-...
set -u
cd "$(dirname "$0")/../.." || exit 1
runs=-1 seconds=0 seed=1 pattern='*' alone=''
while getopts n:t:s:k:a option; do
	case $option in
	n) [ "$OPTARG" = 0 ] || runs=$OPTARG ;;
	t) seconds=$OPTARG ;;
	s) seed=$OPTARG ;;
	k) pattern=$OPTARG ;;
	a) alone=1 ;;
	*) exit 2 ;;
	esac
done
if [ "$runs" = -1 ] && [ "$seconds" = 0 ]; then
	echo "run.sh: say how long: -n RUNS or -t SECONDS" >&2
	exit 2
fi
out=build/fuzz
# limits of one input: time in seconds, memory in MB
limits='-timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=1024'
# For speed: a quarantine that is large enough for one input, and allocation stacks with
# one frame only. An input that is run by hand gets complete stacks.
export ASAN_OPTIONS=malloc_context_size=1:quarantine_size_mb=4:${ASAN_OPTIONS-}

# the directories of targets that fail are removed as well
TMPDIR=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) || exit 2
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

jobs=$(nproc) parts=1
[ "$runs" = -1 ] || parts=$jobs
found=$out/found
[ -z "$alone" ] || found=$out/alone

# Remove old results of a target, and create its directory.
begin() { # NAME
	[ -z "$alone" ] || rm -rf "${found:?}/$1"
	rm -f "$out/$1".{crash,leak,timeout,oom}-* "$out/$1".*.log
	mkdir -p "$found/$1"
}

declare -A folder # of each target

# Run a part of one target, with its own seed. All parts share the inputs they find.
run() { # NAME PART
	local name=$1 log=$out/$1.$2.log share=$runs start=$SECONDS dir dirs=()
	[ "$runs" = -1 ] || share=$(((runs + parts - 1) / parts))
	for dir in "tests/fuzz/corpus/$name" "$out/seeds/$name"; do
		[ ! -d "$dir" ] || dirs+=("$dir")
	done
	[ ! -f "tests/fuzz/${folder[$name]}/$name.dict" ] ||
		dirs+=("-dict=tests/fuzz/${folder[$name]}/$name.dict")
	# shellcheck disable=SC2086 # several words
	"$out/${folder[$name]}/fuzz_$name" -seed=$((seed + $2)) -runs="$share" \
		-max_total_time="$seconds" $limits -print_final_stats=1 \
		-artifact_prefix="$out/$name." "$found/$name" "${dirs[@]}" >"$log" 2>&1
	echo "run.sh: exit $? after $((SECONDS - start)) s" >>"$log"
}

# Print the result of all parts of a target as KTAP.
tell() { # NAME NUMBER
	local inputs good status took
	read -r inputs good status took < <(awk '
		/^fuzz: [0-9]+ inputs, of which [0-9]+ are good$/ { inputs += $2; good += $6 }
		/^run.sh: exit/ {
			if ($3)
				status = $3
			if ($5 > took)
				took = $5
		}
		END { print inputs + 0, good + 0, status + 0, took + 0 }' "$out/$1".*.log)
	if [ "$status" -ne 0 ]; then
		echo "not ok $2 $1: exit $status"
		grep -hE 'ERROR|error in line|^not |not so|runtime error|SUMMARY| in .*\.[ch]:|Test unit' \
			"$out/$1".*.log | head -n 40 | sed 's/^/# /'
	elif [ "$good" -eq 0 ] || [ "$good" -eq "$inputs" ]; then
		echo "not ok $2 $1: $good of $inputs inputs are good: that tests nothing"
	else
		echo "ok $2 $1: $inputs inputs in $took s, of which $good are good"
		return 0
	fi
	failed=1
}

names=()
for target in tests/fuzz/*/fuzz_*.c; do
	name=$(basename "$target" .c)
	name=${name#fuzz_}
	folder[$name]=$(basename "$(dirname "$target")")
	# shellcheck disable=SC2053 # a pattern is meant
	[[ $name != $pattern ]] || names+=("$name")
done
if [ "${#names[@]}" -eq 0 ]; then
	echo "run.sh: there is no target '$pattern'" >&2
	exit 2
fi
echo "KTAP version 1"
echo "1..${#names[@]}"
for name in "${names[@]}"; do
	begin "$name"
	for ((part = 0; part < parts; part++)); do
		while [ "$(jobs -pr | wc -l)" -ge "$jobs" ]; do
			wait -n
		done
		run "$name" "$part" &
	done
done
wait
n=0 failed=0
for name in "${names[@]}"; do
	n=$((n + 1))
	tell "$name" $n
done
exit $failed
