#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs groups of tests, and counts their results. tests/groups.sh says which groups there are.
#
#   tests/check.sh gate               make check: the groups that each change must pass
#   tests/check.sh all [GROUP...]     make check-all: all groups that have not passed yet
#   tests/check.sh status [GROUP...]  make check-all STATUS=1: what has passed
#   tests/check.sh proofs             make proofs: keep in tests/proofs.txt what has passed
#   tests/check.sh run GROUP...       make check-NAME: these groups, passed or not
#   tests/check.sh newest [GROUP...]  make check-newest: with the versions of today
#
# GROUP is a pattern of bash. FRESH=1 runs groups again that have passed. KERNELS, CPUS and
# TESTS (patterns) choose the tests in guests, but not in the gate.
#
# A group prints KTAP. A group that ran no test, or ended without its plan, has failed. A
# group that has passed is recorded in the cache with its content: a hash over the files, the
# kernel and the emulator that the result depends on. tests/proofs.txt has the same of all groups, so
# that a clone on another machine need not run them again. The last line is "N passed, N
# failed, N skipped".
# shellcheck disable=SC2034,SC2154,SC2317 # groups.sh uses variables, and calls functions
set -u -o pipefail
unset CDPATH
cd "$(dirname "$0")/.." || exit 1
mode=${1:-}
[ $# -eq 0 ] || shift
patterns=$*
cache=${KMEMTRACE_CACHE:-${HOME:?set HOME or KMEMTRACE_CACHE}/.cache/kmemtrace}
if [[ $cache == *[[:space:]]* ]]; then
	echo "check.sh: no module can be built in $cache, which has a blank: set KMEMTRACE_CACHE=DIR" >&2
	exit 2
fi
# results must not depend on these
export LC_ALL=C
unset FEW SEEDS UPDATE EVENTS QUICK MOVING PARTS CC WERROR CFLAGS CPPFLAGS LDFLAGS \
	MAKEFLAGS MFLAGS MAKEOVERRIDES GNUMAKEFLAGS LEAKS_SEEDS KMEMTRACE_MUTATIONS \
	ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS TSAN_OPTIONS LLVM ARCH KCFLAGS \
	CK_RUN_CASE CK_RUN_SUITE CK_INCLUDE_TAGS CK_EXCLUDE_TAGS CK_FORK \
	environment limit modules tool
# the gate is always the whole gate
[ "$mode" != gate ] || unset TESTS KERNELS CPUS
if [ "$mode" = newest ]; then
	cache=$cache/moving
	export MOVING=1 KMEMTRACE_CACHE=$cache
fi
out=$PWD/build/check
proofs=$cache/proofs
tests=${TESTS:-*}
# a guest has up to 3 GiB
at_once=$(awk -v cpus="$(nproc)" '/^MemAvailable:/ { n = int($2 / (3 * 1024 * 1024)) }
	END { print n < 1 ? 1 : n < cpus ? n : cpus }' /proc/meminfo)

for n in ${CPUS:-}; do
	if [[ ! $n =~ ^[1-9][0-9]*$ ]]; then
		echo "check.sh: CPUS= has numbers of CPUs, for example CPUS='1 4', not $n" >&2
		exit 2
	fi
done

# --- groups -----------------------------------------------------------------------

groups=()
declare -A inputs needs commands again

# INPUTS are the paths of files (. for all), @KERNEL, @qemu and @sources; NEEDS are goals of
# need(); AGAIN is how to run one test again, with %s for its name.
group() { # NAME INPUTS NEEDS AGAIN COMMAND...
	groups+=("$1")
	inputs[$1]=$2 needs[$1]=$3 again[$1]=$4
	shift 4
	commands[${groups[-1]}]=${*@Q}
}

# Set $chosen to the groups that match a pattern, in the order of the table.
choose() { # PATTERN...
	local name pattern
	set -f
	# shellcheck disable=SC2048,SC2086 # words of patterns
	set -- $*
	set +f
	chosen=()
	for name in "${groups[@]}"; do
		for pattern; do
			# shellcheck disable=SC2053 # a pattern is meant
			if [[ $name == $pattern ]]; then
				chosen+=("$name")
				break
			fi
		done
	done
	if [ ${#chosen[@]} -eq 0 ]; then
		echo "check.sh: no group matches $*${KERNELS:+, KERNELS=$KERNELS}${CPUS:+, CPUS=$CPUS}${TESTS:+, TESTS=$TESTS}. ${groups:+The groups are: }${groups[*]:-No group is left.}" >&2
		exit 2
	fi
}

# --- what groups need ---------------------------------------------------------------

# Print the lock of a goal. Goals that change the cache have one for all runs of this script,
# because they share apt's lists and the sources of kernels. Kernels that are built have another
# one, so that others need not wait for half an hour. The modules of a kernel have one.
lock_of() { # GOAL
	case $1 in
	kernel-[0-9]* | kernel-newest) echo "$cache/lock" ;;
	kernel-*) echo "$cache/lock-build" ;;
	packages* | qemu | mm-tools | ftrace-tests | lines-*) echo "$cache/lock" ;;
	*-modules-*) echo "$out/lock-modules-${1##*-modules-}" ;;
	*) echo "$out/lock-$1" ;;
	esac
}

