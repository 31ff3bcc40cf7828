// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "account/sitename.h"
#include "account/tagrows.h"

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
	[COL_LIVE] = { "LIVE", "live", TABLE_BYTES, 7 },
	[COL_OBJECTS] = { "OBJECTS", "objects", TABLE_COUNT, 7 },
	[COL_ALLOCS] = { "ALLOCS", "allocs", TABLE_COUNT, 7 },
	[COL_FREES] = { "FREES", "frees", TABLE_COUNT, 7 },
	[COL_PEAK] = { "PEAK", "peak", TABLE_BYTES, 7 },
	[COL_OLDEST] = { "AGE", "oldest_ms", TABLE_AGE, 5 },
	[COL_KIND] = { "KIND", "kind", TABLE_STRING, 6 },
	[COL_SITE] = { "LOCATION", "site", TABLE_STRING, 0 },
	[COL_MODULE] = { "MODULE", "module", TABLE_STRING, 0 },
	[COL_WASTE] = { "WASTE", "waste_bytes", TABLE_BYTES, 7 },
	[COL_REQUESTED] = { "REQ", "live_req", TABLE_BYTES, 7 },
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

static void get_cell(void *arg, size_t row, size_t column,
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
		.get = get_cell,
		.arg = (void *)tags,
	};
}
