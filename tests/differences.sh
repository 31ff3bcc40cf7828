#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The known differences from event tracing (tests/kselftest/differences.txt):
#
#   tests/differences.sh list     as the list in Documentation/events.rst
#   tests/differences.sh update   put it there
#   tests/differences.sh check    print what is inconsistent about them: tests, names
#                                 and document
set -eu
cd "$(dirname "$0")/.."
table=tests/kselftest/differences.txt
document=Documentation/events.rst
sessions=$(grep -l '^\. ./session.sh' tests/kselftest/*.sh)

list() {
	sed -n 's/^[a-z0-9.-]*: //p' "$table" | while read -r text; do
		fold -s -w 78 <<<"$text" | sed -e 's/ *$//' -e '1s/^/* /' -e '2,$s/^/  /'
	done
}

# The document, with the list between two comments.
updated() {
	sed '/^\.\. differences: begin/q' "$document"
	echo
	list
	echo
	sed -n '/^\.\. differences: end/,$p' "$document"
}

names() {
	sed -n 's/^\([a-z0-9.-]*\): .*/\1/p' "$table" | sort
}

used() {
	{
		grep -oE '^(@[a-z0-9.-]+ )+' tests/kselftest/filters.txt | tr ' ' '\n' | tr -d @
		# shellcheck disable=SC2086 # several files
		grep -hoE '^\[(ftrace|kmemtrace) [a-z0-9.-]+\]' $sessions | sed 's/.* //; s/\]//'
	} | grep . | sort -u
}

# Where the two answer the same command differently, the difference has a name.
unnamed() {
	# shellcheck disable=SC2086 # several files
	awk '/^\$ / { common = 1 }
		/^\[(ftrace|kmemtrace)[^]]*\] \$ / { common = 0 }
		/^\[(ftrace|kmemtrace)\]/ && !/^\[[a-z]*\] \$ / && common {
			print FILENAME ":" FNR ": this difference has no name: " $0
		}' $sessions
}

case ${1:-} in
list) list ;;
update)
	new=$(updated)
	printf '%s\n' "$new" >"$document"
	;;
check)
	unnamed
	comm -23 <(used) <(names) | sed 's/$/: a test refers to it, but it is not in differences.txt/'
	comm -13 <(used) <(names) | sed 's/$/: no test shows this difference/'
	cmp -s "$document" <(updated) ||
		echo "$document: the list of differences is not up to date; run tests/differences.sh update"
	;;
*)
	sed -n '3,9s/^# \?//p' "$0" >&2
	exit 2
	;;
esac