# Make goals, each once, whichever group needs it first. The output is shown if one fails.
need() { # GOAL...
	local goal made
	for goal; do
		# other runs than the gate's boot each kernel with all modules
		case $mode-$goal in
		gate-*) ;;
		*-modules-*) goal=all-modules-${goal##*-modules-} ;;
		esac
		made=$out/made-$goal
		[ -e "$made" ] || (
			flock 9
			[ -e "$made" ] || {
				make_goal "$goal" >"$out/make-$goal.log" 2>&1 9>&-
				echo $? >"$made.$BASHPID"
				mv "$made.$BASHPID" "$made"
			}
		) 9>"$(lock_of "$goal")"
		[ "$(cat "$made")" -eq 0 ] || {
			show_errors "$out/make-$goal.log"
			echo "not ok 1 $goal can be made"
			echo 1..1
			return 1
		}
	done
}

# Print the last lines of a log, and its first lines that say what is wrong, as comments.
# explain() shows the last four.
show_errors() { # FILE
	{
		tail -n 10 "$1"
		grep -E 'error:|warning:|fatal|^E: ' "$1" | head -n 4
	} | sed 's/^/# /'
}

# Run a command that compiles, with ccache. All clones share its files, because the directory of a
# clone is only in debug information.
compile() { # COMMAND...
	PATH=/usr/lib/ccache:$PATH CCACHE_DIR=$cache/ccache CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 \
		"$@"
}

build() { # GOAL...
	compile make --no-print-directory -j"$(nproc)" "$@"
}

modules() { # KERNEL PARTS
	PARTS=$2 compile scripts/module.sh "$cache/kernels/$1/headers" "build/module-$1" W=1
}

make_goal() { # GOAL
	case $1 in
	packages) scripts/deps.sh ;;
	packages-*) scripts/deps.sh "${1#packages-}" ;;
	qemu) scripts/qemu.sh ;;
	mm-tools) scripts/mm-tools.sh 6.1 6.12 ;;
	ftrace-tests) scripts/ftrace-tests.sh ;;
	kernel-[0-9]* | kernel-newest) scripts/kernels.sh "${1#kernel-}" ;;
	kernel-*) scripts/build-kernel.sh "${1#kernel-}" ;;
	all-modules-*) modules "${1#all-modules-}" "debug kmod bench samples" ;;
	test-modules-*) modules "${1#test-modules-}" "debug kmod" ;;
	client-modules-*) modules "${1#client-modules-}" kmod ;;
	no-modules-*) modules "${1#no-modules-}" "" ;;
	lines-*) scripts/debug-lines.sh "${1#lines-}" ;;
	*) build "$1" ;;
	esac
}

# --- content -------------------------------------------------------------------------

# Print the hash and the path of each file of the project, with an x between them if it can be
# executed.
hash_files() {
	local names=$out/names.$BASHPID programs=$out/programs.$BASHPID status
	# shellcheck disable=SC2016 # the inner shell expands it
	list_files >"$names" &&
		xargs -0 sh -c 'find "$@" -maxdepth 0 -perm /100' sh <"$names" >"$programs" &&
		xargs -0 sha256sum <"$names" | awk '
			NR == FNR { program[$0]; next }
			{
				file = substr($0, 67)
				print substr($0, 1, 65) (file in program ? "x" : " ") file
			}' "$programs" -
	status=$?
	rm -f "$names" "$programs"
	return $status
}

