#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Opens exports with the tools that they are made for, as KTAP. Of recordings: go tool pprof,
# sqlite3, babeltrace2, and in a headless Chromium valgrind's dh_view.html and speedscope,
# which is downloaded from npm into the cache once. Of states: Prometheus and node_exporter.
# Of all events of several recordings: ClickHouse.
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
tool=$top/build/kmemtrace-user
cache=${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}
npm=$cache/npm
debs=$cache/debs
speedscope="speedscope-1.25.0"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0 failed=0

if [ ! -d "$npm/$speedscope" ]; then
	mkdir -p "$npm"
	(cd "$work" && npm pack --silent "${speedscope/-/@}" && tar -xzf $speedscope.tgz) >&2 ||
		exit 1
	mv "$work/package" "$npm/$speedscope" || exit 1
fi
dh_view=$(dirname "$(dpkg -L valgrind | grep '/dh_view.html$')")

# Unpacks a Debian package into the cache once. An installed one would start its server on
# this machine, for the network.
unpack() { # PACKAGE
	local dir
	[ ! -d "$debs/$1" ] || return 0
	dir=$(mktemp -d "$work/XXXXXX")
	echo "exports: unpacking $1" >&2
	(cd "$dir" && apt-get download -q "$1" && dpkg -x ./*.deb "$dir/files") >&2 || exit 1
	mkdir -p "$debs"
	mv "$dir/files" "$debs/$1" || exit 1
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

unpack prometheus
unpack prometheus-node-exporter
unpack clickhouse-server
# shellcheck source=tests/cli/inputs.sh
. tests/cli/inputs.sh
# files that the readers keep
export HOME=$work
cd "$work" || exit 1
echo "KTAP version 1"
part "recordings in their viewers" \
	"$top/tests/exports/viewers.py" "$tool" "$dh_view" "$npm/$speedscope/dist/release" \
	"$work" "$work"/{golden,stacks,stacks-big,basic,tasks,tasks-big,wrap,wrap-big,kept,hostile,no-frees,old,snapshot}.kmt
part "metrics in Prometheus" \
	"$top/tests/exports/prometheus.py" "$tool" "$debs/prometheus/usr/bin" \
	"$debs/prometheus-node-exporter/usr/bin" "$work" "$top/Documentation/fleet.rst" \
	"$work"/{tags-now,kernel-6.1,hostile}.tags
mkdir fleet
cp {golden,basic,hostile,ids}.kmt fleet/
slab=180
for kernel in 6.1.0 6.12.0; do
	for host in alpha beta; do
		slab=$((slab * 2))
		sed "s/^release=.*/release=$kernel\nhostname=$host-$kernel/; s/ 180 192 / 180 $slab /" \
			"$top/tests/cli/described/tasks.txt" |
			./mktrace little >"fleet/$host-$kernel.kmt" || exit 1
	done
done
part "events in ClickHouse" \
	"$top/tests/exports/clickhouse.py" "$tool" \
	"$debs/clickhouse-server/usr/sbin/clickhouse-server" "$work/fleet" \
	"$top/Documentation/fleet.rst" "$work"/fleet/*.kmt
echo "1..$n"
exit $failed
