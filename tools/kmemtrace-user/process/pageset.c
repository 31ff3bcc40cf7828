// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "process/pageset.h"
#include "process/process.h"
#include "process/usage.h"

/* pages of a chunk; each byte has the marks of two pages */
#define CHUNK_PAGES 8192
#define CHUNK_BYTES (CHUNK_PAGES / 2)

/*
 * Numbers of pages: frames come first. x86-64 has physical addresses of at most 52 bits.
 * The higher bits of the offset of a moving page are flags.
 */
#define FRAME_BITS  40
#define FRAME_MASK  ((UINT64_C(1) << FRAME_BITS) - 1)
#define PLACE_BITS  50 /* of a place in one swap area */
#define FIRST_PLACE (UINT64_C(1) << 60)

static uint64_t number_of(uint64_t entry)
{
	if (entry & PM_PRESENT)
		return PM_PFN(entry) & FRAME_MASK;
	if (usage_is_moving(entry))
		return PM_SWAP_OFFSET(entry) & FRAME_MASK;
	return FIRST_PLACE | PM_SWAP_TYPE(entry) << PLACE_BITS |
	       PM_SWAP_OFFSET(entry);
}

void pageset_init(struct pageset *s)
{
	*s = (struct pageset){ 0 };
	map_init(&s->chunk, false);
}

void pageset_exit(struct pageset *s)
{
	size_t i;

	if (!s->chunk.slots)
		return;
	for (i = 0; i <= s->chunk.mask; i++)
		if (s->chunk.slots[i].key)
			free((void *)(uintptr_t)s->chunk.slots[i].value);
	map_exit(&s->chunk);
	*s = (struct pageset){ 0 };
}

static uint8_t *get_chunk(struct pageset *s, uint64_t number)
{
	struct map_slot *slot;

	if (s->last_number == number)
		return s->last;
	slot = map_find(&s->chunk, number);
	if (!slot) {
		slot = map_slot(&s->chunk, number);
		*slot = (struct map_slot){ number, (uintptr_t)xcalloc(1, CHUNK_BYTES) };
	}
	s->last_number = number;
	s->last = (uint8_t *)(uintptr_t)slot->value;
	return s->last;
}

int pageset_mark(struct pageset *s, uint64_t entry, unsigned int mark)
{
	uint64_t number = number_of(entry);
	uint8_t *chunk = get_chunk(s, number / CHUNK_PAGES + 1);
	unsigned int shift = number % 2 * PAGESET_MARKS;
	uint8_t *at;
	int had;

	at = &chunk[number % CHUNK_PAGES / 2];
	had = *at >> shift & (PAGESET_COMBINATIONS - 1);
	*at |= mark << shift;
	return had;
}

void pageset_forget(struct pageset *s, unsigned int mark)
{
	uint8_t keep = ~(mark | mark << PAGESET_MARKS);
	uint8_t *chunk;
	size_t i, j;

	for (i = 0; i <= s->chunk.mask; i++) {
		chunk = (uint8_t *)(uintptr_t)s->chunk.slots[i].value;
		for (j = 0; s->chunk.slots[i].key && j < CHUNK_BYTES; j++)
			chunk[j] &= keep;
	}
}

static void count_chunk(const uint8_t *chunk, uint64_t *count)
{
	size_t i;

	for (i = 0; i < CHUNK_BYTES; i++) {
		count[chunk[i] & (PAGESET_COMBINATIONS - 1)]++;
		count[chunk[i] >> PAGESET_MARKS]++;
	}
}

void pageset_count(const struct pageset *s, struct pageset_counts *c)
{
	const struct map_slot *slot = s->chunk.slots;
	size_t i;

	memset(c, 0, sizeof(*c));
	for (i = 0; i <= s->chunk.mask; i++)
		if (slot[i].key)
			count_chunk((uint8_t *)(uintptr_t)slot[i].value,
				    slot[i].key > FIRST_PLACE / CHUNK_PAGES ?
					    c->places : c->frames);
}
