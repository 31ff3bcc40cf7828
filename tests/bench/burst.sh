#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures the number of events that each recorder loses under a load on four CPUs
# (kmt_burst.c), and the highest rate at which it loses none. Each recorder has its
# default buffers, and writes to a file in memory.
#
#   tests/bench/burst.sh SERIES...
#
# Writes the figures to build/bench/burst-SERIES, and adds missed goals to
# build/bench/missed.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
cache=${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}
mkdir -p build/bench
scripts/peers.sh

for kernel; do
	file=build/bench/burst-$kernel
	tests/vm/run.sh -k "$kernel" -c 4 -m 6144 -t 900 -d "$cache/peers.img" \
		-f tests/bench/burst_guest.sh:/burst.sh \
		-f tests/bench/peers_guest.sh:/peers.sh -- 'sh /burst.sh' \
		>"$file" || { cat "$file"; exit 1; }
	echo
	echo "$(cat "$cache/kernels/$kernel/release"), 4 CPUs: a load, and what is lost of it"
	awk '
		BEGIN {
			printf "%-12s %-14s %12s %14s %12s %8s\n", "load", "recorder",
				"load made", "a second", "lost", "share"
		}
		{
			all = $5 + $6
			printf "%-12s %-14s %12d %14d %12d %7.1f%%\n", $1, $2, $3,
				$3 * 1000 / $4, $6, all ? 100 * $6 / all : 0
		}' "$file"
	awk '
		$1 == "ten-seconds" {
			printf "goal: %-40s %d lost, %s\n", "4 CPUs at full load for ten seconds:",
				$6, ($6 == 0 && $5 >= $3) ? "met" : "MISSED"
		}' "$file" | tee build/bench/goals
	grep MISSED build/bench/goals >>build/bench/missed || :
done
