// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>

#include "account/trust.h"
#include "base/figures.h"
#include "base/table.h"
#include "memory/memory_view.h"
#include "memory/nodelines.h"

/* --- the lines ----------------------------------------------------------------- */

enum { LINE_TITLE, LINE_BYTES, LINE_SHARE, LINE_MEMINFO, LINE_FIGURE, LINE_COLS };

static const struct table_column line_columns[LINE_COLS] = {
	[LINE_TITLE] = FIGURE_TITLE,
	[LINE_BYTES] = FIGURE_LINE,
	[LINE_SHARE] = FIGURE_LINE_SHARE,
	[LINE_MEMINFO] = FIGURE_LINE_MEMINFO,
	[LINE_FIGURE] = FIGURE_LINE_FORMULA,
};

bool memory_line_is_shown(const struct memory *m, enum balance_id id)
{
	const struct balance_line *line = &m->balance.line[id];

	if (line->bytes)
		return true;
	return id <= LINE_CPU_LISTS || id == LINE_USED ||
	       id == LINE_UNEXPLAINED || (line->has_figure && line->before);
}

/**
 * struct lines - the lines of the balance that are printed
 * @m: the memory
 * @id: ids of the lines
 * @count: number of lines
 */
struct lines {
	const struct memory *m;
	enum balance_id id[LINES];
	size_t count;
};

static void get_line(void *arg, size_t row, size_t column,
		     struct table_cell *cell)
{
	const struct lines *l = arg;
	const struct balance_line *line = &l->m->balance.line[l->id[row]];
	uint64_t used = l->m->balance.line[LINE_USED].bytes;

	switch (column) {
	case LINE_TITLE:
		snprintf(cell->string, sizeof(cell->string), "%s", line->title);
		break;
	case LINE_BYTES:
		cell->number = line->bytes;
		break;
	case LINE_SHARE:
		cell->blank = l->id[row] < LINE_USED || !used;
		if (!cell->blank)
			cell->number = line->bytes * 1000.0 / used + 0.5;
		break;
	case LINE_MEMINFO:
		cell->number = line->before;
		cell->blank = !line->has_figure;
		break;
	default:
		/* a * refers to a note below the table */
		snprintf(cell->string, sizeof(cell->string), "%c %s",
			 line->has_figure && balance_differs(line) ? '*' : ' ',
			 line->has_figure ? line->figure : "by count");
		cell->blank = !line->has_figure && !line->by_count;
	}
}

static void print_lines(const struct memory *m)
{
	struct lines l = { .m = m };
	int id;

	for (id = 0; id < LINES; id++)
		if (memory_line_is_shown(m, id))
			l.id[l.count++] = id;
	table_print_text(line_columns, LINE_COLS, l.count, get_line, &l);
}

static void print_notes(const struct memory *m)
{
	const struct balance *b = &m->balance;
	int id;

	printf("\nexplained: %.1f %% of used memory\n",
	       balance_explained(&m->balance));
	for (id = 0; id < LINES; id++)
		if (memory_line_is_shown(m, id) && b->line[id].note &&
		    balance_differs(&b->line[id]))
			printf("* %s: %s\n", b->line[id].title,
			       b->line[id].note);
	if (b->difference)
		printf("* total: %" PRId64 " KiB more than MemTotal\n",
		       (int64_t)b->difference / 1024);
	printf("outside of MemTotal: %" PRIu64 " KiB reserved",
	       b->reserved / 1024);
	if (b->offline)
		printf(", %" PRIu64 " KiB given back (balloon)",
		       b->offline / 1024);
	putchar('\n');
}

/* --- the sites ----------------------------------------------------------------- */

enum { SITE_BYTES, SITE_LOCATION, SITE_COLS };

static const struct table_column site_columns[SITE_COLS] = {
	[SITE_BYTES] = FIGURE_LINE,
	[SITE_LOCATION] = FIGURE_SITE,
};

static void get_site(void *arg, size_t row, size_t column,
		     struct table_cell *cell)
{
	const struct memory_site *s = &((const struct memory *)arg)->site[row];

	if (column == SITE_BYTES)
		cell->number = s->bytes;
	else
		snprintf(cell->string, sizeof(cell->string), "%s",
			 s->tag ? s->tag->location : "?");
}

static void print_sites(const struct memory *m, size_t top)
{
	size_t rows = top && top < m->nr_sites ? top : m->nr_sites;

	if (!m->nr_sites)
		return;
	puts("\nother kernel pages:");
	table_print_text(site_columns, SITE_COLS, rows, get_site, (void *)m);
	table_print_left_out(m->nr_sites - rows);
}

/* --- zones of unexplained frames ------------------------------------------------ */

enum { PLACE_BYTES, PLACE_NODE, PLACE_ZONE, PLACE_ORDER, PLACE_COLS };

static const struct table_column place_columns[PLACE_COLS] = {
	[PLACE_BYTES] = FIGURE_LINE,
	[PLACE_NODE] = FIGURE_NODE,
	[PLACE_ZONE] = FIGURE_ZONE,
	[PLACE_ORDER] = FIGURE_ORDER,
};

static void get_place(void *arg, size_t row, size_t column,
		      struct table_cell *cell)
{
	const struct memory *m = arg;
	const struct memory_place *place = &m->place[row];

	switch (column) {
	case PLACE_BYTES:
		cell->number = place->bytes;
		break;
	case PLACE_NODE:
		cell->number = place->node;
		break;
	case PLACE_ZONE:
		snprintf(cell->string, sizeof(cell->string), "%s",
			 m->zones.zone[place->zone]);
		break;
	default:
		snprintf(cell->string, sizeof(cell->string),
			 place->order < 0 ? "- (the rest of a higher order)"
					  : "%d",
			 place->order);
	}
}

static void print_places(const struct memory *m)
{
	if (!m->nr_places)
		return;
	puts("\nunexplained frames:");
	table_print_text(place_columns, PLACE_COLS, m->nr_places, get_place,
			 (void *)m);
}

/* --- state of accounting ------------------------------------------------------- */

static void print_accounting(const struct memory *m, bool verbose)
{
	double since = memory_since(m);

	putchar('\n');
	if (m->no_module) {
		printf("the sites of kernel pages are unknown: %s\n",
		       m->no_module);
		return;
	}
	if (m->vmallocs.why)
		printf("the areas of vmalloc() are unknown: %s\n",
		       m->vmallocs.why);
	if (since >= 0)
		printf("accounting has been on for %.0f s; memory that was allocated before %s\n",
		       since,
		       trust_counter(&m->tags, "survey") ?
			       "is in the rows earlier/" : "has no site");
	trust_print(&m->tags, verbose);
}

/* --- everything ------------------------------------------------------------------ */

void memory_print(const struct memory *m, size_t top, bool by_node, bool by_owner,
		  bool verbose)
{
	print_lines(m);
	print_notes(m);
	print_sites(m, top);
	print_places(m);
	if (by_node)
		nodelines_print(m, NULL);
	if (by_owner)
		owners_print(&m->owners);
	print_accounting(m, verbose);
}
