#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures what it costs to read the module's files on machines of 1 and 8 GiB, in millions
# of guest instructions, and what the display of `top` costs with one refresh in a second, also
# with 2,000 more sites. The share is that of a CPU that does an instruction in a nanosecond; a
# server does three to eight. The goal is 1 % with the sites of the guest. "memory" is the share
# of RAM that accounting takes, without the slots of live objects.
#
#   tests/bench/files.sh SERIES...
#
# Adds missed goals to build/bench/missed.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -Wall -Wextra -Werror -static -o "$work/timed" tests/bench/timed.c

# top reads the ages less often only after a while, so that it runs for 60 s. USER_HZ is 100.
# shellcheck disable=SC2016 # expanded by the guest's shell
commands='
insmod /lib/modules/kmemtrace.ko survey=0
cd /sys/kernel/debug/kmemtrace
awk "/^MemTotal:/ { all = \$2 * 1024 } \$1 == \"memory_bytes\" { print \"memory\", \$2 / all }" /proc/meminfo stats
for file in tags tags_quick ages stats caches_live cgroups page_cgroups /proc/allocinfo; do
	took=$(/timed 5 cat $file) || exit 1
	echo "$file $took"
done
echo 1 >/sys/module/kmemtrace/parameters/allocinfo_nodes
echo "allocinfo_nodes $(/timed 5 cat /proc/allocinfo)"
echo 0 >/sys/module/kmemtrace/parameters/allocinfo_nodes
watch() {
	kmemtrace-user top -d 1 <$tty >$tty 2>/tmp/err & top=$!
	sleep 60
	# it still runs, and has refreshed: each time, it reads at least three times
	awk -v name=$1 "\$3 !~ /[SR]/ { exit 1 } { print name, \$14 + \$15 }" /proc/$top/stat || exit 1
	[ $(sed -n "s/^syscr: //p" /proc/$top/io) -gt 150 ] || exit 1
	kill $top
	wait $top
	! [ -s /tmp/err ] || exit 1
}
export TERM=linux
tty=/dev/ttyS2
stty -F $tty rows 50 cols 160
watch top
# 2,000 sites more
insmod /lib/modules/kmt_sites.ko
[ $(grep -c "func:hold_" tags_quick) = 2000 ] || exit 1
echo "tags_quick_2000 $(/timed 5 cat tags_quick)"
watch top_2000
'

for kernel; do
	for mem in 1024 8192; do
		tests/vm/run.sh -k "$kernel" -m $mem -i -t 900 -f "$work/timed:/timed" \
			-f /lib/terminfo/l/linux:/lib/terminfo/l/linux -- "$commands" >"$work/$mem" || { cat "$work/$mem"; exit 1; }
	done
	echo
	echo "$kernel: millions of instructions to read a file, with 1 and 8 GiB of memory"
	join <(sort "$work/1024") <(sort "$work/8192") | awk -v missed=build/bench/missed -v kernel="$kernel" '
		function goal(what, limit, is, line) {
			line = sprintf("goal: %-40s at most %4.1f: %6.2f, %s", what, limit, is,
				is <= limit ? "met" : "MISSED")
			print line
			if (is > limit) print kernel ", " line >>missed
		}
		NF != 3 { exit bad = 1 }
		{ rows++ }
		$1 == "memory" { share = $3; printf "%-20s %8.2f%% %8.2f%%\n", $1, $2 * 100, $3 * 100; next }
		$1 == "top" { small = $2; large = $3; next }
		$1 == "top_2000" { small_many = $2; large_many = $3; next }
		{ printf "%-20s %9.2f %9.2f\n", $1, $2 / 1e6, $3 / 1e6 }
		END {
			if (bad || rows != 13)
				exit 1
			# 60 s, in hundredths
			printf "%-20s %8.2f%% %8.2f%%\n", "top -d 1", small / 60, large / 60
			printf "%-20s %8.2f%% %8.2f%%\n", "top -d 1, 2,000 sites",
				small_many / 60, large_many / 60
			goal("top with 8 GiB takes a CPU, in percent", 1, large / 60)
			goal("accounting takes of 8 GiB, in percent", .2, share * 100)
		}'
done
