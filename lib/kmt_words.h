/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A cache of words that CPUs share without a lock. Some bits of a word are its key; the
 * caller passes their mask. The other bits are the value.
 *
 * A hash of the key selects a slot. The word is in this slot, or in another slot of the
 * same cache line. So KMT_WORDS_WAYS keys with the same slot do not evict each other.
 */
#ifndef KMT_WORDS_H
#define KMT_WORDS_H

#include "kmt_env.h"

#define KMT_WORDS_WAYS 8
#define KMT_WORDS_LINE (KMT_WORDS_WAYS * sizeof(u64)) /* alignment of a table */

static __attribute__((__noinline__)) u64 kmt_words_elsewhere(const u64 *table,
							 u32 slot, u64 key,
							 u64 mask)
{
	u32 way;

	for (way = 1; way < KMT_WORDS_WAYS; way++) {
		u64 word = READ_ONCE(table[slot ^ way]);

		if ((word & mask) == key)
			return word;
	}
	return 0;
}

/**
 * kmt_words_find() - find the word of a key
 * @table: the table: a multiple of KMT_WORDS_WAYS words, aligned to KMT_WORDS_LINE
 * @slot: slot of the key, an index of @table
 * @key: the key, not 0
 * @mask: bits of a word that are its key
 *
 * Context: any.
 * Return: the word; 0 if there is none.
 */
static __always_inline u64 kmt_words_find(const u64 *table, u32 slot, u64 key,
					  u64 mask)
{
	u64 word = READ_ONCE(table[slot]);

	if (likely((word & mask) == key))
		return word;
	return kmt_words_elsewhere(table, slot, key, mask);
}

/**
 * kmt_words_put() - store a word
 * @table: see kmt_words_find()
 * @slot: slot of the key
 * @word: the word
 * @mask: bits of a word that are its key
 * @chance: a number that changes with each call
 *
 * The word replaces the word with the same key; else it takes an empty place in the cache
 * line; else it replaces any word of the line.
 *
 * Context: any.
 */
static inline void kmt_words_put(u64 *table, u32 slot, u64 word, u64 mask,
				 u32 chance)
{
	u32 place = slot ^ (chance % KMT_WORDS_WAYS), way;
	bool known = false;

	/* if two CPUs have stored the same key, kmt_words_find() finds the first copy */
	for (way = KMT_WORDS_WAYS; way--;) {
		u64 old = READ_ONCE(table[slot ^ way]);
		bool same = old && (old & mask) == (word & mask);

		if (same || (!old && !known))
			place = slot ^ way;
		known |= same;
	}
	WRITE_ONCE(table[place], word);
}

/**
 * kmt_words_advance() - move a word to its slot
 * @table: see kmt_words_find()
 * @slot: slot of the key
 * @key: the key, not 0
 * @mask: bits of a word that are its key
 *
 * The word in the slot takes the place of the other one. If another CPU stores a word there
 * meanwhile, one of them is lost. A slot that has a word never becomes empty.
 *
 * Context: any.
 */
static inline void kmt_words_advance(u64 *table, u32 slot, u64 key, u64 mask)
{
	u64 other = READ_ONCE(table[slot]);
	u32 way;

	for (way = 1; other && way < KMT_WORDS_WAYS; way++) {
		u64 word = READ_ONCE(table[slot ^ way]);

		if ((word & mask) != key)
			continue;
		WRITE_ONCE(table[slot], word);
		WRITE_ONCE(table[slot ^ way], other);
		break;
	}
}

#endif /* KMT_WORDS_H */
