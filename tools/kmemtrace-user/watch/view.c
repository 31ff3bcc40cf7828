// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/figures.h"
#include "watch/view.h"

const struct table_column view_columns[VIEW_COLUMNS] = {
	FIGURE_LIVE, FIGURE_LIVE_RATE, FIGURE_SINCE_START, FIGURE_ALLOC_RATE, FIGURE_FREE_RATE,
	FIGURE_WASTE, FIGURE_OLDEST, FIGURE_NAME,
	FIGURE_OBJECTS, FIGURE_REQUESTED, FIGURE_ALLOCS, FIGURE_FREES, FIGURE_TAGS,
};

const char *const view_sort_names[VIEW_COLUMNS_TEXT] = {
	[VIEW_BYTES] = "live",	  [VIEW_RATE] = "rate",
	[VIEW_CHANGE] = "change", [VIEW_ALLOCS] = "allocs",
	[VIEW_FREES] = "frees",	  [VIEW_WASTE] = "waste",
	[VIEW_OLDEST] = "oldest", [VIEW_NAME] = "name",
};

/* Return: @n for each second, rounded. */
static int64_t per_second(const struct watch *w, int64_t n)
{
	double rate = w->step_ns ? n * 1e9 / w->step_ns : 0;

	return rate < 0 ? rate - 0.5 : rate + 0.5;
}

static void view_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct view *v = arg;
	const struct watch *w = v->watch;
	const struct watch_row *r = &w->row[v->shown[i]];
	bool counts = watch_counts(w);

	row_number(cell, r->now.bytes);
	row_known(cell, w->step_ns, per_second(w, r->step.bytes));
	row_number(cell, r->change.bytes);
	row_known(cell, w->step_ns && counts, per_second(w, r->step.allocs));
	row_known(cell, w->step_ns && counts, per_second(w, r->step.frees));
	row_known(cell, counts, figures_waste(&r->now));
	row_known(cell, r->now.oldest_ms >= 0, r->now.oldest_ms);
	row_text(cell, r->name);
	row_number(cell, r->now.objects);
	row_known(cell, counts, r->now.requested);
	row_known(cell, counts, r->now.allocs);
	row_known(cell, counts, r->now.frees);
	row_number(cell, r->tags);
}

static void turn(struct listing *l)
{
	uint32_t swapped;
	size_t i;

	for (i = 0; i < l->nr_rows / 2; i++) {
		swapped = l->row[i];
		l->row[i] = l->row[l->nr_rows - 1 - i];
		l->row[l->nr_rows - 1 - i] = swapped;
	}
}

void view_update(struct view *v, size_t top)
{
	const struct watch *w = v->watch;
	struct listing *l = &v->list;
	size_t i;

	view_exit(v);
	*l = LISTING(view_columns, 0, view_cell, v);
	l->nr_text = VIEW_COLUMNS_TEXT;
	v->shown = xcalloc(w->rows + 1, sizeof(*v->shown));
	for (i = 0; i < w->rows; i++)
		if (!*v->filter || strcasestr(w->row[i].name, v->filter))
			v->shown[l->nr_rows++] = i;
	if (v->sort == VIEW_NAME)
		listing_keep(l, 0);
	else
		listing_sort(l, v->sort, 0);
	if (v->reverse)
		turn(l);
	if (top && top < l->shown)
		l->shown = top;
}

void view_exit(struct view *v)
{
	listing_free(&v->list);
	free(v->shown);
	v->shown = NULL;
	v->list.shown = 0;
}

uint32_t view_row(const struct view *v, size_t position)
{
	return v->shown[v->list.row[position]];
}

size_t view_position(const struct view *v, const char *name)
{
	uint32_t row = watch_find(v->watch, name);
	size_t i;

	for (i = 0; row != WATCH_NONE && i < v->list.shown; i++)
		if (view_row(v, i) == row)
			return i;
	return SIZE_MAX;
}
