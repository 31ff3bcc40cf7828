// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "account/holdings.h"
#include "base/array.h"
#include "base/die.h"

struct holding *holdings_add(struct holdings *h, const char *kind,
			     const char *location, bool is_site)
{
	struct holding *row;

	array_reserve(h->row, h->count);
	row = &h->row[h->count];
	*row = (struct holding){ .kind = kind, .oldest_ms = -1 };
	row->location = xstrdup(location);
	sitename_parse(&row->name, is_site ? location : "");
	h->count++;
	return row;
}

void holding_exact(struct holding *row)
{
	row->low = row->high = row->bytes;
	row->objects_low = row->objects_high = row->objects;
}

void holding_rename(struct holding *row, const char *location)
{
	char *copy = xstrdup(location);
	struct sitename name;

	sitename_parse(&name, location);
	holding_free(row);
	row->location = copy;
	row->name = name;
}

int64_t saturated_add(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

static int64_t add(int64_t a, int64_t b)
{
	return (uint64_t)a + (uint64_t)b;
}

void holding_merge(struct holding *to, const struct holding *from)
{
	to->bytes = add(to->bytes, from->bytes);
	to->objects = add(to->objects, from->objects);
	to->requested = add(to->requested, from->requested);
	to->allocs += from->allocs;
	to->frees += from->frees;
	if (from->oldest_ms > to->oldest_ms)
		to->oldest_ms = from->oldest_ms;
	to->low = saturated_add(to->low, from->low);
	to->high = saturated_add(to->high, from->high);
	to->objects_low = saturated_add(to->objects_low, from->objects_low);
	to->objects_high = saturated_add(to->objects_high, from->objects_high);
}

void holding_free(struct holding *row)
{
	free(row->location);
	row->location = NULL;
	sitename_free(&row->name);
}

void holdings_free(struct holdings *h)
{
	size_t i;

	for (i = 0; i < h->count; i++)
		holding_free(&h->row[i]);
	free(h->row);
	*h = (struct holdings){ 0 };
}
