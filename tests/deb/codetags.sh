#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs for tests/deb/run.sh as a service of the systemd of a guest (systemd.sh). Starts the
# service that loads files and lines, before the module is loaded. DKMS has removed the debug
# information of the module, so a file of the cache stands for it. Leaves the module loaded.
set -ex
cache=/var/cache/kmemtrace

[ "$(systemctl is-enabled kmemtrace-codetags)" = disabled ]
systemctl start kmemtrace-codetags
insmod /kmemtrace.ko
build_id=$(od -An -v -tx1 -j16 /sys/module/kmemtrace/notes/.note.gnu.build-id | tr -d ' \n')
[ "$(stat -c '%U %a' $cache)" = "root 755" ]
mkdir -p $cache/codetags
cat >"$cache/codetags/$build_id" <<ROWS
kmemtrace-codetags 1
build_id $build_id
allocators 0
section .text
0x10 module/some.c:17 some_function
# end 1
ROWS
rmmod kmemtrace
insmod /kmemtrace.ko
set +x
for _ in $(seq 300); do
	! kmemtrace-user codetags show | grep -q some_function || break
	sleep 0.2
done
set -x
journalctl -u kmemtrace-codetags
kmemtrace-user codetags show | grep 'module/some.c:17 some_function'
systemctl stop kmemtrace-codetags
[ "$(systemctl show --value -p Result kmemtrace-codetags)" = success ]
