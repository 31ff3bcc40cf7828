/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between two lists of memory held by sites, also from different kernels.
 *
 * The same site can have another location on another kernel: an offset or a line differs,
 * or only one of the two has debug information. So the sites of a function are matched as
 * follows. Functions are the same if module, name without the compiler's suffixes, and
 * kind of memory are equal.
 *
 * - Equal locations are the same site, if the code is the same (the kernel itself, on
 *   the same kernel), or if this finds more than half of the sites of the list that has
 *   fewer.
 * - Otherwise the code of the function has changed. Its first site in one list is the
 *   first one in the other, and so on, in the order of the offsets, or of the lines of the
 *   same file.
 * - If one list has lines and the other one offsets, all sites of the function that have
 *   no counterpart become one row.
 */
#ifndef CHANGES_H
#define CHANGES_H

#include <stdbool.h>
#include <stddef.h>

#include "account/siterows.h"

enum change_state {
	CHANGE_GROWN,
	CHANGE_SHRUNK,
	CHANGE_NEW,
	CHANGE_GONE,
	CHANGE_SAME, /* live bytes and objects are equal, other figures are not */
	CHANGE_STATES,
};

enum change_match {
	MATCH_NONE,     /* the site is in one list only */
	MATCH_LOCATION, /* the locations are equal */
	MATCH_ORDER,    /* the n-th call of the function */
	MATCH_FUNCTION, /* all calls of the function are one row */
	MATCHES,
};

extern const char *const change_state_names[CHANGE_STATES];
extern const char *const change_match_names[MATCHES];

/**
 * struct change - a site whose figures changed
 * @old: the earlier figures; NULL: the site is new
 * @now: the later figures; NULL: the site is gone
 * @by: the change of the figures; it wraps like them, and has no bounds
 * @state: kind of the change
 * @match: how the two were found to be the same site
 */
struct change {
	const struct site_row *old;
	const struct site_row *now;
	struct figures by;
	enum change_state state;
	enum change_match match;
};

/**
 * struct changes - all sites whose figures changed
 * @row: the changes, sorted by location and kind
 * @count: number of changes
 */
struct changes {
	struct change *row;
	size_t count;
};

/**
 * changes_make() - compare two lists
 * @c: set to the changes, which point to rows of the lists; the caller calls
 *	changes_free() later, also after a failure
 * @old: the earlier list; rows of the same location and kind become one
 * @now: the later list; the same
 * @same_base: both lists have the same addresses and ids: a site is found by them, even
 *	if codetags load changed its location
 * @same_kernel: both lists are from the same kernel: in the kernel itself, only equal
 *	locations are the same site
 */
void changes_make(struct changes *c, struct site_rows *old, struct site_rows *now,
		  bool same_base, bool same_kernel);

/** changes_by_location() - changes_make(), but only equal locations are the same site */
void changes_by_location(struct changes *c, struct site_rows *old, struct site_rows *now);

/**
 * changes_follow() - rename sites that codetags load has renamed
 * @old: the earlier list; its rows get the location of the later row with the same address
 *	or the same id, if no later row has theirs
 * @now: the later list, before site_rows_merge(); its order changes
 *
 * Both lists have the same addresses and ids. changes_make() does this as well.
 */
void changes_follow(struct site_rows *old, struct site_rows *now);

/** change_figures() - get the figures of one side of a change, which may be NULL */
const struct figures *change_figures(const struct site_row *row);

/** changes_free() - undo changes_make() */
void changes_free(struct changes *c);

#endif /* CHANGES_H */
