// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/figures.h"
#include "watch/view.h"

const struct table_column view_columns[VIEW_COLUMNS] = {
	[VIEW_BYTES] = FIGURE_LIVE,
	[VIEW_RATE] = FIGURE_LIVE_RATE,
	[VIEW_CHANGE] = FIGURE_SINCE_START,
	[VIEW_ALLOCS] = FIGURE_ALLOC_RATE,
	[VIEW_FREES] = FIGURE_FREE_RATE,
	[VIEW_WASTE] = FIGURE_WASTE,
	[VIEW_OLDEST] = FIGURE_OLDEST,
	[VIEW_NAME] = FIGURE_NAME,
	[VIEW_OBJECTS] = FIGURE_OBJECTS,
	[VIEW_REQUESTED] = FIGURE_REQUESTED,
	[VIEW_TOTAL_ALLOCS] = FIGURE_ALLOCS,
	[VIEW_TOTAL_FREES] = FIGURE_FREES,
	[VIEW_TAGS] = FIGURE_TAGS,
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

static int64_t view_number(const struct watch *w, const struct watch_row *r,
			   size_t column)
{
	const int64_t numbers[] = {
		[VIEW_BYTES] = r->now.bytes,
		[VIEW_RATE] = per_second(w, r->step.bytes),
		[VIEW_CHANGE] = r->change.bytes,
		[VIEW_ALLOCS] = per_second(w, r->step.allocs),
		[VIEW_FREES] = per_second(w, r->step.frees),
		[VIEW_WASTE] = tag_waste(&r->now),
		[VIEW_OLDEST] = r->now.oldest_ms,
		[VIEW_OBJECTS] = r->now.objects,
		[VIEW_REQUESTED] = r->now.requested,
		[VIEW_TOTAL_ALLOCS] = r->now.allocs,
		[VIEW_TOTAL_FREES] = r->now.frees,
		[VIEW_TAGS] = r->tags,
	};

	return numbers[column];
}

static bool is_unknown(const struct watch *w, const struct watch_row *r,
		       size_t column)
{
	switch (column) {
	case VIEW_RATE:
		return !w->step_ns;
	case VIEW_ALLOCS:
	case VIEW_FREES:
		return !w->step_ns || !watch_counts(w);
	case VIEW_WASTE:
	case VIEW_REQUESTED:
	case VIEW_TOTAL_ALLOCS:
	case VIEW_TOTAL_FREES:
		return !watch_counts(w);
	case VIEW_OLDEST:
		return r->now.oldest_ms < 0;
	default:
		return false;
	}
}

static void view_cell(void *arg, size_t row, size_t column,
		      struct table_cell *cell)
{
	const struct view *v = arg;
	const struct watch_row *r = &v->watch->row[v->shown[row]];

	if (column == VIEW_NAME) {
		snprintf(cell->string, sizeof(cell->string), "%s", r->name);
		return;
	}
	cell->number = view_number(v->watch, r, column);
	cell->unknown = is_unknown(v->watch, r, column);
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
	*l = (struct listing){
		.columns = view_columns,
		.nr_columns = VIEW_COLUMNS,
		.nr_text = VIEW_COLUMNS_TEXT,
		.get = view_cell,
		.arg = v,
	};
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
