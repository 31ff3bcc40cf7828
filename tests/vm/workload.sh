#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The workload of the demo: files, processes, network.
work=/tmp/work
mkdir -p $work

# files: make a tree of small files, an archive and a copy of it; remove tree and copy
for i in $(seq 40); do
	mkdir "$work/$i"
	for j in $(seq 25); do
		echo "file $j" >"$work/$i/$j"
	done
done
find $work /proc/sys >/dev/null
tar cf /tmp/work.tar $work 2>/dev/null
cp /tmp/work.tar /tmp/copy.tar
rm -rf /tmp/copy.tar $work

# processes: short processes with pipes between them
for i in $(seq 200); do
	/bin/true
done
seq 2000 | sort -r | grep -c 7 >/dev/null

# network: a server, and clients that download from it
httpd -p 127.0.0.1:8080 -h /tmp
for i in $(seq 40); do
	wget -q -O /dev/null http://127.0.0.1:8080/work.tar
done
ping -c 3 -i 0.1 127.0.0.1 >/dev/null
exit 0
