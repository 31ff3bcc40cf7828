// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/figures.h"
#include "base/msg.h"
#include "base/plural.h"
#include "pages/pages.h"
#include "pages/parts.h"
#include "pages/shares.h"
#include "pages/slabwalk.h"

enum column {
	COL_PINNED,
	COL_HELD,
	COL_LIVE,
	COL_ALONE,
	COL_OTHERS,
	COL_OBJECTS,
	COL_OLDEST,
	COL_KIND,
	COL_BLOCK,
	COL_SITE,
	COLS_TEXT,
	COL_PINNED_ALONE = COLS_TEXT,
	COLS,
};

static const struct table_column columns[COLS] = {
	[COL_PINNED] = FIGURE_PINNED,
	[COL_HELD] = FIGURE_HELD,
	[COL_LIVE] = FIGURE_LIVE,
	[COL_ALONE] = FIGURE_SLABS_ALONE,
	[COL_OTHERS] = FIGURE_SLABS_OTHERS,
	[COL_OBJECTS] = FIGURE_OBJECTS,
	[COL_OLDEST] = FIGURE_OLDEST,
	[COL_KIND] = FIGURE_KIND,
	[COL_BLOCK] = FIGURE_BLOCK,
	[COL_SITE] = FIGURE_SITE,
	[COL_PINNED_ALONE] = FIGURE_PINNED_ALONE,
};

/**
 * struct row - a row of the table
 * @site: number of the site
 * @order: order of its blocks of pages; SLABS: the row has its slabs
 */
struct row {
	uint32_t site;
	int order;
};

#define SLABS (-1)

/**
 * struct pinned - the table
 * @walk: the slabs
 * @s: the slabs that each site keeps allocated
 * @parts: the blocks of pages that are used in parts
 * @row: the rows
 * @count: number of rows
 */
struct pinned {
	struct slabwalk walk;
	struct shares s;
	struct partwalk parts;
	struct row *row;
	size_t count;
};

static const struct parts *parts_of(const struct pinned *p, const struct row *row)
{
	return &p->parts.of[row->site * PARTS_ORDERS + row->order];
}

static void get_slab_cell(const struct share *s, size_t column, struct table_cell *cell)
{
	const uint64_t numbers[COLS] = {
		[COL_PINNED] = s->cost_alone + s->cost_shared,
		[COL_HELD] = s->cost_alone + s->cost_shared + s->bytes,
		[COL_LIVE] = s->bytes,
		[COL_ALONE] = s->alone,
		[COL_OTHERS] = s->together,
		[COL_OBJECTS] = s->items,
		[COL_PINNED_ALONE] = s->cost_alone,
	};

	cell->number = numbers[column];
	/* its caches may have slabs of different sizes */
	cell->unknown = column == COL_BLOCK;
	if (column == COL_OLDEST)
		pages_age(s->oldest, s->ages, cell);
}

static uint64_t pinned_in_parts(const struct parts *p, int order)
{
	return parts_held(p, order) - parts_used(p, order);
}

static void get_page_cell(const struct parts *p, int order, size_t column,
			  struct table_cell *cell)
{
	const uint64_t numbers[COLS] = {
		[COL_PINNED] = pinned_in_parts(p, order),
		[COL_HELD] = parts_held(p, order),
		[COL_LIVE] = parts_used(p, order),
		[COL_ALONE] = p->blocks + p->filling,
		[COL_OBJECTS] = p->refs,
		[COL_BLOCK] = pages_bytes(1) << order,
		[COL_PINNED_ALONE] = pinned_in_parts(p, order),
	};

	cell->number = numbers[column];
	if (column == COL_OLDEST)
		pages_age(p->oldest, p->ages, cell);
}

static void pages_pinned_cell(void *arg, size_t number, size_t column, struct table_cell *cell)
{
	const struct pinned *p = arg;
	const struct row *row = &p->row[number];
	bool slabs = row->order == SLABS;

	if (column == COL_KIND)
		snprintf(cell->string, sizeof(cell->string), "%s", slabs ? "slab" : "page");
	else if (column == COL_SITE)
		snprintf(cell->string, sizeof(cell->string), "%s",
			 p->walk.w.sites.location[row->site]);
	else if (slabs)
		get_slab_cell(&p->s.share[row->site], column, cell);
	else
		get_page_cell(parts_of(p, row), row->order, column, cell);
}

