#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Opens the exports of recordings with the tools that they are made for, as KTAP:
# go tool pprof, sqlite3, babeltrace2, and in a headless Chromium valgrind's dh_view.html and speedscope, which is
# downloaded from npm into the cache once.
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
cache=${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}/npm
speedscope="speedscope-1.25.0"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ ! -d "$cache/$speedscope" ]; then
	mkdir -p "$cache"
	(cd "$work" && npm pack --silent "${speedscope/-/@}" && tar -xzf $speedscope.tgz) >&2 ||
		exit 1
	mv "$work/package" "$cache/$speedscope" || exit 1
fi
dh_view=$(dirname "$(dpkg -L valgrind | grep '/dh_view.html$')")

# shellcheck source=tests/cli/inputs.sh
. tests/cli/inputs.sh
cd "$work" || exit 1
# files that the readers keep
export HOME=$work
"$top/tests/exports/viewers.py" "$top/build/kmemtrace-user" "$dh_view" \
	"$cache/$speedscope/dist/release" "$work" "$work"/{golden,stacks,stacks-big,basic,tasks,tasks-big,wrap,wrap-big,kept,hostile,no-frees,old,snapshot}.kmt
