// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/trust.h"
#include "base/array.h"
#include "base/die.h"
#include "base/figures.h"
#include "base/json.h"
#include "base/msg.h"
#include "base/plural.h"
#include "base/table.h"
#include "pages/slabwalk.h"
#include "report/losses.h"
#include "report/report.h"
#include "waste/wastes.h"
#include "waste/wasteview.h"

const struct table_column waste_columns[WASTE_COLUMNS] = {
	FIGURE_SAVED, FIGURE_WASTE, FIGURE_WASTE_PERCENT, FIGURE_LIVE, FIGURE_OBJECTS,
	FIGURE_BUCKET, FIGURE_SITE,
	FIGURE_REQUESTED, FIGURE_KIND, FIGURE_SIZE, FIGURE_NR_SIZES, FIGURE_REMEDY,
};

/* sizes that text shows below a row */
#define SIZES_SHOWN 4

/* the table */
struct shown {
	const struct wasteview *v;	/* what is shown */
	const struct waste **row;	/* the rows, in the order used for rows with equal values */
	struct listing list;		/* the table */
	char line[WASTE_LINE];		/* a line below a row */
};

static void wasteview_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct shown *s = arg;
	const struct waste *w = s->row[i];

	row_number(cell, waste_saved(w));
	row_number(cell, waste_bytes(w));
	row_number(cell, report_tenths_wasted(w->bytes, w->requested));
	row_number(cell, w->bytes);
	row_number(cell, w->objects);
	if (row_wants(cell))
		waste_bucket(w, cell->string, sizeof(cell->string));
	row_text(cell, s->v->site[w->site]);
	row_number(cell, w->requested);
	row_text(cell, waste_kind_names[w->kind]);
	row_known(cell, w->size, w->size);
	row_known(cell, w->nr_sizes, w->nr_sizes);
	row_text(cell, w->nr_remedies ? waste_remedy_names[w->remedy[0].remedy] : NULL);
}

/* --- lines below a row --------------------------------------------------------------- */

/* "20000 x 1040, 12 x 1500, 7 more sizes" */
bool waste_print_sizes(char to[WASTE_LINE], const struct waste *row)
{
	size_t i, len = 0;

	for (i = 0; i < row->nr_sizes && i < SIZES_SHOWN; i++)
		len += snprintf(to + len, WASTE_LINE - len, "%s%" PRIu64 " x %" PRIu64,
				i ? ", " : "", row->sizes[i].objects,
				row->sizes[i].requested);
	if (row->nr_sizes > SIZES_SHOWN)
		snprintf(to + len, WASTE_LINE - len, ", %zu more sizes",
			 row->nr_sizes - SIZES_SHOWN);
	return row->nr_sizes;
}

void waste_print_remedy(char to[WASTE_LINE], const struct remedy *r)
{
	char saved[16], slab[16];

	table_human(saved, sizeof(saved), r->saved, true);
	table_human(slab, sizeof(slab), r->slab_bytes, true);
	switch (r->remedy) {
	case REMEDY_CACHE:
		snprintf(to, WASTE_LINE,
			 "a kmem_cache of %" PRIu64 " (%" PRIu64 " in %s) saves %s",
			 r->size, r->slab_objects, slab, saved);
		break;
	case REMEDY_ALIGN:
		snprintf(to, WASTE_LINE,
			 "an alignment of 8 (%" PRIu64 " in %s) saves %s",
			 r->slab_objects, slab, saved);
		break;
	case REMEDY_LESS:
		snprintf(to, WASTE_LINE,
			 "%" PRIu64 " or less saves %s, for %" PRIu64 " object%s",
			 r->size, saved, r->objects, plural(r->objects));
		break;
	default:
		snprintf(to, WASTE_LINE, "alloc_pages_exact() saves %s%s",
			 r->at_least ? "at least " : "", saved);
	}
}

static bool waste_line_below(void *arg, size_t i, size_t n, const char **line)
{
	struct shown *s = arg;
	const struct waste *row = s->row[s->list.row[i]];

	*line = s->line;
	if (!n && waste_print_sizes(s->line, row))
		return true;
	n -= row->nr_sizes > 0;
	if (n >= (size_t)row->nr_remedies)
		return false;
	waste_print_remedy(s->line, &row->remedy[n]);
	return true;
}

/* --- rows ----------------------------------------------------------------------------- */

