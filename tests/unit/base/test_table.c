// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "unit.h"

static const struct table_column columns[] = {
	{"SIZE", "size", TABLE_BYTES, 6, NULL},
	{"COUNT", "count", TABLE_COUNT, 6, NULL},
	{"PART", "part", TABLE_PERCENT, 6, NULL},
	{"NAME", "name", TABLE_STRING, 0, NULL},
};

static void get(void *arg, size_t row, struct table_cell *cell)
{
	static const char *const names[] = {"plain", "a \"b\", c"};

	cell->unknown = arg && (row ^ cell->before) & 1;
	if (cell->before == 3)
		snprintf(cell->string, sizeof(cell->string), "%s", names[row]);
	else
		cell->number = row ? 123456789 : cell->before == 2 ? 1000 : 9999;
}

/* Return: the text that @print prints; valid until the next call. */
static const char *printed(void (*print)(const struct table_column *, size_t,
					 size_t, table_get, void *), void *arg)
{
	static char text[4096];
	FILE *real = stdout;

	memset(text, 0, sizeof(text));
	stdout = fmemopen(text, sizeof(text) - 1, "w");
	ck_assert_ptr_nonnull(stdout);
	print(columns, 4, 2, get, arg);
	fclose(stdout);
	stdout = real;
	return text;
}

START_TEST(text)
{
	ck_assert_str_eq(printed(table_print_text, NULL),
			 "  SIZE  COUNT        PART NAME\n"
			 "  9999   9999      100.0% plain\n"
			 "118MiB   123M 12345678.9% a \"b\", c\n");
}
END_TEST

START_TEST(csv)
{
	ck_assert_str_eq(printed(table_print_csv, NULL),
			 "size,count,part,name\n"
			 "9999,9999,100.0,plain\n"
			 "123456789,123456789,12345678.9,\"a \"\"b\"\", c\"\n");
}
END_TEST

START_TEST(json)
{
	json_t *rows = table_json(columns, 4, 2, get, NULL);
	json_t *row = json_array_get(rows, 1);

	ck_assert_uint_eq(json_array_size(rows), 2);
	ck_assert_int_eq(json_integer_value(json_object_get(row, "size")),
			 123456789);
	ck_assert_str_eq(json_string_value(json_object_get(row, "name")),
			 "a \"b\", c");
	json_decref(rows);
}
END_TEST

/* Every second cell is unknown. */
START_TEST(unknown)
{
	json_t *rows = table_json(columns, 4, 2, get, "");
	json_t *row = json_array_get(rows, 0);

	ck_assert_str_eq(printed(table_print_text, ""),
			 "  SIZE  COUNT   PART NAME\n"
			 "  9999      - 100.0% -\n"
			 "     -   123M      - a \"b\", c\n");
	ck_assert_str_eq(printed(table_print_csv, ""),
			 "size,count,part,name\n"
			 "9999,,100.0,\n"
			 ",123456789,,\"a \"\"b\"\", c\"\n");
	ck_assert(json_is_null(json_object_get(row, "count")));
	ck_assert_int_eq(json_integer_value(json_object_get(row, "size")),
			 9999);
	json_decref(rows);
}
END_TEST

START_TEST(human)
{
	static const struct {
		uint64_t n;
		int bytes;
		const char *text;
	} rows[] = {
		{0, 1, "0"},
		{9999, 1, "9999"},
		{10000, 0, "10.0K"},
		{10240, 1, "10.0KiB"},
		{102400, 1, "100KiB"},
		{1047552, 1, "1023KiB"},
		{1048063, 1, "1023KiB"},
		{1048064, 1, "1.0MiB"},
		{1048575, 1, "1.0MiB"},
		{1 << 20, 1, "1.0MiB"},
		{999499, 0, "999K"},
		{999500, 0, "1.0M"},
		{(1ull << 30) - 1, 1, "1.0GiB"},
		{1000000, 0, "1.0M"},
		{5ull << 30, 1, "5.0GiB"},
		{UINT64_MAX, 1, "16.0EiB"},
		{UINT64_MAX, 0, "18.4E"},
	};
	char text[16];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_str_eq(table_human(text, sizeof(text), rows[i].n,
					     rows[i].bytes),
				 rows[i].text);
}
END_TEST

START_TEST(clean)
{
	char s[] = "a\033[31m\xff\tb~\u4e2d\xe4\xb8";

	table_clean(s);
	ck_assert_str_eq(s, "a?[31m??b~\u4e2d??");
}
END_TEST

/* UTF-8 stays, but neither control characters nor what looks like an escaped byte. */
START_TEST(escape)
{
	static const char *const rows[][2] = {
		{ "kworker/0:1", "kworker/0:1" },
		{ "", "" },
		{ "\u4e2d\u6587 \u00e9 \U0001f600", "\u4e2d\u6587 \u00e9 \U0001f600" },
		{ "inner-job-\u4e2d\xe6\x96", "inner-job-\u4e2d\\xe6\\x96" },
		{ "a\nb\tc\x7f", "a\\x0ab\\x09c\\x7f" },
		{ "\xff\xfe", "\\xff\\xfe" },
		/* too long, a surrogate, beyond the last character */
		{ "\xc1\xbf", "\\xc1\\xbf" },
		{ "\xe0\x80\xaf", "\\xe0\\x80\\xaf" },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },
		{ "\xf8\x88\x80\x80", "\\xf8\\x88\\x80\\x80" },
		/* a control character, and a change of direction */
		{ "\xc2\x9b" "31m", "\\xc2\\x9b" "31m" },
		{ "\xe2\x80\xae", "\\xe2\\x80\\xae" },
		{ "\\x41\\x4\\y\\", "\\x5cx41\\x4\\y\\" },
	};
	char text[64];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		table_escape(text, sizeof(text), rows[i][0]);
		ck_assert_str_eq(text, rows[i][1]);
	}
	/* characters and bytes are not cut */
	table_escape(text, 4, "\u4e2d\u6587");
	ck_assert_str_eq(text, "\u4e2d");
	table_escape(text, 5, "\xff\xff");
	ck_assert_str_eq(text, "\\xff");
	table_escape(text, 4, "a\xff");
	ck_assert_str_eq(text, "a");
}
END_TEST

