# shellcheck shell=bash disable=SC2034,SC2154,SC2317 # check.sh sources this file
# SPDX-License-Identifier: GPL-2.0-only
#
# The groups of tests for check.sh, in the order in which they run: first those of the gate,
# then from the longest to the shortest. A boot is KERNEL-CPUS-NAME, or KERNEL-NAME.

# --- suites: each prints KTAP -----------------------------------------------------------

# CPU time of a program, in seconds. Wall-clock time is limited to ten times as much.
unit_limit=180

# Run the programs of all unit tests, or those that are built for TSan, as many at once as there
# are CPUs, with nested results.
run_units() { # [.tsan]
	local n=0 failed=0 program name status
	export CK_DEFAULT_TIMEOUT=$unit_limit CK_TIMEOUT_MULTIPLIER=10 out unit_limit current
	for program in tests/unit/*/test_*.c; do
		program=build/${program#tests/}
		program=${program%.c}${1:-}
		[ -z "${1:-}" ] || [ -e "$program" ] || continue
		echo "$program"
	done >"$out/$current.programs"
	# shellcheck disable=SC2016 # the inner shell expands it
	xargs -P "$(nproc)" -I{} bash -c '
		name=$out/$current-${1//\//-}
		ulimit -t $unit_limit
		CK_TAP_LOG_FILE_NAME=$name.tap "$1" >"$name.unit" 2>&1
		echo $? >"$name.status"
		times >"$name.times"
		awk -F "[ms ]+" "NR == 2 {
			print \"    # took\", int(\$1 * 60 + \$2 + \$3 * 60 + \$4 + 0.5), \"s\"
		}" "$name.times" >"$name.took"' bash {} <"$out/$current.programs"
	echo "KTAP version 1"
	while read -r program; do
		name=$out/$current-${program//\//-}
		status=$(cat "$name.status")
		n=$((n + 1))
		[ ! -f "$name.tap" ] || sed 's/^/    /' "$name.tap"
		cat "$name.took"
		if [ "$status" -eq 0 ] && grep -qs '^1\.\.[1-9]' "$name.tap"; then
			echo "ok $n $program"
		else
			failed=1
			tail -n 20 "$name.unit" | sed 's/^/    # /'
			echo "not ok $n $program # exit $status"
		fi
	done <"$out/$current.programs"
	echo "1..$n"
	return $failed
}

# The tests with random inputs get a tenth of them.
run_units_quickly() {
	local -x QUICK=1 LEAKS_SEEDS=100
	run_units ""
}

# One result: whether a command succeeds. The last lines of its output are printed as well.
one() { # NAME COMMAND...
	local status
	echo "KTAP version 1"
	"${@:2}" >"$out/$current.output" 2>&1
	status=$?
	show_errors "$out/$current.output"
	[ $status -eq 0 ] && echo "ok 1 $1" || echo "not ok 1 $1"
	echo "1..1"
	return $status
}

# The module is built without a warning, also from sparse.
run_sparse() {
	rm -rf build/module-sparse
	scripts/module.sh "$cache/kernels/6.12/headers" build/module-sparse W=1 C=1
}

run_fuzz() {
	tests/fuzz/run.sh -a -t 3
}

# --- boots --------------------------------------------------------------------------------

boot_once() { # KERNEL TESTS ARGUMENT...
	local kernel=$1 names=$2
	shift 2
	tests/vm/run.sh -k "$kernel" -m 2048 -t "$limit" "$@" -- \
		"LIMIT=$limit $environment /kselftest/run.sh $names" >"$out/$current.boot" 2>&1
}

# Boot a kernel and run tests. The last one is quiet.sh, which checks that the kernel has
# reported nothing, unless that is what was tested.
boot() { # ENVIRONMENT LIMIT KERNEL TESTS ARGUMENT...
	local environment=$1 limit=$2 kernel=$3 names=$4 status
	shift 4
	[[ $names == *detect.sh* ]] || names="$names quiet.sh"
	boot_once "$kernel" "$names" "$@"
	status=$?
	# not if a task sleeps in the module: that may be a deadlock
	if grep -q 'silent and idle after the NMI' "$out/$current.boot" &&
		! grep -q '^ *not ok \|^run\.sh: .* kmt_' "$out/$current.boot"; then
		mv "$out/$current.boot" "$out/$current.stuck"
		echo "# the guest was booted again, because QEMU had lost a timer ($current.stuck)"
		boot_once "$kernel" "$names" "$@"
		status=$?
	fi
	cat "$out/$current.boot"
	return $status
}

# Print the names of the tests that match PATTERN and TESTS.
tests_of() { # PATTERN
	local file test names=
	for file in "${test_files[@]}"; do
		test=${file##*/} test=${test%.c}
		# shellcheck disable=SC2053 # patterns are meant
		[[ $test == $1 && $test == $tests ]] && names="$names $test"
	done
	echo "${names# }"
}
# kmt_test.c is what these have in common
mapfile -t test_files < <(printf '%s\n' tests/kselftest/{kmt_*.c,kmt_*.sh,detect.sh,lines.sh,stress.c} |
	grep -v /kmt_test.c)

