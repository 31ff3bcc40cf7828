#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs ftrace's own selftests (the kernel's tools/testing/selftests/ftrace, fetched by
# scripts/ftrace-tests.sh) with ftrace, and with a directory of links to kmemtrace's
# files. The tests are not changed; ftrace_functions.sh adapts the functions that they
# use. The module has its default parameters.
#
# kmt_ftrace.sh TEST... runs only these tests; SYSTEMS=kmemtrace runs them with
# kmemtrace only.
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh
KMT_SELFTESTS=/ftrace-tests
KMT_DIR=/sys/kernel/debug/kmemtrace
KMT_TOOLS=$PWD
KMT_STATE=$(mktemp -d)
KMT_TRACING=$KMT_STATE/tracing
export KMT_SELFTESTS KMT_DIR KMT_TOOLS KMT_STATE KMT_TRACING
log=$KMT_STATE/log

tests='event/event-enable event/subsystem-enable event/toplevel-enable
filter/event-filter-function filter/event-filter-incomplete
trigger/trigger-eventonoff trigger/trigger-filter trigger/trigger-snapshot
trigger/trigger-stacktrace trigger/trigger-traceonoff
ftrace/tracing-error-log 00basic/ringbuffer_size 00basic/snapshot'

# Tests that ftrace of an older kernel does not pass.
case $(uname -r) in
6.1.*) too_new='filter/event-filter-function' ;; # 6.1 has no .function
*) too_new= ;;
esac

# Make a directory with ftracetest, its tests, and our functions.
make_runner() {
	mkdir -p "$KMT_STATE/runner/test.d"
	ln -s "$KMT_SELFTESTS/ftracetest" "$KMT_STATE/runner/"
	ln -s "$KMT_SELFTESTS"/test.d/* "$KMT_STATE/runner/test.d/"
	rm "$KMT_STATE/runner/test.d/functions"
	ln -s "$PWD/ftrace_functions.sh" "$KMT_STATE/runner/test.d/functions"
}

# Make a directory of links to kmemtrace's files, with ftrace's names, also with names
# of events that kmemtrace does not have. Files that only ftrace has are plain files.
make_tracing() {
	events=$KMT_TRACING/events
	mkdir -p "$events/sched" "$events/signal" "$KMT_TRACING/options"
	for file in available_events buffer_size_kb error_log set_event snapshot; do
		ln -s "$KMT_DIR/$file" "$KMT_TRACING/"
	done
	ln -s "$KMT_DIR/enabled" "$KMT_TRACING/tracing_on"
	for file in "$KMT_DIR"/events/*; do
		ln -s "$file" "$events/"
	done
	ln -s "$KMT_DIR/events/kmem/enable" "$events/sched/"
	ln -s "$KMT_DIR/events/kmem/kmalloc" "$events/sched/sched_switch"
	ln -s "$KMT_DIR/events/kmem/kmem_cache_alloc" \
		"$events/sched/sched_process_fork"
	ln -s "$KMT_DIR/events/kmem/kmalloc" "$events/signal/signal_generate"
	touch "$KMT_TRACING/trace" "$KMT_TRACING/current_tracer" \
		"$KMT_TRACING/dynamic_events" "$KMT_TRACING/options/stacktrace"
}

# A test that misses a file ends with UNSUPPORTED, which counts as a failure here.
try() { # SYSTEM TEST
	runner=$KMT_STATE/runner
	KMT_SYSTEM=$1 sh "$runner/ftracetest" --fail-unsupported --fail-unresolved -vv \
		-l "$KMT_STATE/logs" "$runner/test.d/$2.tc" >"$log" 2>&1 &&
		grep -q '\[PASS\]' "$log"
}

systems=${SYSTEMS:-ftrace kmemtrace}
# shellcheck disable=SC2086 # words are meant
[ $# -gt 0 ] || set -- $tests
plan $(($(echo "$systems" | wc -w) * $# + 2))
make_runner
case $systems in
*kmemtrace*)
	insmod /lib/modules/kmemtrace.ko && echo time task >$KMT_DIR/features &&
		make_tracing
	result $? "the module loads"
	;;
*) skip "the module loads" "only ftrace is tested" ;;
esac
for test; do
	for system in $systems; do
		case $system-$too_new in
		ftrace-"$test") skip "$system: $test" "newer than this kernel" ;;
		*)
			try "$system" "$test"
			result $? "$system: $test"
			;;
		esac
	done
done
log=
case $systems in
*kmemtrace*)
	rmmod kmemtrace
	result $? "the module unloads"
	;;
*) skip "the module unloads" "only ftrace is tested" ;;
esac
rm -rf "$KMT_STATE"
exit "$failed"
