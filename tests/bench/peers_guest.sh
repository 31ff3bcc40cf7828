# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Functions for scripts in the guest, to run other tracers. These are on the disk of
# scripts/peers.sh.
peers=/peers

mount_peers() { # MODULE: is copied to /tmp, to be loaded there
	mkdir $peers
	mount /dev/nvme0n1 $peers
	for dir in proc sys dev tmp sys/kernel/debug sys/kernel/tracing; do
		mount --bind /$dir $peers/$dir
	done
	cp "/lib/modules/$1.ko" /tmp/
}

in_peers() {
	chroot $peers /usr/bin/env PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
		PYTHONUNBUFFERED=1 BPFTRACE_MAP_KEYS_MAX=100000 "$@"
}

trace_cmd() { # FILE COMMAND...
	file=$1
	shift
	in_peers trace-cmd record -o "$file" -e kmem:kmalloc -e kmem:kfree \
		-e kmem:kmem_cache_alloc -e kmem:kmem_cache_free \
		-e kmem:mm_page_alloc -e kmem:mm_page_free "$@"
}
