/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hash of numbers, with open addressing: the caller gives numbers to things, keeps
 * the things in an array, and finds the number of a thing by its hash. At least one
 * slot has to stay empty.
 *
 * map.h is the other hash: a slot holds key and value, and can be removed. A look-up
 * of one of 4 million addresses takes 60 ns there, and 200 ns with pairs.h, which is
 * built on this one: three cache misses instead of one. memo.h is no hash but a
 * cache: it has a fixed size and forgets.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct slots - a hash of numbers
 * @slot: numbers plus @base plus 1; a smaller value is an empty slot
 * @bits: 1 << bits slots are in use
 * @room: 1 << room slots are allocated
 * @base: numbers in use since slots_init(); see slots_clear()
 */
struct slots {
	uint32_t *slot;
	unsigned int bits;
	unsigned int room;
	uint32_t base;
};

/**
 * slots_init() - make an empty hash
 * @s: set to it
 * @bits: 1 << @bits slots
 *
 * Return: false if memory ran out; @s is then as before.
 */
bool slots_init(struct slots *s, unsigned int bits);

/** slots_exit() - undo slots_init(); zeros are fine */
void slots_exit(struct slots *s);

/**
 * slots_clear() - forget all numbers
 * @s: the hash
 * @bits: use 1 << @bits slots from now on, at most those of slots_init()
 * @used: all numbers so far are below it; at most 1 << @s->room
 *
 * Does not write to the slots, except once in 4 billion numbers.
 */
void slots_clear(struct slots *s, unsigned int bits, uint32_t used);

/** slots_home() - the slot to begin to look at */
static inline uint32_t slots_home(const struct slots *s, uint64_t hash)
{
	return hash * 0x9e3779b97f4a7c15ull >> (64 - s->bits);
}

/** slots_get() - whether a slot has a number, which is set */
static inline bool slots_get(const struct slots *s, uint32_t at,
			     uint32_t *number)
{
	*number = s->slot[at] - s->base - 1;
	return s->slot[at] > s->base;
}

/**
 * slots_find() - find the number of a thing
 * @s: the hash
 * @hash: of the thing, 64 bits
 * @at: set to its slot; if it has none, to the slot for slots_set()
 * @number: set to the numbers to compare, and in the end to that of the thing
 * @is_it: expression that tells whether @number is that of the thing
 *
 * Evaluates to whether the thing has a number.
 */
#define slots_find(s, hash, at, number, is_it)                                 \
	({                                                                     \
		(at) = slots_home(s, hash);                                    \
		while (slots_get(s, at, &(number)) && !(is_it))                \
			(at) = ((at) + 1) & ((1u << (s)->bits) - 1);           \
		(s)->slot[at] > (s)->base;                                     \
	})

/** slots_set() - put a number into a slot */
static inline void slots_set(struct slots *s, uint32_t at, uint32_t number)
{
	s->slot[at] = s->base + 1 + number;
}

#endif /* SLOTS_H */