of_tool='Makefile include lib tools'
of_module='dkms.conf Kbuild include lib module samples tests/kmod tests/bench tests/filter_check.h
	tests/filter_refused.h tests/filter_vectors.h scripts/module.sh'
# the kernels that Debian packages
of_headers='scripts/inroot.sh scripts/kernels.sh scripts/mkroot.sh'
# the sources of kernels are those of page-types and of ftrace's selftests
of_guest='tests/vm/init tests/vm/run.sh tests/vm/tsc_khz.c scripts/build-kernel.sh
	scripts/ftrace-tests.sh scripts/inroot.sh scripts/kernels.sh scripts/linux-source.sh
	scripts/mkroot.sh scripts/mm-tools.sh scripts/qemu.sh @qemu @sources'
of_module_boot="$of_module tests/random.h $of_guest"
of_boot="$of_tool $of_module_boot"
documents='Documentation README.md NEWS'
# what tests without a guest share: their tools and inputs
of_suites="$of_tool tests/cli tests/exports tests/fuzz tests/html
	tests/filter_check.h tests/filter_refused.h tests/filter_vectors.h tests/packing.h tests/random.h"

# Print the files of tests, and those that all tests share. So a change of one test runs only
# the groups again that have it.
files_of() { # TEST...
	local file test
	for file in tests/kselftest/*; do
		test=${file##*/} test=${test%.c}
		[[ " ${test_files[*]} " == *" $file "* && " $* " != *" $test "* ]] || echo "$file"
	done
	[[ " $* " != *" kmt_examples.sh "* ]] || echo README.md Documentation/guide.rst
	# samples are built with what make install-client installs
	[[ " $* " != *" kmt_samples.sh "* ]] || echo Makefile
}

# Whether a test runs the tool, or has a part of it.
uses_tool() { # TEST
	grep -qsE 'kmemtrace-user|#include "(trace|waste)/' tests/kselftest/"$1" tests/kselftest/"$1".c
}