START_TEST(width)
{
	size_t columns = 3;

	ck_assert_uint_eq(table_width("ab"), 2);
	ck_assert_uint_eq(table_width("\u00e9\u4e2d\u6587\U0001f600"), 7);
	ck_assert_uint_eq(table_width("e\u0301\xff"), 2);
	ck_assert_uint_eq(table_cut("\u4e2d\u6587", &columns), 3);
	ck_assert_uint_eq(columns, 2);
}
END_TEST

START_TEST(clean_lines)
{
	char s[] = "\na\033[31m\n\n\tb\x80";

	table_clean_lines(s);
	ck_assert_str_eq(s, "\na?[31m\n\n?b?");
}
END_TEST

START_TEST(changes_in_kib_have_a_sign)
{
	static const struct table_column column = { "CHANGE", "change",
						    TABLE_KIB_CHANGE, 6, NULL };
	struct table_cell cell = { .number = 8192 };
	char to[TABLE_CELL_TEXT];

	ck_assert_str_eq(table_cell_text(&column, &cell, to), "+8");
	cell.number = -4096;
	ck_assert_str_eq(table_cell_text(&column, &cell, to), "-4");
	cell.number = 0;
	ck_assert_str_eq(table_cell_text(&column, &cell, to), "0");
}
END_TEST

static const struct table_column odd_columns[] = {
	{NULL, "title", TABLE_STRING, 4, NULL},
	{NULL, "kib", TABLE_KIB, 6, NULL},
	{NULL, "start", TABLE_ADDRESS, 12, NULL},
	{NULL, "change", TABLE_COUNT_CHANGE, 3, NULL},
	{NULL, "rest", TABLE_STRING, 0, NULL},
};

static void get_odd(void *arg, size_t row, struct table_cell *cell)
{
	static const char *const titles[] = {
		"longer", "x",
		"a title that is so long that no column is made as wide as it is",
	};

	(void)arg;
	if (cell->before == 0)
		snprintf(cell->string, sizeof(cell->string), "%s", titles[row]);
	else if (cell->before == 4)
		snprintf(cell->string, sizeof(cell->string), "end");
	else
		cell->number = cell->before == 1 ? -4096 :
			       cell->before == 2 ? 0x400000 :
						   20000 * (1 - (int64_t)row);
	cell->blank = row == 1 && cell->before > 1;
}

static bool get_below(void *arg, size_t row, size_t i, const char **line)
{
	static const char *const lines[] = {"one", "two"};

	(void)arg;
	if (row != 1 || i > 1)
		return false;
	*line = lines[i];
	return true;
}

static void print_odd(const struct table_column *c, size_t nr_columns,
		      size_t nr_rows, table_get g, void *arg)
{
	(void)c;
	(void)nr_columns;
	(void)nr_rows;
	(void)g;
	table_print_tree(odd_columns, 5, 3, get_odd, get_below, arg);
}

/* A tree has no titles and no trailing blanks. A row can have lines below it. */
START_TEST(tree)
{
	ck_assert_str_eq(printed(print_odd, NULL),
			 "longer     -4 000000400000 +20.0K end\n"
			 "x          -4\n"
			 "    one\n"
			 "    two\n"
			 "a title that is so long that no column is made as wide as it is     -4 000000400000 -20.0K end\n");
}
END_TEST

START_TEST(odd_json)
{
	json_t *rows = table_json(odd_columns, 5, 2, get_odd, NULL);
	json_t *row = json_array_get(rows, 0);

	ck_assert_str_eq(json_string_value(json_object_get(row, "start")),
			 "0x400000");
	ck_assert_int_eq(json_integer_value(json_object_get(row, "kib")), -4096);
	row = json_array_get(rows, 1);
	ck_assert(json_is_null(json_object_get(row, "start")));
	ck_assert(json_is_null(json_object_get(row, "rest")));
	json_decref(rows);
}
END_TEST

static void get_in_order(void *arg, size_t i, struct table_cell *cell)
{
	(void)arg;
	row_number(cell, 10 + i);
	row_known(cell, i, 20 + i);
	row_existing(cell, i, 30 + i);
	row_text(cell, i ? "a\tb" : NULL);
}

/* Another column than the wanted one changes nothing. */
START_TEST(values_in_order)
{
	json_t *rows = table_json(columns, 4, 2, get_in_order, NULL);
	json_t *expected = json_pack("[{s:i,s:n,s:n,s:n},{s:i,s:i,s:f,s:s}]", "size", 10, "count",
				     "part", "name", "size", 11, "count", 21, "part", 3.1,
				     "name", "a?b");

	ck_assert_ptr_nonnull(expected);
	ck_assert(json_equal(rows, expected));
	json_decref(expected);
	json_decref(rows);
}
END_TEST

UNIT_MAIN("table", text, values_in_order, csv, json, unknown, tree, odd_json, human, clean, escape, width,
	  clean_lines, changes_in_kib_have_a_sign)
