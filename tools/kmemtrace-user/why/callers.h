/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The call paths of some sites, and where their objects are freed: observed now, or from
 * a recording. A recorded call site is one of these sites if its symbol is the same, so
 * that a recording of another boot can be used.
 */
#ifndef CALLERS_H
#define CALLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pairs.h"
#include "base/words.h"
#include "leaks/pathview.h"
#include "leaks/witness.h"
#include "why/code.h"
#include "why/target.h"

/**
 * struct callers - the paths
 * @witness: what was recorded
 * @is_known: @witness is set
 * @symbols: symbols of the sites, by number
 * @seen: number of each recorded call site, by address and place
 * @of: for each of @seen, number of its symbol plus 1; 0: it is of no site
 * @room: length of @of
 */
struct callers {
	struct witness witness;
	bool is_known;
	struct words symbols;
	struct pairs seen;
	uint32_t *of;
	size_t room;
};

/**
 * struct callers_source - where the paths are from
 * @file: a recording; NULL: observe
 * @seconds: duration of the observation
 * @debuginfo: path for lines_open(), or NULL
 */
struct callers_source {
	const char *file;
	double seconds;
	const char *debuginfo;
};

/**
 * callers_read() - get the paths
 * @c: all 0; the caller calls callers_free() later, also after a failure
 * @source: where from
 * @tags: the tags
 * @m: the sites
 * @sites: number of sites of @m, the first ones
 * @code: the code of this machine
 *
 * Return: EXIT_DONE or another value, with a message.
 */
int callers_read(struct callers *c, const struct callers_source *source,
		 const struct tags *tags, const struct matches *m, size_t sites,
		 const struct code *code);

/**
 * struct callers_site - a site, as an argument of callers_is_at()
 * @callers: the paths
 * @match: the site
 * @code: the code of this machine
 */
struct callers_site {
	const struct callers *callers;
	const struct match *match;
	const struct code *code;
};

/** callers_is_at() - for pathview.is_at; @arg is a struct callers_site */
bool callers_is_at(const void *arg, uint64_t address);

/** callers_free() - undo callers_read(); all zeros are allowed */
void callers_free(struct callers *c);

#endif /* CALLERS_H */
