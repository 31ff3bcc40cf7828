// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "base/listing.h"
#include "unit.h"

static const struct table_column columns[] = {
	{ "BYTES", "bytes", TABLE_BYTES, 6, NULL },
	{ "OLDEST", "oldest_ms", TABLE_AGE, 6, NULL },
	{ "NAME", "name", TABLE_STRING, 0, NULL },
	{ "COUNT", "count", TABLE_COUNT, 6, NULL },
	{ "P50", "median_ns", TABLE_DURATION, 6, NULL },
	{ NULL, "untitled", TABLE_COUNT, 6, NULL },
	{ "count", "bytes_ns", TABLE_DURATION, 6, NULL },
};

#define COLUMNS (sizeof(columns) / sizeof(*columns))

static const struct {
	uint64_t number[4];
	const char *name;
} rows[] = {
	{ { 10, UINT64_MAX, 0, 3 }, "a" },
	{ { 30, 0, 0, 1 }, "b" },
	{ { 10, 130000, 0, 2 }, "c" },
};

static void get(void *arg, size_t row, struct table_cell *cell)
{
	(void)arg;
	if (cell->before == 2)
		snprintf(cell->string, sizeof(cell->string), "%s",
			 rows[row].name);
	else
		cell->number = rows[row].number[cell->before];
	cell->unknown = cell->number == UINT64_MAX;
}

static struct listing make(size_t column, size_t top)
{
	struct listing l = { columns, 4, 3, 3, get, NULL, NULL, 0 };

	listing_sort(&l, column, top);
	return l;
}

static const char *printed(const struct listing *l, enum table_format format)
{
	static char text[4096];
	FILE *real = stdout;

	memset(text, 0, sizeof(text));
	stdout = fmemopen(text, sizeof(text) - 1, "w");
	ck_assert_ptr_nonnull(stdout);
	listing_print(l, format);
	fclose(stdout);
	stdout = real;
	return text;
}

START_TEST(a_column_is_found_by_its_key_or_title)
{
	ck_assert_int_eq(listing_column(columns, COLUMNS, "median"), 4);
	ck_assert_int_eq(listing_column(columns, COLUMNS, "p50"), 4);
	ck_assert_int_eq(listing_column(columns, COLUMNS, "P50"), 4);
	ck_assert_int_eq(listing_column(columns, COLUMNS, "untitled"), 5);
	/* the key of one column, and the title of another, or a key without its unit */
	ck_assert_int_eq(listing_column(columns, COLUMNS, "count"), 3);
	ck_assert_int_eq(listing_column(columns, COLUMNS, "bytes"), 0);
	ck_assert_int_eq(listing_column(columns, COLUMNS, "NAME"), -1);
	ck_assert_int_eq(listing_column(columns, 4, "bytes"), 0);
	ck_assert_int_eq(listing_column(columns, 4, "oldest"), 1);
	ck_assert_int_eq(listing_column(columns, 4, "oldest_ms"), 1);
	ck_assert_int_eq(listing_column(columns, 4, "old"), -1);
	ck_assert_int_eq(listing_column(columns, 4, "name"), -1);
	ck_assert_int_eq(listing_column(columns, 4, "count"), 3);
	ck_assert_int_eq(listing_column(columns, 4, ""), -1);
}
END_TEST

START_TEST(the_largest_come_first)
{
	struct listing l = make(0, 0);

	ck_assert_uint_eq(l.row[0], 1);
	ck_assert_uint_eq(l.row[1], 0);
	ck_assert_uint_eq(l.row[2], 2);
	listing_free(&l);
	l = make(1, 0); /* unknown values come after 0 */
	ck_assert_uint_eq(l.row[0], 2);
	ck_assert_uint_eq(l.row[1], 1);
	ck_assert_uint_eq(l.row[2], 0);
	listing_free(&l);
}
END_TEST

START_TEST(omitted_rows_are_reported)
{
	struct listing l = make(0, 2);

	ck_assert_str_eq(printed(&l, TABLE_TEXT), " BYTES OLDEST NAME\n"
						  "    30     0s b\n"
						  "    10      - a\n"
						  "(1 more row: --top 0)\n");
	ck_assert_str_eq(printed(&l, TABLE_CSV), "bytes,oldest_ms,name,count\n"
						 "30,0,b,1\n"
						 "10,,a,3\n");
	listing_free(&l);
	l = make(1, 3);
	ck_assert_str_eq(printed(&l, TABLE_TEXT), " BYTES OLDEST NAME\n"
						  "    10     2m c\n"
						  "    30     0s b\n"
						  "    10      - a\n");
	listing_free(&l);
}
END_TEST

static const struct table_column change_columns[] = {
	{ "CHANGE", "change", TABLE_BYTES_CHANGE, 6, NULL },
	{ "LIVE", "live", TABLE_BYTES, 6, NULL },
};

static void get_change(void *arg, size_t row, struct table_cell *cell)
{
	static const int64_t changes[] = { -5, 4, 5, 0, -70000 };

	(void)arg;
	cell->number = changes[row];
	cell->unknown = row == 3;
}

/*
 * A column of changes is sorted by magnitude. In other columns negative numbers come
 * after all positive ones.
 */
START_TEST(the_largest_changes_come_first)
{
	struct listing l = { change_columns, 2, 1, 5, get_change, NULL, NULL, 0 };

	listing_sort(&l, 0, 0);
	ck_assert_str_eq(printed(&l, TABLE_TEXT), "  CHANGE\n"
						  "-68.4KiB\n"
						  "      +5\n"
						  "      -5\n"
						  "      +4\n"
						  "       -\n");
	listing_free(&l);
	listing_sort(&l, 1, 0);
	ck_assert_str_eq(printed(&l, TABLE_CSV), "change,live\n"
						 "5,5\n"
						 "4,4\n"
						 "-5,-5\n"
						 "-70000,-70000\n"
						 ",\n");
	listing_free(&l);
}
END_TEST

START_TEST(rows_may_keep_their_order)
{
	struct listing l = { columns, 4, 3, 3, get, NULL, NULL, 0 };

	listing_keep(&l, 2);
	ck_assert_uint_eq(l.shown, 2);
	ck_assert_uint_eq(l.row[0], 0);
	ck_assert_uint_eq(l.row[1], 1);
	listing_free(&l);
	listing_keep(&l, 0);
	ck_assert_uint_eq(l.shown, 3);
	listing_free(&l);
}
END_TEST

UNIT_MAIN("listing", a_column_is_found_by_its_key_or_title, the_largest_come_first,
	  omitted_rows_are_reported, the_largest_changes_come_first,
	  rows_may_keep_their_order)
