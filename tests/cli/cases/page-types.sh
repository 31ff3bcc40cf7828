# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

# page-types, from a file
flags() { # COUNT FLAGS...: COUNT entries for each
	local count=$1 f b
	shift
	for f; do
		b=$(printf '\\x%02x' $((f & 255)) $((f >> 8 & 255)) \
			$((f >> 16 & 255)) $((f >> 24 & 255)) \
			$((f >> 32 & 255)) 0 0 0)
		for ((i = 0; i < count; i++)); do printf "%b" "$b"; done
	done
}
{
	flags 3 0x100000 0x400
	flags 1 0 0 0x5868 0x100005868
	flags 2 0x80 0x8080 0x10080 0x204c
} >kpageflags
# kernels have other names for some flags
mkdir -p described/sys/kernel
echo 6.12.0 >described/sys/kernel/osrelease
head -c $((8 * 18)) /dev/zero | tee described/kpagecount >described/kpagecgroup
export KMEMTRACE_PROC=$work/described
check page-types page-types -F kpageflags
like=page-types check page-types-raw page-types -F kpageflags -r
like=page-types check page-types-list page-types --kpageflags kpageflags --list
check page-types-each page-types --kpageflags=kpageflags -L -N -a 4,7 -a 8+1 -a 1
check page-types-bits page-types -F kpageflags -b slab -b ~compound_tail -r -l
check page-types-nothing page-types -F kpageflags -b huge
check page-types-behind page-types -F kpageflags -a 100,
check page-types-json page-types -F kpageflags --json -l -a 5,10
check page-types-json-summary page-types -F kpageflags --json -r -b =lru,uptodate
check page-types-describe page-types -d 0x4c,slab
check page-types-describe-json page-types --describe uptodate --json
head -c 20 kpageflags >cut-kpageflags
check page-types-cut page-types -F cut-kpageflags
check page-types-missing page-types -F nowhere
check page-types-no-value page-types --kpageflags
check page-types-bad-addr page-types -a 5,3
check page-types-bad-bits page-types -b lru,~lru
check page-types-bad-cgroup page-types -c @moon
check page-types-no-cgroup page-types -c nowhere
check page-types-pid-and-file page-types -p 1 -f /
check page-types-all-poisoned page-types -X
check page-types-poisoned-copy page-types -X -a 1 -F kpageflags
check page-types-argument page-types 5
check page-types-bad-option page-types --moon
check page-types-help page-types --help
check page-types-json-list page-types -F kpageflags --json -L -M -C -N -a 5
check_through 'cut -c 1-60' page-types-no-flag page-types -b moon
check_through 'cut -c 1-60' page-types-no-flag-described page-types -d lru,moon

# failed allocations
no_memory page-types -F kpageflags
no_memory page-types -F kpageflags --json -l
