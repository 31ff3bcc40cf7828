#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures what kmemtrace adds to workloads, in percent. The guest has one CPU, and its
# clock counts instructions, those of user space and of the recorder included.
#
#   tests/bench/workload.sh SERIES...
#
# Writes the figures to build/bench/workload-SERIES.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
cache=${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}
mkdir -p build/bench
make --no-print-directory kselftest >/dev/null

for kernel; do
	file=build/bench/workload-$kernel
	tests/vm/run.sh -k "$kernel" -m 1024 -i -t 1500 \
		-f tests/bench/workload_guest.sh:/bench.sh -- 'sh /bench.sh' \
		>"$file" || { cat "$file"; exit 1; }
	echo
	echo "$(cat "$cache/kernels/$kernel/release"): instructions added to a workload"
	# the load "nothing" is the cost of starting the shell, and of the recorder
	awk '
		NF != 3 { print; next }
		{ t[$1, $2] = $3 }
		$1 != "nothing" && $2 == "nothing" { loads[++n] = $1 }
		END {
			split("off accounting recording both", state)
			printf "%-12s %10s", "workload", "seconds"
			for (i = 1; i <= 4; i++) printf " %10s", state[i]
			print ""
			for (j = 1; j <= n; j++) {
				base = t[loads[j], "nothing"] - t["nothing", "nothing"]
				printf "%-12s %10.2f", loads[j], base / 100
				for (i = 1; i <= 4; i++)
					printf " %9.1f%%", 100 * (t[loads[j], state[i]] - \
						t["nothing", state[i]] - base) / base
				print ""
			}
		}' "$file"
done
