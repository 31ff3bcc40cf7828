#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures the cost of reading all page frames, in guest instructions for each frame, and
# compares the speed with that of dd, which reads the same files in blocks of 1 MiB. One
# measurement is done right after boot, another one with many neighbouring frames that
# differ. It is a failure if page-types without a list is slower than 90 % of dd's speed.
#
#   tests/bench/pages.sh SERIES...
set -eu -o pipefail
cd "$(dirname "$0")/../.."
scripts/mm-tools.sh 6.1 6.12
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -Wall -Wextra -Werror -static -o "$work/timed" tests/bench/timed.c

# shellcheck disable=SC2016 # expanded by the guest's shell
commands='
frames=$(($(cat /proc/kpageflags | wc -c) / 8))
row() { # FILES NAME COMMAND...: FILES selects the rows of dd to compare with
	files=$1 name=$2
	shift 2
	echo "$state $files $name $frames $(/timed 3 "$@")"
}
rows() {
	row flags dd-kpageflags dd if=/proc/kpageflags of=/dev/null bs=1M
	row count dd-kpagecount dd if=/proc/kpagecount of=/dev/null bs=1M
	row flags page-types kmemtrace-user page-types
	row flags page-types-raw kmemtrace-user page-types -r
	row both page-types-both kmemtrace-user page-types -l -M -N -b hwpoison
	row flags page-types-list kmemtrace-user page-types -l -N
	row flags kernel-page-types kernel-page-types
	row flags kernel-page-types-raw kernel-page-types -r
	row flags kernel-page-types-list kernel-page-types -l -N
}
sleep 4
state=idle
rows
# create files of two pages, and make every other file empty
mkdir /tmp/busy
block=$(head -c 8000 /dev/zero | tr "\0" x)
i=0
while [ $i -lt 60000 ]; do
	i=$((i + 1))
	echo $block >/tmp/busy/$i
done
while [ $i -gt 0 ]; do
	: >/tmp/busy/$i
	i=$((i - 2))
done
state=busy
rows
'

for kernel; do
	release=$(cat "${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}/kernels/$kernel/release")
	echo
	echo "$release: instructions for each page frame, and speed by that of dd"
	tests/vm/run.sh -k "$kernel" -m 2048 -i -t 900 -f "$work/timed:/timed" \
		-- "$commands" | awk '
		NF != 5 { print; next }
		{
			each = $5 / $4
			if ($3 == "dd-kpageflags") dd["flags"] = each
			if ($3 == "dd-kpagecount") {
				dd["count"] = each
				dd["both"] = dd["flags"] + each
			}
			speed = 100 * dd[$2] / each
			printf "%-6s %-24s %8.1f %8.1f %%\n", $1, $3, each, speed
			if ($3 ~ /^page-types/ && $3 !~ /list$/ && speed < 90)
				slow = 1
			rows++
		}
		END {
			if (slow) print "that is too slow"
			exit slow || rows != 18
		}'
done
