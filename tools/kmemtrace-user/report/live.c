// SPDX-License-Identifier: GPL-2.0-only
#include <assert.h>

#include "report/live.h"

static_assert(LIVE_GROUP_BITS + LIVE_GROUP_SHIFT == 64,
	      "struct live fits into a value");

/* pages in one mask */
#define MASK_ORDER 6
#define MASK_PAGES (1 << MASK_ORDER)

void live_init(struct live_table *t, struct sizes *sizes, uint64_t page_size)
{
	*t = (struct live_table){ .sizes = sizes, .page_size = page_size };
	map_init(&t->map, false);
	if (page_size)
		map_init(&t->covered, true);
}

void live_exit(struct live_table *t)
{
	map_exit(&t->map);
	map_exit(&t->covered);
}

void live_keep_sizes(const struct live_table *t)
{
	size_t i;

	for (i = 0; i <= t->map.mask; i++)
		if (t->map.slots[i].key)
			sizes_keep(t->sizes, live_unpack(&t->map.slots[i]).size);
}

void live_age(struct live_table *t)
{
	size_t i;

	for (i = 0; i <= t->map.mask; i++)
		t->map.slots[i].value &= ~LIVE_FRESH;
}

/* --- pages in the table --------------------------------------------------- */

/* Return: the key of the 64 pages that contain @ptr; never 0. */
static uint64_t mask_key(const struct live_table *t, uint64_t ptr)
{
	return ptr / (t->page_size * MASK_PAGES) + 1;
}

/* Return: the mask of the pages of a block within these 64 pages. */
static uint64_t mask_of(const struct live_table *t, uint64_t ptr,
			unsigned int order)
{
	uint64_t pages = order < MASK_ORDER ? (1ull << (1 << order)) - 1 : UINT64_MAX;

	return pages << (ptr / t->page_size % MASK_PAGES);
}

/* Moves @ptr to the next 64 pages. Return: whether the block continues there. */
static bool next_mask(const struct live_table *t, uint64_t *ptr, uint64_t end)
{
	uint64_t bytes = t->page_size * MASK_PAGES;

	*ptr = *ptr / bytes * bytes + bytes;
	return *ptr && *ptr < end; /* 0: the block was at the end of the address space */
}

bool live_is_covered(const struct live_table *t, uint64_t ptr,
		     unsigned int order)
{
	uint64_t end = ptr + (t->page_size << order);
	const struct map_slot *slot;

	do {
		slot = map_find(&t->covered, mask_key(t, ptr));
		if (slot && slot->value & mask_of(t, ptr, order))
			return true;
	} while (next_mask(t, &ptr, end));
	return false;
}

static void cover(struct live_table *t, uint64_t ptr, unsigned int order)
{
	uint64_t end = ptr + (t->page_size << order);
	struct map_slot *slot;

	do {
		slot = map_slot(&t->covered, mask_key(t, ptr));
		if (!slot->key)
			*slot = (struct map_slot){ mask_key(t, ptr), 0 };
		slot->value |= mask_of(t, ptr, order);
	} while (next_mask(t, &ptr, end));
}

static void uncover(struct live_table *t, uint64_t ptr, unsigned int order)
{
	uint64_t end = ptr + (t->page_size << order);
	struct map_slot *slot;

	do {
		slot = map_find(&t->covered, mask_key(t, ptr));
		if (slot)
			slot->value &= ~mask_of(t, ptr, order);
	} while (next_mask(t, &ptr, end));
}

/* --- blocks --------------------------------------------------------------- */

static void count_order(struct live_table *t, unsigned int order, int diff)
{
	t->count[order] += diff;
	if (t->count[order])
		t->orders |= 1u << order;
	else
		t->orders &= ~(1u << order);
}

/* Does not change t->covered. */
static struct map_slot *add_entry(struct live_table *t, uint64_t ptr,
				  const struct live *l)
{
	struct map_slot *slot = map_slot(&t->map, ptr);

	*slot = (struct map_slot){ ptr, live_pack(l) };
	count_order(t, size_order(live_size(t, slot)), 1);
	return slot;
}

void live_add_block(struct live_table *t, uint64_t ptr, const struct live *l)
{
	add_entry(t, ptr, l);
	cover(t, ptr, size_order(&t->sizes->sizes[l->size]));
}

void live_remove_block(struct live_table *t, struct map_slot *block)
{
	unsigned int order = size_order(live_size(t, block));

	count_order(t, order, -1);
	uncover(t, block->key, order);
	map_remove(&t->map, block);
}

struct map_slot *live_find_block(const struct live_table *t, uint64_t ptr)
{
	uint32_t orders = t->orders;
	uint64_t at, before = 0;
	struct map_slot *slot;

	for (; orders; orders &= orders - 1) {
		at = ptr & ~((t->page_size << __builtin_ctz(orders)) - 1);
		if (at == before)
			continue;
		before = at;
		slot = at ? map_find(&t->map, at) : NULL;
		if (slot &&
		    ptr - at < t->page_size << size_order(live_size(t, slot)))
			return slot;
	}
	return NULL;
}

struct map_slot *live_next_block(const struct live_table *t, uint64_t *ptr, uint64_t end)
{
	struct map_slot *slot = NULL;

	while (!slot && *ptr < end) {
		if (*ptr / t->page_size % MASK_PAGES == 0 && !live_is_covered(t, *ptr, MASK_ORDER)) {
			*ptr += t->page_size * MASK_PAGES;
			continue;
		}
		slot = map_find(&t->map, *ptr);
		*ptr += t->page_size;
	}
	return slot;
}

/* Splits a block into halves. Return: the upper half. */
static struct map_slot *halve(struct live_table *t, struct map_slot *block)
{
	struct size lower = *live_size(t, block), upper;
	struct live l = live_unpack(block);
	uint64_t half;

	count_order(t, size_order(&lower), -1);
	lower.block--; /* the order */
	count_order(t, size_order(&lower), 1);
	upper = (struct size){ lower.req / 2, lower.alloc / 2,
			       lower.block | SIZE_PART };
	lower.alloc -= upper.alloc;
	lower.req -= upper.req;
	half = block->key + (t->page_size << size_order(&lower));
	l.size = sizes_get(t->sizes, &lower);
	block->value = live_pack(&l);
	l.size = sizes_get(t->sizes, &upper);
	return add_entry(t, half, &l);
}

struct map_slot *live_split_block(struct live_table *t, struct map_slot *block,
				  uint64_t ptr, unsigned int order)
{
	while (size_order(live_size(t, block)) > order) {
		uint64_t at = block->key;

		block = halve(t, block);
		if (ptr < block->key)
			block = map_find(&t->map, at);
	}
	return block;
}
