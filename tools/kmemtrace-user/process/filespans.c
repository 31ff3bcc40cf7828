// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/die.h"
#include "process/filespans.h"

uint64_t filespan_device(const struct mapping *m)
{
	return (uint64_t)m->major << 32 | m->minor;
}

static int compare_file(const struct filespan *x, const struct filespan *y)
{
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return x->inode < y->inode ? -1 : x->inode > y->inode;
}

static int by_place(const void *a, const void *b)
{
	const struct filespan *x = a, *y = b;
	int order = compare_file(x, y);

	if (order)
		return order;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* Joins parts that overlap or touch each other. */
static void filespans_join(struct filespans *s)
{
	struct filespan *to = s->span;
	size_t i;

	for (i = 1; i < s->count; i++) {
		const struct filespan *from = &s->span[i];

		if (compare_file(to, from) || from->first > to->end)
			*++to = *from;
		else if (from->end > to->end)
			to->end = from->end;
	}
	if (s->count)
		s->count = to - s->span + 1;
}

void filespans_make(struct filespans *s, const struct process *p,
		    uint64_t page_size)
{
	size_t i;

	s->count = 0;
	s->span = xcalloc(p->nr_maps + 1, sizeof(*s->span));
	for (i = 0; i < p->nr_maps; i++) {
		const struct mapping *m = &p->map[i];
		const struct filespan span = {
			.device = filespan_device(m),
			.inode = m->inode,
			.first = m->offset / page_size,
			.end = (m->offset + (m->end - m->start)) / page_size,
		};

		/* no file is so large that the end of a part of it overflows */
		if (m->inode && span.first < span.end)
			s->span[s->count++] = span;
	}
	qsort(s->span, s->count, sizeof(*s->span), by_place);
	filespans_join(s);
}

/* Return: index of the first part of the file that ends after a page, or of a later file. */
static size_t filespans_find(const struct filespans *s, const struct filespan *page)
{
	size_t low = 0, high = s->count, middle;
	int order;

	while (low < high) {
		middle = low + (high - low) / 2;
		order = compare_file(&s->span[middle], page);
		if (order < 0 || (!order && s->span[middle].end <= page->first))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool filespans_next(const struct filespans *s, const struct mapping *m,
		    uint64_t *first, uint64_t end, uint64_t *stop)
{
	const struct filespan page = { filespan_device(m), m->inode, *first, end };
	size_t i = filespans_find(s, &page);

	if (i == s->count || compare_file(&s->span[i], &page) ||
	    s->span[i].first >= end || *first >= end)
		return false;
	if (s->span[i].first > *first)
		*first = s->span[i].first;
	*stop = s->span[i].end < end ? s->span[i].end : end;
	return true;
}

void filespans_free(struct filespans *s)
{
	free(s->span);
	*s = (struct filespans){ 0 };
}
