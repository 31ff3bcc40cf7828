/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From addresses to values: a hash with open addressing, of 16 bytes for each.
 */
#ifndef MAP_H
#define MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct map_slot - an address and its value
 * @key: the address; 0: the slot is empty
 * @value: whatever it stands for
 */
struct map_slot {
	uint64_t key;
	uint64_t value;
};

/**
 * struct map - a map
 * @slots: 1 more than @mask
 * @mask: of the index of a slot
 * @shift: from a hash of 64 bits down to @mask
 * @sparse: what has the value 0 need not be kept
 * @used: slots that are not empty
 * @full: with so many it grows
 */
struct map {
	struct map_slot *slots;
	size_t mask;
	unsigned int shift;
	bool sparse;
	size_t used;
	size_t full;
};

/**
 * map_init() - make an empty map
 * @m: the map
 * @sparse: when it grows, what has the value 0 may be dropped
 *
 * Return: false if memory ran out.
 */
bool map_init(struct map *m, bool sparse);

/** map_exit() - undo map_init() */
void map_exit(struct map *m);

/*
 * Multiplied once, addresses that are as far from one another as those of a
 * slab's objects would lie in heaps.
 */
static inline size_t __map_home(const struct map *m, uint64_t key)
{
	uint64_t hash = key * 0x9e3779b97f4a7c15ull;

	return ((hash ^ hash >> 32) * 0x9e3779b97f4a7c15ull) >> m->shift;
}

/** __map_grow() - for map_slot(): make it larger; false if memory ran out */
bool __map_grow(struct map *m);

/** map_prefetch() - an address will soon be looked for */
static inline void map_prefetch(const struct map *m, uint64_t key)
{
	__builtin_prefetch(&m->slots[__map_home(m, key)]);
}

/**
 * map_find() - the slot of an address
 * @m: the map
 * @key: the address, not 0
 *
 * Return: the slot, good until the map is next changed; NULL: there is none.
 */
static inline struct map_slot *map_find(const struct map *m, uint64_t key)
{
	size_t i = __map_home(m, key);

	for (; m->slots[i].key; i = (i + 1) & m->mask)
		if (m->slots[i].key == key)
			return &m->slots[i];
	return NULL;
}

/**
 * map_slot() - where an address is, or is to be
 * @m: the map
 * @key: the address, not 0
 *
 * Return: the slot, good until the map is next changed; if there is none yet,
 * an empty one, whose key is to be set. NULL if memory ran out.
 */
static inline struct map_slot *map_slot(struct map *m, uint64_t key)
{
	size_t i;

	if (m->used >= m->full && !__map_grow(m))
		return NULL;
	for (i = __map_home(m, key); m->slots[i].key; i = (i + 1) & m->mask)
		if (m->slots[i].key == key)
			return &m->slots[i];
	m->used++;
	return &m->slots[i];
}

/**
 * map_remove() - make a slot empty
 * @m: the map
 * @slot: the slot, from map_find() or map_slot()
 */
static inline void map_remove(struct map *m, struct map_slot *slot)
{
	size_t hole = slot - m->slots, i = hole, mask = m->mask;

	/* move back what would not be found behind the hole any more */
	while (m->slots[i = (i + 1) & mask].key) {
		if (((i - __map_home(m, m->slots[i].key)) & mask) <
		    ((i - hole) & mask))
			continue;
		m->slots[hole] = m->slots[i];
		hole = i;
	}
	m->slots[hole].key = 0;
	m->used--;
}

#endif /* MAP_H */
