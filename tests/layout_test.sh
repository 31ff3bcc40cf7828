#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Breaks each rule of layout.sh in a copy of the tree, and prints a line for each
# violation that the check does not report. Then it exits with 1.
set -u
cd "$(dirname "$0")/.." || exit 2
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
tool=tools/kmemtrace-user
failed=0

# Copy module/ and the tool; the caller then breaks a rule in it.
begin() {
	rm -rf "${copy:?}"/*
	mkdir -p "$copy/tools" "$copy/tests/unit" "$copy/tests/fuzz"
	cp -r module "$copy/"
	cp -r tools/kmemtrace-user "$copy/tools/"
}

# Run the check on the copy: it is to print just the expected lines.
check() { # NAME EXPECTED
	local got status
	got=$(tests/layout.sh "$copy")
	status=$?
	if [ "$got" != "$2" ] || [ "$status" -ne "${2:+1}" ]; then
		echo "$1: exit $status: $got"
		failed=1
	fi
}

include() { # FILE HEADER
	echo "#include \"$2\"" >>"$copy/$1"
}

begin
got=$(tests/layout.sh "$copy") || {
	echo "the tree as it is: $got"
	failed=1
}

begin
touch "$copy/$tool/main.h"
check 'a file beside the folders' 'tools/kmemtrace-user/main.h is in no folder that is known'

begin
include $tool/base/msg.c trace/merge.h
check 'an upward include' 'tools/kmemtrace-user/base/msg.c includes trace/merge.h, which is above it'

begin
include $tool/control/control.h control/system.h
include $tool/control/system.h control/control.h
check 'a cycle of headers' 'tools/kmemtrace-user/control/control is part of a cycle
tools/kmemtrace-user/control/system is part of a cycle'

begin
include $tool/trace/index.c trace/reader.h
check 'a cycle of a .c file and a header' 'tools/kmemtrace-user/trace/index is part of a cycle
tools/kmemtrace-user/trace/reader is part of a cycle'

begin
include module/base/clock.h control/boot.h
check 'an upward include in the module' 'module/base/clock.h includes control/boot.h, which is above it'

begin
include module/base/clock.h base/guard.h
include module/base/guard.c base/clock.h
check 'a cycle in the module' 'module/base/clock is part of a cycle
module/base/guard is part of a cycle'

begin
mkdir "$copy/$tool/moon"
touch "$copy/$tool/moon/far.c"
check 'an unknown folder' 'tools/kmemtrace-user/moon/far.c is in no folder that is known'

begin
mkdir "$copy/$tool/base/deep"
touch "$copy/$tool/base/deep/low.h"
check 'a folder in a folder' 'tools/kmemtrace-user/base/deep/low.h is in no folder that is known'

begin
mkdir "$copy/tests/unit/moon"
touch "$copy/tests/unit/moon/test_far.c"
check 'a test in an unknown folder' 'tests/unit/moon/test_far.c is in no folder that is known'

begin
include $tool/base/msg.c table.h
check 'an include without a folder' 'tools/kmemtrace-user/base/msg.c includes table.h without its folder'

exit $failed