static int by_waste(const void *a, const void *b)
{
	const struct waste *x = *(const struct waste **)a;
	const struct waste *y = *(const struct waste **)b;

	if (waste_bytes(x) != waste_bytes(y))
		return waste_bytes(x) < waste_bytes(y) ? 1 : -1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return x->kind != y->kind ? (int)x->kind - (int)y->kind :
	       x->size < y->size  ? -1 :
				    x->size > y->size;
}

static bool is_shown(const struct wasteview *v, const struct waste *row)
{
	return row->objects &&
	       (!v->only || strcasestr(v->site[row->site], v->only));
}

static void wasteview_make_rows(struct shown *s)
{
	const struct wasteview *v = s->v;
	size_t i;

	s->list = LISTING(waste_columns, 0, wasteview_cell, s);
	s->list.nr_text = WASTE_TEXT;
	s->row = xcalloc(v->w->count + 1, sizeof(*s->row));
	for (i = 0; i < v->w->count; i++)
		if (is_shown(v, &v->w->row[i]))
			s->row[s->list.nr_rows++] = &v->w->row[i];
	qsort(s->row, s->list.nr_rows, sizeof(*s->row), by_waste);
	listing_sort_by(&s->list, v->sort, v->top);
}

/* --- waste by cache ------------------------------------------------------------- */

static const struct table_column columns[] = {
	FIGURE_WASTE, FIGURE_WASTE_PERCENT, FIGURE_LIVE, FIGURE_REQUESTED, FIGURE_OBJECTS,
	FIGURE_NR_SITES, FIGURE_BUCKET,
};

/* the table */
struct buckets {
	struct waste *row;	/* the sums; site is their number of rows */
	size_t count;		/* number of rows */
};

/* Only kmalloc() has a bucket for each size. */
static uint64_t size_of(const struct waste *row)
{
	return row->kind == WASTE_KMALLOC ? row->size : 0;
}

static int by_bucket(const void *a, const void *b)
{
	const struct waste *x = a, *y = b;

	if (x->kind != y->kind)
		return (int)x->kind - (int)y->kind;
	return size_of(x) < size_of(y) ? -1 : size_of(x) > size_of(y);
}

static void buckets_make(struct buckets *b, const struct waste *const *rows,
			 size_t nr_rows)
{
	size_t i, last = 0;

	*b = (struct buckets){ .row = xcalloc(nr_rows + 1, sizeof(*b->row)) };
	for (i = 0; i < nr_rows; i++) {
		b->row[i] = *rows[i];
		b->row[i].size = size_of(rows[i]);
		b->row[i].site = 1;
	}
	qsort(b->row, nr_rows, sizeof(*b->row), by_bucket);
	for (i = 0; i < nr_rows; i++) {
		struct waste *to = &b->row[last], *from = &b->row[i];

		if (i && by_bucket(to, from))
			b->row[++last] = *from;
		else if (i) {
			to->site++;
			to->bytes += from->bytes;
			to->requested += from->requested;
			to->objects += from->objects;
		}
	}
	b->count = nr_rows ? last + 1 : 0;
}

static void buckets_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct waste *w = &((const struct buckets *)arg)->row[i];

	row_number(cell, waste_bytes(w));
	row_number(cell, report_tenths_wasted(w->bytes, w->requested));
	row_number(cell, w->bytes);
	row_number(cell, w->requested);
	row_number(cell, w->objects);
	row_number(cell, w->site);
	if (row_wants(cell))
		waste_bucket(w, cell->string, sizeof(cell->string));
}

static void buckets_print(const struct waste *const *rows, size_t nr_rows)
{
	struct buckets b;

	buckets_make(&b, rows, nr_rows);
	if (b.count)
		table_print_text(columns, TABLE_COLUMNS(columns), b.count, buckets_cell, &b);
	free(b.row);
}

static struct json_t *buckets_json(const struct waste *const *rows, size_t nr_rows)
{
	struct json_t *json;
	struct buckets b;

	buckets_make(&b, rows, nr_rows);
	json = table_json(columns, TABLE_COLUMNS(columns), b.count, buckets_cell, &b);
	free(b.row);
	return json;
}

/* --- text ----------------------------------------------------------------------------- */

static void waste_listed_cell(void *arg, size_t i, struct table_cell *cell)
{
	struct shown *s = arg;

	wasteview_cell(s, s->list.row[i], cell);
}

static void print_source(const struct wasteview *v)
{
	char bytes[16];

	if (v->slabs) {
		puts("\nSlabs (pages --pinned shows the sites that keep partly empty ones):");
		slabwalk_print(v->slabs);
		trust_print(&v->slabs->w.sites.tags, v->verbose);
		return;
	}
	putchar('\n');
	losses_write(&v->report->in, stdout);
	if (input_lost(&v->report->in))
		printf("live slab is uncertain by %s\n",
		       table_human(bytes, sizeof(bytes),
				   report_uncertain(v->report, SITE_SLAB), 1));
	else if (losses_none(&v->report->in))
		puts("no event lost");
	losses_write_faults(&v->report->in, "NOTE: ", stdout);
}

