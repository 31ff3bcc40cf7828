#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures the cost of one event in guest instructions (see kmt_bench.c), in one boot of
# each stock kernel. A row is the cost of an allocation and of a free, in addition to
# their cost with nothing loaded. The filters have three terms, and all three are
# evaluated. Then measures rare cases (corners.sh), and mainline's own accounting, on a
# kernel that was built with it.
#
#   tests/bench/events.sh SERIES...
#
# Writes the figures to build/bench/events-SERIES, and adds missed goals to
# build/bench/missed.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
cache=${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}
mkdir -p build/bench
scripts/peers.sh
scripts/build-kernel.sh bench
scripts/module.sh "$cache/kernels/bench/headers" build/module-bench

table() { # FILE
	awk '
		{ row = $1; col = $2; a[row, col] = $3; f[row, col] = $4 }
		!(row in seen) { seen[row] = 1; rows[++n] = row }
		!(col in have) { have[col] = 1; cols[++m] = col }
		END {
			printf "%-22s", ""
			for (j = 1; j <= m; j++) printf " %18s", cols[j]
			print ""
			for (i = 1; i <= n; i++) {
				printf "%-22s", i == 1 ? "nothing (absolute)" : rows[i]
				for (j = 1; j <= m; j++) {
					x = a[rows[i], cols[j]]; y = f[rows[i], cols[j]]
					if (i > 1) { x -= a[rows[1], cols[j]]; y -= f[rows[1], cols[j]] }
					printf " %9.1f / %6.1f", x, y
				}
				print ""
			}
		}' "$1"
}

# Compares the added cost of a slab event with its limit. The added cost is the highest of
# all columns for slab, and of allocation and free.
goals() { # FILE
	awk '
		function worst(row, col, i, most) {
			for (i = 1; i <= 3; i++) {
				col = slab[i]
				most = max(most, max(a[row, col] - a["nothing", col],
					f[row, col] - f["nothing", col]))
			}
			return most
		}
		function max(x, y) { return x > y ? x : y }
		function goal(row, limit, is) {
			is = worst(row)
			printf "goal: %-22s at most %4d: %6.1f, %s\n", row, limit,
				is, is <= limit ? "met" : "MISSED"
		}
		BEGIN { split("kmalloc_64 kmem_cache kmalloc_64_10k_live", slab) }
		{ a[$1, $2] = $3; f[$1, $2] = $4 }
		END {
			goal("loaded-and-off", 2)
			goal("record", 90)
			goal("record+time", 115)
			goal("record-by-time", 100)
			goal("account", 85)
			goal("account+record", 170)
			goal("account+record-by-time", 150)
			goal("record+stack8", 2500)
		}' "$1"
}

boot() { # SERIES OPTION...: prints the figures
	local kernel=$1
	shift
	tests/vm/run.sh -k "$kernel" -m 3072 -i -t 600 \
		-f tests/bench/events_guest.sh:/bench.sh \
		-f tests/bench/peers_guest.sh:/peers.sh "$@" -- 'sh /bench.sh'
}

for kernel; do
	file=build/bench/events-$kernel
	boot "$kernel" -d "$cache/peers.img" >"$file" || { cat "$file"; exit 1; }
	echo
	echo "$(cat "$cache/kernels/$kernel/release"): added instructions, alloc / free"
	table "$file"
done
echo
tr '\n' ';' <"$cache/peers.versions"
echo

if [ -f build/bench/events-6.12 ]; then
	echo
	goals build/bench/events-6.12 | tee build/bench/goals
	grep MISSED build/bench/goals >>build/bench/missed || :
fi

tests/bench/corners.sh "$@"

file=build/bench/events-mainline
boot bench >"$file"
boot bench -a page_owner=on >>"$file"
echo
echo "$(cat "$cache/kernels/bench/release"): added instructions, alloc / free"
table "$file"
