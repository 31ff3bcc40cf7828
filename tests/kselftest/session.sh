# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Runs sessions at the shell, in the form in which documents show them, with kmemtrace's
# files and with ftrace's files, and compares both outputs with the expected ones. The
# tests of the control files source this file; then
#
#	session NAME <<'END'
#	$ echo kmalloc >> $D/set_event
#	$ cat $D/set_event | ours
#	kmem:kmalloc
#	END
#
# runs it twice; D is the directory of the one, then of the other. A line that starts
# with [ftrace] or [kmemtrace] is for this system only. If the two answer the same
# command differently, the difference has a name from differences.txt, as in
# [ftrace NAME] and [kmemtrace NAME]. A line that starts with ## is a comment, but three
# have a meaning: a session with the line "## needs 2 CPUs" is skipped on one CPU. A
# session with the line "## needs sizes without KASAN" is skipped with KASAN. A
# session with the line "## ftrace answers so on Linux 6.12" is run with kmemtrace only
# if the kernel is older than that.
#
# SYSTEMS=ftrace runs them with ftrace only.
systems=${SYSTEMS:-ftrace kmemtrace}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT INT TERM
# shellcheck source=tests/kselftest/ktap.sh
. ./ktap.sh

# --- functions for sessions ------------------------------------------------------

cat >"$tmp/ours" <<'END'
kmem:kfree
kmem:kmalloc
kmem:kmem_cache_alloc
kmem:kmem_cache_free
kmem:mm_page_alloc
kmem:mm_page_free
percpu:percpu_alloc_percpu
percpu:percpu_free_percpu
END

# From a list of events, print those that both systems have, sorted.
ours() {
	if [ "$system" = ftrace ]; then
		grep -xFf "$tmp/ours" | sort
	else
		sort
	fi
}

# Make the client module allocate: KIND SIZE COUNT.
fire() {
	echo "$*" >/sys/kernel/debug/kmt_client/run
}

# The same, and print the number of records that this made.
made() {
	if [ "$system" = ftrace ]; then
		echo >"$D/trace"
		fire "$@"
		grep -vc '^#' "$D/trace"
	else
		before=$(cat "$D/sequence")
		fire "$@"
		echo $(($(cat "$D/sequence") - before))
	fi
}

# Print 5000 bytes that are no valid command.
bytes5000() {
	printf '%5000s' '' | tr ' ' x
}

# --- run sessions ----------------------------------------------------------------

use() { # SYSTEM
	system=$1
	case $system in
	ftrace)
		D=/sys/kernel/tracing
		ON=$D/tracing_on
		# shellcheck disable=SC2034 # for the sessions
		OVERWRITE=$D/options/overwrite
		;;
	kmemtrace)
		D=/sys/kernel/debug/kmemtrace
		ON=$D/enabled
		# shellcheck disable=SC2034
		OVERWRITE=$D/overwrite
		;;
	esac
}

# No event enabled, no filter, no trigger, recording on.
reset() {
	for file in "$D"/events/kmem/*/trigger "$D"/events/percpu/*/trigger; do
		# a line of the listing, with "!" in front, removes its trigger
		for _ in $(seq 100); do
			read -r line <"$file" || break
			[ "${line#\#}" = "$line" ] || break
			echo "!$line" >"$file"
		done
	done
	echo >"$D/set_event"
	echo 0 >"$D/events/kmem/filter"
	echo 0 >"$D/events/percpu/filter"
	echo 1 >"$ON"
}

# Run the commands in the expected output on standard input; print the actual output.
play() {
	while IFS= read -r line; do
		case $line in
		'$ '*)
			printf '%s\n' "$line"
			eval "${line#\$ }" </dev/null 2>&1
			;;
		esac
	done | sed 's/^.*: write error/write error/'
}

kernel_older_than() { # VERSION
	uname -r | awk -F '[.-]' -v than="$1" '{
		split(than, v, ".")
		exit !($1 + 0 < v[1] + 0 || ($1 + 0 == v[1] + 0 && $2 + 0 < v[2] + 0))
	}'
}

session() { # NAME
	cat >"$tmp/whole"
	sed '/^## /d' "$tmp/whole" >"$tmp/session"
	for s in $systems; do
		use "$s"
		if grep -q '^## needs 2 CPUs' "$tmp/whole" && [ "$(nproc)" -lt 2 ]; then
			result 0 "$s: $1 # SKIP there is one CPU"
			continue
		fi
		if grep -q '^## needs sizes without KASAN' "$tmp/whole" && has_kasan; then
			result 0 "$s: $1 # SKIP KASAN makes objects larger"
			continue
		fi
		since=$(sed -n 's/^## ftrace answers so on Linux //p' "$tmp/whole")
		if [ "$s" = ftrace ] && [ -n "$since" ] && kernel_older_than "$since"; then
			result 0 "$s: $1 # SKIP ftrace of this kernel answers differently"
			continue
		fi
		sed "s/^\[$s\( [a-z0-9.-]*\)\?\] \?//; /^\[\(ftrace\|kmemtrace\)[] ]/d" \
			"$tmp/session" >"$tmp/expected"
		if [ ! -s "$tmp/expected" ]; then
			result 0 "$s: $1 # SKIP no line is for $s"
			continue
		fi
		reset
		(cd "$D" && play <"$tmp/expected") >"$tmp/seen"
		diff -U 100 "$tmp/expected" "$tmp/seen" >"$tmp/diff"
		result $? "$s: $1"
		sed -n '3,$s/^/# /p' "$tmp/diff"
	done
}

begin() { # PARAMETERS-OF-THE-MODULE
	sessions=$(grep -c '^session ' "$0")
	# shellcheck disable=SC2086 # words are meant
	set -- "$1" $systems
	plan $((sessions * ($# - 1)))
	insmod /lib/modules/kmt_client.ko
	case $systems in
	*kmemtrace*)
		use kmemtrace
		# shellcheck disable=SC2086 # there may be none
		insmod /lib/modules/kmemtrace.ko $1
		cat "$D/set_event" >"$tmp/set_event_at_first"
		;;
	esac
}

end() {
	for s in $systems; do
		use "$s"
		reset
	done
	case $systems in
	*kmemtrace*) rmmod kmemtrace || failed=1 ;;
	esac
	rmmod kmt_client || failed=1
	exit $failed
}
