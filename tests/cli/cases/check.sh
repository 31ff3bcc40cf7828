# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

cp golden.kmt kmemtrace.kmt
check check-default check
rm kmemtrace.kmt
check check-empty check empty
check check-empty-cpu check empties/cpu0
check check-features check features.kmt
check check check golden.kmt
check check-cut check cut.kmt
check check-raw check cpu0.out
check check-raw-big-endian check big-cpu0.out
check check-bad check bad-cpu0.out
for d in basic wrap unseen violations damaged kept kept-bad snapshot; do
	check check-$d check $d.kmt
done
check check-robbed check robbed.kmt
check check-two-raw check big/cpu1.out big/cpu0.out
check check-cpu-twice check little/cpu0.out big/cpu0.out
check check-codec check codec.kmt
check check-json check --json golden.kmt
check check-json-kept check kept.kmt --json
check check-json-robbed check robbed.kmt --json
check check-json-violations check --json violations.kmt

# recordings of other versions: see Compatibility in Documentation/file-format.rst
for version in later newer; do
	check check-$version check $version.kmt
done

# failed allocations
no_memory check golden.kmt
