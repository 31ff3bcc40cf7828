// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "account/siterows.h"
#include "base/array.h"
#include "base/options.h"

const char *const site_kind_names[SITE_ALL_KINDS] = {
	"slab", "page", "percpu", "kmalloc", "cache", "pages",
};

const char *const site_total_names[SITE_KINDS] = { "slab", "pages", "percpu" };

int site_kind_option(const char *text)
{
	return strcmp(text, "pages") ? option_name(site_kind_names, SITE_KINDS, text) :
				       SITE_PAGE;
}

enum site_kind site_kind_of(enum site_kind kind)
{
	return kind < SITE_KINDS ? kind : kind == SITE_PAGES ? SITE_PAGE : SITE_SLAB;
}

/* --- figures ---------------------------------------------------------------------- */

int64_t saturated_add(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

static int64_t add(uint64_t to, uint64_t from, int sign)
{
	return sign < 0 ? to - from : to + from;
}

void figures_add(struct figures *to, const struct figures *from, int sign)
{
	to->bytes = add(to->bytes, from->bytes, sign);
	to->objects = add(to->objects, from->objects, sign);
	to->requested = add(to->requested, from->requested, sign);
	to->allocs = add(to->allocs, from->allocs, sign);
	to->frees = add(to->frees, from->frees, sign);
	if (sign < 0)
		return;
	if (from->peak > to->peak)
		to->peak = from->peak;
	if (from->oldest_ms > to->oldest_ms)
		to->oldest_ms = from->oldest_ms;
	to->low = saturated_add(to->low, from->low);
	to->high = saturated_add(to->high, from->high);
	to->objects_low = saturated_add(to->objects_low, from->objects_low);
	to->objects_high = saturated_add(to->objects_high, from->objects_high);
}

void figures_exact(struct figures *f)
{
	f->low = f->high = f->bytes;
	f->objects_low = f->objects_high = f->objects;
}

/* --- the list ---------------------------------------------------------------------- */

struct site_row *site_rows_add(struct site_rows *rows, enum site_kind kind, char *location)
{
	struct site_row *row = array_add(rows->row, rows->count);

	*row = (struct site_row){ .kind = kind, .location = location, .f.oldest_ms = -1 };
	sitename_parse(&row->name, location);
	return row;
}

void site_row_rename(struct site_row *row, char *location)
{
	if (location != row->location)
		free(row->location);
	row->location = location;
	sitename_free(&row->name);
	sitename_parse(&row->name, location);
}

struct figures site_rows_sum(const struct site_rows *rows, enum site_kind kind)
{
	struct figures sum = { .oldest_ms = -1 };
	size_t i;

	for (i = 0; i < rows->count; i++)
		if (site_kind_of(rows->row[i].kind) == kind)
			figures_add(&sum, &rows->row[i].f, 1);
	return sum;
}

int site_row_order(const void *a, const void *b)
{
	const struct site_row *x = a, *y = b;
	int order = strcmp(x->location, y->location);

	return order ? order : strcmp(site_kind_names[x->kind], site_kind_names[y->kind]);
}

void site_rows_merge(struct site_rows *rows)
{
	size_t i, kept = 0;

	if (!rows->count)
		return;
	qsort(rows->row, rows->count, sizeof(*rows->row), site_row_order);
	for (i = 0; i < rows->count; i++) {
		if (kept && !site_row_order(&rows->row[kept - 1], &rows->row[i])) {
			figures_add(&rows->row[kept - 1].f, &rows->row[i].f, 1);
			site_row_free(&rows->row[i]);
		} else {
			rows->row[kept++] = rows->row[i];
		}
	}
	rows->count = kept;
}

const struct site_row *site_rows_find(const struct site_rows *rows,
				      const struct site_row *like)
{
	return rows->count ? bsearch(like, rows->row, rows->count, sizeof(*like), site_row_order) :
			     NULL;
}

void site_row_free(struct site_row *row)
{
	free(row->location);
	row->location = NULL;
	sitename_free(&row->name);
}

void site_rows_free(struct site_rows *rows)
{
	size_t i;

	for (i = 0; i < rows->count; i++)
		site_row_free(&rows->row[i]);
	free(rows->row);
	*rows = (struct site_rows){ 0 };
}
