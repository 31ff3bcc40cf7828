// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>

#include "base/memo.h"
#include "random.h"
#include "unit.h"

static void make(void *arg, uint64_t key, char *to, size_t size)
{
	unsigned int *made = arg;

	++*made;
	/* some are too long to be kept; all end in a control character, to be replaced */
	snprintf(to, size, "%" PRIu64 "%*s\x1b", key,
		 key % 7 == 1 ? 600 : 1, "x");
}

static void check(struct memo *m, uint64_t key)
{
	char expected[1024];
	const char *text;
	size_t len;

	snprintf(expected, sizeof(expected), "%" PRIu64 "%*s?", key,
		 key % 7 == 1 ? 600 : 1, "x");
	text = memo_get(m, key, &len);
	ck_assert_str_eq(text, expected);
	ck_assert_uint_eq(len, strlen(expected));
}

START_TEST(texts_are_right)
{
	unsigned int made = 0;
	struct memo *m = memo_create(make, &made);
	uint64_t i, state = 1;

	for (i = 0; i < 100000; i++)
		check(m, next_random(&state) >> (40 + i % 24));
	memo_destroy(m);
	memo_destroy(NULL);
}
END_TEST

START_TEST(texts_are_made_once)
{
	unsigned int made = 0;
	struct memo *m = memo_create(make, &made);
	int i;

	for (i = 0; i < 100; i++) {
		check(m, 0);
		check(m, 0xffffffff81000010);
	}
	ck_assert_uint_eq(made, 2);
	memo_destroy(m);
}
END_TEST

UNIT_MAIN("memo", texts_are_right, texts_are_made_once)
