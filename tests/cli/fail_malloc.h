/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two parts of fail_each.so.
 */
#ifndef FAIL_MALLOC_H
#define FAIL_MALLOC_H

#define PATHS_MAX 100000

/* the call paths of allocations, in their order */
struct paths {
	long n;
	unsigned long hash[PATHS_MAX];
};

/* From now on, allocation number @which fails, and @fd gets a byte then; 0: none fails. */
void fail_malloc(long which, int fd);

/* From now on, each allocation appends its path to @paths; NULL: none does. */
void note_paths(struct paths *paths);

/*
 * @step: only every @step-th of the allocations to fail does
 * @script: run by the shell after each run; or NULL
 *
 * Returns only in the processes that are to be the command.
 */
void fail_each(long step, const char *script);

#endif
