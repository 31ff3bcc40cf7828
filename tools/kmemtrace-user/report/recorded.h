/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that processes allocated in a recording and that is live at its end.
 */
#ifndef RECORDED_H
#define RECORDED_H

#include <stdbool.h>
#include <stdint.h>

#include "report/analysis.h"

/**
 * struct recorded - a recording
 * @path: path of the file
 * @a: live memory, by process and type of memory
 * @end_ns: end of the recording, in ns since 1970; 0: not known
 */
struct recorded {
	const char *path;
	struct analysis a;
	uint64_t end_ns;
};

/**
 * struct recorded_sums - live memory of one process, by KMEMTRACE_TYPE_*
 * @bytes: live bytes
 * @objects: live allocations
 */
struct recorded_sums {
	uint64_t bytes[ANALYSIS_TYPES];
	uint64_t objects[ANALYSIS_TYPES];
};

/**
 * recorded_read() - read a recording
 * @r: set; the caller must call recorded_free(), also after an error
 * @path: path of the file; must outlive @r
 *
 * The recording must be of this boot, have the feature task, and have all frees
 * (liveness_lost()).
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int recorded_read(struct recorded *r, const char *path);

/**
 * recorded_get() - get the live memory of a process
 * @r: the recording
 * @pid: number of the process
 * @s: set to the live memory
 *
 * Return: false if the process started after the end of the recording. A recorded process
 * of this number was then another one.
 */
bool recorded_get(const struct recorded *r, int pid, struct recorded_sums *s);

/** recorded_free() - undo recorded_read() */
void recorded_free(struct recorded *r);

#endif /* RECORDED_H */
