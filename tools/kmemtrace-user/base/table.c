// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/color.h"
#include "base/plural.h"
#include "base/table.h"
#include "base/utf8.h"

const char *table_human(char *to, size_t size, uint64_t n, int bytes)
{
	static const char units[] = "KMGTPE";
	uint64_t base = bytes ? 1024 : 1000;
	double value = n;
	int unit = -1;

	if (n < 10000) {
		snprintf(to, size, "%" PRIu64, n);
		return to;
	}
	/* what would be rounded to 1024KiB is 1.0MiB */
	while (value >= base - 0.5) {
		value /= base;
		unit++;
	}
	snprintf(to, size, value < 99.95 ? "%.1f%c%s" : "%.0f%c%s", value,
		 units[unit], bytes ? "iB" : "");
	return to;
}

const char *table_signed(char *to, size_t size, int64_t n, bool bytes, bool plus)
{
	char digits[16];

	table_human(digits, sizeof(digits), n < 0 ? -(uint64_t)n : (uint64_t)n,
		    bytes);
	snprintf(to, size, "%s%s", n < 0 ? "-" : plus && n ? "+" : "", digits);
	return to;
}

const char *table_age(char *to, size_t size, uint64_t ms)
{
	uint64_t s = ms / 1000;

	if (s < 120)
		snprintf(to, size, "%" PRIu64 "s", s);
	else if (s < 7200)
		snprintf(to, size, "%" PRIu64 "m", s / 60);
	else if (s < 48 * 3600)
		snprintf(to, size, "%" PRIu64 "h", s / 3600);
	else
		snprintf(to, size, "%" PRIu64 "d", s / 86400);
	return to;
}

static const char *table_duration(char *to, size_t size, uint64_t ns)
{
	static const char *const units[] = { "us", "ms", "s" };
	uint64_t unit = 1000;
	double n;
	int i;

	if (ns < 1000) {
		snprintf(to, size, "%" PRIu64 "ns", ns);
		return to;
	}
	if (ns >= 120 * 1000000000ull)
		return table_age(to, size, ns / 1000000);
	/* 999.5 of a unit are shown as one of the next unit */
	for (i = 0; i < 2 && ns >= 999 * unit + unit / 2; i++)
		unit *= 1000;
	n = (double)ns / unit;
	snprintf(to, size, n < 9.995 ? "%.2f%s" : n < 99.95 ? "%.1f%s" : "%.0f%s",
		 n, units[i]);
	return to;
}

void table_clean(char *text)
{
	size_t len;

	for (; *text; text += len ? len : 1) {
		len = utf8_printable(text);
		if (!len)
			*text = '?';
	}
}

static bool is_escape(const char *text)
{
	return text[0] == '\\' && text[1] == 'x' && isxdigit((unsigned char)text[2]) &&
	       isxdigit((unsigned char)text[3]);
}

void table_escape(char *to, size_t size, const char *text)
{
	size_t len, room;

	for (; *text; text += len, to += room, size -= room) {
		len = is_escape(text) ? 0 : utf8_printable(text);
		room = len ? len : strlen("\\x00");
		if (room >= size)
			break;
		if (len)
			memcpy(to, text, len);
		else
			sprintf(to, "\\x%02x", (unsigned char)*text);
		len += !len;
	}
	*to = '\0';
}

