// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "base/words.h"
#include "unit.h"

#define COUNT 5000

START_TEST(one_number_each)
{
	struct words w;
	char text[32];
	uint32_t i;

	words_init(&w);
	for (i = 0; i < COUNT; i++) {
		snprintf(text, sizeof(text), "word %u", i * 7);
		ck_assert_uint_eq(words_get(&w, text), i);
	}
	ck_assert_uint_eq(words_get(&w, ""), COUNT);
	for (i = 0; i < COUNT; i++) {
		snprintf(text, sizeof(text), "word %u", i * 7);
		ck_assert_uint_eq(words_get(&w, text), i);
		ck_assert_str_eq(w.word[i], text);
	}
	ck_assert_uint_eq(words_get(&w, ""), COUNT);
	ck_assert_uint_eq(w.count, COUNT + 1);
	words_exit(&w);
	words_exit(&w);
}
END_TEST

UNIT_MAIN("words", one_number_each)
