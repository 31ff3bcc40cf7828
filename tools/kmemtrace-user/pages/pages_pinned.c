// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/msg.h"
#include "pages/pages.h"
#include "pages/shares.h"
#include "pages/slabwalk.h"

enum column {
	COL_PINNED,
	COL_ALONE,
	COL_OTHERS,
	COL_OBJECTS,
	COL_LIVE,
	COL_OLDEST,
	COL_SITE,
	COLS_TEXT,
	COL_PINNED_ALONE = COLS_TEXT,
	COLS,
};

static const struct table_column columns[COLS] = {
	[COL_PINNED] = { "PINNED", "pinned", TABLE_BYTES, 6 },
	[COL_ALONE] = { "ALONE", "slabs_alone", TABLE_COUNT, 6 },
	[COL_OTHERS] = { "OTHERS", "slabs_with_others", TABLE_COUNT, 6 },
	[COL_OBJECTS] = { "OBJECTS", "objects", TABLE_COUNT, 7 },
	[COL_LIVE] = { "LIVE", "live", TABLE_BYTES, 6 },
	[COL_OLDEST] = { "OLDEST", "oldest_ms", TABLE_AGE, 6 },
	[COL_SITE] = { "SITE", "site", TABLE_STRING, 0 },
	[COL_PINNED_ALONE] = { "PINNEDALONE", "pinned_alone", TABLE_BYTES, 11 },
};

/**
 * struct pinned - the table
 * @walk: the slabs
 * @s: the slabs that each site keeps allocated
 * @row: number of the site in each row
 */
struct pinned {
	struct slabwalk walk;
	struct shares s;
	uint32_t *row;
};

static void get_cell(void *arg, size_t row, size_t column,
		     struct table_cell *cell)
{
	const struct pinned *p = arg;
	const struct share *s = &p->s.share[p->row[row]];

	switch (column) {
	case COL_PINNED:
		cell->number = s->cost_alone + s->cost_shared;
		break;
	case COL_ALONE:
		cell->number = s->alone;
		break;
	case COL_OTHERS:
		cell->number = s->together;
		break;
	case COL_OBJECTS:
		cell->number = s->items;
		break;
	case COL_LIVE:
		cell->number = s->bytes;
		break;
	case COL_OLDEST:
		pages_age(s->oldest, s->ages, cell);
		break;
	case COL_PINNED_ALONE:
		cell->number = s->cost_alone;
		break;
	default:
		snprintf(cell->string, sizeof(cell->string), "%s",
			 p->walk.w.sites.location[p->row[row]]);
	}
}

/* --- totals -------------------------------------------------------------------- */

static void print_below(void *arg)
{
	const struct pinned *p = arg;

	slabwalk_print(&p->walk);
	puts("A slab kept alive by n sites is charged 1/n to each.");
}

static json_t *json_below(void *arg)
{
	const struct pinned *p = arg;
	json_t *totals = json_object();

	slabwalk_json(&p->walk, totals);
	return totals;
}

/* --- the walk ------------------------------------------------------------------ */

static void add_object(void *arg, const struct slabwalk *walk,
		       const struct kmemtrace_object *object)
{
	struct pinned *p = arg;

	shares_hold(&p->s, sites_of(&walk->w.sites, object->tag), object->bytes,
		    object->age);
}

/* Only the free part of a partial slab is charged to sites. */
static void end_slab(void *arg, const struct slabwalk *walk)
{
	const struct slab *slab = &walk->slab;
	struct pinned *p = arg;

	if (slab->state == SLAB_PARTIAL)
		shares_settle(&p->s, slab->end - slab->start - slab->live);
	else if (slab->state != SLAB_EMPTY)
		shares_drop(&p->s);
}

static int walk(struct pinned *p)
{
	p->walk.object = add_object;
	p->walk.end = end_slab;
	p->walk.arg = p;
	return slabwalk_run(&p->walk);
}

/* --site does not select slabs: it selects rows, by the sites of the objects. */
int pages_pinned(const struct pages_options *o)
{
	int column = pages_sort_column(o, columns, COLS, "pinned");
	struct pinned p = { 0 };
	struct listing l = { columns, COLS, COLS_TEXT, 0,
			     get_cell, &p, NULL,	 0 };
	int ret = EXIT_FAILED;

	if (column < 0)
		return EXIT_USAGE;
	if (!slabwalk_open(&p.walk, &o->filter))
		ret = shares_init(&p.s, p.walk.w.sites.count) ?
			      walk(&p) :
			      msg_oom();
	progress_end(&p.walk.w.progress);
	if (!ret)
		ret = pages_list_shares(o, &p.walk.w.sites, &p.s, &p.row,
					&l.nr_rows);
	if (!ret)
		ret = pages_show(o, &l, column, print_below, json_below,
				 &p.walk.w);
	free(p.row);
	shares_exit(&p.s);
	slabwalk_close(&p.walk);
	return ret;
}
