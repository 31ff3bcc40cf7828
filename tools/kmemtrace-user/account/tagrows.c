// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "account/sitename.h"
#include "account/tagrows.h"
#include "base/figures.h"

enum column {
	COL_LIVE = TAGROWS_LIVE,
	COL_OBJECTS,
	COL_ALLOCS,
	COL_FREES,
	COL_WASTE,
	COL_REQUESTED,
	COL_KIND,
	COL_PEAK = TAGROWS_SUMS,
	COL_OLDEST,
	COL_SITE,
	COL_MODULE,
	COLS,
};

/* The titles are those of allocinfo. */
static const struct table_column columns[COLS] = {
	[COL_LIVE] = FIGURE_LIVE,
	[COL_OBJECTS] = FIGURE_OBJECTS,
	[COL_ALLOCS] = FIGURE_ALLOCS,
	[COL_FREES] = FIGURE_FREES,
	[COL_PEAK] = FIGURE_PEAK,
	[COL_OLDEST] = FIGURE_OLDEST,
	[COL_KIND] = FIGURE_KIND,
	[COL_SITE] = FIGURE_SITE,
	[COL_MODULE] = FIGURE_MODULE,
	[COL_WASTE] = FIGURE_WASTE,
	[COL_REQUESTED] = FIGURE_REQUESTED,
};

void tagrows_module(const struct tag *t, struct table_cell *cell)
{
	struct sitename site;

	cell->string[0] = '\0';
	sitename_parse(&site, t->location);
	snprintf(cell->string, sizeof(cell->string), "%s",
		 *site.module ? site.module : "kernel");
	table_clean(cell->string);
	sitename_free(&site);
}

static const enum tag_figure figures[COLS] = {
	[COL_LIVE] = TAG_BYTES,	   [COL_OBJECTS] = TAG_OBJECTS,
	[COL_ALLOCS] = TAG_ALLOCS, [COL_FREES] = TAG_FREES,
	[COL_PEAK] = TAG_PEAK,	   [COL_OLDEST] = TAG_OLDEST,
	[COL_WASTE] = TAG_WASTE,   [COL_REQUESTED] = TAG_REQUESTED,
};

static void tagrows_cell(void *arg, size_t row, size_t column,
			 struct table_cell *cell)
{
	const struct tags *tags = arg;
	const struct tag *t = &tags->tag[row];

	switch (column) {
	case COL_KIND:
		snprintf(cell->string, sizeof(cell->string), "%s",
			 tag_kind_names[t->kind]);
		break;
	case COL_SITE:
		snprintf(cell->string, sizeof(cell->string), "%s", t->location);
		table_clean(cell->string);
		break;
	case COL_MODULE:
		cell->string[0] = '\0';
		tagrows_module(t, cell);
		break;
	default:
		cell->number = tag_figure(t, figures[column]);
		cell->unknown = column == COL_OLDEST && t->oldest_ms < 0;
	}
}

struct listing tagrows_list(const struct tags *tags)
{
	return (struct listing){
		.columns = columns,
		.nr_columns = COLS,
		.nr_rows = tags->count,
		.get = tagrows_cell,
		.arg = (void *)tags,
	};
}
