// SPDX-License-Identifier: GPL-2.0-only
#include "trace/input_records.c"
#include "unit.h"

#define PAGE  4096ull
#define BLOCK (PAGE << WINDOW_ORDER_MAX)
#define START 0xffff888000000000ull

static struct window w;

static void add(uint8_t type, uint64_t ptr, bool is_free)
{
	w.events[w.count++] = (struct merged){
		.ev = is_free ? unit_free(w.count, type, ptr) :
				unit_alloc(w.count, type, ptr, 64),
	};
}

static bool in_second(size_t i)
{
	return w.second[i / 64] >> i % 64 & 1;
}

START_TEST(a_block_of_pages_is_in_one_half)
{
	window_init(&w, false);
	add(KMEMTRACE_TYPE_PAGES, START, false);
	add(KMEMTRACE_TYPE_PAGES, START + PAGE, true);
	add(KMEMTRACE_TYPE_PAGES, START + BLOCK - PAGE, true);
	add(KMEMTRACE_TYPE_PAGES, START + BLOCK, false);
	add(KMEMTRACE_TYPE_PAGES, START + 2 * BLOCK, false);
	window_divide(&w, PAGE);
	ck_assert(!in_second(0) && !in_second(1) && !in_second(2));
	ck_assert(in_second(3));
	ck_assert(!in_second(4));
	/* larger pages make larger blocks */
	window_divide(&w, 2 * PAGE);
	ck_assert(!in_second(3) && in_second(4));
	window_exit(&w);
}
END_TEST

/* As many in each half, although the objects are of one slab; more than one word of the mask. */
START_TEST(objects_are_spread)
{
	size_t i, second = 0;

	window_init(&w, false);
	for (i = 0; i < 500; i++) {
		add(KMEMTRACE_TYPE_KMALLOC, START + i * 64, false);
		add(KMEMTRACE_TYPE_KMALLOC, START + i * 64, true);
	}
	window_divide(&w, PAGE);
	for (i = 0; i < w.count; i += 2) {
		ck_assert(in_second(i) == in_second(i + 1));
		second += in_second(i);
	}
	ck_assert_uint_gt(second, 200);
	ck_assert_uint_lt(second, 300);
	window_exit(&w);
}
END_TEST

START_TEST(records_behind_the_last_are_in_no_half)
{
	size_t i, second = 0;

	window_init(&w, false);
	for (i = 0; i < 200; i++)
		add(KMEMTRACE_TYPE_PAGES, START + BLOCK, false);
	window_divide(&w, PAGE);
	ck_assert(in_second(199) && !in_second(200));
	w.count = 70;
	window_divide(&w, PAGE);
	for (i = 0; i < 2 * WINDOW_SIZE; i++)
		second += in_second(i);
	ck_assert_uint_eq(second, 70);
	window_exit(&w);
}
END_TEST

START_TEST(gaps_are_noted)
{
	window_init(&w, false);
	add(KMEMTRACE_TYPE_KMALLOC, START, false);
	add(KMEMTRACE_TYPE_KMALLOC, START, true);
	window_divide(&w, PAGE);
	ck_assert(!w.gaps);
	w.events[0].lost = 2;
	window_divide(&w, PAGE);
	ck_assert(w.gaps);
	w.events[0].lost = 0;
	w.events[1].lost = 1;
	window_divide(&w, PAGE);
	ck_assert(w.gaps);
	w.count = 0;
	window_divide(&w, PAGE);
	ck_assert(!w.gaps);
	window_exit(&w);
}
END_TEST

UNIT_MAIN("window", a_block_of_pages_is_in_one_half, objects_are_spread,
	  records_behind_the_last_are_in_no_half, gaps_are_noted)
