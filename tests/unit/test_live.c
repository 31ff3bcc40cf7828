// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "live.h"
#include "unit.h"

#define PAGE 4096ull
#define BASE 0xffff888000000000ull

/* A number below @below; the same row in every run. */
static uint32_t next_random(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (*state >> 33) % below;
}

/* Against an array that knows what is in the table. */
START_TEST(like_an_array)
{
	static bool there[5000];
	struct live_table t;
	uint64_t random = 3;
	size_t i, used = 0, n;

	ck_assert(live_init(&t));
	for (n = 0; n < 60000; n++) {
		uint64_t ptr;
		struct live *l;

		i = next_random(&random, 5000);
		ptr = BASE + i * 8;
		l = live_find(&t, ptr);
		ck_assert_int_eq(l != NULL, there[i]);
		if (l) {
			ck_assert_uint_eq(l->req, i);
			live_remove(&t, l);
			used--;
		} else {
			l = live_add(&t, ptr, 0);
			l->req = i;
			used++;
		}
		there[i] = !there[i];
		ck_assert_uint_eq(t.used, used);
	}
	for (i = 0; i < 5000; i++)
		ck_assert_int_eq(live_find(&t, BASE + i * 8) != NULL, there[i]);
	live_exit(&t);
}
END_TEST

START_TEST(grows)
{
	struct live_table t;
	size_t i;

	ck_assert(live_init(&t));
	for (i = 1; i < 40000; i++)
		live_add(&t, i * 64, 0)->req = i;
	for (i = 1; i < 40000; i++)
		ck_assert_uint_eq(live_find(&t, i * 64)->req, i);
	live_exit(&t);
}
END_TEST

START_TEST(finds_the_block)
{
	struct live_table t;
	uint64_t block = BASE + 16 * PAGE;

	ck_assert(live_init(&t));
	ck_assert_ptr_null(live_find_block(&t, block, PAGE));
	live_add(&t, block, 3);
	live_add(&t, BASE, 0);
	ck_assert_uint_eq(live_find_block(&t, block, PAGE)->ptr, block);
	ck_assert_uint_eq(live_find_block(&t, block + 7 * PAGE, PAGE)->ptr,
			  block);
	ck_assert_ptr_null(live_find_block(&t, block + 8 * PAGE, PAGE));
	ck_assert_ptr_null(live_find_block(&t, block - PAGE, PAGE));
	ck_assert_uint_eq(live_find_block(&t, BASE, PAGE)->order, 0);
	ck_assert_ptr_null(live_find_block(&t, BASE + PAGE, PAGE));
	live_exit(&t);
}
END_TEST

/* However it is split, every page is in one part and no byte is lost. */
START_TEST(splits)
{
	unsigned int page, order;

	for (page = 0; page < 8; page++) {
		for (order = 0; order < 3; order++) {
			struct live_table t;
			struct live *l;
			uint64_t alloc = 0, req = 0, ptr = BASE + page * PAGE;
			size_t i, whole = 0;

			ck_assert(live_init(&t));
			l = live_add(&t, BASE, 3);
			l->alloc = 8 * PAGE;
			l->req = 8 * PAGE - 5;
			l->whole = 1;
			l = live_split_block(&t, l, ptr, order, PAGE);
			ck_assert_uint_eq(l->order, order);
			ck_assert_uint_eq(l->alloc, PAGE << order);
			ck_assert_uint_eq(l->ptr, ptr & ~((PAGE << order) - 1));
			for (i = 0; i < 1ul << t.bits; i++) {
				if (!t.slots[i].ptr)
					continue;
				alloc += t.slots[i].alloc;
				req += t.slots[i].req;
				whole += t.slots[i].whole;
			}
			ck_assert_uint_eq(alloc, 8 * PAGE);
			ck_assert_uint_eq(req, 8 * PAGE - 5);
			ck_assert_uint_eq(whole, 1);
			for (i = 0; i < 8; i++)
				ck_assert_ptr_nonnull(live_find_block(
					&t, BASE + i * PAGE, PAGE));
			live_exit(&t);
		}
	}
}
END_TEST

UNIT_MAIN("live", like_an_array, grows, finds_the_block, splits)
