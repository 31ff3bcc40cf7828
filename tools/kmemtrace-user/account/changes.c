// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/changes.h"
#include "base/array.h"
#include "base/die.h"

const char *const change_state_names[CHANGE_STATES] = {
	[CHANGE_GROWN] = "grown", [CHANGE_SHRUNK] = "shrunk",
	[CHANGE_NEW] = "new",	  [CHANGE_GONE] = "gone",
	[CHANGE_SAME] = "same",
};

const char *const change_match_names[MATCHES] = {
	[MATCH_NONE] = "none",
	[MATCH_LOCATION] = "location",
	[MATCH_ORDER] = "order",
	[MATCH_FUNCTION] = "function",
};

/* --- order ------------------------------------------------------------------------ */

static int changes_compare(uint64_t x, uint64_t y)
{
	return x < y ? -1 : x > y;
}

static int by_kind(const struct site_row *x, const struct site_row *y)
{
	return strcmp(site_kind_names[x->kind], site_kind_names[y->kind]);
}

static int by_function(const struct site_row *x, const struct site_row *y)
{
	int order = by_kind(x, y);

	if (!order)
		order = strcmp(x->name.module, y->name.module);
	if (!order)
		order = strcmp(x->name.tail, y->name.tail);
	return order ? order : strcmp(x->name.plain, y->name.plain);
}

/* Lines of the same file, and offsets, are in order; lines and offsets are apart. */
static int by_file(const struct site_row *x, const struct site_row *y)
{
	if (!x->name.file || !y->name.file)
		return !!y->name.file - !!x->name.file;
	return strcmp(x->name.file, y->name.file);
}

static int by_position(const struct site_row *x, const struct site_row *y)
{
	int order = by_file(x, y);

	if (!order && x->name.file)
		order = changes_compare(x->name.line, y->name.line);
	if (!order)
		order = (int)x->name.part - (int)y->name.part;
	if (!order)
		order = changes_compare(x->name.offset, y->name.offset);
	return order ? order : strcmp(x->location, y->location);
}

static int by_site(const void *a, const void *b)
{
	int order = by_function(a, b);

	return order ? order : by_position(a, b);
}

/* --- rows of the same address or id --------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
	const struct site_row *x = a, *y = b;
	int order = by_kind(x, y);

	return order ? order : changes_compare(x->id, y->id);
}

static int by_address(const void *a, const void *b)
{
	const struct site_row *x = a, *y = b;
	int order = by_kind(x, y);

	return order ? order : changes_compare(x->address, y->address);
}

/* The address or id may have belonged to another module, which was unloaded. */
static bool may_be_renamed(const struct site_row *now, const struct site_row *old)
{
	return !now->address || !old->address || now->address == old->address;
}

/* @same: for each old row: a current row has the same location */
static void rename_rows(struct site_rows *now, struct site_rows *old,
			const bool *same,
			int (*order)(const void *, const void *), bool ids)
{
	struct site_row *row, *like;
	size_t i;

	qsort(now->row, now->count, sizeof(*now->row), order);
	for (i = 0; i < old->count; i++) {
		row = &old->row[i];
		if (same[i] || (ids ? !row->id : !row->address))
			continue;
		like = bsearch(row, now->row, now->count, sizeof(*row), order);
		if (like && may_be_renamed(like, row))
			site_row_rename(row, xstrdup(like->location));
	}
}

void changes_follow(struct site_rows *old, struct site_rows *now)
{
	bool *same;
	size_t i;

	if (!old->count || !now->count)
		return;
	same = xcalloc(old->count, sizeof(*same));
	qsort(now->row, now->count, sizeof(*now->row), site_row_order);
	for (i = 0; i < old->count; i++)
		same[i] = site_rows_find(now, &old->row[i]);
	rename_rows(now, old, same, by_address, false);
	rename_rows(now, old, same, by_id, true);
	free(same);
}

/* --- the sites of one function ------------------------------------------------------- */

