# shellcheck shell=bash disable=SC2154 # run.sh includes this file
# SPDX-License-Identifier: GPL-2.0-only

# Documentation/json.rst must list all members of each document, and no others
documented() { # prints the members as lines "COMMAND KEY"; "any": of all commands
	awk '/^===/ { section = last ~ /^(Members of several commands|Figures)$/ ? "any" : last }
		/^``[^ ]*``(, ``[^ ]*``)*$/ {
			n = split($0, keys, /, /)
			for (i = 1; i <= n; i++) {
				gsub(/`/, "", keys[i])
				print section, keys[i]
			}
		}
		{ last = $0 }' "$top/Documentation/json.rst" | sort -u
}
# members that the recordings and the machine of these tests do not have, and columns of text
# only
cat >unseen <<'UNSEEN'
any alloc_bulk
any events_per_second
any peak_s
any compaction
any migrate
any pages_bulk
any slab_pages
any split_pages
info boot_id
info build_id
info clock_ns
info cpus_of_node<n>
info cpus_present
info cpus_recorded
info held_<count>
info machine
info nodes
info order
info order_doubtful
info realtime_ns
info snapshot_reason
info snapshot_sequence
info slabs_padded
info snapshot_time_ns
info snapshots
info start_held_<count>
info tool_version
leaks allocs
leaks comm
leaks freed_at
leaks frees
leaks paths
leaks size_max
leaks size_min
leaks stack
leaks tasks
leaks tgid
page-types file
page-types page
page-types swap_offset
UNSEEN
documented >page
sort -u keys >seen
awk 'NR == FNR { page[$0]; next }
	!($0 in page) && !("any " $2 in page)' page seen >undocumented
awk 'NR == FNR { seen[$0]; seen["any " $2]; next } !($0 in seen)' \
	<(cat seen unseen) page >unprinted
for list in undocumented unprinted; do
	[ ! -s $list ]
	verdict $? "json.rst: no member is $list"
	sed 's/^/# /' $list
done
