// SPDX-License-Identifier: GPL-2.0-only
#include "kmt_words.h"
#include "random.h"
#include "unit.h"

#define SLOTS 64
#define KEYS  UINT32_MAX /* the low half of a word */

static uint64_t table[SLOTS] __attribute__((aligned(KMT_WORDS_LINE)));

static uint64_t word_of(uint32_t key, uint32_t value)
{
	return (uint64_t)value << 32 | key;
}

static void put(uint32_t slot, uint32_t key, uint32_t value, uint32_t chance)
{
	kmt_words_put(table, slot, word_of(key, value), KEYS, chance);
}

static uint64_t find(uint32_t slot, uint32_t key)
{
	return kmt_words_find(table, slot, key, KEYS);
}

START_TEST(keys_of_one_slot_stay)
{
	uint32_t slot, key;

	for (slot = 0; slot < SLOTS; slot += KMT_WORDS_WAYS - 1) {
		memset(table, 0, sizeof(table));
		for (key = 1; key <= KMT_WORDS_WAYS; key++)
			put(slot, key, 100 + key, 0);
		for (key = 1; key <= KMT_WORDS_WAYS; key++)
			ck_assert_uint_eq(find(slot, key),
					  word_of(key, 100 + key));
	}
}
END_TEST

START_TEST(first_key_is_in_its_slot)
{
	memset(table, 0, sizeof(table));
	put(13, 7, 1, 5);
	ck_assert_uint_eq(table[13], word_of(7, 1));
}
END_TEST

START_TEST(key_is_there_once)
{
	int i, found = 0;

	memset(table, 0, sizeof(table));
	put(9, 1, 1, 0);
	put(9, 2, 1, 0);
	put(9, 2, 2, 3);
	for (i = 0; i < SLOTS; i++)
		found += (uint32_t)table[i] == 2;
	ck_assert_int_eq(found, 1);
	ck_assert_uint_eq(find(9, 2), word_of(2, 2));
	ck_assert_uint_eq(find(9, 3), 0);
}
END_TEST

/*
 * A line that is full of other keys ends up with KMT_WORDS_WAYS new keys, if these are
 * put again until all are found.
 */
START_TEST(full_line_settles)
{
	uint64_t state = 1;
	uint32_t key;
	int round, missing = 1;

	for (key = 100; key < 200; key++)
		put(21, key, 1, next_random(&state) >> 33);
	for (round = 0; missing && round < 10000; round++) {
		missing = 0;
		for (key = 1; key <= KMT_WORDS_WAYS; key++) {
			if (find(21, key))
				continue;
			missing++;
			put(21, key, 1, next_random(&state) >> 33);
		}
	}
	ck_assert_int_eq(missing, 0);
}
END_TEST

START_TEST(word_advances_to_its_slot)
{
	memset(table, 0, sizeof(table));
	put(9, 1, 1, 0);
	put(9, 2, 2, 0);
	kmt_words_advance(table, 9, 2, KEYS);
	ck_assert_uint_eq(table[9], word_of(2, 2));
	ck_assert_uint_eq(find(9, 1), word_of(1, 1));
	kmt_words_advance(table, 9, 2, KEYS);
	ck_assert_uint_eq(table[9], word_of(2, 2));
	kmt_words_advance(table, 9, 3, KEYS);
	ck_assert_uint_eq(table[9], word_of(2, 2));
	ck_assert_uint_eq(find(9, 1), word_of(1, 1));
}
END_TEST

/* Slot 0 of a table may rely on that. */
START_TEST(slot_with_a_word_never_becomes_empty)
{
	memset(table, 0, sizeof(table));
	put(8, 1, 1, 0);
	kmt_words_advance(table, 9, 1, KEYS);
	ck_assert_uint_eq(table[8], word_of(1, 1));
}
END_TEST

UNIT_MAIN("words", keys_of_one_slot_stay, first_key_is_in_its_slot,
	  key_is_there_once, full_line_settles, word_advances_to_its_slot,
	  slot_with_a_word_never_becomes_empty)