# A group that boots KERNEL, if it has one of the tests. With $tool, only those that use the
# tool (1), or that do not (0).
boots() { # NAME KERNEL PATTERN ARGUMENT...
	local name=$1 kernel=$2 names='' shared=$of_module_boot test uses
	for test in $(tests_of "$3"); do
		uses=0
		! uses_tool "$test" || uses=1
		[ "$uses" = "${tool:-$uses}" ] || continue
		names="$names $test"
		[ $uses = 0 ] || shared=$of_boot
	done
	names=${names# }
	shift 3
	[ -n "$names" ] || return 0
	[[ -z ${KERNELS:-} || " $KERNELS " == *" $kernel "* ]] || return 0
	# shellcheck disable=SC2086 # words are meant
	group "$name" "$shared $(files_of $names) @$kernel" \
		"packages kernel-$kernel qemu tool $modules-modules-$kernel kselftest mm-tools ftrace-tests" \
		"make check-all GROUPS='$name' TESTS=%s" \
		boot "${environment:-}" "${limit:-1200}" "$kernel" "$names" "$@"
}

# Two groups: tests that use the tool have a boot of their own, so that a change of the tool
# does not run the others again.
boots_apart() { # NAME KERNEL PATTERN ARGUMENT...
	tool=0 boots "$@"
	tool=1 boots "$1-tool" "${@:2}"
}

# The same on each packaged kernel, with four CPUs. The arguments are for several CPUs.
boots_group() { # NAME PATTERN ARGUMENT...
	local name=$1 pattern=$2 kernel n
	shift 2
	for kernel in 6.12 newest 6.1; do
		for n in ${CPUS:-4}; do
			if [ "$n" -gt 1 ]; then
				boots_apart "$kernel-$n-$name" $kernel "$pattern" -c "$n" "$@"
			else
				boots_apart "$kernel-1-$name" $kernel "$pattern" -c 1
			fi
		done
	done
}

# Tests that switch tracepoints while other CPUs run need CPUs emulated in one thread
# (tests/vm/run.sh says why). Those of loads load the module most often.
loads='unload|steer*'
switching='leaks*|lost|modules*|survey*|filter*|trigger*|threshold|format|boot*|snapshot*|flight*|files*|tool*|fuzz|order_time*'
# Tests that look at the whole machine have a boot of their own: with nothing in memory that
# other tests have left there, and accounting on from the start.
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
# Tests for which it matters that there is no other CPU: who waits for whom, who is woken, what
# is read while it is written; and random filters, more of them than on several CPUs.
one_cpu='filter_random|account|events|order|lost|tags|streams|readers|unload|starved|snapshot*|flight*|tool*|steer_unload*|sleep*|overhead*'
# The examples of the documents run once, on a machine with two NUMA nodes.
once='examples*'
# The test of a large machine has a machine with NUMA nodes.
large='large*'
# This test runs on machines of other shapes.
shape='shape*'
# This one runs without debugfs.
nodebugfs='nodebugfs*'
special="$loads|$switching|$whole|$plugged|$asleep|$alone|$ftrace|$once|$large|$shape|$nodebugfs|fault"
others="!($special)"

# --- the table ------------------------------------------------------------------------------

# Each capability once, with the tests that have found the most bugs: load and unload under load,
# account to the byte, record and report, order, losses, filters, triggers, tags, pages, leaks.
gate_4='kmt_@(account|events|order|lost|tags|leaks.sh|filter.sh|trigger.sh)'
gate_load='kmt_@(steer_unload.sh|unload|tool.sh|pagefiles)'
gate_1='kmt_@(events|allocinfo.sh|caches|control.sh|files.sh|survey.sh)'

environment='QUICK=1 SYSTEMS=kmemtrace' limit=600
# what the gate builds, besides the module
modules="test"
boots 6.12-4-gate 6.12 "$gate_4" -c 4 -s
boots 6.12-4-gate-load 6.12 "$gate_load" -c 4 -s
modules=client
boots 6.1-1-gate 6.1 "$gate_1" -c 1
group cli "$of_suites $documents" "packages tool" \
	"tests/cli/run.sh COMMAND, with its command" env FEW=1 tests/cli/run.sh
group build-newest "$of_module $of_headers @newest" "packages kernel-newest no-modules-newest" \
	"make check-build" one "the module builds for the kernel newest" true
group ordering tests/ordering packages tests/ordering/run.py tests/ordering/run.py
group style ". @6.12" "packages kernel-6.12" tests/check_tree.sh tests/check_tree.sh
group unit "$of_suites tests/unit" "packages units" "make units && %s" run_units_quickly
gate=("${groups[@]}")
modules=all
boots newest-4-gate newest "$gate_4" -c 4 -s

# What kmemtrace's files answer is compared with what ftrace's files answer. The expected
# answers are in the tests; these boots show that ftrace gives them, and depend on the kernel
# and these tests alone.
environment=SYSTEMS=ftrace limit=1200
for kernel in 6.12 newest 6.1; do
	boots $kernel-answers $kernel 'kmt_@(steer|filter|trigger|trigger_hist|control|ftrace).sh' -c 2 -s
	inputs["$kernel-answers"]="Kbuild include lib scripts/module.sh tests/filter_check.h tests/filter_refused.h
		tests/filter_vectors.h tests/kmod $of_guest $(printf 'tests/kselftest/%s ' \
		Makefile kmt_test.{c,h} {session,ktap,run,kmt_{steer,filter,trigger,trigger_hist,control,ftrace}}.sh \
		quiet.sh ftrace_functions.sh ftrace_trace.c differences.txt) @$kernel"
done

environment=SYSTEMS=kmemtrace
boots_group loads "kmt_@($loads)" -s
boots_group switching "kmt_@($switching)" -s
boots_group others "kmt_$others"
boots_group whole "kmt_@($whole)" -s
boots_group asleep "kmt_@($asleep)"
boots 6.12-once 6.12 "kmt_@($once)" -c 4 -n 2 -s
if [ -z "${CPUS:-}" ]; then
	boots 6.12-up 6.12 "kmt_@($one_cpu)" -c 1
	# and with a cache whose objects have red zones
	boots 6.12-redzone 6.12 "kmt_@($whole)" -c 1 -a slub_debug=Z,kmalloc-128
fi
for kernel in 6.12 newest 6.1; do
	boots $kernel-ftrace $kernel "kmt_@($ftrace)" -c 1
	boots $kernel-plugged $kernel "kmt_@($plugged)" -c 1 -g 256
	boots $kernel-alone $kernel "kmt_@($alone)" -c 1
done
boots 6.12-large 6.12 "kmt_@($large)" -n 4 -i -c 16 -m 16384 -g 512
# The host needs 1 GB for this guest, which touches little of its memory.
boots 6.12-large64 6.12 "kmt_@($large)" -n 4 -i -c 64 -m 65536 -g 2048

# Machines that are not like the others: huge pages of 1 GiB on two nodes; two NUMA nodes; a
# node without CPUs; one without memory until that is plugged in; few CPUs of many; KFENCE each
# millisecond; SLUB's own checks; memory that is cleared, and caches that are not merged; no
# accounting of memory cgroups, and four levels of page tables; no debugfs.
for kernel in 6.12 6.1; do
	shape_of() { # NAME ARGUMENT...
		boots "$kernel-shape-$1" $kernel "kmt_@($shape)" "${@:2}"
	}
	shape_of huge -c 2 -m 12288 -n 2
	# not with hugetlb_free_vmemmap=on: an emulated 6.12 then reports bad pages, also
	# without the module
	shape_of nodes -c 4 -m 4096 -n 2 -s
	shape_of cpuless -c 2 -m 2048 -n 2 -e
	shape_of node-later -c 2 -n 2 -e -g 512
	shape_of sparse -c 8 -p 64 -s
	# a struct kmem_cache that is freed is filled with a pattern
	[ $kernel = 6.1 ] || shape_of kfence -c 2 -a kfence.sample_interval=1 \
		-a slub_debug=P,kmem_cache
	shape_of slub_debug -c 2 -a slub_debug=FZPU
	shape_of init -c 2 -a init_on_free=1 -a slab_nomerge
	shape_of nokmem -c 2 -a cgroup.memory=nokmem -a no5lvl
	for value in off no-mount; do
		boots $kernel-shape-debugfs-$value $kernel "kmt_@($nodebugfs)" -c 2 -a debugfs=$value
	done
done
# built by clang with ThinLTO, and with RANDOM_KMALLOC_CACHES and PAGE_POISONING; memory that is
# plugged in
boots clang-shape clang "kmt_@($shape|context*|files*|caches)" -c 2 -g 512 -a page_poison=1

group cli-all "$of_suites $documents" "packages tool" \
	"tests/cli/run.sh COMMAND, with its command" tests/cli/run.sh
group unit-all "$of_suites tests/unit" "packages units" "make units && %s" run_units
group threads "$of_suites tests/unit" "packages threads" "make threads && %s" run_units .tsan
group fuzz "$of_suites" "packages tool fuzzers" "tests/fuzz/run.sh -a -t 3 -k %s" run_fuzz
group sparse "Makefile $of_module $of_headers @6.12" "packages kernel-6.12" \
	"make check-sparse" one "sparse and W=1 find nothing" run_sparse
group hermetic "$of_suites tests/unit $documents tests/hermetic.sh" "packages packages-hermetic tool units" \
	"tests/hermetic.sh" tests/hermetic.sh
group deb ". @6.1 @6.12 @qemu" "packages packages-deb packages-root qemu kernel-6.1 kernel-6.12 tool kselftest" \
	tests/deb/run.sh tests/deb/run.sh
group exports "$of_suites $documents $of_boot scripts/npm-package.sh scripts/versions.sh @chromium @6.1 @6.12" \
	"packages packages-exports qemu tool kselftest kernel-6.1 kernel-6.12 all-modules-6.1 all-modules-6.12" \
	tests/exports/run.sh tests/exports/run.sh
group html "$of_suites tests/bench scripts/npm-package.sh scripts/versions.sh @chromium" "packages packages-html tool" tests/html/run.sh tests/html/run.sh
group oracle "$of_boot tests/oracle @bench" \
	"packages qemu kernel-bench tool kselftest" "make check-oracle" \
	one "accounting agrees with that of mainline" tests/oracle/run.sh
for kernel in 6.12 6.1; do
	boots $kernel-lines $kernel lines.sh -c 2 -s \
		-f "$cache/lines/$kernel.tar.gz:/lines.tar.gz"
	needs["$kernel-lines"]+=" lines-$kernel"
	inputs["$kernel-lines"]+=" scripts/debug-lines.sh"
done

# The order by time against the counter of all CPUs. Each CPU is emulated by a thread.
order_events=${ORDER_EVENTS:-100000000}
environment="ORDER_EVENTS=$order_events" limit=$((order_events / 10000 + 900)) \
	boots 6.12-order 6.12 kmt_ordered -c 4

# Kernels that check themselves: one watches over memory, locks and leaks, and fails on
# demand; one watches for races; and one is preemptible throughout. They do not run the tests
# that compare what files accept and print with ftrace, and leaks and the recorder have a few
# rounds only (QUICK=1): the packaged kernels show that. Races are looked for where CPUs meet.
environment='SYSTEMS=kmemtrace FUZZ_SECONDS=60' limit=3600
# what SLUB's own checks would find, KASAN finds; together they take twice as long
asan=(-a slub_debug=- -a slab_nomerge)
checked_switching=${switching/filter\*/filter.sh}
races_switching='lost|modules*|survey*|trigger*|threshold|snapshot*|flight*|tool*|fuzz|order_time*'
races_others='account|ages|caches|events|hotplug|latency*|nmi|order|ordered|readers|security|starved|streams|tags|unloading*|phantom'
for kernel in debug kcsan 6.12-rt; do
	n=4 kernel_switching=$checked_switching kernel_others=$others kernel_whole=$whole
	set --
	case $kernel in
	debug) set -- "${asan[@]}" && n=2 ;;
	kcsan) kernel_switching=$races_switching kernel_others="@($races_others)" kernel_whole='page*' ;;
	# has no huge pages
	6.12-rt) kernel_whole= ;;
	esac
	boots_apart $kernel-loads $kernel "kmt_@($loads)" -c 4 -s "$@"
	tool=0 boots $kernel-switching $kernel "kmt_@($kernel_switching)" -c 4 -s "$@"
	environment="QUICK=1 $environment" tool=1 boots $kernel-switching-tool $kernel \
		"kmt_@($kernel_switching)" -c 4 -s "$@"
	boots_apart $kernel-others $kernel "kmt_$kernel_others" -c $n "$@"
	boots_apart $kernel-whole $kernel "kmt_@($kernel_whole)" -c $n -s "$@"
	boots $kernel-alone $kernel "kmt_@($alone)" -c 1 "$@"
	# with defects made on purpose
	[ $kernel = 6.12-rt ] ||
		boots $kernel-detect $kernel detect.sh -c 2 -a panic_on_warn=0 "$@"
