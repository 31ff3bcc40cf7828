#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Opens pages of `kmemtrace-user html` in a headless Chromium, as KTAP (driver.mjs).
# playwright-core, which drives it, and axe-core, which checks accessibility, are
# downloaded from npm into the cache once. Screenshots are kept in build/html.
#
#   EVENTS=N tests/html/run.sh    N: events of the large recording; default 10 million
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/node_modules"
for package in playwright-core axe-core; do
	directory=$(scripts/npm-package.sh "$package") || exit 1
	ln -s "$directory" "$work/node_modules/$package"
done

# shellcheck source=tests/cli/inputs.sh
. tests/cli/inputs.sh
sed -e 's/ T alpha$/ T al;p"h\\\\a<\/script><b>\x1b[31m\xff/' -e 's/\[mod\]$/[m;"od]/' \
	-e "s/ dentry$/ <img src=x onerror=alert(1)>'\"\\xc3\\x28\\xe2\\x80\\xa8try/" \
	tests/cli/described/basic.txt | "$work/mktrace" little >"$work/hostile-page.kmt"
gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wno-address-of-packed-member -Iinclude/uapi -Ilib \
	-Itools/kmemtrace-user -Itests -Itests/bench -o "$work/mkrecording" tests/bench/{mkrecording,synthetic}.c \
	build/obj/parts.a -lzstd -lz || exit 1
"$work/mkrecording" "$work/large.kmt" "${EVENTS:-10000000}" 4 1000 10 || exit 1
# more sites, sizes, stacks and waste than a page has
"$work/mkrecording" "$work/crowd.kmt" 200000 4 6000 10 || exit 1
printf '%s\n' "text meta" release=6.12.0 page_size=4096 seq_start=0 cpus=1 features=time . \
	"text end" seq_end=0 events=0 . | "$work/mktrace" little >"$work/zero.kmt" || exit 1

mkdir -p build/html
for name in stacks golden tasks hostile-page no-frees kept leak zero crowd large; do
	build/kmemtrace-user html -o "$work/$name.html" "$work/$name.kmt" 2>/dev/null
	[ -s "$work/$name.html" ] || exit 1
done
{
	printf 'kmemtrace tags - version: 1\n'
	seq 6000 | awk '{ n = $1 ^ 3; printf "slab %.0f 1 %.0f 1 0 %.0f -1 0 0 f.c:%d func:f\n", n, n, n, $1 }'
} >"$work/tags.tags"
build/kmemtrace-user html -o "$work/tags.html" "$work/tags.tags" || exit 1
build/kmemtrace-user html --since 1.02 -o "$work/part.html" "$work/golden.kmt" 2>/dev/null
[ -s "$work/part.html" ] || exit 1
build/kmemtrace-user html -o "$work/state.html" "$work/kernel-6.12.tags" || exit 1
# a machine with a few pages and processes, and a site that leaks by the clock of the test
# shellcheck source=tests/cli/checks.sh
. tests/cli/checks.sh
(cd "$work" && new_machine && ./leak_objects machine/ages 0 &&
	LD_PRELOAD=$work/leak_clock.so LEAKING=$work/machine/ages \
		"$top/build/kmemtrace-user" html --live --for 60 -o live.html) || exit 1
cp tests/html/*.mjs "$work"
cd "$work" || exit 1
# files that the browser keeps
export HOME=$work
node driver.mjs "$work" "$top/build/html" stacks golden tasks hostile-page no-frees kept state live \
	leak large