/**
 * struct side - the sites of one function in one list, sorted by position
 * @row: the sites
 * @count: number of sites
 * @used: for each: it is in a change
 */
struct side {
	struct site_row *row;
	size_t count;
	bool *used;
};

const struct figures *change_figures(const struct site_row *row)
{
	static const struct figures none = { .oldest_ms = -1 };

	return row ? &row->f : &none;
}

static enum change_state state_of(const struct figures *old, const struct figures *now,
				  const struct figures *by)
{
	if (!by->bytes && !by->objects)
		return CHANGE_SAME;
	if (!old->bytes && !old->objects)
		return CHANGE_NEW;
	if (!now->bytes && !now->objects)
		return CHANGE_GONE;
	return by->bytes > 0 || (!by->bytes && by->objects > 0) ? CHANGE_GROWN : CHANGE_SHRUNK;
}

static void changes_add(struct changes *c, const struct site_row *old,
			const struct site_row *now, enum change_match match)
{
	struct figures by = *change_figures(now);
	enum change_state state;

	figures_add(&by, change_figures(old), -1);
	state = state_of(change_figures(old), change_figures(now), &by);
	/* a site that never allocated is in a list or not, without a difference */
	if (by.bytes || by.objects || by.requested || by.allocs || by.frees)
		*array_add(c->row, c->count) = (struct change){ old, now, by, state, match };
}

static void changes_take(struct changes *c, struct side *old, size_t i, struct side *now,
			 size_t k, enum change_match match)
{
	old->used[i] = now->used[k] = true;
	changes_add(c, &old->row[i], &now->row[k], match);
}

/* Visit the sites of equal location. Return: their number; @c: also add the changes. */
static size_t match_equal(struct changes *c, struct side *old, struct side *now)
{
	size_t i = 0, k = 0, equal = 0;

	while (i < old->count && k < now->count) {
		int order = by_position(&old->row[i], &now->row[k]);

		if (!order) {
			equal++;
			if (c)
				changes_take(c, old, i, now, k, MATCH_LOCATION);
		}
		i += order <= 0;
		k += order >= 0;
	}
	return equal;
}

static size_t left(const struct side *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->count; i++)
		n += !s->used[i];
	return n;
}

enum form { FORM_LINES, FORM_OFFSETS, FORM_MIXED };

/* Return: what gives the order of the sites that are not in a change. */
static enum form form_of(const struct side *s)
{
	size_t i, lines = 0;

	for (i = 0; i < s->count; i++)
		lines += !s->used[i] && s->row[i].name.file;
	return !lines ? FORM_OFFSETS : lines == left(s) ? FORM_LINES : FORM_MIXED;
}

/* Return: whether the sites of both lists have the same order. */
static bool is_ordered(const struct side *old, const struct side *now)
{
	return form_of(old) != FORM_MIXED && form_of(old) == form_of(now);
}

/* The n-th call in one list is the n-th one in the other. */
static void match_order(struct changes *c, struct side *old, struct side *now)
{
	size_t i = 0, k = 0;

	while (i < old->count && k < now->count) {
		int order = by_file(&old->row[i], &now->row[k]);

		if (!order)
			changes_take(c, old, i, now, k, MATCH_ORDER);
		i += order <= 0;
		k += order >= 0;
	}
}

/* Make one row of all sites that are not in a change. */
static struct site_row *collapse(struct side *s)
{
	struct site_row *first = NULL;
	const char *function;
	size_t i;

	for (i = 0; i < s->count; i++) {
		if (s->used[i])
			continue;
		s->used[i] = true;
		if (first)
			figures_add(&first->f, &s->row[i].f, 1);
		else
			first = &s->row[i];
	}
	function = first->name.plain;
	site_row_rename(first, xasprintf("%s%s%s%s func:%s", function,
					 *first->name.module ? " [" : "", first->name.module,
					 *first->name.module ? "]" : "", function));
	return first;
}