/* --- totals -------------------------------------------------------------------- */

/* Return: the row with blocks of pages that pins the most; NULL if there is none. */
static const struct row *worst_in_parts(const struct pinned *p)
{
	const struct row *row, *worst = NULL;
	uint64_t pinned, most = 0;

	for (row = p->row; row < p->row + p->count; row++) {
		if (row->order == SLABS)
			continue;
		pinned = pinned_in_parts(parts_of(p, row), row->order);
		if (pinned > most) {
			most = pinned;
			worst = row;
		}
	}
	return worst;
}

static void print_parts(const struct pinned *p, const struct row *row)
{
	const struct parts *parts = parts_of(p, row);
	uint64_t blocks = parts->blocks + parts->filling;
	char b[3][16];

	printf("%s holds %s in %" PRIu64 " block%s of %s for about %s in use.\n"
	       "For pages, OBJECTS are references, and LIVE is an estimate: each reference to a block\n"
	       "counts as 1/n of it, where n is the most references that two blocks of the site have.\n"
	       "So a page that a page_pool keeps for reuse counts as one part.\n",
	       p->walk.w.sites.location[row->site],
	       table_human(b[0], sizeof(b[0]), parts_held(parts, row->order), 1), blocks,
	       plural(blocks),
	       table_human(b[1], sizeof(b[1]), pages_bytes(1) << row->order, 1),
	       table_human(b[2], sizeof(b[2]), parts_used(parts, row->order), 1));
}

static void print_below(void *arg)
{
	const struct pinned *p = arg;
	const struct row *worst = worst_in_parts(p);

	slabwalk_print(&p->walk);
	puts("A slab kept alive by n sites is charged 1/n to each.");
	if (worst)
		print_parts(p, worst);
}

static json_t *json_below(void *arg)
{
	const struct pinned *p = arg;

	return slabwalk_json(&p->walk);
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
	else if (slab->state == SLAB_FULL)
		shares_use(&p->s);
	else
		shares_drop(&p->s);
}

static void add_frame(void *arg, const struct slabwalk *walk, const struct page *page)
{
	struct pinned *p = arg;

	parts_add(&p->parts, page, survey_wants(&walk->w, page));
}

static int pages_pinned_walk(struct pinned *p)
{
	int ret;

	p->walk.object = add_object;
	p->walk.end = end_slab;
	p->walk.other = add_frame;
	p->walk.arg = p;
	ret = slabwalk_run(&p->walk);
	parts_end(&p->parts);
	return ret;
}

static void add_rows(struct pinned *p, uint32_t site)
{
	const struct share *s = &p->s.share[site];
	struct row row = { site, SLABS };

	if (s->alone || s->together)
		p->row[p->count++] = row;
	for (row.order = 0; row.order < PARTS_ORDERS; row.order++)
		if (pinned_in_parts(parts_of(p, &row), row.order))
			p->row[p->count++] = row;
}

/* --site does not select slabs: it selects rows, by the sites of the objects. */
static void list(struct pinned *p, const char *text)
{
	const struct sites *sites = &p->walk.w.sites;
	size_t i;

	p->row = xcalloc((p->s.count + 1) * (PARTS_ORDERS + 1), sizeof(*p->row));
	for (i = 0; i < p->s.count; i++)
		if (!text || strstr(sites->location[i], text))
			add_rows(p, i);
}

int pages_pinned(const struct pages_options *o)
{
	int column = pages_sort_column(o, columns, COLS, "pinned");
	struct pinned p = { 0 };
	struct listing l = { columns, COLS, COLS_TEXT, 0,
			     pages_pinned_cell, &p, NULL,	 0 };
	int ret = EXIT_FAILED;

	if (column < 0)
		return EXIT_USAGE;
	if (!slabwalk_open(&p.walk, &o->filter)) {
		shares_init(&p.s, p.walk.w.sites.count);
		parts_init(&p.parts, &p.walk.w.sites);
		ret = pages_pinned_walk(&p);
	}
	progress_end(&p.walk.w.progress);
	if (!ret)
		list(&p, o->filter.site);
	l.nr_rows = p.count;
	if (!ret)
		ret = pages_show(o, &l, column, print_below, json_below,
				 &p.walk.w);
	free(p.row);
	parts_exit(&p.parts);
	shares_exit(&p.s);
	slabwalk_close(&p.walk);
	return ret;
}
