// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "account/trust.h"
#include "base/figures.h"
#include "base/json.h"
#include "base/listing.h"
#include "base/msg.h"
#include "memory/changes_view.h"
#include "memory/memory_json.h"
#include "memory/memory_view.h"
#include "memory/nodelines.h"

/* --- the lines -------------------------------------------------------------------- */

enum { LINE_TITLE, LINE_BEFORE, LINE_NOW, LINE_CHANGE, LINE_COLS };

static const struct table_column line_columns[LINE_COLS] = {
	[LINE_TITLE] = FIGURE_TITLE,
	[LINE_BEFORE] = FIGURE_LINE_BEFORE,
	[LINE_NOW] = FIGURE_LINE_NOW,
	[LINE_CHANGE] = FIGURE_LINE_CHANGE,
};

/**
 * struct lines - the lines of the balance that are printed
 * @c: the changes
 * @id: ids of the lines
 * @count: number of lines
 */
struct lines {
	const struct memory_changes *c;
	enum balance_id id[LINES];
	size_t count;
};

static void get_line(void *arg, size_t row, size_t column,
		     struct table_cell *cell)
{
	const struct lines *l = arg;
	const struct balance_line *old = &l->c->old->balance.line[l->id[row]];
	const struct balance_line *now = &l->c->now->balance.line[l->id[row]];

	switch (column) {
	case LINE_TITLE:
		snprintf(cell->string, sizeof(cell->string), "%s", now->title);
		break;
	case LINE_BEFORE:
		cell->number = old->bytes;
		break;
	case LINE_NOW:
		cell->number = now->bytes;
		break;
	default:
		cell->number = now->bytes - old->bytes;
	}
}

static void print_lines(const struct memory_changes *c)
{
	struct lines l = { .c = c };
	int id;

	for (id = 0; id < LINES; id++)
		if (memory_line_is_shown(c->old, id) ||
		    memory_line_is_shown(c->now, id))
			l.id[l.count++] = id;
	table_print_text(line_columns, LINE_COLS, l.count, get_line, &l);
}

static void print_notes(const struct memory_changes *c)
{
	const struct balance *old = &c->old->balance, *now = &c->now->balance;
	size_t i;

	printf("\nexplained: %.1f %% of used memory before, %.1f %% now\n",
	       balance_explained(old), balance_explained(now));
	for (i = 0; i < c->nr_notes; i++)
		printf("* %s\n", c->note[i]);
	printf("outside of MemTotal: %+" PRId64 " KiB reserved",
	       (int64_t)(now->reserved - old->reserved) / 1024);
	if (old->offline || now->offline)
		printf(", %+" PRId64 " KiB given back (balloon)",
		       (int64_t)(now->offline - old->offline) / 1024);
	putchar('\n');
}

/* --- the sites ---------------------------------------------------------------------- */

enum { SITE_BEFORE, SITE_NOW, SITE_CHANGE, SITE_LOCATION, SITE_COLS };

static const struct table_column site_columns[SITE_COLS] = {
	[SITE_BEFORE] = FIGURE_LINE_BEFORE,
	[SITE_NOW] = FIGURE_LINE_NOW,
	[SITE_CHANGE] = FIGURE_LINE_CHANGE,
	[SITE_LOCATION] = FIGURE_SITE,
};

static void get_site(void *arg, size_t row, size_t column,
		     struct table_cell *cell)
{
	const struct memory_changes *c = arg;
	const struct memory_change *site = &c->site[row];

	switch (column) {
	case SITE_BEFORE:
		cell->number = site->before;
		break;
	case SITE_NOW:
		cell->number = site->now;
		break;
	case SITE_CHANGE:
		cell->number = site->now - site->before;
		break;
	default:
		snprintf(cell->string, sizeof(cell->string), "%s",
			 site->location ? site->location : "?");
	}
}

static void print_sites(const struct memory_changes *c, const struct listing *l)
{
	if (!memory_changes_know_sites(c))
		return;
	puts("\nchanges of other kernel pages:");
	if (l->nr_rows)
		listing_print(l, TABLE_TEXT);
	else
		puts("none");
}

