// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "unit.h"
#include "watch/view.h"

static struct watch w;
static struct view v;

static void read_at(uint64_t seconds, const char *rows)
{
	char why[256], text[2048];
	struct tags tags;

	snprintf(text, sizeof(text), "kmemtrace tags - version: 1\n%s", rows);
	ck_assert_int_eq(tags_parse(&tags, text, why, sizeof(why)), 0);
	watch_refresh(&w, &tags, seconds * 1000000000);
	tags_free(&tags);
}

/* a grows by 100 in 2 s, b shrinks by 300, c stays; ages 5, none, 0 */
static void begin(void)
{
	watch_init(&w, WATCH_SITE);
	v = (struct view){ .watch = &w };
	read_at(1, "slab 1000 10 900 100 90 0 1 1 1 a.c:1 func:a\n"
		   "slab 800 8 800 100 92 0 1 2 2 b.c:1 func:b\n"
		   "slab 500 5 100 100 95 0 1 3 3 c.c:1 func:C\n");
}

static void go_on(void)
{
	read_at(3, "slab 1100 11 990 107 96 0 5 1 1 a.c:1 func:a\n"
		   "slab 500 5 500 101 96 0 - 2 2 b.c:1 func:b\n"
		   "slab 500 5 100 100 95 0 0 3 3 c.c:1 func:C\n");
}

static void end(void)
{
	view_exit(&v);
	watch_exit(&w);
}

/* Return: the first letters of the rows. */
static const char *order(enum view_column sort, bool reverse, size_t top)
{
	static char letters[8];
	size_t i;

	v.sort = sort;
	v.reverse = reverse;
	view_update(&v, top);
	memset(letters, 0, sizeof(letters));
	for (i = 0; i < v.list.shown; i++)
		letters[i] = *w.row[view_row(&v, i)].name;
	return letters;
}

START_TEST(rows_are_sorted)
{
	begin();
	go_on();
	ck_assert_str_eq(order(VIEW_BYTES, false, 0), "aCb");
	ck_assert_str_eq(order(VIEW_BYTES, true, 0), "bCa");
	ck_assert_str_eq(order(VIEW_BYTES, false, 2), "aC");
	ck_assert_str_eq(order(VIEW_RATE, false, 0), "baC");
	ck_assert_str_eq(order(VIEW_CHANGE, false, 0), "baC");
	ck_assert_str_eq(order(VIEW_ALLOCS, false, 0), "abC");
	ck_assert_str_eq(order(VIEW_WASTE, false, 0), "Cab");
	ck_assert_str_eq(order(VIEW_OLDEST, false, 0), "aCb");
	ck_assert_str_eq(order(VIEW_NAME, false, 0), "Cab");
	ck_assert_str_eq(order(VIEW_NAME, true, 0), "baC");
	end();
}
END_TEST

START_TEST(the_filter_ignores_case)
{
	begin();
	snprintf(v.filter, sizeof(v.filter), "c C.c");
	ck_assert_str_eq(order(VIEW_BYTES, false, 0), "C");
	ck_assert_uint_eq(view_position(&v, "C c.c:1"), 0);
	ck_assert_uint_eq(view_position(&v, "a a.c:1"), SIZE_MAX);
	ck_assert_uint_eq(view_position(&v, "moon"), SIZE_MAX);
	snprintf(v.filter, sizeof(v.filter), "moon");
	ck_assert_str_eq(order(VIEW_BYTES, false, 0), "");
	end();
}
END_TEST

static struct table_cell cell(size_t position, size_t column)
{
	struct table_cell c;

	table_get_cell(v.list.get, v.list.arg, v.list.row[position], column, &c);
	return c;
}

START_TEST(rates_are_for_a_second)
{
	begin();
	order(VIEW_NAME, false, 0);
	ck_assert(cell(1, VIEW_RATE).unknown);
	ck_assert(cell(1, VIEW_ALLOCS).unknown);
	go_on();
	order(VIEW_NAME, false, 0);
	ck_assert(!cell(1, VIEW_RATE).unknown);
	ck_assert_int_eq(cell(1, VIEW_RATE).number, 50);
	ck_assert_int_eq(cell(2, VIEW_RATE).number, -150);
	ck_assert_int_eq(cell(1, VIEW_ALLOCS).number, 4); /* 3.5 */
	ck_assert_int_eq(cell(1, VIEW_FREES).number, 3);
	ck_assert_int_eq(cell(1, VIEW_CHANGE).number, 100);
	ck_assert_int_eq(cell(0, VIEW_WASTE).number, 400);
	ck_assert(cell(2, VIEW_OLDEST).unknown);
	ck_assert_str_eq(cell(2, VIEW_NAME).string, "b b.c:1");
	end();
}
END_TEST

UNIT_MAIN("view", rows_are_sorted, the_filter_ignores_case, rates_are_for_a_second)
