# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

check flame-help flame --help
check flame-missing flame nowhere.kmt
check flame-no-module flame --live
check flame-no-recording flame
check flame-bad-value flame --value moon golden.kmt
check flame-bad-kind flame --kind moon golden.kmt
check flame-bad-min flame --min moon golden.kmt
check flame-bad-width flame --width 100 golden.kmt
check flame-state-filter flame --filter 'cpu == 1' tags-now.tags
check flame-two-states flame tags-now.tags tags-then.tags
check flame-state-peak flame --value peak -o - tags-now.tags
check flame-no-frees flame -o - no-frees.kmt
check flame-output-is-directory flame -o little golden.kmt
streamed stacks.kmt flame-peak-pipe flame --value peak

check_through svg_text flame flame -o - stacks.kmt
check_through svg_text flame-narrow flame -o - --width 300 --min 5% --value allocs golden.kmt
like=flame check_through svg_text flame-hostile flame -o - hostile.kmt
check_through svg_text flame-raw flame --raw-ip -o - --value alloc little/cpu0.out little/cpu1.out
check_through svg_text flame-filter flame -o - --since 1.02 -k slab --value temporary golden.kmt
check_through svg_text flame-nothing flame -o - --filter 'bytes_req > 1G' basic.kmt
check_through svg_text flame-state flame -o - tags-now.tags
new_machine
check_through svg_text flame-live flame --live -o -
export KMEMTRACE_DIR=$work/nowhere
unset KMEMTRACE_PROC KMEMTRACE_SYS

# the functions of the kernel are not blue, those of modules are
"$tool" flame -o - stacks.kmt 2>/dev/null | grep -q '\[driver\]$' &&
	! "$tool" flame -o - stacks.kmt 2>/dev/null | grep -A2 '\[driver\]$' | grep -q '"k[0-9]"'
verdict $? "functions of modules have another colour"

# nothing in the picture is loaded from elsewhere
"$tool" flame stacks.kmt 2>/dev/null
[ -s flame.svg ] && ! grep -nE '(src|href)=|url\(|@import|https?://' flame.svg |
	grep -vE 'http://www.w3.org/(2000/svg|1999/xhtml)' >found
verdict $? "the picture loads nothing" || sed 's/^/# /' found
private flame.svg
keeps flame.svg flame stacks.kmt
"$tool" flame nowhere.kmt 2>/dev/null
[ $? -eq 1 ] && [ -s flame.svg ] && [ ! -e flame.svg.part ]
verdict $? "flame leaves the file as it is if it fails"

no_memory flame -o - stacks.kmt
no_memory flame -o - tags-now.tags
