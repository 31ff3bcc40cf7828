#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Copies the kernel's own selftests of ftrace from Debian's linux-source-6.12 to
# CACHE/ftrace-tests, once for each version. kmt_ftrace.sh runs them.
set -eu
cd "$(dirname "$0")/.."
dir=${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}/ftrace-tests
. scripts/linux-source.sh

version=$(source_version linux-source-6.12 "$dir/version")
[ "$(cat "$dir/version" 2>/dev/null || :)" != "$version" ] || exit 0
fetch_source linux-source-6.12 "$version" "$dir" tools/testing/selftests/ftrace
mv "$dir/linux/tools/testing/selftests/ftrace" "$dir/tests"
rm -rf "$dir/linux"
echo "$version" >"$dir/version"
