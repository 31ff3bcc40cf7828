#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests the Debian packages, as KTAP, in a separate Debian 12 with the headers of both
# stock kernels (kept in the cache). Builds the packages, installs them over an older
# version, and removes them. Then loads the modules that DKMS built in guests. The systemd of
# the separate Debian runs there, and its service for node_exporter.
set -eu
cd "$(dirname "$0")/../.."
kernels="6.1 6.12"
cache=${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}
root=$cache/roots/deb
deb=$PWD/build/deb

release() { # KERNEL
	cat "$cache/kernels/$1/release"
}

make_root() {
	packages="dkms openssl man-db bash-completion systemd"
	for kernel in $kernels; do
		packages="$packages linux-headers-$(release "$kernel")"
	done
	[ "$(cat "$root.packages" 2>/dev/null)" != "$packages" ] || return 0
	echo "deb: unpacking a Debian to install packages in" >&2
	# shellcheck disable=SC2086 # each is one word
	scripts/mkroot.sh "$root" bookworm $packages
	# download dependencies now, so that the tests need not download them each time
	scripts/inroot.sh "$root" sh -euc 'apt-get update -qq
		apt-get install -qq --download-only libdw1 libjansson4 libncursesw6 libsqlite3-0 liburcu8' >&2
	echo "$packages" >"$root.packages"
}

# Makes a module package with an earlier version number from the current one.
make_older() { # VERSION OLDER
	dpkg-deb -R "$deb/kmemtrace-dkms_$1_all.deb" "$deb/older"
	mv "$deb/older/usr/src/kmemtrace-$1" "$deb/older/usr/src/kmemtrace-$2"
	sed -i "s/$1/$2/" "$deb/older/DEBIAN"/* \
		"$deb/older/usr/src/kmemtrace-$2/dkms.conf" \
		"$deb/older/usr/src/kmemtrace-$2/module/main.c"
	dpkg-deb -b "$deb/older" "$deb/kmemtrace-dkms_$2_all.deb" >/dev/null
}

result() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n $2"
	else
		echo "not ok $n $2"
		failed=1
	fi
}

# shellcheck disable=SC2086 # each is one word
scripts/kernels.sh $kernels
make --no-print-directory -j2 tool >&2
echo "KTAP version 1"
n=0 failed=0
scripts/deb.sh >&2 && status=0 || status=$?
result "$status" "the packages build, and lintian finds nothing"
[ "$status" -eq 0 ] || exit 1

make_root
version=$(dpkg-parsechangelog -S Version)
make_older "$version" 0.0.9
cp tests/deb/inside.sh tests/kselftest/ktap.sh "$deb/"
status=0
# shellcheck disable=SC2046 # each is one word
scripts/inroot.sh -b "$deb" -u "$deb/upper" "$root" \
	sh "$deb/inside.sh" "$version" 0.0.9 $(for k in $kernels; do release "$k"; done) \
	>"$deb/inside.ktap" || status=$?
sed 's/^/    /' "$deb/inside.ktap"
result "$status" "the packages install, and are removed completely"

rm -rf "$deb/system"
mkdir "$deb/system"
tar -xf "$deb/system.tar" -C "$deb/system"
/sbin/mke2fs -q -F -t ext4 -d "$deb/system" "$deb/disk" 600M >&2
rm -rf "$deb/system" "$deb/system.tar"
for kernel in $kernels; do
	status=0
	# shellcheck disable=SC2016 # expanded by the guest's shell
	tests/vm/run.sh -k "$kernel" -t 600 -d "$deb/disk" -f debian/kmemtrace.conf \
		-f tests/deb/systemd.sh -f tests/deb/metrics.sh -f tests/deb/codetags.sh \
		-f "$deb/$(release "$kernel")/kmemtrace.ko:/dkms/kmemtrace.ko" -- '
		set -e
		for script in /metrics.sh /codetags.sh; do
			sh /systemd.sh $script /dkms/kmemtrace.ko
			rmmod kmemtrace
		done
		insmod /dkms/kmemtrace.ko
		grep -q func: /proc/allocinfo
		kmemtrace-user allocinfo --top 3
		rmmod kmemtrace
		sed -n "s/^#options kmemtrace //p" /kmemtrace.conf >/examples
		[ "$(wc -l </examples)" -eq 4 ]
		while read -r options; do
			echo "$options"
			insmod /dkms/kmemtrace.ko $options
			rmmod kmemtrace
		done </examples' \
		>"$deb/boot-$kernel.log" 2>&1 || status=$?
	sed 's/^/# /' "$deb/boot-$kernel.log"
	result "$status" "the module that DKMS built works on $kernel"
done
rm -f "$deb/disk"
echo "1..$n"
exit $failed
