#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the tests of the tool's output and the unit tests with properties of the machine
# changed, as KTAP. None may change a result. Properties that do not exclude each other are
# changed together; if a result changes, each of them is changed alone, to find which one.
#
#   tests/hermetic.sh [NAME...]    only these properties, each alone
#
# Needs root, for namespaces. Figures that depend on the machine come from described machines
# (tests/cli/described).
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/a home" "$work/a directory" "$work/locales"
echo 5.10.0-elsewhere >"$work/release"
sed -E 's/^(MemTotal|MemFree|MemAvailable):.*/\1: 262144 kB/' /proc/meminfo >"$work/meminfo"
localedef -i tr_TR -f UTF-8 "$work/locales/tr_TR.UTF-8" >&2 || exit 1

# Each line: a name, and the command that runs another one with the property changed. An
# empty line separates properties that exclude each other.
properties() {
	cat <<-END
		release unshare -m sh -c 'mount --bind "$work/release" /proc/sys/kernel/osrelease && exec setarch --uname-2.6 "\$@"' sh
		name unshare --uts sh -c 'hostname elsewhere.example; exec "\$@"' sh
		cpus taskset -c 0
		memory unshare -m sh -c 'mount --bind "$work/meminfo" /proc/meminfo && exec "\$@"' sh
		zone env TZ=Pacific/Kiritimati
		locale env 'LOCPATH=$work/locales' LC_ALL=tr_TR.UTF-8
		umask sh -c 'umask 077; exec "\$@"' sh
		terminal env TERM=dumb COLUMNS=20 LINES=5 NO_COLOR=1
		home env 'HOME=$work/a home' 'TMPDIR=$work/a directory'
		environment env POSIXLY_CORRECT=1 PAGER=false DEBUGINFOD_URLS=x KMEMTRACE_DIR=/nonexistent
		uptime unshare --time --boottime 100000000 --monotonic 100000000
		priority nice -n 10
		load sh -c 'while :; do :; done & "\$@"; status=\$?; kill \$!; exit \$status' sh

		user env HOME=/nonexistent USER=elsewhere LOGNAME=elsewhere
		posix env LC_ALL=C
	END
}

units() {
	local unit name failed=0
	for unit in tests/unit/*/test_*.c; do
		unit=build/${unit#tests/}
		unit=${unit%.c}
		name=$(basename "$unit")
		CK_DEFAULT_TIMEOUT=1800 "$unit" >"$work/$name" 2>&1 || {
			echo "$unit:"
			tail -n 5 "$work/$name"
			failed=1
		}
	done
	return $failed
}

n=0 failed=0
try() { # NAME COMMAND...
	n=$((n + 1))
	if "${@:2}" >"$work/output" 2>&1 </dev/null && ! grep -q '^not ok' "$work/output"; then
		echo "ok $n $1"
		return 0
	fi
	grep -A8 '^not ok\|^build/unit' "$work/output" | head -n 40 | sed 's/^/# /'
	echo "not ok $n $1"
	failed=1
	return 1
}

if [ "${1:-}" = --units ]; then
	units
	exit
fi

both() { # NAME COMMAND...
	local ret=0
	try "$1: the output of the tool" "${@:2}" tests/cli/run.sh || ret=1
	try "$1: unit tests" "${@:2}" tests/hermetic.sh --units || ret=1
	return $ret
}

# Change the properties in $names with the commands in $commands, all at once.
together() {
	local i
	if eval "both '${names[*]}' ${commands[*]}" || [ ${#names[@]} -eq 1 ]; then
		return
	fi
	for i in "${!names[@]}"; do
		eval "both '${names[i]}' ${commands[i]}"
	done
}

echo "KTAP version 1"
export FEW=1
names=() commands=()
while read -r name command; do
	if [ $# -eq 0 ] && [ -n "$name" ]; then
		names+=("$name") commands+=("$command")
	elif [ $# -eq 0 ]; then
		together
		names=() commands=()
	elif [ -n "$name" ] && [[ " $* " == *" $name "* ]]; then
		eval "both '$name' $command"
	fi
done < <(properties && echo)
if [ $# -eq 0 ] || [[ " $* " == *" clock "* ]]; then
	# not the unit tests: ASan must be the first library
	try "clock: the output of the tool" faketime '2001-02-03 04:05:06' tests/cli/run.sh
fi
echo "1..$n"
[ $failed -eq 0 ] && [ $n -gt 0 ]
