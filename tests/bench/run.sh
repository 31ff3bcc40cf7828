#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs benchmarks on the kernels in $KERNELS, and prints the missed goals at the end:
#
#   KERNELS='6.1 6.12' tests/bench/run.sh NAME...     NAME.sh is in this folder
#
# The output of the benchmarks is also written to build/bench/report. A missed goal is not
# a failure, but a benchmark that cannot run is.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
mkdir -p build/bench
missed=build/bench/missed
: >$missed

for name; do
	# shellcheck disable=SC2086 # one word for each kernel
	"tests/bench/$name.sh" ${KERNELS:-6.1 6.12}
done 2>&1 | tee build/bench/report
echo
if [ -s $missed ]; then
	sed 's/^goal: //' $missed
else
	echo "no goal is missed"
fi