/* Chinese, Japanese and Korean, and pictures, take two columns of a terminal. */
static size_t width_of(uint32_t c)
{
	static const uint32_t wide[][2] = {
		{ 0x1100, 0x115f }, { 0x2e80, 0xa4cf }, { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff },
		{ 0xfe30, 0xfe6f }, { 0xff00, 0xff60 }, { 0xffe0, 0xffe6 }, { 0x1f300, 0x1faff },
		{ 0x20000, 0x3ffff },
	};
	size_t i;

	if (c >= 0x300 && c < 0x370)
		return 0; /* marks on the character before */
	for (i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
		if (c >= wide[i][0] && c <= wide[i][1])
			return 2;
	return 1;
}

size_t table_cut(const char *text, size_t *width)
{
	size_t used = 0, at = 0, len = 0, more;

	for (; text[at]; at += len, used += more) {
		len = 1;
		more = width_of(utf8_character(text + at, &len));
		if (used + more > *width)
			break;
	}
	*width = used;
	return at;
}

size_t table_width(const char *text)
{
	size_t width = SIZE_MAX;

	table_cut(text, &width);
	return width;
}

void table_clean_lines(char *text)
{
	char *end;

	for (; text; text = end) {
		end = strchr(text, '\n');
		if (end)
			*end = '\0';
		table_clean(text);
		if (end)
			*end++ = '\n';
	}
}

void row_format(struct table_cell *cell, const char *format, ...)
{
	va_list args;

	if (!row_wants(cell))
		return;
	va_start(args, format);
	vsnprintf(cell->string, sizeof(cell->string), format, args);
	va_end(args);
	table_clean(cell->string);
}

void row_text(struct table_cell *cell, const char *text)
{
	if (!cell->before && !text)
		cell->unknown = true;
	row_format(cell, "%s", text ? text : "");
}

void table_get_cell(table_get get, void *arg, size_t row, size_t column, struct table_cell *cell)
{
	*cell->string = '\0';
	cell->before = column;
	cell->number = 0;
	cell->unknown = false;
	cell->blank = false;
	cell->beyond = false;
	get(arg, row, cell);
}

/* --- text -------------------------------------------------------------------- */

const char *table_cell_text(const struct table_column *c,
			    const struct table_cell *cell,
			    char to[TABLE_CELL_TEXT])
{
	if (cell->blank)
		return "";
	if (cell->unknown)
		return "-";
	switch (c->kind) {
	case TABLE_BYTES:
	case TABLE_BYTES_CHANGE:
		return table_signed(to, TABLE_CELL_TEXT, cell->number, true,
				    c->kind == TABLE_BYTES_CHANGE);
	case TABLE_COUNT:
	case TABLE_COUNT_CHANGE:
		return table_signed(to, TABLE_CELL_TEXT, cell->number, false,
				    c->kind == TABLE_COUNT_CHANGE);
	case TABLE_KIB:
		snprintf(to, TABLE_CELL_TEXT, "%" PRId64, (int64_t)cell->number / 1024);
		return to;
	case TABLE_KIB_CHANGE:
		snprintf(to, TABLE_CELL_TEXT, (int64_t)cell->number > 0 ? "+%" PRId64 : "%" PRId64,
			 (int64_t)cell->number / 1024);
		return to;
	case TABLE_PERCENT:
		snprintf(to, TABLE_CELL_TEXT, "%" PRIu64 ".%" PRIu64 "%%",
			 cell->number / 10, cell->number % 10);
		return to;
	case TABLE_AGE:
		return table_age(to, TABLE_CELL_TEXT, cell->number);
	case TABLE_DURATION:
		if (cell->beyond)
			*to = '>';
		table_duration(to + cell->beyond, TABLE_CELL_TEXT - 1, cell->number);
		return to;
	case TABLE_NUMBER:
		snprintf(to, TABLE_CELL_TEXT, "%" PRIu64, cell->number);
		return to;
	case TABLE_SIGNED:
		snprintf(to, TABLE_CELL_TEXT, "%" PRId64, (int64_t)cell->number);
		return to;
	case TABLE_ADDRESS:
		snprintf(to, TABLE_CELL_TEXT, "%012" PRIx64, cell->number);
		return to;
	case TABLE_STRING:
		break;
	}
	return cell->string;
}

static bool is_left(const struct table_column *c)
{
	return c->kind == TABLE_STRING || c->kind == TABLE_ADDRESS;
}

/*
 * Print one field of a line. @blanks: number of blanks to print before the next text;
 * updated. This way, no line ends with blanks.
 */
static void table_put_field(const struct table_column *c, int width, const char *text,
			    size_t *blanks)
{
	size_t len = table_width(text);
	size_t fill = len < (size_t)width ? width - len : 0;

	if (!is_left(c))
		*blanks += fill;
	if (len) {
		printf("%*s%s", (int)*blanks, "", text);
		*blanks = 0;
	}
	*blanks += 1 + (is_left(c) ? fill : 0);
}

static bool has_titles(const struct table_column *columns, size_t nr_columns)
{
	return nr_columns && columns[0].title;
}

static void print_titles(const struct table_column *columns, size_t nr_columns,
			 const int *width)
{
	size_t blanks = 0, c;

	if (!has_titles(columns, nr_columns))
		return;
	fputs(color_bold(stdout), stdout);
	for (c = 0; c < nr_columns; c++)
		table_put_field(&columns[c], width[c], columns[c].title, &blanks);
	fputs(color_end(stdout), stdout);
	putchar('\n');
}

static void widen(const struct table_column *c, int *width, const char *text)
{
	size_t len = table_width(text);

	if (c->kind == TABLE_STRING && len > TABLE_STRING_WIDEST)
		return;
	if (c->width && len > (size_t)*width)
		*width = len;
}

/* A column is as wide as its widest cell. Very long strings do not count. */
static void find_widths(const struct table_column *columns, size_t nr_columns,
			size_t nr_rows, table_get get, void *arg, int *width)
{
	char text[TABLE_CELL_TEXT];
	struct table_cell cell;
	size_t row, c;

	for (c = 0; c < nr_columns; c++) {
		width[c] = columns[c].width;
		if (has_titles(columns, nr_columns))
			widen(&columns[c], &width[c], columns[c].title);
		for (row = 0; columns[c].width && row < nr_rows; row++) {
			table_get_cell(get, arg, row, c, &cell);
			widen(&columns[c], &width[c],
			      table_cell_text(&columns[c], &cell, text));
		}
	}
}

void table_print_tree(const struct table_column *columns, size_t nr_columns,
		      size_t nr_rows, table_get get, table_below below,
		      void *arg)
{
	char text[TABLE_CELL_TEXT];
	int width[TABLE_COLUMNS_MAX];
	struct table_cell cell;
	const char *line;
	size_t row, c, i;

	if (nr_columns > TABLE_COLUMNS_MAX)
		nr_columns = TABLE_COLUMNS_MAX;
	find_widths(columns, nr_columns, nr_rows, get, arg, width);
	print_titles(columns, nr_columns, width);
	for (row = 0; row < nr_rows; row++) {
		size_t blanks = 0;

		for (c = 0; c < nr_columns; c++) {
			table_get_cell(get, arg, row, c, &cell);
			table_put_field(&columns[c], width[c],
					table_cell_text(&columns[c], &cell, text), &blanks);
		}
		putchar('\n');
		for (i = 0; below && below(arg, row, i, &line); i++)
			printf("    %s\n", line);
	}
}

void table_print_text(const struct table_column *columns, size_t nr_columns,
		      size_t nr_rows, table_get get, void *arg)
{
	table_print_tree(columns, nr_columns, nr_rows, get, NULL, arg);
}

void table_print_left_out(size_t rows)
{
	if (rows)
		printf("(%zu more row%s: --top 0)\n", rows,
		       plural(rows));
}

void table_print_fact(int width, const char *label, const char *format, ...)
{
	va_list args;

	printf("%-*s ", width, label);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

/* --- CSV --------------------------------------------------------------------- */

static void print_csv_string(const char *s)
{
	if (!strpbrk(s, ",\"\r\n")) {
		fputs(s, stdout);
		return;
	}
	putchar('"');
	for (; *s; s++) {
		if (*s == '"')
			putchar('"');
		putchar(*s);
	}
	putchar('"');
}

static void print_csv_cell(const struct table_column *c,
			   const struct table_cell *cell)
{
	switch (c->kind) {
	case TABLE_STRING:
		print_csv_string(cell->string);
		break;
	case TABLE_PERCENT:
		printf("%" PRIu64 ".%" PRIu64, cell->number / 10,
		       cell->number % 10);
		break;
	case TABLE_ADDRESS:
		printf("%012" PRIx64, cell->number);
		break;
	case TABLE_NUMBER:
		printf("%" PRIu64, cell->number);
		break;
	default:
		printf("%" PRId64, (int64_t)cell->number);
	}
}

void table_print_csv(const struct table_column *columns, size_t nr_columns,
		     size_t nr_rows, table_get get, void *arg)
{
	struct table_cell cell;
	size_t row, c;

	for (c = 0; c < nr_columns && columns->key; c++)
		printf("%s%s", c ? "," : "", columns[c].key);
	if (columns->key)
		putchar('\n');
	for (row = 0; row < nr_rows; row++) {
		for (c = 0; c < nr_columns; c++) {
			table_get_cell(get, arg, row, c, &cell);
			if (c)
				putchar(',');
			if (!cell.unknown && !cell.blank && !cell.beyond)
				print_csv_cell(&columns[c], &cell);
		}
		putchar('\n');
	}
}

/* --- JSON -------------------------------------------------------------------- */

static json_t *json_cell(const struct table_column *c,
			 const struct table_cell *cell)
{
	char text[20];

	if (cell->unknown || cell->blank || cell->beyond)
		return json_null();
	switch (c->kind) {
	case TABLE_ADDRESS:
		snprintf(text, sizeof(text), "0x%" PRIx64, cell->number);
		return json_string(text);
	case TABLE_STRING:
		return json_string(cell->string);
	case TABLE_PERCENT:
		return json_real(cell->number / 10.0);
	default:
		return json_integer(cell->number);
	}
}

struct json_t *table_json_address(uint64_t address)
{
	char text[20];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	return address ? json_string(text) : json_null();
}

json_t *table_json_values(const struct table_column *columns, size_t nr_columns,
			  size_t nr_rows, table_get get, void *arg)
{
	json_t *rows = json_array();
	struct table_cell cell;
	size_t row, c;

	for (row = 0; row < nr_rows; row++) {
		json_t *values = json_array();

		for (c = 0; c < nr_columns; c++) {
			table_get_cell(get, arg, row, c, &cell);
			json_array_append_new(values,
					      json_cell(&columns[c], &cell));
		}
		json_array_append_new(rows, values);
	}
	return rows;
}

json_t *table_json(const struct table_column *columns,
			  size_t nr_columns, size_t nr_rows, table_get get,
			  void *arg)
{
	json_t *rows = json_array();
	struct table_cell cell;
	size_t row, c;

	for (row = 0; row < nr_rows; row++) {
		json_t *object = json_object();

		for (c = 0; c < nr_columns; c++) {
			table_get_cell(get, arg, row, c, &cell);
			json_object_set_new(object, columns[c].key,
					    json_cell(&columns[c], &cell));
		}
		json_array_append_new(rows, object);
	}
	return rows;
}