/* --- JSON ------------------------------------------------------------------------- */

static json_t *json_pair(uint64_t before, uint64_t now)
{
	return json_pack("{s:I,s:I,s:I}", "before", (json_int_t)before, "now",
			 (json_int_t)now, "change", (json_int_t)(now - before));
}

static json_t *json_total(const struct memory_changes *c)
{
	const struct balance_line *old = &c->old->balance.line[LINE_TOTAL];
	const struct balance_line *now = &c->now->balance.line[LINE_TOTAL];

	return old->has_figure && now->has_figure ?
		       json_pair(old->before, now->before) :
		       json_null();
}

static json_t *json_lines(const struct memory_changes *c)
{
	const struct balance_line *old = c->old->balance.line;
	const struct balance_line *now = c->now->balance.line;
	json_t *lines = json_array(), *line;
	int id;

	for (id = 0; id < LINES; id++) {
		line = json_pack("{s:s,s:s}", "line", now[id].key, "title",
				 now[id].title);
		json_object_update_new(line, json_pair(old[id].bytes, now[id].bytes));
		json_array_append_new(lines, line);
	}
	return lines;
}

static json_t *json_sites(const struct memory_changes *c, const struct listing *l)
{
	json_t *sites, *site;
	size_t i;

	if (!memory_changes_know_sites(c))
		return json_null();
	sites = json_array();
	for (i = 0; i < l->shown; i++) {
		const struct memory_change *s = &c->site[l->row[i]];

		site = json_pair(s->before, s->now);
		json_object_set_new(site, "site",
				    s->location ? json_string(s->location) :
						  json_null());
		json_array_append_new(sites, site);
	}
	return sites;
}

static json_t *json_notes(const struct memory_changes *c)
{
	json_t *notes = json_array();
	size_t i;

	for (i = 0; i < c->nr_notes; i++)
		json_array_append_new(notes, json_string(c->note[i]));
	return notes;
}

static json_t *json_error(const struct memory *m)
{
	return m->no_module ? json_null() : trust_json(&m->tags);
}

static int changes_view_print_json(const struct memory_changes *c, const struct listing *l)
{
	const struct balance *old = &c->old->balance, *now = &c->now->balance;

	return json_print(json_pack(
		"{s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:I,s:o,s:o,s:o}", "document",
		MEMORY_CHANGES_DOCUMENT, "page_size",
		json_pair(c->old->page_size, c->now->page_size), "mem_total",
		json_total(c), "reserved", json_pair(old->reserved, now->reserved),
		"offline", json_pair(old->offline, now->offline), "lines",
		json_lines(c), "nodes", nodelines_json(c->now, c->old), "sites",
		json_sites(c, l), "left_out",
		(json_int_t)(l->nr_rows - l->shown), "notes", json_notes(c),
		"old_error", json_error(c->old), "error", json_error(c->now)));
}

/* --- everything ------------------------------------------------------------------- */

static void changes_view_print_text(const struct memory_changes *c, const struct listing *l,
				    const struct changes_view *view)
{
	print_lines(c);
	print_notes(c);
	print_sites(c, l);
	if (view->by_node)
		nodelines_print(c->now, c->old);
	if (!memory_changes_know_sites(c))
		return;
	putchar('\n');
	trust_print_changes(&c->old->tags, &c->now->tags, view->verbose);
}

int changes_view_print(const struct changes_view *view,
		       const struct memory_changes *c)
{
	struct listing l = {
		.columns = site_columns,
		.nr_columns = SITE_COLS,
		.nr_text = SITE_COLS,
		.nr_rows = c->nr_sites,
		.get = get_site,
		.arg = (void *)c,
	};
	int ret = EXIT_DONE;

	listing_sort(&l, SITE_CHANGE, view->top);
	if (view->json)
		ret = changes_view_print_json(c, &l);
	else
		changes_view_print_text(c, &l, view);
	listing_free(&l);
	return ret;
}
