#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures the cost of accounting an event in rare cases, in guest instructions (see
# kmt_bench.c and kmt_old.c): pages that are older than the module, a full table of
# classes, and a machine with one CPU and 128 possible CPUs. A row is the cost of an event
# in addition to its cost with nothing loaded.
#
#   tests/bench/corners.sh SERIES...
#
# Writes the figures to build/bench/corners-SERIES, and adds missed goals to
# build/bench/missed.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
mkdir -p build/bench

boot() { # SERIES POSSIBLE-CPUS [SUFFIX]: prints the figures
	tests/vm/run.sh -k "$1" -p "$2" -m 2048 -i -t 600 \
		-f tests/bench/events_guest.sh:/bench.sh \
		-f tests/bench/peers_guest.sh:/peers.sh \
		-- "sh /bench.sh corners ${3:-}"
}

# Prints differences to the row "nothing" of the same boot, and the goals.
table() { # FILE
	awk '
		function base(row) {
			return row ~ /-128-cpus$/ ? "nothing-128-cpus" : "nothing"
		}
		function more(kind, row, col) {
			return x[kind, row, col] - x[kind, base(row), col]
		}
		function goal(name, limit, is) {
			printf "goal: %-40s at most %4d: %6.1f, %s\n", name, limit, is,
				is <= limit ? "met" : "MISSED"
		}
		function worst(row, other, i, most, kind, is) {
			most = -1e9
			for (i = 1; i <= 2; i++)
				for (kind = 0; kind < 2; kind++) {
					is = more(kind, row, slab[i]) - more(kind, other, slab[i])
					most = is > most ? is : most
				}
			return most
		}
		BEGIN { split("kmalloc_64 kmem_cache", slab) }
		{ x[0, $1, $2] = $3; x[1, $1, $2] = $4; has[$1, $2] = 1 }
		!($1 in row_seen) && $1 != base($1) { row_seen[$1] = 1; rows[++n] = $1 }
		!($2 in col_seen) { col_seen[$2] = 1; cols[++m] = $2 }
		END {
			printf "%-30s", ""
			for (j = 1; j <= m; j++) printf " %19s", cols[j]
			print ""
			for (i = 1; i <= n; i++) {
				printf "%-30s", rows[i]
				for (j = 1; j <= m; j++)
					if (has[rows[i], cols[j]])
						printf " %9.1f / %7.1f", more(0, rows[i], cols[j]),
							more(1, rows[i], cols[j])
					else
						printf " %19s", ""
				print ""
			}
			print ""
			goal("an older page costs more than others by", 60,
				more(1, "account-older-pages", "free_page") - \
				more(1, "account", "free_page"))
			goal("of order 3", 60,
				more(1, "account-older-pages", "free_page_3") - \
				more(1, "account", "free_page_3"))
			goal("128 possible CPUs cost more than one by", 4,
				worst("account-128-cpus", "account"))
		}' "$1"
}

for kernel; do
	file=build/bench/corners-$kernel
	{ boot "$kernel" 1 && boot "$kernel" 128 -128-cpus; } >"$file" ||
		{ cat "$file"; exit 1; }
	echo
	echo "$(cat "${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}/kernels/$kernel/release"): added instructions, alloc / free"
	table "$file" | tee build/bench/corners
	grep MISSED build/bench/corners >>build/bench/missed || :
done
