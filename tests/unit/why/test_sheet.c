// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"
#include "why/sheet.h"

static const struct table_column columns[] = {
	{ "N", "n", TABLE_NUMBER, 3, NULL },
	{ "NAME", "name", TABLE_STRING, 0, NULL },
};

static void get_cell(void *arg, size_t row, struct table_cell *cell)
{
	cell->number = row + *(const int *)arg;
	if (cell->before)
		strcpy(cell->string, "x");
}

static const char *text_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_null(value) ? "null" : json_string_value(value);
}

START_TEST(sections_and_items)
{
	static const char *const names[] = { "a", "b" };
	struct sheet s;
	json_t *item;

	sheet_begin(&s, true);
	sheet_section(&s, "Title", "part");
	sheet_number(&s, "label", "bytes", TABLE_BYTES, 5000000000);
	sheet_text(&s, "label", "text", "%s-%d", "x", 7);
	sheet_text(&s, "label", "none", "%s", "");
	sheet_text(&s, "label", "dirty", "a\033b");
	sheet_word(&s, "label", "word", "live", "it lives");
	sheet_unknown(&s, "label", "unknown", "because");
	sheet_names(&s, "label", "names", names, 2, 5);
	item = json_object_get(s.root, "part");
	ck_assert_int_eq(json_integer_value(json_object_get(item, "bytes")), 5000000000);
	ck_assert_str_eq(text_of(item, "text"), "x-7");
	ck_assert_str_eq(text_of(item, "none"), "null");
	ck_assert_str_eq(text_of(item, "dirty"), "a?b");
	ck_assert_str_eq(text_of(item, "word"), "live");
	ck_assert_str_eq(text_of(item, "unknown"), "null");
	ck_assert_uint_eq(json_array_size(json_object_get(item, "names")), 2);
	sheet_section(&s, "Own", NULL);
	sheet_text(&s, "label", "own", "root");
	ck_assert_str_eq(text_of(s.root, "own"), "root");
	sheet_drop(&s);
}
END_TEST

START_TEST(items_are_a_list)
{
	struct sheet s;
	json_t *list;

	sheet_begin(&s, true);
	sheet_item(&s, "sites");
	sheet_section(&s, "Site", NULL);
	sheet_text(&s, "label", "name", "one");
	sheet_section(&s, "Part", "part");
	sheet_text(&s, "label", "name", "inner");
	sheet_item(&s, "sites");
	sheet_section(&s, "Site", NULL);
	sheet_text(&s, "label", "name", "two");
	list = json_object_get(s.root, "sites");
	ck_assert_uint_eq(json_array_size(list), 2);
	ck_assert_str_eq(text_of(json_array_get(list, 0), "name"), "one");
	ck_assert_str_eq(text_of(json_object_get(json_array_get(list, 0), "part"), "name"),
			 "inner");
	ck_assert_str_eq(text_of(json_array_get(list, 1), "name"), "two");
	sheet_drop(&s);
	sheet_drop(&s);
}
END_TEST

START_TEST(tables_and_notes)
{
	int first = 40;
	struct listing table = LISTING(columns, 3, get_cell, &first);
	struct sheet s;
	json_t *rows;

	table.nr_text = 1;
	sheet_begin(&s, true);
	rows = sheet_table(&s, "rows", &table, NULL);
	ck_assert_uint_eq(json_array_size(rows), 3);
	ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(rows, 2), "n")), 42);
	ck_assert_str_eq(text_of(json_array_get(rows, 2), "name"), "x");
	sheet_note(&s, "why %d", 1);
	sheet_note(&s, "why %d", 2);
	sheet_note(&s, "why %d", 1);
	ck_assert_uint_eq(json_array_size(s.notes), 2);
	sheet_drop(&s);
}
END_TEST

UNIT_MAIN("sheet", sections_and_items, items_are_a_list, tables_and_notes)
