# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

# page-types, from a file: only flags that have the same name in every kernel
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
# leaves out the letters that differ between kernels
printf '%s\n' 's/\([_A-Za-z]\{27\}\)[_A-Za-z0-9]\{16,18\}/\1/' >letters
common() { # NAME ARGUMENT...
	check_through 'sed -f letters' "$@"
}
common page-types page-types -F kpageflags
common page-types-raw page-types -F kpageflags -r
common page-types-list page-types --kpageflags kpageflags --list
common page-types-each page-types --kpageflags=kpageflags -L -N -a 4,7 -a 8+1 -a 1
common page-types-bits page-types -F kpageflags -b slab -b ~compound_tail -r -l
common page-types-nothing page-types -F kpageflags -b huge
common page-types-behind page-types -F kpageflags -a 100,
common page-types-json page-types -F kpageflags --json -l -a 5,10
common page-types-json-summary page-types -F kpageflags --json -r -b =lru,uptodate
common page-types-describe page-types -d 0x4c,slab
common page-types-describe-json page-types --describe uptodate --json
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
common page-types-json-list page-types -F kpageflags --json -L -M -C -N -a 5
check_through 'cut -c 1-60' page-types-no-flag page-types -b moon
check_through 'cut -c 1-60' page-types-no-flag-described page-types -d lru,moon

# failed allocations
no_memory page-types -F kpageflags
no_memory page-types -F kpageflags --json -l
