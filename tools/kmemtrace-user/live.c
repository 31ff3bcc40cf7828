// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "live.h"

/* tests fill it up sooner */
#ifndef LIVE_BITS
#define LIVE_BITS 14
#endif

static size_t home(const struct live_table *t, uint64_t ptr)
{
	/* 2^64 divided by the golden ratio: Fibonacci hashing */
	return (ptr * 0x9e3779b97f4a7c15ull) >> (64 - t->bits);
}

bool live_init(struct live_table *t)
{
	*t = (struct live_table){ .bits = LIVE_BITS };
	t->slots = calloc(1ul << t->bits, sizeof(*t->slots));
	return t->slots != NULL;
}

void live_exit(struct live_table *t)
{
	free(t->slots);
	t->slots = NULL;
}

struct live *live_find(struct live_table *t, uint64_t ptr)
{
	size_t mask = (1ul << t->bits) - 1, i = home(t, ptr);

	for (; t->slots[i].ptr; i = (i + 1) & mask)
		if (t->slots[i].ptr == ptr)
			return &t->slots[i];
	return NULL;
}

static struct live *free_slot(struct live_table *t, uint64_t ptr)
{
	size_t mask = (1ul << t->bits) - 1, i = home(t, ptr);

	while (t->slots[i].ptr)
		i = (i + 1) & mask;
	return &t->slots[i];
}

static bool grow(struct live_table *t)
{
	struct live_table more = { .bits = t->bits + 1,
				   .used = t->used,
				   .orders = t->orders };
	size_t i;

	more.slots = calloc(1ul << more.bits, sizeof(*more.slots));
	if (!more.slots)
		return false;
	for (i = 0; i < 1ul << t->bits; i++)
		if (t->slots[i].ptr)
			*free_slot(&more, t->slots[i].ptr) = t->slots[i];
	free(t->slots);
	*t = more;
	return true;
}

struct live *live_add(struct live_table *t, uint64_t ptr, unsigned int order)
{
	struct live *entry;

	if (t->used >= (1ul << t->bits) / 4 * 3 && !grow(t))
		return NULL;
	entry = free_slot(t, ptr);
	*entry = (struct live){ .ptr = ptr, .order = order };
	t->orders |= 1u << order;
	t->used++;
	return entry;
}

/* Close the hole: move back what would not be found behind it any more. */
void live_remove(struct live_table *t, struct live *entry)
{
	size_t mask = (1ul << t->bits) - 1;
	size_t hole = entry - t->slots, i = hole;

	for (;;) {
		i = (i + 1) & mask;
		if (!t->slots[i].ptr)
			break;
		if (((i - home(t, t->slots[i].ptr)) & mask) <
		    ((i - hole) & mask))
			continue;
		t->slots[hole] = t->slots[i];
		hole = i;
	}
	t->slots[hole].ptr = 0;
	t->used--;
}

struct live *live_find_block(struct live_table *t, uint64_t ptr,
			     uint64_t page_size)
{
	unsigned int order;
	struct live *entry;

	for (order = 0; t->orders >> order; order++) {
		if (!(t->orders >> order & 1))
			continue;
		entry = live_find(t, ptr & ~((page_size << order) - 1));
		if (entry && ptr < entry->ptr + (page_size << entry->order))
			return entry;
	}
	return NULL;
}

struct live *live_split_block(struct live_table *t, struct live *block,
			      uint64_t ptr, unsigned int order,
			      uint64_t page_size)
{
	uint64_t at = block->ptr;

	while (block->order > order) {
		struct live upper;
		uint64_t half;

		block->order--;
		upper = *block;
		upper.alloc /= 2;
		upper.req /= 2;
		block->alloc -= upper.alloc;
		block->req -= upper.req;
		half = at + (page_size << block->order);
		upper.ptr = half;
		upper.whole = 0;
		/* the lower half has the new order as well */
		block = live_add(t, half, upper.order);
		if (!block)
			return NULL;
		*block = upper;
		if (ptr < half)
			block = live_find(t, at);
		else
			at = half;
	}
	return block;
}