done
boots debug-fault debug kmt_fault -c 4 -s "${asan[@]}"
boots debug-plugged debug "kmt_@($plugged)" -c 1 -g 256 "${asan[@]}"

# All operations at once, at random, on 6.12 and 6.1.
seconds=${STRESS_SECONDS:-1800} cpus=${STRESS_CPUS:-4}
environment="STRESS_SECONDS=$seconds STRESS_SEED=${STRESS_SEED:-1}" limit=$((seconds * 4 + 1800))
for kernel in 6.12 6.1; do
	# a CPU has up to 15 sub-buffers of 512 KiB, and as many for a snapshot
	boots $kernel-stress $kernel stress -c "$cpus" -s -m $((1920 + cpus * 32))
done

# TESTS=, KERNELS= and CPUS= choose tests in guests: leave the suites out.
if [ -n "${TESTS:-}${KERNELS:-}${CPUS:-}" ]; then
	mapfile -t groups < <(for name in "${groups[@]}"; do
		[[ ${commands[$name]} != "'boot' "* ]] || echo "$name"
	done)
fi

# make check-NAME
declare -A targets=(
	[unit]='unit-all threads ordering fuzz'
	[cli]='cli-all'
	[build]='build-newest'
	[guest]='@(6.1|6.12|newest)-!(rt-*|stress|order|lines|large64|answers|shape-*|*gate*)'
	[large]='6.12-large64'
	[shape]='*-shape*'
	[lines]='*-lines'
	[order]='6.12-order'
	[debug]='@(debug|kcsan|6.12-rt)-*'
	[stress]='*-stress'
)
