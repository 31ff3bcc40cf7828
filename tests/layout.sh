#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks the layout of module/ and of the tool: each file is in a folder that is listed
# here, a folder includes only folders before it in the list, and the files of a folder
# form no cycle.
#
#   tests/layout.sh [ROOT]
#
# Prints a line for each violation in the project at ROOT, and then exits with 1.
set -u
cd "${1:-$(dirname "$0")/..}" || exit 2

# A line for each tree: where it is, then its folders and the files beside them, in
# the order in which they may include one another.
layouts='
module base record account steer probe control main.c
tools/kmemtrace-user command.h base control codetags trace record account watch report leaks compare export frames process pages waste why memory html complete.c main.c
'

# Print the includes of a tree, in lines "FILE INCLUDED", by paths in the tree.
includes() { # TREE
	find "$1" -name '*.[ch]' -exec \
		grep -HoE '^[ 	]*#[ 	]*include[ 	]*["<][^">]+' {} + |
		sed -E 's,:[^"<]*["<], ,; '"s,^$1/,,"
}

# Print those of them that are includes of files of the tree.
graph() { # TREE
	awk 'NR == FNR { file[$1]; next } $2 in file' \
		<(cd "$1" && find . -name '*.[ch]' | sed 's,^./,,') <(includes "$1")
}

# An include without a folder is found beside the file, and is not in the graph.
without_folder() { # TREE
	includes "$1" | awk -v tree="$1" '
		NR == FNR { file[$1]; next }
		{ beside = $1; sub("[^/]*$", $2, beside) }
		$1 ~ "/" && $2 !~ "/" && beside in file {
			print tree "/" $1 " includes " $2 " without its folder"
		}' <(cd "$1" && find . -name '*.[ch]' | sed 's,^./,,') -
}

unknown() { # TREE FOLDER...
	local tree=$1 file
	shift
	find "$tree" -name '*.[ch]' | sed "s,^$tree/,," | while read -r file; do
		[[ " $* " == *" ${file%%/*} "* && $file != */*/* ]] ||
			echo "$tree/$file is in no folder that is known"
	done
}

# The tests of the tool have folders of the same names; lib is tested there as well.
unknown_tests() { # FOLDER...
	local file folder
	find tests/unit tests/fuzz -name 'test_*.c' -o -name 'fuzz_*.c' |
		while read -r file; do
			folder=${file#tests/*/}
			[[ " lib $* " == *" ${folder%/*} "* ]] ||
				echo "$file is in no folder that is known"
		done
}

upward() { # TREE FOLDER...
	local tree=$1
	shift
	graph "$tree" | awk -v tree="$tree" -v order="$*" '
		function folder(file) { sub("/.*", "", file); return file }
		BEGIN {
			n = split(order, names, " ")
			for (i = 1; i <= n; i++)
				rank[names[i]] = i
		}
		rank[folder($2)] > rank[folder($1)] {
			print tree "/" $1 " includes " $2 ", which is above it"
		}'
}

# A .c file and its .h are one. A cycle through several folders has an upward include.
cycles() { # TREE
	graph "$1" | awk '
		function folder(file) { sub("/.*", "", file); return file }
		folder($1) == folder($2)' | sed -E 's/\.[ch]( |$)/\1/g' | tsort 2>&1 >/dev/null |
		sed -n "s,^tsort: \([^-].*\),$1/\1 is part of a cycle,p" | sort -u
}

found=$(while read -r tree folders; do
	[ -n "$tree" ] || continue
	# shellcheck disable=SC2086 # several words
	{
		unknown "$tree" $folders
		[ "$tree" = module ] || unknown_tests $folders
		upward "$tree" $folders
	}
	without_folder "$tree"
	cycles "$tree"
done <<<"$layouts")
[ -z "$found" ] || echo "$found"
[ -z "$found" ]
