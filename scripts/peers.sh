#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Makes a disk for a guest with other tools that trace kernel memory, from Debian's
# packages; needs root. Creates in the cache: peers.img, an ext4 file system with a Debian
# 12 and perf, trace-cmd, bpftrace, bcc, and the headers of the stock kernels, which bcc
# needs to compile its programs; and peers.versions. The disk takes 1 GB, and is made
# again when there are newer packages.
set -eu
cd "$(dirname "$0")"
cache=${KMEMTRACE_CACHE:-$HOME/.cache/kmemtrace}
kernels='6.1 6.12'
packages='linux-perf trace-cmd bpftrace bpfcc-tools kmod'

# shellcheck disable=SC2086 # each is one word
./kernels.sh $kernels
stamp=$(
	for package in $packages; do
		echo "$package $(apt-cache policy "$package" | sed -n 's/^ *Candidate: //p')"
	done
	for series in $kernels; do cat "$cache/kernels/$series/release"; done
)
[ "$(cat "$cache/peers.stamp" 2>/dev/null || :)" != "$stamp" ] || exit 0

root=$cache/roots/peers
# shellcheck disable=SC2086 # each is one word
./mkroot.sh "$root" bookworm $packages
for series in $kernels; do
	release=$(cat "$cache/kernels/$series/release")
	common=$(basename "$cache/kernels/$series/root/usr/src"/linux-headers-*-common)
	mkdir -p "$root/lib/modules/$release"
	cp -a "$cache/kernels/$series/root/usr/src/." "$root/usr/src/"
	ln -s "/usr/src/linux-headers-$release" "$root/lib/modules/$release/build"
	ln -s "/usr/src/$common" "$root/lib/modules/$release/source"
done
rm -rf "$root/var/lib/apt/lists" "$root/var/cache/apt" "$root/usr/share/doc"
# shellcheck disable=SC2016,SC2086 # the format is dpkg's
dpkg-query --root "$root" -W -f '${Package} ${Version}\n' $packages |
	grep -v '^kmod' >"$cache/peers.versions"
rm -f "$cache/peers.img"
mkfs.ext4 -q -d "$root" "$cache/peers.img" 1500M
rm -rf "$root"
echo "$stamp" >"$cache/peers.stamp"
