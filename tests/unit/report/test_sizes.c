// SPDX-License-Identifier: GPL-2.0-only
#include "report/sizes.h"
#include "unit.h"

/* sizes in use: the last ones returned by sizes_get() */
#define KEPT 1000

static struct sizes s;
static uint32_t kept[KEPT];
static unsigned int marks;

static void mark(void *arg)
{
	size_t i;

	ck_assert_ptr_eq(arg, kept);
	for (i = 0; i < KEPT; i++)
		sizes_keep(&s, kept[i]);
	marks++;
}

static struct size nth(uint64_t n)
{
	return (struct size){ n, 2 * n, n % 3 ? n % 3 : SIZE_PART };
}

START_TEST(each_has_one_number)
{
	uint32_t numbers[500], i, k;

	sizes_init(&s, mark, kept);
	for (k = 0; k < 2; k++) {
		for (i = 0; i < 500; i++) {
			struct size size = nth(i);
			uint32_t n = sizes_get(&s, &size);

			if (k)
				ck_assert_uint_eq(n, numbers[i]);
			ck_assert(sizes_is(&s, n, &size));
			numbers[i] = n;
		}
	}
	ck_assert_uint_eq(s.count, 500);
	ck_assert_uint_eq(marks, 0);
	sizes_exit(&s);
}
END_TEST

/* With any number of sizes, those in use keep their numbers, and memory is bounded. */
START_TEST(numbers_are_used_again)
{
	uint32_t i, wrong = 0, k;

	sizes_init(&s, mark, kept);
	for (i = 0; i < 200000; i++) {
		struct size size = nth(i);

		kept[i % KEPT] = sizes_get(&s, &size);
		for (k = 0; i % 1999 == 0 && k < KEPT && k < i; k++) {
			size = nth(i - k);
			wrong += !sizes_is(&s, kept[(i - k) % KEPT], &size);
		}
	}
	ck_assert_uint_eq(wrong, 0);
	ck_assert_uint_gt(marks, 10);
	ck_assert_uint_le(s.bits, 13);
	sizes_exit(&s);
}
END_TEST

/* The old number of a dropped size does not refer to this size any more. */
START_TEST(dropped_sizes_are_gone)
{
	struct size size = nth(1);
	uint32_t first, i;

	sizes_init(&s, mark, kept);
	first = sizes_get(&s, &size);
	for (i = 0; i < KEPT; i++) {
		size = nth(100 + i);
		kept[i] = sizes_get(&s, &size);
	}
	for (i = 2000; marks == 0; i++) {
		size = nth(i);
		sizes_get(&s, &size);
	}
	size = nth(1);
	ck_assert(!sizes_is(&s, first, &size));
	sizes_exit(&s);
}
END_TEST

START_TEST(blocks)
{
	struct size size = { 1, 1, 5 };

	ck_assert_uint_eq(size_order(&size), 5);
	ck_assert(size_is_whole(&size));
	size.block |= SIZE_PART;
	ck_assert_uint_eq(size_order(&size), 5);
	ck_assert(!size_is_whole(&size));
}
END_TEST

UNIT_MAIN("sizes", each_has_one_number, numbers_are_used_again,
	  dropped_sizes_are_gone, blocks)
