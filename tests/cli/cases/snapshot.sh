# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

check snapshot-help snapshot --help
check snapshot-bad-option snapshot --moon
check snapshot-argument snapshot now
check snapshot-no-module snapshot

new_module
echo 1 >"$fake/overwrite"
printf 'state taken\ntaken 1\nmissed 0\nreason oom\nsequence 70\ntime_ns 5\n' \
	>"$fake/snapshot"
: >"$fake/snapshot_cpu0"
check snapshot-empty snapshot -o s.kmt
tail -c +1 little/cpu0.out >"$fake/snapshot_cpu0"
tail -c +1 little/cpu1.out >"$fake/snapshot_cpu1"
"$tool" snapshot -o s.kmt 2>err && "$tool" check s.kmt >out &&
	"$tool" info s.kmt | grep -q '^snapshot_reason  *oom' &&
	grep -q '^snapshot: 5 records kept' out
verdict $? "snapshot saves an earlier snapshot" || sed 's/^/# /' err out
private s.kmt
rm s.kmt
echo 4 >"$fake/lost_events"
# the size of the file depends on the machine, whose description it has
"$tool" snapshot -o s.kmt >out 2>&1
status=$?
sed -i -E 's/[0-9.]+([KM]iB)?, in s.kmt/SIZE, in s.kmt/' out
[ $status -eq 3 ] && diff - out >difference <<'OUT'
snapshot (oom): 5 events, SIZE, in s.kmt
Next: kmemtrace-user report s.kmt
kmemtrace-user: 4 events were lost since recording was switched on
OUT
verdict $? "snapshot tells of lost events" || sed 's/^/# /' difference
rm "$fake/lost_events"

echo 0 >"$fake/overwrite"
(
	flock 9
	check snapshot-of-recorder snapshot --new -o s.kmt
	exit "$failed"
) 9<"$fake" || failed=1
n=$((n + 1)) # the case above counted in a subshell
