/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A cache of words, which CPUs share without a lock: a word has its key in the bits
 * that the caller names, and what is remembered of the key in the others.
 *
 * A word lies in its slot, which follows from a hash of its key, or in one of the
 * others of the same cache line. So KMT_WORDS_WAYS keys with one slot do not drive one
 * another out.
 */
#ifndef KMT_WORDS_H
#define KMT_WORDS_H

#include "kmt_env.h"

#define KMT_WORDS_WAYS 8
#define KMT_WORDS_LINE (KMT_WORDS_WAYS * sizeof(u64)) /* what a table is aligned to */

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
 * kmt_words_find() - the word with a key
 * @table: KMT_WORDS_WAYS words or a multiple, aligned to KMT_WORDS_LINE
 * @slot: of the key
 * @key: the key
 * @mask: the bits of a word that its key lies in
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
 * kmt_words_put() - remember a word
 * @table: see kmt_words_find()
 * @slot: of its key
 * @word: the word
 * @mask: the bits of it that are its key
 * @chance: any number, each time another
 *
 * It takes the place of the word with the same key, or of none, or of any other of the
 * line.
 *
 * Context: any.
 */
static inline void kmt_words_put(u64 *table, u32 slot, u64 word, u64 mask,
				 u32 chance)
{
	u32 place = slot ^ (chance % KMT_WORDS_WAYS), way;
	bool known = false;

	/* of two copies, which two CPUs may make, kmt_words_find() finds the first */
	for (way = KMT_WORDS_WAYS; way--;) {
		u64 old = READ_ONCE(table[slot ^ way]);
		bool same = old && (old & mask) == (word & mask);

		if (same || (!old && !known))
			place = slot ^ way;
		known |= same;
	}
	WRITE_ONCE(table[place], word);
}

#endif /* KMT_WORDS_H */
