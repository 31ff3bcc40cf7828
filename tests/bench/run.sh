#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs benchmarks, on the kernels in $KERNELS, and says in the end which goals are
# missed:
#
#   KERNELS='6.1 6.12' tests/bench/run.sh NAME...     NAME.sh is one, beside this
#
# What they print is left in build/bench/report. A goal that is missed is no
# failure; a benchmark that could not be run is.
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
