# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

new_machine
printf '%s\n' 'accounting_starts 2' 'forgotten_objects 6' 'live_slab_bytes 20480' \
	'live_page_bytes 40960' 'live_large_bytes 8192' 'recording 0' 'events 900' \
	'lost_events 3' 'buffer_bytes_per_cpu 1048576' >>machine/stats
printf '%s\n' time cache >machine/features
echo kmem:kmalloc >machine/set_event
echo 2 >machine/abi_version
check status-module status
check status-json status --json
check status-argument status now
check status-help status --help

# modules of other versions
new_module
for file in features:none 'set_event:!*:*' 'stats:events 5' abi_version:9; do
	echo "${file#*:}" >"$fake/${file%%:*}"
done
check status-newer-module status
echo 1 >"$fake/abi_version"
like=status-newer-module check status-older-module status

export KMEMTRACE_DIR=$work/nowhere
check status status

new_machine
# failed allocations
no_memory status
