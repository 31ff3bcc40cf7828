#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# make demo: records a workload on a stock kernel and shows the report.
set -eu
cd "$(dirname "$0")/../.."

step() {
	echo
	echo "== $*"
}

step "boot Debian's stock kernel $(cat "${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}/kernels/6.12/release") in QEMU"
tests/vm/run.sh -l -k 6.12 -c 2 -t 300 -f tests/vm/workload.sh:/workload.sh \
	-o build/demo.kmt -- '
	set -e
	step() {
		echo
		echo "== in the guest: $*"
	}
	step load the module
	insmod /lib/modules/kmemtrace.ko
	step record a workload: files, processes and a network
	kmemtrace-user record -o /tmp/demo.kmt -- sh /workload.sh 2>&1 | sed "/^Next:/d"
	step copy the recording to the host
	cat /tmp/demo.kmt >/dev/ttyS2'
step "kmemtrace-user report build/demo.kmt"
build/kmemtrace-user report build/demo.kmt || [ $? -eq 3 ] # events may be lost
cat <<'END'

Next:
  build/kmemtrace-user report --by cache --sort total_waste build/demo.kmt
  build/kmemtrace-user report --by gfp build/demo.kmt
  build/kmemtrace-user check build/demo.kmt
  build/kmemtrace-user info build/demo.kmt
  make check
On this machine, as root: make && insmod build/module/kmemtrace.ko, then
  build/kmemtrace-user record -d 5; build/kmemtrace-user report kmemtrace.kmt
END
