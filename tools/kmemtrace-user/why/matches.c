// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/msg.h"
#include "why/matches.h"

static int by_location(const void *a, const void *b)
{
	const struct site_row *x = *(const struct site_row **)a;
	const struct site_row *y = *(const struct site_row **)b;
	int order = strcmp(x->location, y->location);

	if (order)
		return order;
	return x->kind != y->kind ? (int)x->kind - (int)y->kind : x < y ? -1 : x > y;
}

static int by_bytes(const void *a, const void *b)
{
	const struct match *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return strcmp(x->location, y->location);
}

static void matches_add(struct matches *m, const struct site_row **tag)
{
	struct match *last = m->count ? &m->match[m->count - 1] : NULL;

	if (!last || strcmp(last->location, (*tag)->location)) {
		last = &m->match[m->count++];
		*last = (struct match){ .location = (*tag)->location, .tag = tag };
	}
	last->count++;
	last->bytes = (uint64_t)last->bytes + (uint64_t)(*tag)->f.bytes;
}

void matches_find(struct matches *m, const struct tags *tags,
		 bool (*is)(void *arg, const struct site_row *tag), void *arg)
{
	size_t i, n = 0;

	*m = (struct matches){ 0 };
	m->tags = xcalloc(tags->rows.count + 1, sizeof(*m->tags));
	m->match = xcalloc(tags->rows.count + 1, sizeof(*m->match));
	for (i = 0; i < tags->rows.count; i++)
		if (is(arg, &tags->rows.row[i]))
			m->tags[n++] = &tags->rows.row[i];
	qsort(m->tags, n, sizeof(*m->tags), by_location);
	for (i = 0; i < n; i++)
		matches_add(m, &m->tags[i]);
	qsort(m->match, m->count, sizeof(*m->match), by_bytes);
}

void matches_free(struct matches *m)
{
	free(m->match);
	free(m->tags);
}
