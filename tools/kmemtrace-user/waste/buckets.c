// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "base/figures.h"
#include "base/msg.h"
#include "base/table.h"
#include "report/report.h"
#include "waste/buckets.h"

enum bucket_column {
	BUCKET_WASTE,
	BUCKET_PERCENT,
	BUCKET_LIVE,
	BUCKET_REQUESTED,
	BUCKET_OBJECTS,
	BUCKET_SITES,
	BUCKET_BUCKET,
	BUCKET_COLS,
};

static const struct table_column columns[BUCKET_COLS] = {
	[BUCKET_WASTE] = FIGURE_WASTE,
	[BUCKET_PERCENT] = FIGURE_WASTE_PERCENT,
	[BUCKET_LIVE] = FIGURE_LIVE,
	[BUCKET_REQUESTED] = FIGURE_REQUESTED,
	[BUCKET_OBJECTS] = FIGURE_OBJECTS,
	[BUCKET_SITES] = FIGURE_NR_SITES,
	[BUCKET_BUCKET] = FIGURE_BUCKET,
};

/**
 * struct buckets - the table
 * @row: the sums; site is their number of rows
 * @count: number of rows
 */
struct buckets {
	struct waste *row;
	size_t count;
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

static void buckets_cell(void *arg, size_t i, size_t column,
			 struct table_cell *cell)
{
	const struct buckets *b = arg;
	const struct waste *row = &b->row[i];

	switch (column) {
	case BUCKET_WASTE:
		cell->number = waste_bytes(row);
		break;
	case BUCKET_PERCENT:
		cell->number = report_tenths_wasted(row->bytes, row->requested);
		break;
	case BUCKET_LIVE:
		cell->number = row->bytes;
		break;
	case BUCKET_REQUESTED:
		cell->number = row->requested;
		break;
	case BUCKET_OBJECTS:
		cell->number = row->objects;
		break;
	case BUCKET_SITES:
		cell->number = row->site;
		break;
	default:
		waste_bucket(row, cell->string, sizeof(cell->string));
	}
}

void buckets_print(const struct waste *const *rows, size_t nr_rows)
{
	struct buckets b;

	buckets_make(&b, rows, nr_rows);
	if (b.count)
		table_print_text(columns, BUCKET_COLS, b.count, buckets_cell, &b);
	free(b.row);
}

struct json_t *buckets_json(const struct waste *const *rows, size_t nr_rows)
{
	struct json_t *json;
	struct buckets b;

	buckets_make(&b, rows, nr_rows);
	json = table_json(columns, BUCKET_COLS, b.count, buckets_cell, &b);
	free(b.row);
	return json;
}
