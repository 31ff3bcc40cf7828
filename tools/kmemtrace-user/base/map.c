// SPDX-License-Identifier: GPL-2.0-only
#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/die.h"
#include "base/map.h"

/* tests use smaller maps, to fill them */
#ifndef MAP_BITS
#define MAP_BITS 14
#endif

static_assert(sizeof(struct map_slot) == 16, "four in a cache line");

#define HUGE_PAGE (2ul << 20)

/* Look-ups access the memory in random order. Huge pages make them faster. */
static void *get_zeros(size_t size)
{
	char *memory;
	size_t skip;

	if (size < HUGE_PAGE)
		return xcalloc(1, size);
	memory = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		die();
	skip = -(uintptr_t)memory % HUGE_PAGE;
	if (skip)
		munmap(memory, skip);
	munmap(memory + skip + size, HUGE_PAGE - skip);
	madvise(memory + skip, size, MADV_HUGEPAGE);
	return memory + skip;
}

static void put_zeros(void *memory, size_t size)
{
	if (size < HUGE_PAGE)
		free(memory);
	else
		munmap(memory, size);
}

static size_t bytes(const struct map *m)
{
	return (m->mask + 1) * sizeof(*m->slots);
}

static void make_slots(struct map *m, unsigned int bits)
{
	m->slots = get_zeros(sizeof(*m->slots) << bits);
	m->mask = (1ul << bits) - 1;
	m->shift = 64 - bits;
	m->used = 0;
	m->full = (1ul << bits) / 8 * 5;
}

void map_init(struct map *m, bool sparse)
{
	m->sparse = sparse;
	make_slots(m, MAP_BITS);
}

void map_exit(struct map *m)
{
	if (m->slots)
		put_zeros(m->slots, bytes(m));
	m->slots = NULL;
}

static bool is_kept(const struct map *m, const struct map_slot *slot)
{
	return slot->key && (slot->value || !m->sparse);
}

static size_t count_kept(const struct map *m)
{
	size_t i, n = 0;

	for (i = 0; i <= m->mask; i++)
		n += is_kept(m, &m->slots[i]);
	return n;
}

/* Free the memory of moved slots at once, so that both maps never exist completely. */
static void move_slots(struct map *from, struct map *to)
{
	size_t i, done;

	for (i = 0; i <= from->mask; i++) {
		if (is_kept(from, &from->slots[i]))
			*map_slot(to, from->slots[i].key) = from->slots[i];
		done = (i + 1) * sizeof(*from->slots);
		if (done % HUGE_PAGE == 0)
			madvise((char *)from->slots + done - HUGE_PAGE,
				HUGE_PAGE, MADV_DONTNEED);
	}
	put_zeros(from->slots, bytes(from));
}

/* If a sparse map keeps at most @full / 2 slots, its size does not change. */
void __map_grow(struct map *m)
{
	unsigned int bits = 64 - m->shift;
	struct map more = *m;

	if (!m->sparse || count_kept(m) > m->full / 2)
		bits++;
	make_slots(&more, bits);
	move_slots(m, &more);
	*m = more;
}