static void wasteview_print_text(struct shown *s)
{
	const struct wasteview *v = s->v;

	if (s->list.shown)
		table_print_tree(waste_columns, WASTE_TEXT, s->list.shown,
				 waste_listed_cell, waste_line_below, s);
	else
		puts(v->only ? "no such site has live memory" : "nothing is live");
	table_print_left_out(s->list.nr_rows - s->list.shown);
	putchar('\n');
	buckets_print(s->row, s->list.nr_rows);
	if (v->rules->padded)
		puts("KASAN or slub_debug adds data to objects, which WASTE includes: no remedies for slabs.");
	else
		printf("Savings are for the slabs that SLUB chooses; number of CPUs: %u.\n",
		       v->rules->cpus);
	print_source(v);
}

/* --- JSON ----------------------------------------------------------------------------- */

json_t *waste_json_sizes(const struct waste *row)
{
	json_t *sizes = json_array();
	size_t i;

	for (i = 0; i < row->nr_sizes; i++)
		json_array_append_new(
			sizes, json_pack("{s:I,s:I}", "requested",
					 (json_int_t)row->sizes[i].requested,
					 "objects",
					 (json_int_t)row->sizes[i].objects));
	return sizes;
}

json_t *waste_json_remedies(const struct waste *row)
{
	json_t *remedies = json_array();
	int i;

	for (i = 0; i < row->nr_remedies; i++) {
		const struct remedy *r = &row->remedy[i];
		json_t *json = json_pack("{s:s,s:I,s:b,s:I}", "remedy",
					 waste_remedy_names[r->remedy], "saved",
					 (json_int_t)r->saved, "at_least",
					 r->at_least, "objects",
					 (json_int_t)r->objects);

		if (r->size)
			json_object_set_new(json, "size", json_integer(r->size));
		if (r->slab_objects) {
			json_object_set_new(json, "slab_objects",
					    json_integer(r->slab_objects));
			json_object_set_new(json, "slab_bytes",
					    json_integer(r->slab_bytes));
		}
		json_array_append_new(remedies, json);
	}
	return remedies;
}

static json_t *json_rows(const struct shown *s)
{
	json_t *rows = listing_json(&s->list), *json;
	size_t i;

	json_array_foreach(rows, i, json) {
		const struct waste *row = s->row[s->list.row[i]];

		json_object_set_new(json, "sizes", waste_json_sizes(row));
		json_object_set_new(json, "remedies", waste_json_remedies(row));
	}
	return rows;
}

static void json_set_source(json_t *root, const struct wasteview *v)
{
	if (!v->slabs) {
		json_object_update_new(root, json_pack(
			"{s:I,s:I,s:o}", "lost_events", (json_int_t)input_lost(&v->report->in),
			"uncertain", (json_int_t)report_uncertain(v->report, SITE_SLAB),
			"note", losses_json(&v->report->in)));
		return;
	}
	json_object_update_new(root, json_pack(
		"{s:o,s:o,s:o}", "slabs", slabwalk_json(v->slabs), "error",
		trust_json(&v->slabs->w.sites.tags),
		"holes", trust_json_holes(&v->slabs->w.sites.tags)));
}

static int wasteview_print_json(const struct shown *s)
{
	const struct wasteview *v = s->v;
	json_t *root = json_pack("{s:s,s:i,s:b,s:o,s:o}", "source",
				 v->slabs ? "accounting" : "recording", "cpus",
				 (int)v->rules->cpus, "padded", v->rules->padded,
				 "rows", json_rows(s), "buckets",
				 buckets_json(s->row, s->list.nr_rows));

	json_set_source(root, v);
	if (!v->document)
		return json_print(root);
	*v->document = root;
	return EXIT_DONE;
}

int wasteview_print(const struct wasteview *v)
{
	struct shown s = { .v = v };
	int ret = EXIT_DONE;

	wasteview_make_rows(&s);
	if (v->format == TABLE_JSON) {
		ret = wasteview_print_json(&s);
	} else if (v->format == TABLE_CSV) {
		listing_print(&s.list, TABLE_CSV);
	} else {
		wasteview_print_text(&s);
	}
	listing_free(&s.list);
	free(s.row);
	return ret;
}
