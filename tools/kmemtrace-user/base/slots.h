/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hash of numbers, with open addressing. The caller keeps objects in an array. Their
 * indices are the numbers. The caller finds the number of an object by the hash of the
 * object. At least one slot must stay empty.
 *
 * map.h is another hash: its slots contain key and value, and can be removed. A look-up
 * of one of 4 million addresses takes 60 ns with map.h, and 200 ns with pairs.h, which
 * uses this hash: three cache misses instead of one. memo.h is a cache: it has a fixed
 * size, and drops old texts.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdbool.h>
#include <stdint.h>

/* A hash of texts: FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */

/* the hash of no text */
#define HASH_START 0xcbf29ce484222325ull

/** hash_text() - add a text to a hash; return the new one. The 0 at its end is not added. */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * 0x100000001b3ull;
	return hash;
}

/**
 * struct slots - a hash of numbers
 * @slot: number + @base + 1; if the value is @base or smaller, the slot is empty
 * @bits: 1 << @bits slots are in use
 * @room: 1 << @room slots are allocated
 * @base: raised by slots_clear(), so that all slots are empty
 */
struct slots {
	uint32_t *slot;
	unsigned int bits;
	unsigned int room;
	uint32_t base;
};

/**
 * slots_init() - make an empty hash
 * @s: set to the hash
 * @bits: allocate 1 << @bits slots
 */
void slots_init(struct slots *s, unsigned int bits);

/** slots_exit() - undo slots_init(); @s may be all zeros */
void slots_exit(struct slots *s);

/**
 * typedef slots_hash - get the hash of an object
 * @arg: from slots_rebuild()
 * @number: number of the object
 */
typedef uint64_t (*slots_hash)(const void *arg, uint32_t number);

/**
 * slots_rebuild() - replace all slots, for example by more slots
 * @s: the hash
 * @bits: allocate 1 << @bits slots
 * @from: the first number that is put into them
 * @to: the number after the last one; all objects differ
 * @hash: gets the hash of an object
 * @arg: argument of @hash
 */
void slots_rebuild(struct slots *s, unsigned int bits, uint32_t from,
		   uint32_t to, slots_hash hash, const void *arg);

/**
 * slots_clear() - remove all numbers
 * @s: the hash
 * @bits: use 1 << @bits slots from now on; not more than slots_init() allocated
 * @used: all numbers in the hash are smaller; at most 1 << @s->room
 *
 * Writes to the slots only once in about 4 billion numbers.
 */
void slots_clear(struct slots *s, unsigned int bits, uint32_t used);

/** slots_home() - get the first slot to look at, for a hash */
static inline uint32_t slots_home(const struct slots *s, uint64_t hash)
{
	return hash * 0x9e3779b97f4a7c15ull >> (64 - s->bits);
}

/** slots_prefetch() - fetch the first slot to look at, for a hash, into the CPU's cache */
static inline void slots_prefetch(const struct slots *s, uint64_t hash)
{
	__builtin_prefetch(&s->slot[slots_home(s, hash)]);
}

/** slots_get() - set @number to the number in a slot; false if the slot is empty */
static inline bool slots_get(const struct slots *s, uint32_t at,
			     uint32_t *number)
{
	*number = s->slot[at] - s->base - 1;
	return s->slot[at] > s->base;
}

/**
 * slots_find() - find the number of an object
 * @s: the hash
 * @hash: hash of the object, 64 bits
 * @at: set to the slot of the object; if it has none, to the slot for slots_set()
 * @number: set to each number to compare, the last of which is that of the object
 * @is_it: expression: whether @number is the number of the object
 *
 * Return: true if the object has a number.
 */
#define slots_find(s, hash, at, number, is_it)                                 \
	({                                                                     \
		(at) = slots_home(s, hash);                                    \
		while (slots_get(s, at, &(number)) && !(is_it))                \
			(at) = ((at) + 1) & ((1u << (s)->bits) - 1);           \
		(s)->slot[at] > (s)->base;                                     \
	})

/** slots_set() - store a number in a slot */
static inline void slots_set(struct slots *s, uint32_t at, uint32_t number)
{
	s->slot[at] = s->base + 1 + number;
}

#endif /* SLOTS_H */
