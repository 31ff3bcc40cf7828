// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "process/mappairs.h"

/* The first passes find the pairs that are most alike. */
enum pass { SAME_ADDRESS, SAME_PLACE, OVERLAP_ALIKE, OVERLAP, SAME_NAME, PASSES };

/**
 * struct item - a mapping
 * @row: the mapping
 * @first: its place: the offset in the file, or the address
 * @end: end of that place
 * @partner: the mapping that corresponds to it, or NULL
 */
struct item {
	const struct footprint_row *row;
	uint64_t first;
	uint64_t end;
	struct item *partner;
};

static int compare_numbers(uint64_t x, uint64_t y)
{
	return x < y ? -1 : x > y;
}

/* Mappings of different objects never correspond. */
static int compare_objects(const struct item *x, const struct item *y)
{
	const struct mapping *m = x->row->map, *n = y->row->map;
	int order = compare_numbers(filespan_device(m), filespan_device(n));

	if (!order)
		order = compare_numbers(m->inode, n->inode);
	/* a file may have several names */
	if (!order && !m->inode)
		order = strcmp(m->path, n->path);
	return order;
}

static int compare_places(const struct item *x, const struct item *y)
{
	int order = compare_objects(x, y);

	if (!order)
		order = compare_numbers(x->first, y->first);
	if (!order)
		order = compare_numbers(x->end, y->end);
	if (!order)
		order = strcmp(x->row->map->perms, y->row->map->perms);
	return order;
}

static int by_place(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int order = compare_places(x, y);

	return order ? order : compare_numbers(x->row->start, y->row->start);
}

static struct item *make_items(const struct footprint *f)
{
	struct item *item = xcalloc(f->rows + 1, sizeof(*item));
	size_t i;

	for (i = 0; i < f->rows; i++) {
		const struct footprint_row *row = &f->row[i];
		const struct mapping *m = row->map;
		uint64_t shift = m->inode ? m->offset - m->start : 0;

		item[i] = (struct item){ row, row->start + shift,
					 row->end + shift, NULL };
	}
	if (f->rows)
		qsort(item, f->rows, sizeof(*item), by_place);
	return item;
}

/* Return: 0 if they correspond; else whether the pass goes on after @x (< 0) or @y. */
static int mappairs_check(enum pass pass, const struct item *x, const struct item *y)
{
	int order = compare_objects(x, y);

	if (order)
		return order;
	switch (pass) {
	case SAME_ADDRESS:
		return by_place(x, y);
	case SAME_PLACE:
		return compare_places(x, y);
	case SAME_NAME:
		/* mappings without a name have nothing in common */
		return *x->row->map->path && !x->row->map->inode ? 0 : -1;
	default:
		if (x->first < y->end && y->first < x->end &&
		    (pass == OVERLAP ||
		     !strcmp(x->row->map->perms, y->row->map->perms)))
			return 0;
		return x->end <= y->end ? -1 : 1;
	}
}

static void find_pairs(enum pass pass, struct item *x, struct item *x_end,
		       struct item *y, struct item *y_end)
{
	int order;

	while (x < x_end && y < y_end) {
		if (x->partner) {
			x++;
			continue;
		}
		if (y->partner) {
			y++;
			continue;
		}
		order = mappairs_check(pass, x, y);
		if (!order) {
			x->partner = y;
			y->partner = x;
		}
		x += order <= 0;
		y += order >= 0;
	}
}

const struct footprint_row *mappair_first(const struct mappair *pair)
{
	return pair->side[0] ? pair->side[0] : pair->side[1];
}

static int by_address(const void *a, const void *b)
{
	const struct mappair *x = a, *y = b;
	int order = compare_numbers(mappair_first(x)->start,
				    mappair_first(y)->start);

	/* a mapping of the second process alone comes last */
	return order ? order : !x->side[0] - !y->side[0];
}

static size_t collect(const struct item *x, size_t xs, const struct item *y,
		      size_t ys, struct mappair *pair)
{
	size_t i, n = 0;

	for (i = 0; i < xs; i++)
		pair[n++] = (struct mappair){
			{ x[i].row, x[i].partner ? x[i].partner->row : NULL }
		};
	for (i = 0; i < ys; i++)
		if (!y[i].partner)
			pair[n++] = (struct mappair){ { NULL, y[i].row } };
	if (n)
		qsort(pair, n, sizeof(*pair), by_address);
	return n;
}

void mappairs_make(const struct footprint *a, const struct footprint *b,
		   struct mappair **pair, size_t *count)
{
	struct item *x = make_items(a), *y = make_items(b);
	enum pass pass;

	*count = 0;
	*pair = xcalloc(a->rows + b->rows + 1, sizeof(**pair));
	for (pass = 0; pass < PASSES; pass++)
		find_pairs(pass, x, x + a->rows, y, y + b->rows);
	*count = collect(x, a->rows, y, b->rows, *pair);
	free(x);
	free(y);
}
