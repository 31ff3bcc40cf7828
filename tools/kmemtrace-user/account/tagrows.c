// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "account/sitename.h"
#include "account/tagrows.h"
#include "base/figures.h"

/* The titles are those of allocinfo. */
static const struct table_column columns[] = {
	FIGURE_LIVE, FIGURE_OBJECTS, FIGURE_ALLOCS, FIGURE_FREES, FIGURE_WASTE, FIGURE_REQUESTED,
	FIGURE_KIND, FIGURE_PEAK, FIGURE_OLDEST, FIGURE_SITE, FIGURE_MODULE,
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

static void tagrows_cell(void *arg, size_t i, size_t column,
			 struct table_cell *cell)
{
	const struct tag *t = &((const struct tags *)arg)->tag[i];
	struct table_row row = { column, cell };

	row_number(&row, t->bytes);
	row_number(&row, t->objects);
	row_number(&row, t->allocs);
	row_number(&row, t->frees);
	row_number(&row, tag_waste(t));
	row_number(&row, t->requested);
	row_text(&row, tag_kind_names[t->kind]);
	row_number(&row, t->peak);
	row_known(&row, t->oldest_ms >= 0, t->oldest_ms);
	row_text(&row, t->location);
	if (row_wants(&row))
		tagrows_module(t, cell);
}

struct listing tagrows_list(const struct tags *tags)
{
	return (struct listing){
		.columns = columns,
		.nr_columns = TABLE_COLUMNS(columns),
		.nr_rows = tags->count,
		.get = tagrows_cell,
		.arg = (void *)tags,
	};
}