# Print the files that git has or would add, and those that it ignores where the Makefile and
# the tests take what is there. tests/proofs.txt has results, on which no result depends.
list_files() {
	local list=(git -c core.excludesFile=/dev/null ls-files -z)
	git rev-parse --git-dir >/dev/null || return 1
	comm -z -23 <({
		"${list[@]}" --cached --others --exclude-standard
		"${list[@]}" --others --exclude __pycache__ include lib module samples tests tools
	} | sort -zu) <({
		"${list[@]}" --deleted
		printf '%s\0' tests/proofs.txt
	} | sort -zu)
}

# Print files that were written after the files were read, also if they have the same content
# again.
written_since() {
	# shellcheck disable=SC2016 # the inner shell expands it
	list_files | xargs -0 sh -c 'find "$@" -maxdepth 0 -newer "$0"' "$out/files"
}

# Print what a result depends on besides files, also if the cache does not have it yet: the
# version that is pinned, and that in the cache if it is another one.
describe_input() { # @KERNEL|@qemu|@chromium|@sources
	local name=${1#@} versions
	case $name in
	qemu) versions="$(pinned qemu) $(emulator)" ;;
	chromium) versions="$(pinned chromium) $(dpkg-query -W -f '${Version}' chromium 2>/dev/null)" ;;
	sources) versions="$(pinned linux-source-6.1) $(pinned linux-source-6.12)
		$(cat "$cache"/{mm-tools/*,ftrace-tests}/version 2>/dev/null)" ;;
	[0-9]* | newest) versions="$(pinned "linux_$name") $(cat "$cache/kernels/$name/release" \
		2>/dev/null)" ;;
	*) versions="$(scripts/build-kernel.sh -n "$name") $(cat "$cache/kernels/$name/stamp" \
		2>/dev/null)" ;;
	esac
	# shellcheck disable=SC2086 # words
	printf '%s\n' $versions | LC_ALL=C sort -u
}

# Print the version of the emulator, and whether guests use KVM. Until try_kvm() has run, they are
# taken to be emulated.
emulator() {
	if [ -x "$cache/qemu/qemu" ]; then
		"$cache/qemu/qemu" --version | sed -n 's/^QEMU .*(Debian \(.*\)).*/\1/p'
	else
		scripts/qemu.sh -n
	fi
	tests/vm/run.sh -n
}

# Find out whether guests use KVM, once for each boot of the machine, before the contents of
# groups are compared. tests/vm/run.sh boots a guest for it.
try_kvm() {
	[ -w /dev/kvm ] && [ ! -e "$cache/kvm-$(cat /proc/sys/kernel/random/boot_id)" ] || return 0
	{
		need packages kernel-6.12 qemu && tests/vm/run.sh -k 6.12 -- true
	} >"$out/try-kvm.log" 2>&1
}

content_of() { # GROUP
	{
		echo "${commands[$1]//$cache/cache} ${needs[$1]} $unit_limit"
		# what decides whether it passes
		declare -f count need show_errors make_goal build compile modules boot boot_once \
			run_units run_units_quickly run_sparse run_fuzz one
		for input in ${inputs[$1]}; do
			[[ $input != @* ]] || describe_input "$input"
		done
		awk -v paths="${inputs[$1]}" '
			BEGIN { n = split(paths, path) }
			{
				file = substr($0, 67)
				for (i = 1; i <= n; i++)
					if (path[i] == "." || file == path[i] || index(file, path[i] "/") == 1) {
						print
						next
					}
			}' "$out/files"
	} | sha256sum | cut -c 1-12
}

proof_of() { # GROUP CONTENT
	echo "$proofs/$1/$2"
}

# Print result, date and seconds of CPU time of a group with this content.
read_proof() { # GROUP CONTENT
	cat "$(proof_of "$1" "$2")" 2>/dev/null && return
	[ ! -e tests/proofs.txt ] || grep "^$1 " tests/proofs.txt | awk -v content="$2" '
		$5 == content && (line == "" || $2 ~ /^passed/) { line = $2 " " $3 " " $4 }
		END { print line == "" ? "- - -" : line }'
}

has_passed() { # GROUP
	[[ $(read_proof "$1" "$(content_of "$1")") == passed* ]]
}

# Keep the result for the content, if no file has changed since it was read. Old ones are
# removed.
keep_proof() { # GROUP RESULT CPU-SECONDS
	local file changed
	[ -z "${TESTS:-}" ] || return 0
	changed=$({ hash_files | diff - "$out/files" | sed -n 's/^[<>] .\{66\}//p'; written_since; } |
		sort -u | head -n 3)
	if [ -n "$changed" ]; then
		echo "$1: this result is not kept, because files have changed: $changed" >&2
		return
	fi
	file=$(proof_of "$1" "$(content_of "$1")")
	mkdir -p "$proofs/$1"
	echo "$2 $(date +%Y-%m-%dT%H:%M) $3" >"$file.$BASHPID" && mv "$file.$BASHPID" "$file"
	find "$proofs/$1" -type f -printf '%T@ %p\n' | sort -rn | tail -n +21 | cut -d ' ' -f 2- |
		xargs -r -d '\n' rm -f
}

show_status() {
	local name content result date cpu
	printf '%-24s %-10s %-17s %8s  %s\n' GROUP RESULT DATE 'CPU s' CONTENT
	for name in "${chosen[@]}"; do
		content=$(content_of "$name")
		read -r result date cpu < <(read_proof "$name" "$content")
		printf '%-24s %-10s %-17s %8s  %s\n' "$name" "$result" "$date" "$cpu" "$content"
	done
}

# --- run -----------------------------------------------------------------------------

# Count the innermost results of a KTAP file: sets $passed, $failed and $skipped. A plan that
# was not kept is a failure, and so is a file in which all tests but quiet.sh were skipped.
count() { # FILE STATUS
	passed=0 failed=1 skipped=0
	read -r passed failed skipped < <(awk '
		# close the depths from @least on
		function end_of(least,	depth) {
			for (depth in plan) got[depth] += 0
			for (depth in got) {
				if (depth + 0 < least) continue
				if (!(depth in plan) || got[depth] != plan[depth]) f++
				delete got[depth]
				delete plan[depth]
			}
		}
		/^ *1\.\.[0-9]/ {
			match($0, /^ */)
			if (RLENGTH in plan) f++
			if (RLENGTH > 0) nested = 1
			plan[RLENGTH] = substr($0, RLENGTH + 4) + 0
		}
		/^ *Bail out!/ { f++ }
		/^ *(not )?ok [0-9]/ {
			match($0, /^ */)
			got[RLENGTH]++
			if (RLENGTH == 0 && nested) { # the whole of these results
				if ($0 ~ /^not/ && !inner) f++
				end_of(1)
				if ($0 ~ / quiet\.sh/) quiet += p - before
				before = p
				nested = inner = 0
				next
			}
			if (RLENGTH > 0) nested = 1
			if ($0 ~ /^ *not/) { f++; inner = RLENGTH > 0 }
			else if ($0 ~ /# SKIP/) s++
			else p++
		}
		END {
			end_of(0)
			if (p == quiet && !f) f = 1
			print p + 0, f + 0, s + 0
		}' "$1") || { passed=0 failed=1 skipped=0; }
	if [ "$failed" -eq 0 ] && [ "$2" -ne 0 ]; then
		failed=1
	fi
}

# Print what failed, the first lines of each reason, and how to run the test again.
explain() { # GROUP
	awk -v group="$1" -v again="${again[$1]}" -v newest="${MOVING:-}" \
		-v cpus="${CPUS:+ CPUS=\"$CPUS\"}" '
		function how(name,	text) {
			sub(/[: ].*/, "", name)
			text = again
			if (unmade) text = "make check-all GROUPS=\047" group "\047"
			# it belongs to all boots
			if (name == "quiet.sh") sub(/ TESTS=%s/, "", text)
			sub(/%s/, name, text)
			if (newest) sub(/check-all/, "check-newest", text)
			if (text ~ /^make check-all/) text = text cpus
			print "    to run it again: " text
		}
		/^    1\.\.[0-9]/ { planned = substr($0, 8) + 0 }
		/^    (not )?ok [0-9]/ { results++ }
		/^ *Bail out!/ { fault = "it says: " $0 }
		/^ *(not )?ok [0-9]/ {
			match($0, /^ */)
			name = $0
			sub(/^ *(not )?ok [0-9]+ *(- )?/, "", name)
			unmade = name ~ / can be made$/
			if (RLENGTH == 0 && planned != "" && planned != results)
				fault = planned " results planned, " results + 0 " printed"
			if (RLENGTH == 0 && fault != "") {
				print group ": " name ": " fault
				inner = shown = 1
			}
			if (RLENGTH == 0) results = planned = fault = ""
			if (RLENGTH == 0 && inner) how(name)
			else if ($0 ~ /^ *not/) {
				print group ": " name
				for (i = n > 3 ? n - 3 : 0; i < n; i++) print "    " before[i]
				if (RLENGTH == 0) how(name)
				shown = 1
			}
			inner = (RLENGTH > 0) && (inner || $0 ~ /^ *not/)
			after = $0 ~ /^ *not/ ? 8 : 0
			n = 0
			next
		}
		/^# kmt_/ { n = after = 0; next }
		/^ *#/ && $0 !~ /# took/ {
			sub(/^ */, "")
			if (after) { print "    " substr($0, 1, 200); after-- }
			else before[n++] = substr($0, 1, 200)
		}
		END {
			if (!shown) print group ": did not finish, or did not keep its plan"
			exit shown
		}' "$out/$1.ktap" &&
		tail -q -n 5 "$out/$1.ktap" "$out/$1.log" | cut -c 1-200 | sed 's/^/    /'
	grep -hE -m 14 '^run.sh: |cut here|WARNING: |BUG: |INFO: |Oops|panic|RIP: ' \
		"$out/$1.ktap" "$out/$1.log" | cut -c 1-200 | sed 's/^/    /'
}

# Set $cpu to the CPU time of the processes that this shell has waited for. (In a pipe or in
# $(), that would be another shell.)
read_cpu() {
	local file=$out/times.$BASHPID
	times >"$file"
	cpu=$(awk -F '[ms ]+' 'NR == 2 { print int($1 * 60 + $2 + $3 * 60 + $4) }' "$file")
	rm "$file"
}

# Run a group, print a line with its result, and keep the result.
run_group() { # NAME
	local passed failed skipped cpu before status=1 start=$SECONDS twice
	current=$1
	# shellcheck disable=SC2086 # one word for each
	if need ${needs[$1]} >"$out/$1.ktap" 2>"$out/$1.log"; then
		read_cpu
		before=$cpu start=$SECONDS
		eval "${commands[$1]}" >"$out/$1.ktap" 2>"$out/$1.log"
		status=$?
	fi
	read_cpu
	cpu=$((cpu - ${before:-0}))
	count "$out/$1.ktap" $status
	echo "$passed $failed $skipped $((SECONDS - start)) $cpu" >"$out/$1.result"
	twice=$(sed -n 's/^# \(the guest was booted again\).*/ (\1)/p' "$out/$1.ktap" | head -n 1)
	printf '%-24s %4d passed, %d failed, %d skipped; %d s, %d s of CPU time%s\n' "$1" \
		"$passed" "$failed" "$skipped" $((SECONDS - start)) "$cpu" "$twice"
	if [ "$failed" -gt 0 ]; then
		explain "$1" >"$out/$1.failed"
		keep_proof "$1" failed "$cpu"
	else
		keep_proof "$1" "passed${twice:+(2)}" "$cpu"
	fi
}

run_chosen() {
	local name
	for name in "${chosen[@]}"; do
		while [ "$(jobs -rp | wc -l)" -ge "$at_once" ]; do
			wait -n
		done
		run_group "$name" 8>&- &
	done
	wait
}

# The duration of each test in guests: it prints it before its result.
show_slowest() {
	local name
	for name in "${chosen[@]}"; do
		awk -v boot="$name" '
			/^    # took / { seconds = $(NF - 1); next }
			/^(not )?ok / && seconds != "" {
				sub(/^not /, "")
				print seconds, $3, boot
				seconds = ""
			}' "$out/$name.ktap" 2>/dev/null
	done | sort -rn >"$out/times"
	[ -s "$out/times" ] || return 0
	echo "The tests that use the most CPU time (all of them: build/check/times):"
	head -n 8 "$out/times" | awk '{ printf "%7d s  %-24s %s\n", $1, $2, $3 }'
}

finish() {
	local name p=0 f=0 s=0 results
	show_slowest
	grep -h 'is not available; using\|^qemu: .*keeping' "$out"/make-*.log | sort -u
	for name in "${chosen[@]}"; do
		read -r -a results <"$out/$name.result" || results=(0 1 0)
		p=$((p + results[0])) f=$((f + results[1])) s=$((s + results[2]))
	done
	read_cpu
	echo "(logs in build/check; $SECONDS s, $cpu s of CPU time)"
	if [ "$f" -gt 0 ]; then
		echo "What failed:"
		for name in "${chosen[@]}"; do
			[ ! -e "$out/$name.failed" ] || head -n 30 "$out/$name.failed"
		done
	fi
	echo "$p passed, $f failed, $s skipped"
	[ "$f" -eq 0 ] && [ "$p" -gt 0 ]
	exit
}

# end also what runs in the background
interrupted() {
	trap - INT TERM
	echo "interrupted; make check-all continues with the groups that have not passed"
	kill 0
}

# shellcheck source=scripts/versions.sh
. scripts/versions.sh
# shellcheck source=tests/groups.sh
. tests/groups.sh
case $mode in
gate) choose "${gate[*]}" ;;
all | status | proofs) choose "${patterns:-*}" ;;
newest) choose "${patterns:-${gate[*]} newest-4-gate}" ;;
run) choose "${targets[${patterns:-none}]:-$patterns}" ;;
*)
	sed -n '3,/^# shellcheck/{/shellcheck/!s/^# \?//p}' "$0" >&2
	exit 2
	;;
