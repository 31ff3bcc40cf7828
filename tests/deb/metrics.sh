#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs for tests/deb/run.sh as a service of the systemd of a guest (systemd.sh). Starts the
# service that writes metrics for node_exporter, by hand and by its timer. Leaves the module
# loaded.
set -ex
directory=/var/lib/prometheus/node-exporter
metrics=$directory/kmemtrace.prom

check_file() {
	[ "$(ls $directory)" = kmemtrace.prom ]
	[ "$(stat -c %a $metrics)" = 644 ]
	[ "$(tail -n 1 $metrics)" = "kmemtrace_kernel_info{release=\"$(uname -r)\"} 1" ]
	grep -q '^kmemtrace_site_live_bytes{kind="slab",function=' $metrics
	grep -q '^kmemtrace_cache_live_bytes{cache=' $metrics
	rm $metrics
}

mkdir -p $directory
[ "$(systemctl is-enabled kmemtrace-metrics.timer)" = disabled ]
if systemctl start kmemtrace-metrics.service; then
	exit 1
fi
journalctl -u kmemtrace-metrics | grep 'the module is not loaded'
[ -z "$(ls $directory)" ]

insmod /kmemtrace.ko
systemctl start kmemtrace-metrics.service
check_file

date -s "$(date '+%F %H:%M'):57" # the timer starts it at the next minute
systemctl enable --now kmemtrace-metrics.timer
set +x
until [ -e $metrics ]; do
	sleep 1
done
set -x
check_file
[ "$(systemctl show --value -p Result kmemtrace-metrics.service)" = success ]
