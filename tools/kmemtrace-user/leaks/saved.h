/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * leaks FILE FILE...: the growth of live memory over saved states.
 *
 * A saved state has no ages. So no site is named as a leak: this only measures growth. Rows
 * earlier/ are left out: they grow only because the survey goes on.
 */
#ifndef SAVED_H
#define SAVED_H

#include <stdbool.h>
#include <stddef.h>

#include "account/tags.h"
#include "leaks/verdict.h"

/**
 * struct saved_row - a site and kind that grew
 * @site: its row in the last state
 * @trend: slope in bytes per second; its limits need four states
 * @growth: change of live bytes from the first to the last state
 * @objects: change of live objects
 */
struct saved_row {
	const struct site_row *site;
	struct trend trend;
	double growth;
	double objects;
};

/**
 * struct saved_state - a saved state
 * @time: its seconds
 * @tags: its sites; they have the location that they have in the last state
 */
struct saved_state {
	double time;
	struct tags tags;
};

/**
 * struct saved - saved states
 * @state: the states, by ascending time
 * @time: seconds of each
 * @count: number of states
 * @row: rows that grew, the largest lower limit first
 * @rows: number of rows
 */
struct saved {
	struct saved_state *state;
	double *time;
	size_t count;
	struct saved_row *row;
	size_t rows;
};

/**
 * saved_read() - read states, and compute the growth
 * @s: set up; the caller calls saved_free() later, also after a failure
 * @paths: files of allocinfo --save, in any order
 * @count: number of files; at least 2
 *
 * Return: 0; -1, with a message.
 */
int saved_read(struct saved *s, char **paths, size_t count);

/** saved_print() - print the rows; @top: number of rows, 0: all; Return: EXIT_* */
int saved_print(const struct saved *s, size_t top, bool json);

/** saved_free() - undo saved_read() */
void saved_free(struct saved *s);

#endif /* SAVED_H */
