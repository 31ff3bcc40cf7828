#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Counts what an event does to cache lines, in an emulator (see lines_plugin.c and
# kmt_lines.c), with 1, 4, 16 and 64 CPUs:
#
#   CPUS='1 4' tests/bench/lines.sh SERIES...
#
# Writes the figures to build/bench/lines-SERIES-CPUS, and adds missed goals to
# build/bench/missed.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
cache=${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}
mkdir -p build/bench
qemu=$cache/qemu/qemu
[ -x "$qemu" ] || qemu="qemu-system-x86_64"
if [ "$("$qemu" --version | sed -n 's/.*version \([0-9]*\).*/\1/p')" -lt 10 ]; then
	echo "lines: needs QEMU 10 or later, for its plugins: run scripts/qemu.sh" >&2
	exit 1
fi
cc -O2 -Wall -Wextra -shared -fPIC -o build/bench/lines_plugin.so tests/bench/lines_plugin.c

boot() { # SERIES CPUS events|times FILE OPTION...: runs lines_guest.sh with the plugin
	local kernel=$1 cpus=$2 what=$3 file=$4
	shift 4
	tests/vm/run.sh -k "$kernel" -c "$cpus" -m 4096 -t 1800 -a init_on_alloc=0 "$@" \
		-f tests/bench/lines_guest.sh:/lines.sh -- "sh /lines.sh $what" \
		>"$file" || { cat "$file"; exit 1; }
}

events() { # SERIES CPUS
	local file=build/bench/lines-$1-$2
	boot "$1" "$2" events "$file.names" -s \
		-P "$PWD/build/bench/lines_plugin.so,out=$PWD/$file.raw"
	if [ "$(wc -l <"$file.names")" -ne "$(wc -l <"$file.raw")" ]; then
		echo "lines: the plugin and the guest do not have the same rows" >&2
		exit 1
	fi
	paste -d ' ' "$file.names" "$file.raw" >"$file"
}

times() { # SERIES CPUS
	local file=build/bench/times-$1-$2
	boot "$1" "$2" times "$file.out" \
		-P "$PWD/build/bench/lines_plugin.so,out=$PWD/$file,times=1"
	# the second of two attempts counts
	awk '
		FNR == 1 { file++ }
		file == 1 && $1 == "row" { row[++rows] = $2; next }
		file == 1 { address[++n] = $1; name[n] = $3; next }
		function at(a, i) {
			for (i = n; i > 1 && address[i] > a; i--) ;
			return name[i]
		}
		FNR == 1 { print "longest time with interrupts disabled" }
		FNR % 2 == 0 { printf "  %-9s %6d in %s\n", row[FNR / 2], $2, at($3) }
		END { exit FNR != 2 * rows }' "$file.out" "$file"
}

# The cells of a row are "median/p99.9/maximum".
table() { # FILE
	awk '
		function cell(i) { return $i "/" $(i + 1) "/" $(i + 2) }
		BEGIN {
			printf "%-8s %-11s %-11s %16s %10s %13s %13s %10s %10s\n", "",
				"", "", "instructions", "locked", "lines", "written",
				"shared st.", "shared ld."
		}
		# the second of two attempts counts
		{ row[$1, $2, $3] = $0 }
		!seen[$1, $2, $3]++ { key[++n] = $1 SUBSEP $2 SUBSEP $3 }
		END {
			for (i = 1; i <= n; i++) {
				$0 = row[key[i]]
				if ($2 == "nothing") continue
				printf "%-8s %-11s %-11s %16s %10s %13s %13s %10s %10s\n",
					$1, $2, $3, cell(6), cell(9), cell(12), cell(15),
					cell(18), cell(21)
			}
		}' "$1"
}

# What the module adds to the medians, the highest of all kinds of objects; and the longest
# time with interrupts disabled.
goals() { # SERIES CPUS
	awk -v cpus="$2" '
		function goal(what, limit, is) {
			printf "goal: %-44s at most %4d: %5d, %s\n", cpus " CPUs, " what, limit,
				is, is <= limit ? "met" : "MISSED"
		}
		FNR == 1 { file++ }
		file == 1 {
			if ($1 == "nothing") { locked[$2, $3] = $9; shared[$2, $3] = $18 }
			# the second of two attempts is the last. The order "sequence" has
			# a counter that all CPUs write, for machines without a clock
			else if ($1 != "numbered" && $3 !~ /remote/) { l[$1, $2, $3] = $9 - locked[$2, $3]
				s[$1, $2, $3] = $18 - shared[$2, $3] }
		}
		file == 2 && $2 > longest { longest = $2 }
		END {
			for (i in l) if (l[i] > most_locked) most_locked = l[i]
			for (i in s) if (s[i] > most_shared) most_shared = s[i]
			goal("shared-line stores per event", 0, most_shared)
			goal("locked instructions per event", 0, most_locked)
			goal("instructions with interrupts disabled", 3000, longest)
		}' "build/bench/lines-$1-$2" "build/bench/times-$1-$2"
}

for kernel; do
	for n in ${CPUS:-1 4 16 64}; do
		events "$kernel" "$n"
		echo
		echo "$(cat "$cache/kernels/$kernel/release"), $n CPUs: an event, as median/99.9 %/maximum"
		table "build/bench/lines-$kernel-$n"
		times "$kernel" "$n"
		goals "$kernel" "$n" | tee build/bench/goals
		grep MISSED build/bench/goals >>build/bench/missed || :
	done
done
