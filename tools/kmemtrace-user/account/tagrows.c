// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "account/tagrows.h"
#include "base/figures.h"

/* The titles are those of allocinfo. */
static const struct table_column columns[] = {
	FIGURE_LIVE, FIGURE_OBJECTS, FIGURE_ALLOCS, FIGURE_FREES, FIGURE_WASTE, FIGURE_REQUESTED,
	FIGURE_KIND, FIGURE_PEAK, FIGURE_OLDEST, FIGURE_SITE, FIGURE_MODULE,
};

void tagrows_module(const struct site_row *t, struct table_cell *cell)
{
	snprintf(cell->string, sizeof(cell->string), "%s",
		 *t->name.module ? t->name.module : "kernel");
}

static void tagrows_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct site_row *t = &((const struct tags *)arg)->rows.row[i];

	row_number(cell, t->f.bytes);
	row_number(cell, t->f.objects);
	row_number(cell, t->f.allocs);
	row_number(cell, t->f.frees);
	row_number(cell, figures_waste(&t->f));
	row_number(cell, t->f.requested);
	row_text(cell, site_kind_names[t->kind]);
	row_number(cell, t->f.peak);
	row_known(cell, t->f.oldest_ms >= 0, t->f.oldest_ms);
	row_text(cell, t->location);
	if (row_wants(cell))
		tagrows_module(t, cell);
}

struct listing tagrows_list(const struct tags *tags)
{
	return LISTING(columns, tags->rows.count, tagrows_cell, tags);
}