esac
shortened=${patterns:-}${TESTS:-}${KERNELS:-}${CPUS:-}${ORDER_EVENTS:-}${!STRESS_*}
if [ "$mode" = proofs ] && [ -n "$shortened" ]; then
	echo "check.sh: proofs.txt has all groups as they are: give no patterns, TESTS=, KERNELS=, CPUS=, ORDER_EVENTS= or STRESS_*=" >&2
	exit 2
fi
if [ "$mode" = status ] || [ "$mode" = proofs ]; then
	out=$(mktemp -d)
	trap 'rm -rf "$out"' EXIT
	hash_files >"$out/files"
	if [ ! -s "$out/files" ]; then
		echo "check.sh: git cannot list the files of this directory" >&2
		exit 2
	elif [ "$mode" = status ]; then
		show_status
	else
		show_status >"$out/proofs" && cp "$out/proofs" tests/proofs.txt
	fi
	exit
fi
mkdir -p build "$cache"
for dir in build "$cache"; do
	if [ ! -w "$dir" ]; then
		echo "check.sh: cannot write to $dir; KMEMTRACE_CACHE=DIR chooses another cache" >&2
		exit 2
	fi
done
exec 8>build/check.lock
if ! flock -n 8; then
	echo "check.sh: tests of this directory are running already" >&2
	exit 2
fi
rm -rf "$out"
mkdir -p "$out"
trap interrupted INT TERM
if ! hash_files >"$out/files"; then
	echo "check.sh: git cannot list the files of this directory" >&2
	exit 2
fi
if [ "$mode" = all ] && [ -z "${FRESH:-}${TESTS:-}" ]; then
	try_kvm || {
		echo "check.sh: no guest boots: $out/try-kvm.log" >&2
		exit 2
	}
	missing=()
	for name in "${chosen[@]}"; do
		if has_passed "$name"; then
			echo "$name has passed already"
		else
			missing+=("$name")
		fi
	done
	if [ ${#missing[@]} -eq 0 ]; then
		echo "all ${#chosen[@]} groups have passed; FRESH=1 runs them again"
		exit 0
	fi
	chosen=("${missing[@]}")
fi
# An object of a file that was removed, or that was built with other options, must not be used.
case $mode in
gate | all) rm -rf build/{obj,asan,tsan,fuzz,unit,kselftest} build/module-* build/kmemtrace-user ;;
esac
run_chosen
finish
