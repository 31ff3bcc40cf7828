// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "frames/pageflags.h"
#include "pages/objects.h"
#include "pages/pages.h"
#include "pages/shares.h"

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
 * struct slabs - a sum of slabs
 * @count: number of slabs
 * @bytes: bytes of their pages
 */
struct slabs {
	uint64_t count;
	uint64_t bytes;
};

/**
 * struct pinned - the table
 * @w: the walk
 * @o: the objects
 * @s: the slabs that each site keeps allocated
 * @row: number of the site in each row
 * @start: physical address of the current slab
 * @end: address after its last byte; equal to @start: there is no current slab
 * @known: the current slab was allocated while accounting was on
 * @wanted: the current slab matches the filter
 * @full: slabs without room for another object
 * @partial: slabs with objects, and with room for another one
 * @empty: slabs without an object, which the allocator keeps
 * @older: slabs from before accounting, whose objects are not known
 */
struct pinned {
	struct survey w;
	struct objects o;
	struct shares s;
	uint32_t *row;
	uint64_t start;
	uint64_t end;
	bool known;
	bool wanted;
	struct slabs full;
	struct slabs partial;
	struct slabs empty;
	struct slabs older;
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
			 p->w.sites.location[p->row[row]]);
	}
}

/* --- totals -------------------------------------------------------------------- */

static void print_slabs(const char *what, const struct slabs *s,
			const char *remark)
{
	char bytes[16];

	printf("%-8s %7s in %" PRIu64 " slabs%s\n", what,
	       table_human(bytes, sizeof(bytes), s->bytes, 1), s->count, remark);
}

static void print_below(void *arg)
{
	const struct pinned *p = arg;
	char bytes[16], remark[64];

	snprintf(remark, sizeof(remark), ", %s of it without an object",
		 table_human(bytes, sizeof(bytes), p->s.cost, 1));
	print_slabs("full", &p->full, "");
	print_slabs("partial", &p->partial, remark);
	print_slabs("empty", &p->empty, ", kept by the allocator");
	print_slabs("older", &p->older,
		    ", from before accounting: their objects are not all known");
	puts("A slab kept alive by n sites is charged 1/n to each.");
}

static json_t *json_slabs(const struct slabs *s)
{
	return json_pack("{s:I,s:I}", "slabs", (json_int_t)s->count, "bytes",
			 (json_int_t)s->bytes);
}

static json_t *json_below(void *arg)
{
	const struct pinned *p = arg;

	return json_pack("{s:I,s:o,s:o,s:o,s:o}", "pinned",
			 (json_int_t)p->s.cost, "full", json_slabs(&p->full),
			 "partial", json_slabs(&p->partial), "empty",
			 json_slabs(&p->empty), "older", json_slabs(&p->older));
}

/* --- the walk ------------------------------------------------------------------ */

static void add_slab(struct slabs *s, uint64_t bytes)
{
	s->count++;
	s->bytes += bytes;
}

/* Adds the slab to its sum. Only the free part of a partial slab is charged to sites. */
static void judge(struct pinned *p, uint64_t bytes, uint64_t live,
		  uint64_t objects, uint64_t object_bytes)
{
	if (!p->known) {
		add_slab(&p->older, bytes);
		shares_drop(&p->s);
	} else if (!objects) {
		add_slab(&p->empty, bytes);
	} else if (live >= bytes || bytes - live < object_bytes) {
		add_slab(&p->full, bytes);
		shares_drop(&p->s);
	} else {
		add_slab(&p->partial, bytes);
		shares_settle(&p->s, bytes - live);
	}
}

static void end_slab(struct pinned *p)
{
	uint64_t live = 0, objects = 0, largest = 0;
	const struct kmemtrace_object *object;

	if (p->start == p->end)
		return;
	for (; (object = objects_peek(&p->o)) && object->address < p->end;
	     objects_step(&p->o)) {
		if (object->address < p->start || !p->wanted)
			continue;
		objects++;
		live += object->bytes;
		if (object->bytes > largest)
			largest = object->bytes;
		shares_hold(&p->s, sites_of(&p->w.sites, object->tag),
			    object->bytes, object->age);
	}
	if (p->wanted)
		judge(p, p->end - p->start, live, objects, largest);
	p->start = p->end;
}

/*
 * The filter checks the first page of the slab. --site does not select slabs: it selects
 * rows, by the sites of the objects.
 */
static void begin_slab(struct pinned *p, const struct page *page)
{
	p->start = page->pfn * pages_bytes(1);
	p->known = page->owner->tag;
	p->wanted = survey_wants(&p->w, page);
}

static int walk(struct pinned *p)
{
	struct page page;
	int ret;

	while ((ret = survey_next(&p->w, &page)) > 0) {
		bool tail = page.flags & PAGEFLAG(COMPOUND_TAIL);

		if (page.kind != KIND_SLAB) {
			end_slab(p);
			continue;
		}
		if (!tail || p->start == p->end ||
		    p->end != page.pfn * pages_bytes(1)) {
			end_slab(p);
			begin_slab(p, &page);
		}
		p->end = (page.pfn + 1) * pages_bytes(1);
	}
	end_slab(p);
	return ret || p->o.failed ? EXIT_FAILED : EXIT_DONE;
}

int pages_pinned(const struct pages_options *o)
{
	int column = pages_sort_column(o, columns, COLS, "pinned");
	struct page_filter filter = o->filter;
	struct pinned p = { .o.fd = -1 };
	struct listing l = { columns, COLS, COLS_TEXT, 0,
			     get_cell, &p, NULL,	 0 };
	int ret = EXIT_FAILED;

	if (column < 0)
		return EXIT_USAGE;
	filter.site = NULL;
	if (!survey_open(&p.w, &filter) && !objects_open(&p.o))
		ret = shares_init(&p.s, p.w.sites.count) ?
			      walk(&p) :
			      msg_oom();
	progress_end(&p.w.progress);
	if (!ret)
		ret = pages_list_shares(o, &p.w.sites, &p.s, &p.row,
					&l.nr_rows);
	if (!ret)
		ret = pages_show(o, &l, column, print_below, json_below, &p.w);
	free(p.row);
	shares_exit(&p.s);
	objects_close(&p.o);
	survey_close(&p.w);
	return ret;
}
