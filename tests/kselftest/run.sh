#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs tests one after the other in the guest, like the runner of kselftest:
#
#   run.sh PATTERN...
#
# Their KTAP is nested in that of this script, with the duration of each test. A test fails
# if it runs for longer than ten times LIMIT seconds, by default the timeout in settings. tests/vm/run.sh
# limits its CPU time to LIMIT.
cd "$(dirname "$0")" || exit 1

# Seconds for which CPUs were not idle; USER_HZ is 100.
busy() {
	awk '/^cpu / { print int(($2 + $3 + $4 + $7 + $8) / 100); exit }' /proc/stat
}

limit=${LIMIT:-$(sed -n 's/^timeout=//p' settings)}
n=0 failed=0 before=
echo "KTAP version 1"
for pattern; do
	before=$n
	for test in kmt_* stress quiet.sh detect.sh lines.sh; do
		# shellcheck disable=SC2254 # a pattern is meant
		case $test in
		$pattern) ;;
		*) continue ;;
		esac
		n=$((n + 1))
		echo "# $test"
		start=$(date +%s) was=$(busy)
		timeout $((limit * 10)) "./$test" >/tmp/test.out 2>&1
		status=$?
		sed 's/^/    /' /tmp/test.out
		echo "    # took $(($(date +%s) - start)) s, of which CPUs worked $(($(busy) - was)) s"
		grep -q '^1\.\.[1-9]' /tmp/test.out || status=no-plan
		if [ $status = 0 ]; then
			echo "ok $n $test"
		else
			echo "not ok $n $test # exit $status"
			failed=1
		fi
		# a test that failed may have left these loaded
		rmmod kmemtrace 2>/dev/null
		rmmod kmt_client 2>/dev/null
		rmmod kmt_fire 2>/dev/null
		rmmod kmt_pages 2>/dev/null
		rmmod kmt_nmi 2>/dev/null
		rmmod kmt_event 2>/dev/null
	done
	if [ "$n" -eq "$before" ]; then
		n=$((n + 1)) failed=1
		echo "not ok $n $pattern # there is no such test"
	fi
done
echo "1..$n"
exit $failed
