/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What stands in a recording besides records: of the machine, of the module,
 * of the names that records only have numbers for. See trace_format.h.
 */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/writer.h"

struct frozen;
struct steer;

/**
 * struct capture - a recording in the making
 * @dir: from control_open()
 * @writer: of the file
 * @cpus: list of the CPUs that are recorded; NULL: all
 * @command: what is run, ended by NULL; NULL: nothing
 * @steer: triggers that are yet to be set; NULL: none
 * @kept: "flight" or "snapshot": older records were overwritten; NULL: none
 * @more: further lines for META, or NULL
 * @snapshots: how many took events away that were not read yet
 * @has_start: @start is known
 * @start: number of the first record
 */
struct capture {
	int dir;
	struct trace_writer *writer;
	const char *cpus;
	char **command;
	const struct steer *steer;
	const char *kept;
	const char *more;
	uint64_t snapshots;
	bool has_start;
	uint32_t start;
};

/** capture_begin() - write what stands in front of records */
void capture_begin(const struct capture *c);

/**
 * capture_end() - write what stands behind them
 * @c: the recording
 * @reason: why it ended
 * @frozen: what was saved, with @c->kept; else NULL
 */
void capture_end(const struct capture *c, const char *reason,
		 const struct frozen *frozen);

#endif /* CAPTURE_H */
