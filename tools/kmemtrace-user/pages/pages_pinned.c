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

static uint64_t pinned_in_parts(const struct parts *p, int order)
{
	return parts_held(p, order) - parts_used(p, order);
}

static const struct table_column columns[] = {
	FIGURE_PINNED, FIGURE_HELD, FIGURE_LIVE, FIGURE_SLABS_ALONE, FIGURE_SLABS_OTHERS,
	FIGURE_OBJECTS, FIGURE_OLDEST, FIGURE_KIND, FIGURE_BLOCK, FIGURE_SITE,
	FIGURE_PINNED_ALONE, /* not in text */
};

static void pages_pinned_slabs(struct table_cell *cell, const struct share *s, const char *site)
{
	row_number(cell, s->cost_alone + s->cost_shared);
	row_number(cell, s->cost_alone + s->cost_shared + s->bytes);
	row_number(cell, s->bytes);
	row_number(cell, s->alone);
	row_number(cell, s->together);
	row_number(cell, s->items);
	row_known(cell, s->ages, s->oldest * 10);
	row_text(cell, "slab");
	row_known(cell, false, 0); /* its caches may have slabs of different sizes */
	row_text(cell, site);
	row_number(cell, s->cost_alone);
}

static void pages_pinned_parts(struct table_cell *cell, const struct parts *p, int order,
			       const char *site)
{
	row_number(cell, pinned_in_parts(p, order));
	row_number(cell, parts_held(p, order));
	row_number(cell, parts_used(p, order));
	row_number(cell, p->blocks + p->filling);
	row_number(cell, 0);
	row_number(cell, p->refs);
	row_known(cell, p->ages, p->oldest * 10);
	row_text(cell, "page");
	row_number(cell, pages_bytes(1) << order);
	row_text(cell, site);
	row_number(cell, pinned_in_parts(p, order));
}

static void pages_pinned_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct pinned *p = arg;
	const struct row *r = &p->row[i];
	const char *site = p->walk.w.sites.location[r->site];

	if (r->order == SLABS)
		pages_pinned_slabs(cell, &p->s.share[r->site], site);
	else
		pages_pinned_parts(cell, parts_of(p, r), r->order, site);
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

static void add_rows(struct pinned *p, uint32_t site)
{
	const struct share *s = &p->s.share[site];
	struct row row = { site, SLABS };

	if (s->bytes || s->alone || s->together)
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
	int column = pages_sort_column(o, columns, TABLE_COLUMNS(columns), "pinned");
	struct pinned p = { 0 };
	struct listing l = { columns, TABLE_COLUMNS(columns), TABLE_COLUMNS(columns) - 1, 0,
			     pages_pinned_cell, &p, NULL, 0 };
	int ret = EXIT_FAILED;

	if (column < 0)
		return EXIT_USAGE;
	if (!slabwalk_open(&p.walk, &o->filter) &&
	    !survey_check_site(&p.walk.w, o->filter.site)) {
		shares_init(&p.s, p.walk.w.sites.count);
		parts_init(&p.parts, &p.walk.w.sites);
		p.walk.object = add_object;
		p.walk.end = end_slab;
		p.walk.other = add_frame;
		p.walk.arg = &p;
		ret = slabwalk_run(&p.walk);
		parts_end(&p.parts);
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
