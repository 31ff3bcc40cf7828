#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs test suites and counts:
#
#   tests/check.sh all|ci|quick|style|unit|cli|guest|large|deb|exports|html|debug|order|stress...
#
# Every suite speaks KTAP. The last line is "N passed, N failed, N skipped". A
# suite that ran no test, or did not keep its plan, has failed.
# shellcheck disable=SC2317 # functions are called by the names of suites
set -u
cd "$(dirname "$0")/.." || exit 1
# the newest kernel is fetched as root alone; the last one is used for stress
kernels=${KERNELS:-$([ "$(id -u)" -ne 0 ] || echo newest) 6.1 6.12}
debug_kernels=${DEBUG_KERNELS:-debug kcsan 6.12-rt}
cpus=${CPUS:-1 4}
tests=${TESTS:-*}
out=build/check
rm -rf $out
mkdir -p $out
passed=0 failed=0 skipped=0
# what runs in the background goes as well
trap 'trap - INT TERM; kill 0' INT TERM

# Count the innermost results of a KTAP file; show what failed.
count() { # SUITE FILE STATUS
	local counts
	# results of nested tests stand deeper; those of the whole have the
	# name of a test program, or stand alone
	counts=$(awk '
		function deeper(line) { match(line, /^ */); return RLENGTH }
		/^ *(not )?ok [0-9]/ {
			d = deeper($0)
			if (nested && d == 0) {
				nested = 0
				if ($0 ~ /^not ok/) print "bad " $0 > "/dev/stderr"
				if ($0 ~ /^not ok/ && !f_in) f++
				f_in = 0
				next
			}
			if (d > 0) nested = 1
			if ($0 ~ /# SKIP/) s++
			else if ($0 ~ /^ *ok/) p++
			else { f++; f_in = 1 }
		}
		END { print p + 0, f + 0, s + 0 }' "$2" 2>/dev/null)
	read -r p f s <<<"${counts:-0 0 0}" # without the file, awk prints nothing
	grep -E '^ *not ok' "$2" 2>/dev/null | sed "s,^ *not ok [0-9]* *,$1: ," >>"$out/failures"
	if [ "$p" -eq 0 ] || { [ "$3" -ne 0 ] && [ "$f" -eq 0 ]; }; then
		f=$((f + 1))
		echo "$1: did not come to its end" | tee -a "$out/failures"
		# the list of failures may be all that is left of the output: say why
		sed -n '/^run.sh: /,$p' "$2" | grep -m 14 -E \
			'^run.sh: |cut here|WARNING: |BUG: |INFO: |Oops|panic|RIP: |stress: round' |
			cut -c 1-200 | sed 's/^/    /' >>"$out/failures"
		echo "Its last lines:"
		tail -n 80 "$2"
	fi
	printf '%-24s %4d passed, %d failed, %d skipped (after %d s)\n' "$1" "$p" "$f" "$s" "$SECONDS"
	if [ "$f" -gt 0 ]; then
		# what a test says stands before its result, or after it
		grep -B3 -A12 -E '^ *not ok' "$2" | grep -vE '^ *ok |^--$' | head -n 80
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

kill_tree() { # PID
	local child
	for child in $(pgrep -P "$1"); do
		kill_tree "$child"
	done
	kill "$1" 2>/dev/null
}

finish() {
	local job
	# after an error, guests may be left
	for job in $(jobs -rp); do
		kill_tree "$job"
	done
	if [ -s "$out/failures" ]; then
		echo "What failed:"
		head -n 40 "$out/failures"
	fi
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
	exit
}

must() { # NAME COMMAND...: a step without which the rest makes no sense
	local name=$1
	shift
	if ! "$@" >"$out/$name.log" 2>&1; then
		tail -n 40 "$out/$name.log"
		echo "$name: failed" >>"$out/failures"
		failed=$((failed + 1))
		finish
	fi
	passed=$((passed + 1))
}

run_style() {
	must kernels scripts/kernels.sh 6.12 # it brings kernel-doc
	tests/check_tree.sh >"$out/style.ktap" 2>&1
	count style "$out/style.ktap" $?
}

run_unit() {
	run_units
	run_ordering
	run_fuzz
}

# The protocols without locks, in the memory model of arm64.
run_ordering() {
	tests/ordering/run.py >"$out/ordering.ktap" 2>"$out/ordering.log"
	count ordering "$out/ordering.ktap" $?
}

unit() { # PROGRAM
	local name
	name=$(basename "$1")
	CK_TAP_LOG_FILE_NAME=$out/$name.tap CK_DEFAULT_TIMEOUT=180 "$1" \
		>"$out/$name.log" 2>&1
	echo $? >"$out/$name.unit"
	[ -f "$out/$name.tap" ] || cp "$out/$name.log" "$out/$name.tap"
}

run_units() {
	must build-unit make --no-print-directory -j2 units
	local name status
	export -f unit
	printf '%s\n' build/unit/*/test_* | grep -v '\.d$' |
		out=$out xargs -P "$(nproc)" -I{} bash -c 'unit {}'
	for name in "$out"/*.unit; do
		name=$(basename "$name" .unit)
		status=$(cat "$out/$name.unit")
		[ "$status" -eq 0 ] || cat "$out/$name.log"
		count "unit $name" "$out/$name.tap" "$status"
	done
}

# A few seconds each, always with the same inputs.
run_fuzz() {
	must build-fuzz make --no-print-directory -j2 fuzzers
	tests/fuzz/run.sh -a -t 3 >"$out/fuzz.ktap" 2>"$out/fuzz.log"
	count fuzz "$out/fuzz.ktap" $?
}

run_cli() {
	must build-tool make --no-print-directory -j2 tool
	tests/cli/run.sh >"$out/cli.ktap" 2>&1
	count cli "$out/cli.ktap" $?
}

run_exports() {
	must exports-packages scripts/deps.sh exports
	must build-tool make --no-print-directory -j2 tool
	must build-modules make --no-print-directory modules-for-guests KERNELS="6.1 6.12"
	tests/exports/run.sh >"$out/exports.ktap" 2>"$out/exports.log"
	count exports "$out/exports.ktap" $?
}

run_html() {
	must html-packages scripts/deps.sh html
	must build-tool make --no-print-directory -j2 tool
	tests/html/run.sh >"$out/html.ktap" 2>"$out/html.log"
	count html "$out/html.ktap" $?
}

run_deb() {
	tests/deb/run.sh >"$out/deb.ktap" 2>"$out/deb.log"
	local status=$?
	[ "$status" -eq 0 ] || tail -n 40 "$out/deb.log"
	count deb "$out/deb.ktap" "$status"
}

boot_once() { # NAME KERNEL PATTERNS ARGUMENT...
	local name=$1 kernel=$2 patterns=$3
	shift 3
	tests/vm/run.sh -k "$kernel" -m 2048 -t 2400 "$@" -- \
		"$environment /kselftest/run.sh $patterns" \
		>"$out/$name.ktap" 2>&1
	echo $? >"$out/$name.status"
}

# Each boot ends with the question whether the kernel has found something, unless
# that is what was tested.
boot() { # NAME KERNEL PATTERNS ARGUMENT...
	local name=$1 kernel=$2 patterns=$3 start=$SECONDS
	shift 3
	[ -n "$patterns" ] || return 0
	[[ $patterns == *detect.sh* ]] || patterns="$patterns quiet.sh"
	boot_once "$name" "$kernel" "$patterns" "$@"
	if grep -q 'was silent and idle' "$out/$name.ktap" &&
		! grep -qE '^(not )?ok ' "$out/$name.ktap"; then
		mv "$out/$name.ktap" "$out/$name.stuck"
		echo "$name: the emulator was stuck before a test had ended; booting again" >&2
		boot_once "$name" "$kernel" "$patterns" "$@"
	fi
	took "$start" >"$out/$name.took"
	# a run that is ended early has shown how far it came
	echo "$name: ended after $SECONDS s"
}
environment=

# Print the time since START, and the CPU time of the children of this shell that have
# ended. In a pipe or in $(), that would be another shell.
took() { # START
	local file=$out/$BASHPID.times
	times >"$file"
	awk -F '[ms ]+' -v s="$((SECONDS - $1))" 'NR == 2 {
		print s " s, " int($1 * 60 + $2 + $3 * 60 + $4) " s of CPU time"
	}' "$file"
	rm "$file"
}

count_boots() { # PATTERN
	local name
	if ! compgen -G "$out/$1.status" >/dev/null; then
		echo "no boot has a test that matches TESTS=$tests: give a pattern such as 'kmt_why*'" |
			tee -a "$out/failures"
		failed=$((failed + 1))
		return
	fi
	for name in "$out"/$1.status; do
		name=$(basename "$name" .status)
		count "$name" "$out/$name.ktap" "$(cat "$out/$name.status")"
		echo "    in $(cat "$out/$name.took")"
		# a test prints its duration before its result
		awk -v boot="$name" '
			/^    # took / { seconds = $3 }
			/^(not )?ok / { sub(/^not /, ""); print seconds, $3, boot }
			' "$out/$name.ktap" >>"$out/times"
	done
	sort -rn -o "$out/times" "$out/times"
	echo "The slowest tests (all of them: $out/times):"
	head -n 15 "$out/times" | awk '{ printf "%7d s  %-24s %s\n", $1, $2, $3 }'
}

# --- the boots ----------------------------------------------------------------

# Tests that switch tracepoints while other CPUs run need CPUs emulated in one
# thread (tests/vm/run.sh says why). Those of loads load the module most often.
loads='unload|steer*'
switching='leaks*|lost|modules*|survey*|filter*|trigger*|threshold|format|boot*|snapshot*|flight*|files*|tool*|fuzz|order_time*'
# Tests that look at the whole machine have a boot of their own: with nothing in
# memory that other tests have left there, and accounting on from the start.
whole='memory*|page*'
# Tests that move pages have a boot of their own, with memory that is plugged in.
plugged='migrate*'
# A CPU that the host does not run for 10 s is given up by the kernel when the machine wakes
# up. So tests that sleep have a boot of their own.
asleep='sleep*'
# Tests after which the kernel is of no use for other tests.
alone='distrust*|lockdown*'
# ftrace's selftests have a boot of their own with one CPU: they test what files accept and
# print, not what CPUs do at the same time, and enable thousands of events.
ftrace='ftrace*'
# The examples of the documents run once.
once='examples*'
# The test of a large machine has a machine with NUMA nodes.
large='large*'
others="!($loads|$switching|$whole|$plugged|$asleep|$alone|$ftrace|$once|$large)"

# Numbers of CPUs that a kernel is tested with: 1 and 4 on 6.12, else 4. Differences between
# kernels show with 4 CPUs, and a boot with one CPU takes as long.
cpus_of() { # KERNEL
	if [ "$1" = 6.12 ] || [ -n "${CPUS:-}" ]; then
		echo "$cpus"
	else
		echo 4
	fi
}

# Boot when there is room. Guests wait much of the time, so there may be one more than
# there are CPUs. Those that take longest should come first.
at_once=$(($(nproc) + 1))
queue() { # NAME KERNEL PATTERNS ARGUMENT...
	[ -n "$3" ] || return 0
	while [ "$(jobs -rp | wc -l)" -ge "$at_once" ]; do
		wait -n
	done
	boot "$@" &
}

# Boot each kernel, with each number of CPUs, for one group of tests.
queue_group() { # NAME PATTERN ARGUMENT...: those for several CPUs
	local name=$1 kernel n chosen
	chosen=$(patterns "$2")
	shift 2
	for kernel in $kernels; do
		for n in $(cpus_of "$kernel"); do
			if [ "$n" -gt 1 ]; then
				queue "guest-$kernel-$n-$name" "$kernel" "$chosen" \
					-c "$n" "$@"
			elif [ "$name" = whole ]; then
				# and with a cache whose objects have red zones
				queue "guest-$kernel-$n-$name" "$kernel" "$chosen" \
					-c "$n" -a slub_debug=Z,kmalloc-128
			else
				queue "guest-$kernel-$n-$name" "$kernel" "$chosen" \
					-c "$n"
			fi
		done
	done
}

queue_guests() {
	local kernel
	queue_group loads "kmt_@($loads)" -s
	for kernel in ${ftrace_kernels:-$kernels}; do
		queue "guest-$kernel-ftrace" "$kernel" \
			"$(patterns "kmt_@($ftrace)")" -c 1
	done
	queue_group others "kmt_$others"
	queue_group switching "kmt_@($switching)" -s
	queue_group whole "kmt_@($whole)" -s
	queue_group asleep "kmt_@($asleep)"
	[ "$tests" != '*' ] || queue_stress guest-stress "${kernels##* }" 60
	queue_large "${kernels##* }" -c 16 -m 16384 -g 512
	queue guest-once "${kernels##* }" "$(patterns "kmt_@($once)")" -c 4 -s
	for kernel in $kernels; do
		queue "guest-$kernel-plugged" "$kernel" \
			"$(patterns "kmt_@($plugged)")" -c 1 -g 256
		queue "guest-$kernel-alone" "$kernel" \
			"$(patterns "kmt_@($alone)")" -c 1
	done
	wait
}

queue_large() { # KERNEL ARGUMENT...
	local kernel=$1
	shift
	queue guest-large "$kernel" "$(patterns "kmt_@($large)")" -n 4 -i "$@"
}

build_for_guests() { # KERNELS
	must build-tool make --no-print-directory -j2 tool
	must build-modules make --no-print-directory modules-for-guests KERNELS="$1"
	must build-mm-tools scripts/mm-tools.sh 6.1 6.12
	must fetch-ftrace-tests scripts/ftrace-tests.sh
	must build-kselftest make --no-print-directory kselftest
}

run_guest() {
	build_for_guests "$kernels"
	queue_guests
	count_boots 'guest-*'
}

# The host needs 1 GB for the guest, which touches little of its memory.
run_large() {
	build_for_guests 6.12
	queue_large 6.12 -c 64 -m 65536 -g 2048
	wait
	count_boots 'guest-*'
	grep -h '^ *# ' "$out/guest-large.ktap"
}

# How many call sites get a file and a line from the package with Debian's debug information.
run_lines() {
	local kernel lines=${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}/lines
	build_for_guests "$kernels"
	# shellcheck disable=SC2086 # one word for each
	must debug-lines scripts/debug-lines.sh $kernels
	for kernel in $kernels; do
		queue "lines-$kernel" "$kernel" lines.sh -c 2 -s \
			-f "$lines/$kernel.tar.gz:/lines.tar.gz"
	done
	wait
	count_boots 'lines-*'
	grep -h 'sites have allocated' "$out"/lines-*.ktap
}

# Run suites while guests wait.
beside_guests() { # SUITE...
	local suite
	build_for_guests "$kernels"
	queue_guests &
	for suite; do
		"run_$suite"
	done
	wait
	count_boots 'guest-*'
}

# All but what has a target of its own.
run_all() {
	beside_guests style unit cli
}

# Each kernel with four CPUs. ftrace's selftests test the module's files, in which kernels
# hardly differ. Each kernel has one seed of its own for the module that leaks.
run_ci() {
	ftrace_kernels=6.12
	environment=SEEDS=1
	[ -n "${CPUS:-}" ] || cpus=4
	beside_guests style unit cli deb
}

# For the loop of editing and testing: a few tests of each suite, and one boot meanwhile.
quick='kmt_account kmt_events kmt_tags kmt_control.sh kmt_files.sh'

run_quick() {
	must build-tool make --no-print-directory -j2 tool
	must build-modules make --no-print-directory modules-for-guests KERNELS=6.12
	must build-kselftest make --no-print-directory kselftest
	boot guest-quick 6.12 "$quick" -c 2 -s &
	run_style
	run_units
	run_cli
	wait
	count_boots 'guest-*'
}

# On a kernel that watches over memory, locks and leaks, and fails on demand; and
# on one that watches for races, and one that is preemptible throughout. The longest
# come first.
run_debug() {
	build_for_guests "$debug_kernels"
	local others="kmt_!($loads|$switching|$whole|$plugged|$asleep|$alone|$ftrace|$once|$large|fault)"
	environment='LIMIT=3600 FUZZ_SECONDS=60'
	at_once=2
	on debug loads "kmt_@($loads)" -c 4 -s
	on debug ftrace "kmt_@($ftrace)" -c 4 -s
	on debug switching "kmt_@($switching)" -c 4 -s
	on debug whole "kmt_@($whole)" -c 2 -s
	on debug fault kmt_fault -c 4 -s
	on kcsan loads "kmt_@($loads)" -c 4 -s
	on kcsan ftrace "kmt_@($ftrace)" -c 4 -s
	on kcsan switching "kmt_@($switching)" -c 4 -s
	on debug others "$others" -c 2
	on kcsan others "$others" -c 4
	on kcsan whole "kmt_@($whole)" -c 4 -s
	on 6.12-rt loads "kmt_@($loads)" -c 4 -s
	on 6.12-rt ftrace "kmt_@($ftrace)" -c 4 -s
	on 6.12-rt switching "kmt_@($switching)" -c 4 -s
	on 6.12-rt others "$others" -c 4
	on debug plugged "kmt_@($plugged)" -c 1 -g 256
	on debug alone "kmt_@($alone)" -c 1
	on kcsan alone "kmt_@($alone)" -c 1
	on 6.12-rt alone "kmt_@($alone)" -c 1
	# with defects made on purpose
	on debug detect detect.sh -c 2 -a panic_on_warn=0
	on kcsan detect detect.sh -c 2 -a panic_on_warn=0
	wait
	count_boots 'debug-*'
}

# Queue it, if it is one of those asked for.
on() { # KERNEL NAME PATTERN ARGUMENT...
	local kernel=$1 name=$2 chosen
	[[ " $debug_kernels " == *" $kernel "* ]] || return 0
	chosen=$(patterns "$3")
	shift 3
	# what SLUB's own checks would find, KASAN finds; together they take twice
	# as long
	[ "$kernel" != debug ] || set -- -a slub_debug=- -a slab_nomerge "$@"
	queue "debug-$kernel-$name" "$kernel" "$chosen" -t 5400 "$@"
}

# The order by time against the counter of all CPUs, for as many events as asked. Each
# CPU is emulated by a thread, so that two run at once.
run_order() {
	local events=${ORDER_EVENTS:-100000000}
	local limit=$((events / 10000 + 900))
	must build-modules make --no-print-directory modules-for-guests \
		KERNELS="$kernels"
	must build-kselftest make --no-print-directory kselftest
	environment="LIMIT=$limit ORDER_EVENTS=$events"
	at_once=1
	for kernel in $kernels; do
		queue "order-$kernel" "$kernel" kmt_ordered -c 4 -t $((limit + 600))
	done
	wait
	count_boots 'order-*'
	grep -h '# .* records,\|# .* addresses,' "$out"/order-*.ktap
}

# For as long as asked, on each kernel.
run_stress() {
	must build-tool make --no-print-directory -j2 tool
	must build-modules make --no-print-directory modules-for-guests \
		KERNELS="$kernels"
	must build-kselftest make --no-print-directory kselftest
	at_once=1
	for kernel in $kernels; do
		queue_stress "stress-$kernel" "$kernel" "${STRESS_SECONDS:-900}"
	done
	wait
	count_boots 'stress-*'
	grep -h -A1 '# seed\|rounds:' "$out"/stress-*.ktap
}

queue_stress() { # NAME KERNEL SECONDS
	local environment="LIMIT=$(($3 + 900)) STRESS_SECONDS=$3"
	environment="$environment STRESS_SEED=${STRESS_SEED:-$(date +%s)}"
	queue "$1" "$2" stress -c "${STRESS_CPUS:-4}" -s -t $(($3 + 1500))
}

# The tests of a boot that TESTS= asks for.
patterns() { # PATTERN
	local test chosen=
	for test in build/kselftest/kmt_* build/kselftest/detect.sh; do
		test=$(basename "$test")
		# shellcheck disable=SC2053 # patterns are meant
		[[ $test == $1 && $test == $tests ]] && chosen="$chosen $test"
	done
	echo "$chosen"
}

start=$SECONDS
must dependencies scripts/deps.sh
for suite; do
	case $suite in
	all | ci | quick | style | unit | cli | guest | large | lines | deb | exports | html | debug | order | stress) "run_$suite" ;;
	*)
		echo "check.sh: there is no suite $suite" >&2
		exit 2
		;;
	esac
done
took "$start" >"$out/took"
echo "(logs in $out; $(cat "$out/took"))"
finish
