/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What processes allocated in a recording and is live at its end.
 */
#ifndef RECORDED_H
#define RECORDED_H

#include <stdbool.h>
#include <stdint.h>

#include "report/analysis.h"

/**
 * struct recorded - a recording
 * @path: of the file
 * @a: what is live, by process and type of memory
 * @end_ns: when it ended, since 1970; 0: not known
 */
struct recorded {
	const char *path;
	struct analysis a;
	uint64_t end_ns;
};

/**
 * struct recorded_sums - what is live of one process, by KMEMTRACE_TYPE_*
 * @bytes: of it
 * @objects: how many allocations
 */
struct recorded_sums {
	uint64_t bytes[ANALYSIS_TYPES];
	uint64_t objects[ANALYSIS_TYPES];
};

/**
 * recorded_read() - read a recording
 * @r: set; to be freed with recorded_free(), also after an error
 * @path: of the file, which is kept
 *
 * It must be of this boot, have the feature task, and tell what is live.
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int recorded_read(struct recorded *r, const char *path);

/**
 * recorded_get() - what is live of a process
 * @r: the recording
 * @pid: its number
 * @s: set to it
 *
 * Return: false if it began after the recording ended: it is another process.
 */
bool recorded_get(const struct recorded *r, int pid, struct recorded_sums *s);

/** recorded_free() - free it */
void recorded_free(struct recorded *r);

#endif /* RECORDED_H */
