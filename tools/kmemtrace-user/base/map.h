/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A map from addresses to values: a hash with open addressing. Each slot has 16 bytes.
 */
#ifndef MAP_H
#define MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct map_slot - an address and its value
 * @key: the address; 0: the slot is empty
 * @value: the value
 */
struct map_slot {
	uint64_t key;
	uint64_t value;
};

/**
 * struct map - a map
 * @slots: @mask + 1 slots
 * @mask: mask of the index of a slot
 * @shift: shift that makes an index from a hash of 64 bits
 * @sparse: addresses with the value 0 may be dropped
 * @used: number of slots that are not empty
 * @full: value of @used at which the map grows
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
 * @sparse: when the map grows, addresses with the value 0 may be dropped
 */
void map_init(struct map *m, bool sparse);

/** map_exit() - undo map_init() */
void map_exit(struct map *m);

/*
 * Two multiplications: after only one, addresses at equal distances, such as the objects
 * of a slab, collide often.
 */
static inline size_t __map_home(const struct map *m, uint64_t key)
{
	uint64_t hash = key * 0x9e3779b97f4a7c15ull;

	return ((hash ^ hash >> 32) * 0x9e3779b97f4a7c15ull) >> m->shift;
}

/** __map_grow() - part of map_slot(): make space for more */
void __map_grow(struct map *m);

/** map_prefetch() - prefetch the slot of an address, before a look-up */
static inline void map_prefetch(const struct map *m, uint64_t key)
{
	__builtin_prefetch(&m->slots[__map_home(m, key)]);
}

/**
 * map_find() - find the slot of an address
 * @m: the map
 * @key: the address, not 0
 *
 * Return: the slot, valid until the next change of the map; NULL if there is none.
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
 * map_slot() - find the slot of an address, or an empty slot for it
 * @m: the map
 * @key: the address, not 0
 *
 * Return: the slot, valid until the next change of the map. If the slot is empty, the
 * caller sets its key.
 */
static inline struct map_slot *map_slot(struct map *m, uint64_t key)
{
	size_t i;

	if (m->used >= m->full)
		__map_grow(m);
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

	/* move back the slots that a look-up would not find any more after the hole */
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
