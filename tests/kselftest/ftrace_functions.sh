# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Replaces test.d/functions when kmt_ftrace.sh runs ftrace's own selftests. It sources
# the original functions and changes them: no test runs a second time on an instance.
# With KMT_SYSTEM=kmemtrace also:
#
# - The tests run in $KMT_TRACING, a directory of links to kmemtrace's files.
# - echo and printf replace names of events and fields that kmemtrace does not have by
#   names of kmemtrace.
# - cat, grep and head of `trace` and `snapshot` print records as text, with the
#   names that the tests use; `echo > trace` drops the records.
# shellcheck disable=SC1091 # the file is in the guest
. "$KMT_SELFTESTS/test.d/functions"

# kmemtrace has no instances, so no test needs to run twice.
test_on_instance() {
	false
}

[ "$KMT_SYSTEM" = kmemtrace ] || return 0
# shellcheck disable=SC2034 # ftracetest uses it
TRACING_DIR=$KMT_TRACING

# Sets $text.
translate() { # TEXT
	text=$1
	case $text in
	*sched* | *sig* | *_pid*)
		text=$(command printf '%s' "$text" | sed -e 's/sched:sched_switch/kmem:kmalloc/g
			s/sched:sched_process_fork/kmem:kmem_cache_alloc/g
			s/sched:\*/kmem:*/g
			s/\<child_pid\>/bytes_req/g
			s/\<parent_pid\>/bytes_alloc/g
			s/\<sig\>/ptr/g')
		;;
	esac
}

echo() {
	# shellcheck disable=SC3013 # busybox knows -ef
	if [ /proc/self/fd/1 -ef trace ]; then
		take_records >"$KMT_STATE/dropped"
		return
	fi
	translate "$*"
	command echo "$text"
}

printf() {
	case $1 in
	%s)
		translate "$2"
		command printf %s "$text"
		;;
	*) command printf "$@" ;;
	esac
}

# Print records in text, with the names of the tests.
records() { # FILE...
	"$KMT_TOOLS/ftrace_trace" "$@" >"$KMT_STATE/text" || return
	sed -e 's/ kmalloc: / sched_switch: /
		s/ kmem_cache_alloc: / sched_process_fork: /' "$KMT_STATE/text"
}

# Print the records made since the last call. Recording is off meanwhile, as in ftrace
# with its option pause-on-trace.
take_records() {
	was=$(command cat tracing_on)
	command echo 0 >tracing_on
	records "$KMT_DIR"/cpu[0-9]* || return
	command echo "$was" >tracing_on
}

# Run a program. If its last argument is `trace` or `snapshot`, replace it by a file
# with the text that ftrace would have there.
read_by() { # PROGRAM ARGUMENT...
	for last; do :; done
	if [ $# -eq 2 ] && [ "$1" = grep ]; then
		last= # this argument is a pattern, not a file
	fi
	case $last in
	trace) take_records >>trace || return ;;
	snapshot)
		{
			command cat snapshot
			records "$KMT_DIR"/snapshot_cpu[0-9]*
		} >"$KMT_STATE/snapshot" || return
		# replace the last argument
		for _ in $(seq $(($# - 1))); do
			set -- "$@" "$1"
			shift
		done
		shift
		set -- "$@" "$KMT_STATE/snapshot"
		;;
	esac
	command "$@"
}

cat() {
	read_by cat "$@"
}

grep() {
	read_by grep "$@"
}

head() {
	read_by head "$@"
}
