#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests the command line, as KTAP: the cases in cases/ run commands on inputs that never
# change, and compare their output with expected/. UPDATE=1 writes expected/ again; check
# the diff then.
#
#   tests/cli/run.sh [NAME...]    only cases/NAME.sh
#
# FEW=1 gives the second implementations a tenth of the random inputs, and makes one
# allocation in 16 fail.
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
tool=$top/build/kmemtrace-user
cases=$top/tests/cli/cases
# the programs that are preloaded from it need a path without blanks
work=$(mktemp -d -p /tmp)
trap 'rm -rf "$work"' EXIT
n=0 failed=0

# shellcheck source=tests/cli/inputs.sh
. tests/cli/inputs.sh
# shellcheck source=tests/cli/checks.sh
. tests/cli/checks.sh
# shellcheck source=tests/cli/expected.sh
. tests/cli/expected.sh

# The tool runs in the locale of the caller, but ranges such as [a-z] are those of C.
export LANG=${LC_ALL:-${LANG:-C}} LC_COLLATE=C
unset LC_ALL
umask 0
split_expected
echo "KTAP version 1"
names=("${@:-*}")
names=("${names[@]/#/$cases/}")
# shellcheck disable=SC2068 # patterns
for file in ${names[@]/%/.sh}; do
	cd "$work" || exit 1
	export KMEMTRACE_DIR=$work/nowhere
	unset KMEMTRACE_PROC KMEMTRACE_SYS DEBUGINFOD_URLS POSIXLY_CORRECT like
	# shellcheck source=/dev/null # they are checked separately
	. "$file"
done
cd "$work" || exit 1
if [ $# -gt 0 ]; then
	echo "1..$n"
	exit $failed
fi
# shellcheck source=tests/cli/json_members.sh
. "$top/tests/cli/json_members.sh"
if [ -n "${UPDATE:-}" ]; then
	write_expected
	split_expected
fi
check_parts
echo "1..$n"
exit $failed
