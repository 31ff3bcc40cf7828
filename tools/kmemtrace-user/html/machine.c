// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/tagrows.h"
#include "base/array.h"
#include "base/figures.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "html/machine.h"
#include "html/tables.h"
#include "memory/memory.h"

/* The page has at most so many sites; the others are one sum for each line. */
#define SITES_MAX 2000

#define NO_SITE	   "(without a known site)"
#define OTHER_SITE "(other sites)"

/**
 * struct part - a part of a line
 * @id: the line
 * @bytes: its bytes
 * @tag: the site that has allocated it; NULL: see @site
 * @site: what is in the place of a site
 */
struct part {
	enum balance_id id;
	uint64_t bytes;
	const struct tag *tag;
	const char *site;
};

/**
 * struct parts - all memory of the machine
 * @m: the memory
 * @part: the parts
 * @count: number of parts
 */
struct parts {
	const struct memory *m;
	struct part *part;
	size_t count;
};

static void machine_add(struct parts *p, enum balance_id id, uint64_t bytes,
			const struct tag *tag, const char *site)
{
	if (bytes)
		*array_add(p->part, p->count) = (struct part){ id, bytes, tag, site };
}

/* --- the sites of a line ---------------------------------------------------------- */

/* Pages of slabs and of per-CPU memory have many sites: the objects on them tell which. */
static uint64_t objects_of(enum balance_id id, const struct tag *tag)
{
	enum tag_kind kind = id == LINE_SLAB ? TAG_SLAB : TAG_PERCPU;

	return tag->kind == kind && tag->bytes > 0 ? tag->bytes : 0;
}

static uint64_t frames_of(const struct parts *p, enum balance_id id,
			  const struct tag *tag)
{
	const struct tally *t = &p->m->tally;
	uint64_t frames = 0;
	int kind;

	if (!tag->id || tag->id >= t->nr_sites)
		return 0;
	for (kind = 0; kind < KINDS; kind++)
		if (p->m->balance.line[id].kinds & 1u << kind)
			frames += t->site[tag->id].kind[kind];
	return frames * p->m->page_size;
}

static uint64_t bytes_of(const struct parts *p, enum balance_id id,
			 const struct tag *tag)
{
	return id == LINE_SLAB || id == LINE_PERCPU ? objects_of(id, tag) :
						      frames_of(p, id, tag);
}

/* Objects that were allocated after the frames were counted may exceed the line. */
static void add_line(struct parts *p, enum balance_id id)
{
	const struct balance_line *line = &p->m->balance.line[id];
	const struct tags *tags = &p->m->tags;
	uint64_t rest = line->bytes, bytes;
	size_t i;

	for (i = 0; i < tags->count; i++) {
		bytes = bytes_of(p, id, &tags->tag[i]);
		if (bytes > rest)
			bytes = rest;
		machine_add(p, id, bytes, &tags->tag[i], NULL);
		rest -= bytes;
	}
	machine_add(p, id, rest, NULL, rest < line->bytes ? NO_SITE : line->title);
}

static int by_size(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->tag < y->tag ? -1 : x->tag > y->tag;
}

/* What has no place is one part of each line. */
static void limit(struct parts *p)
{
	uint64_t other[LINES] = { 0 };
	size_t i, count = p->count;
	int id;

	qsort(p->part, p->count, sizeof(*p->part), by_size);
	if (count <= SITES_MAX)
		return;
	for (i = SITES_MAX; i < count; i++)
		other[p->part[i].id] += p->part[i].bytes;
	p->count = SITES_MAX;
	for (id = 0; id < LINES; id++)
		machine_add(p, id, other[id], NULL, OTHER_SITE);
}

static void find_parts(struct parts *p)
{
	const struct balance *b = &p->m->balance;
	int id;

	for (id = LINE_TOTAL + 1; id < LINES; id++)
		if (id != LINE_USED)
			add_line(p, id);
	if (p->count)
		limit(p);
	if (b->difference < 0)
		machine_add(p, LINE_TOTAL, -b->difference, NULL,
			    "frames that no line covers");
}

/* --- the document -------------------------------------------------------------------- */

enum { COL_BYTES, COL_KIND, COL_MODULE, COL_SITE, COLS };

static const struct table_column columns[COLS] = {
	[COL_BYTES] = FIGURE_BYTES,
	[COL_KIND] = FIGURE_KIND,
	[COL_MODULE] = FIGURE_MODULE,
	[COL_SITE] = FIGURE_SITE,
};

static void machine_cell(void *arg, size_t row, size_t column, struct table_cell *cell)
{
	const struct parts *p = arg;
	const struct part *part = &p->part[row];

	switch (column) {
	case COL_BYTES:
		cell->number = part->bytes;
		return;
	case COL_KIND:
		snprintf(cell->string, sizeof(cell->string), "%s",
			 part->id == LINE_TOTAL ?
				 "not covered" :
				 p->m->balance.line[part->id].title);
		return;
	case COL_MODULE:
		cell->string[0] = '\0';
		if (part->tag)
			tagrows_module(part->tag, cell);
		return;
	default:
		snprintf(cell->string, sizeof(cell->string), "%s",
			 part->tag ? part->tag->location : part->site);
		table_clean(cell->string);
	}
}

static json_t *json_words(const struct memory *m)
{
	const struct balance *b = &m->balance;
	struct memtext text;
	FILE *out = memtext_open(&text);

	fprintf(out, "explained: %.1f %% of used memory\n", balance_explained(b));
	if (m->vmallocs.why)
		fprintf(out, "the areas of vmalloc() are unknown: %s\n",
			m->vmallocs.why);
	if (b->difference > 0)
		fprintf(out, "the lines have %" PRId64 " bytes more than MemTotal\n",
			b->difference);
	fprintf(out, "outside of MemTotal: %" PRIu64 " bytes reserved", b->reserved);
	if (b->offline)
		fprintf(out, ", %" PRIu64 " bytes given back (balloon)", b->offline);
	fputc('\n', out);
	return tables_lines(memtext_close(&text, NULL));
}

static json_t *machine_make(const struct memory *m)
{
	struct parts p = { .m = m };
	struct listing l = {
		.columns = columns,
		.nr_columns = COLS,
		.get = machine_cell,
		.arg = &p,
	};
	const struct balance_line *total = &m->balance.line[LINE_TOTAL];
	json_t *all;

	find_parts(&p);
	l.nr_rows = p.count;
	listing_keep(&l, 0);
	all = tables_json(&l);
	listing_free(&l);
	free(p.part);
	json_object_set_new(all, "total",
			    total->has_figure ? json_integer(total->before) :
						json_null());
	json_object_set_new(all, "difference", json_integer(m->balance.difference));
	json_object_set_new(all, "words", json_words(m));
	return all;
}

int machine_document(json_t **ret)
{
	struct memory m;
	int err = EXIT_FAILED;

	if (!memory_read(&m)) {
		*ret = machine_make(&m);
		err = EXIT_DONE;
	}
	memory_free(&m);
	return err;
}
