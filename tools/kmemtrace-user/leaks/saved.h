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

/* a site and kind that grew */
struct saved_row {
	const struct site_row *site;	/* its row in the last state */
	struct trend trend;		/* slope in bytes per second; its limits need four states */
	double growth;			/* change of live bytes from the first to the last state */
	double objects;			/* change of live objects */
};

/* a saved state */
struct saved_state {
	double time;		/* its seconds */
	/* its sites; they have the location that they have in the last state */
	struct tags tags;
};

/* saved states */
struct saved {
	struct saved_state *state;	/* the states, by ascending time */
	double *time;			/* seconds of each */
	size_t count;			/* number of states */
	struct saved_row *row;		/* rows that grew, the largest lower limit first */
	size_t rows;			/* number of rows */
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
