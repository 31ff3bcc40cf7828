#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Feeds the targets of libFuzzer, and says in KTAP what came of it:
#
#   tests/fuzz/run.sh [-n RUNS] [-t SECONDS] [-s SEED] [-k PATTERN] [-a]
#
# Each gets RUNS inputs, or as many as there is time for, made of the seeds in
# corpus/TARGET and in build/fuzz/seeds/TARGET (seeds/make.sh), and of what was
# found in earlier runs, which is kept in build/fuzz/found/TARGET. -a: of the
# seeds alone, so that it is the same in every run.
#
# An input that fails is left in build/fuzz. To see it fail again:
#
#   build/fuzz/fuzz_TARGET build/fuzz/TARGET.crash-...
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
# seconds that one input may take, MB of memory that it may
limits='-timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=1024'
# what is freed is kept from use for as long as an input takes; that is quicker
export ASAN_OPTIONS=malloc_context_size=4:quarantine_size_mb=4:${ASAN_OPTIONS-}

# Run one target; what is to be said of it goes to a file.
run() { # NAME
	local name=$1 found=$out/found/$1 log=$out/$1.log status start words dirs=()
	[ -z "$alone" ] || found=$out/alone/$name
	[ -z "$alone" ] || rm -rf "$found"
	rm -f "$out/$name".crash-* "$out/$name".leak-* "$out/$name".timeout-* \
		"$out/$name".oom-*
	mkdir -p "$found"
	for dir in "tests/fuzz/corpus/$name" "$out/seeds/$name"; do
		[ ! -d "$dir" ] || dirs+=("$dir")
	done
	[ ! -f "tests/fuzz/$name.dict" ] || dirs+=("-dict=tests/fuzz/$name.dict")
	start=$SECONDS
	# shellcheck disable=SC2086 # several words
	"$out/fuzz_$name" -seed="$seed" -runs="$runs" \
		-max_total_time="$seconds" $limits -print_final_stats=1 \
		-artifact_prefix="$out/$name." "$found" "${dirs[@]}" >"$log" 2>&1
	status=$?
	words=$(sed -n 's/^fuzz: \([0-9]*\) inputs, of which \([0-9]*\) are good$/\1 \2/p' "$log")
	read -r inputs good <<<"$words"
	if [ "$status" -ne 0 ]; then
		echo "not ok $name: exit $status"
		grep -E 'ERROR|error in line|^not |not so|runtime error|SUMMARY| in .*\.[ch]:|Test unit' \
			"$log" | head -n 40 | sed 's/^/# /'
	elif [ "${good:-0}" -eq 0 ] || [ "$good" -eq "$inputs" ]; then
		echo "not ok $name: ${good:-0} of ${inputs:-0} inputs are good: that tests nothing"
	else
		echo "ok $name: $inputs inputs in $((SECONDS - start)) s, of which $good are good"
	fi >"$out/$name.result"
}

names=()
for target in tests/fuzz/fuzz_*.c; do
	name=${target#tests/fuzz/fuzz_}
	name=${name%.c}
	# shellcheck disable=SC2254 # a pattern is meant
	case $name in $pattern) names+=("$name") ;; esac
done
echo "KTAP version 1"
echo "1..${#names[@]}"
jobs=$(nproc) n=0 failed=0
for name in "${names[@]}"; do
	while [ "$(jobs -pr | wc -l)" -ge "$jobs" ]; do
		wait -n
	done
	run "$name" &
done
wait
for name in "${names[@]}"; do
	n=$((n + 1))
	sed "s/^\(not \)\?ok/& $n/" "$out/$name.result"
	grep -q '^ok' "$out/$name.result" || failed=1
done
exit $failed
