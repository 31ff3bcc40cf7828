// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "control/counts.h"
#include "trace/metaline.h"

bool metaline_has_key(const char *line, const char *key)
{
	size_t len = strlen(key);

	return !strncmp(line, key, len) && line[len] == '=';
}

bool metaline_has_one_of(const char *line, const char *const *keys)
{
	while (*keys && !metaline_has_key(line, *keys))
		keys++;
	return *keys;
}

bool metaline_is_known(const char *line)
{
	static const char *const keys[] = {
		"abi_version", "addresses", "boot_id", "buffer_bytes_per_cpu", "build_id", "clock_ns",
		"command", "cpus", "cpus_present", "cpus_recorded", "events",
		"exchanged", "features", "filter", "hostname", "kept",
		"left_out_damaged", "left_out_newer", "lost_bytes", "lost_events",
		"machine", "mem_total", "nodes", "order", "order_doubtful", "overwritten", "page_size",
		"process_names", "realtime_ns", "reason", "records", "release",
		"seq_end", "seq_start", "seq_whole", "slabs_padded",
		"snapshot_missed", "snapshot_reason", "snapshot_sequence",
		"snapshot_time_ns", "snapshots", "tool_version", "trigger",
		"unpurged_areas", "version", NULL,
	};

	return *line == '\n' || metaline_has_one_of(line, keys) ||
	       !strncmp(line, "lost_events.cpu", 15) ||
	       !strncmp(line, "start_number.cpu", 16) ||
	       !strncmp(line, "cpus_of_node", 12) ||
	       !strncmp(line, COUNTS_NOW, strlen(COUNTS_NOW)) ||
	       !strncmp(line, COUNTS_START, strlen(COUNTS_START));
}
