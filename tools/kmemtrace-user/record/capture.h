/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The data of a recording besides the records: data about the machine and the module,
 * and names for the numbers in records. See trace_format.h.
 */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/writer.h"

struct frozen;
struct order;
struct steer;

/**
 * struct capture - a recording that is being written
 * @dir: descriptor from control_open()
 * @writer: writer of the file
 * @cpus: list of the CPUs that are recorded; NULL: all
 * @command: words of the command that is run, the last one NULL; NULL: no command
 * @steer: triggers that will be set later; NULL: none
 * @kept: "flight" or "snapshot": the buffers may have overwritten older records; NULL:
 *	records are read while recording
 * @more: more lines for META, or NULL
 * @snapshots: number of snapshots that took events away before they were read
 * @has_start: @start is known
 * @start: sequence number of the first record
 * @by_time: the module orders events by time
 * @order: with @by_time: puts the records into order
 * @has_end: @end is known; else the module knows it
 * @end: sequence number after the last event
 * @names: what capture_update() wrote last; zeros at first
 * @counts: counts_text() when recording was switched on, and when it was switched off; NULL:
 *	not known
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
	uint64_t start;
	bool by_time;
	const struct order *order;
	bool has_end;
	uint64_t end;
	struct capture_text {
		char *text;
		double next; /* clock_now() of the next check */
	} names[2]; /* the log of modules, and the caches */
	char *counts[2];
};

/** capture_begin() - write the chunks before the records */
void capture_begin(const struct capture *c);

/**
 * capture_update() - write the names of what has come since the records began
 * @arg: the recording, a struct capture
 *
 * For a process that reads the records at once; in a file, capture_end() is enough. To be
 * called by trace_writer_before(): a module is in the log before its code runs. Writes only
 * what has changed. Reading the two texts takes at most 10 % of the time; if it takes long,
 * names may come later than the records.
 */
void capture_update(void *arg);

/** capture_exit() - free memory of capture_update() */
void capture_exit(struct capture *c);

/**
 * capture_end() - write the chunks after the records
 * @c: the recording
 * @reason: the reason for its end
 * @frozen: result of frozen_save(), if @c->kept is set; else NULL
 */
void capture_end(const struct capture *c, const char *reason,
		 const struct frozen *frozen);

#endif /* CAPTURE_H */
