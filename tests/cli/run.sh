#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The command line on recordings that are always the same, against the output
# that it should give (expected/). UPDATE=1 writes that anew: read the diff.
set -u
cd "$(dirname "$0")/../.." || exit 1
tool=$PWD/build/kmemtrace-user
expected=$PWD/tests/cli/expected
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0 failed=0

gcc -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror \
	-Wno-address-of-packed-member -Iinclude/uapi -Ilib \
	-Itools/kmemtrace-user -o "$work/make_recording" \
	tests/cli/make_recording.c tools/kmemtrace-user/trace_writer.c \
	lib/kmt_record.c -lzstd -lz || exit 1
"$work/make_recording" "$work" || exit 1
head -c 3000 /dev/urandom >"$work/noise"
head -c "$(($(stat -c %s "$work/golden.kmt") - 200))" "$work/golden.kmt" \
	>"$work/cut.kmt"
# those that an encoder of its own makes out of descriptions
gcc -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -o "$work/mktrace" \
	tests/cli/mktrace.c -lzstd -lz || exit 1
describe() { # ORDER DESCRIPTION FILE
	"$work/mktrace" "$1" <"tests/cli/described/$2.txt" >"$work/$3"
}
for d in basic wrap unseen violations; do
	describe little $d $d.kmt || exit 1
done
for d in basic wrap; do
	describe big $d $d-big.kmt || exit 1
done
mkdir "$work/little" "$work/big"
for order in little big; do
	for cpu in 0 1; do
		describe raw-$order raw$cpu $order/cpu$cpu.out || exit 1
	done
done
sed 's/^data 1 .*/& damaged/' tests/cli/described/basic.txt |
	"$work/mktrace" little >"$work/damaged.kmt" || exit 1
echo version 2 | "$work/mktrace" little >"$work/newer.kmt" || exit 1
cd "$work" || exit 1

# Run the tool with the words given; its status and all that it prints are
# what is expected.
check() { # NAME ARGUMENT...
	local name=$1
	shift
	n=$((n + 1))
	"$tool" "$@" >"$work/out" 2>&1 </dev/null
	echo "exit $?" >>"$work/out"
	if [ -n "${UPDATE:-}" ]; then
		cp "$work/out" "$expected/$name"
	fi
	if diff -u "$expected/$name" "$work/out" >"$work/diff" 2>&1; then
		echo "ok $n $name"
	else
		echo "not ok $n $name"
		sed 's/^/# /' "$work/diff"
		failed=1
	fi
}

export KMEMTRACE_DIR=$work/nowhere
echo "KTAP version 1"
check report report golden.kmt
check report-after report golden.kmt --top 2
check report-by-cache report --by cache --sort waste_bytes golden.kmt
check report-by-kind report --by kind golden.kmt
check report-by-gfp report --by gfp golden.kmt
check report-by-order report --by order golden.kmt
check report-by-cpu report --by cpu golden.kmt
check report-by-size report --by size golden.kmt
check report-by-node report --by node golden.kmt
check report-raw-ip report --raw-ip golden.kmt
check report-csv report --csv golden.kmt
check report-json report --json golden.kmt
check report-cut report cut.kmt
check report-raw report cpu0.out
check report-raw-big-endian report big-cpu0.out
check report-noise report noise
check report-nothing report
check report-missing report nowhere.kmt
check report-bad-by report --by moon golden.kmt
check report-bad-sort report --sort moon golden.kmt
check report-bad-top report --top many golden.kmt
check report-bad-option report --moon golden.kmt
check report-two report golden.kmt golden.kmt
check report-help report --help
check check check golden.kmt
check check-cut check cut.kmt
check check-raw check cpu0.out
check check-raw-big-endian check big-cpu0.out
check check-bad check bad-cpu0.out
for d in basic wrap unseen violations damaged; do
	check report-$d report $d.kmt
	check check-$d check $d.kmt
done
for d in basic wrap; do
	n=$((n + 1))
	if diff <("$tool" report $d.kmt) <("$tool" report $d-big.kmt); then
		echo "ok $n the same in either byte order: $d"
	else
		echo "not ok $n the same in either byte order: $d"
		failed=1
	fi
done
check report-two-raw report little/cpu0.out little/cpu1.out
check check-two-raw check big/cpu1.out big/cpu0.out
check check-cpu-twice check little/cpu0.out big/cpu0.out
check report-newer report newer.kmt
check info info golden.kmt
check info-raw info cpu0.out
check status
check help --help
check no-command frobnicate
check record-bad-duration record --duration soon
check record-bad-size record --buffer-size lots
check record-bad-cpus record --cpus 3-1
check record-help record --help
echo "1..$n"
exit $failed
