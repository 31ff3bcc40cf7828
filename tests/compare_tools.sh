#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Compares what two versions of the tool print, for changes that must not change it:
#
#   tests/compare_tools.sh OLD NEW     two programs kmemtrace-user
#
# Runs each command on all recordings and states of tests/cli, prints the command lines whose
# output or exit status differs, with the first lines that do, and exits with 1 if there are any.
# JSON is compared without the order of its members.
# shellcheck disable=SC2034,SC2054 # inputs.sh uses variables; keys have commas
set -u
if [ $# -ne 2 ]; then
	sed -n '3,/^set/{/^set/!s/^# \?//p}' "$0" >&2
	exit 2
fi
old=$(realpath "$1") new=$(realpath "$2")
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$old" "$work/old" && cp "$new" "$work/new" || exit 1
old=$work/old new=$work/new top=$PWD tool=$new
# shellcheck source=tests/cli/inputs.sh
. tests/cli/inputs.sh
cd "$work" || exit 1
unset KMEMTRACE_DIR KMEMTRACE_PROC KMEMTRACE_SYS DEBUGINFOD_URLS
runs=0 differ=0

print() { # PROGRAM ARGUMENT...
	local status
	"$@" 2>&1 </dev/null
	status=$?
	echo
	echo "exit $status"
}

# One document of JSON has its members in order; other output is as it is.
in_order() {
	local text
	text=$(tr -d '\0')
	jq -S . <<<"${text%exit *}" 2>/dev/null || printf '%s\n' "$text"
	printf '%s\n' "${text##*exit }"
}

compare() { # ARGUMENT...
	runs=$((runs + 1))
	if ! diff <(print "$old" "$@" | in_order) <(print "$new" "$@" | in_order) >difference; then
		differ=$((differ + 1))
		echo "kmemtrace-user $*"
		head -n 5 difference | sed 's/^/    /'
	fi
}

keys=(site function module cache kind gfp order node cpu size stack process comm cgroup
	site,process stack,cpu)
for file in *.kmt little/cpu0.out big/cpu0.out; do
	for key in "${keys[@]}"; do
		for form in "" --json --csv; do
			# shellcheck disable=SC2086 # none or one word
			compare report --by "$key" --top 0 $form "$file"
		done
		compare timeline --by "$key" --json "$file"
	done
	for view in --lifetimes --temporary "--at peak" "--matrix node" --tree "--tree --callees"; do
		# shellcheck disable=SC2086 # words
		compare report $view --top 0 --json "$file"
		# shellcheck disable=SC2086 # words
		compare report $view --top 0 -v "$file"
	done
	for command in "script" "script --json" "timeline" "waste --top 0" "waste --json" "leaks" \
		"leaks --json" "check" "check --json" "info" "info --json" "flame -o -" \
		"html -o -" "export --to folded -o -" "export --to prometheus -o -"; do
		# shellcheck disable=SC2086 # words
		compare $command "$file"
	done
	compare diff "$file" golden.kmt
	compare diff --json golden.kmt "$file"
done
for dir in "$top"/tests/cli/described/machine/*/; do
	export KMEMTRACE_DIR=$dir KMEMTRACE_PROC=$dir KMEMTRACE_SYS=$dir
	for command in "allocinfo --top 0" "allocinfo --json" memory "memory --json" \
		"waste --json" "why kmalloc --json" pages "pages --json" \
		"pages --by site --json" "pages --pinned --json" page-types "page-types --json" \
		"status --json" "top --once" "top --json --once"; do
		# shellcheck disable=SC2086 # words
		compare $command
	done
done
echo "$runs command lines, $differ differ"
[ $differ -eq 0 ] && [ $runs -gt 0 ]