static void match_function(struct changes *c, struct side *old,
			   struct side *now)
{
	const struct site_row *x = collapse(old), *y = collapse(now);

	if (x && y)
		changes_add(c, x, y, MATCH_FUNCTION);
}

static void add_rest(struct changes *c, struct side *old, struct side *now)
{
	size_t i;

	for (i = 0; i < old->count; i++)
		if (!old->used[i])
			changes_add(c, &old->row[i], NULL, MATCH_NONE);
	for (i = 0; i < now->count; i++)
		if (!now->used[i])
			changes_add(c, NULL, &now->row[i], MATCH_NONE);
}

/* @same_code: the function is certainly the same in both lists */
static void match_sides(struct changes *c, struct side *old, struct side *now,
			bool same_code)
{
	size_t least = old->count < now->count ? old->count : now->count;
	bool is_function = least && *old->row->name.function;

	if (same_code || !is_function ||
	    2 * match_equal(NULL, old, now) > least)
		match_equal(c, old, now);
	else if (is_ordered(old, now))
		match_order(c, old, now);
	if (is_function && left(old) && left(now) && !is_ordered(old, now))
		match_function(c, old, now);
	add_rest(c, old, now);
}

/* --- all functions --------------------------------------------------------------------- */

static size_t same_function(const struct site_rows *h, size_t from)
{
	size_t to = from + 1;

	while (to < h->count && !by_function(&h->row[from], &h->row[to]))
		to++;
	return to - from;
}

static void match_all(struct changes *c, struct site_rows *old,
		      struct site_rows *now, bool *used, bool same_kernel)
{
	size_t i = 0, k = 0;

	while (i < old->count || k < now->count) {
		int order = i == old->count ? 1 :
			    k == now->count ? -1 :
					      by_function(&old->row[i], &now->row[k]);
		struct side a = { &old->row[i],
				  order <= 0 ? same_function(old, i) : 0, used + i };
		struct side b = { &now->row[k],
				  order >= 0 ? same_function(now, k) : 0,
				  used + old->count + k };
		const struct site_row *any = a.count ? a.row : b.row;

		i += a.count;
		k += b.count;
		match_sides(c, &a, &b, same_kernel && !*any->name.module);
	}
}

static int by_name(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return site_row_order(x->now ? x->now : x->old, y->now ? y->now : y->old);
}

void changes_make(struct changes *c, struct site_rows *old, struct site_rows *now,
		  bool same_base, bool same_kernel)
{
	bool *used;

	*c = (struct changes){ 0 };
	/* allocate the arrays also for 0 rows: no pointer is then NULL */
	array_reserve(old->row, old->count);
	array_reserve(now->row, now->count);
	if (same_base)
		changes_follow(old, now);
	site_rows_merge(old);
	site_rows_merge(now);
	qsort(old->row, old->count, sizeof(*old->row), by_site);
	qsort(now->row, now->count, sizeof(*now->row), by_site);
	used = xcalloc(old->count + now->count + 1, sizeof(*used));
	match_all(c, old, now, used, same_kernel);
	free(used);
	if (c->count)
		qsort(c->row, c->count, sizeof(*c->row), by_name);
}

void changes_by_location(struct changes *c, struct site_rows *old, struct site_rows *now)
{
	size_t i = 0, k = 0;

	*c = (struct changes){ 0 };
	site_rows_merge(old);
	site_rows_merge(now);
	while (i < old->count || k < now->count) {
		int order = i == old->count ? 1 :
			    k == now->count ? -1 :
					      site_row_order(&old->row[i], &now->row[k]);

		changes_add(c, order <= 0 ? &old->row[i] : NULL,
			    order >= 0 ? &now->row[k] : NULL,
			    order ? MATCH_NONE : MATCH_LOCATION);
		i += order <= 0;
		k += order >= 0;
	}
}

void changes_free(struct changes *c)
{
	free(c->row);
	*c = (struct changes){ 0 };
}
