// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/table.h"

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
	while (value >= base) {
		value /= base;
		unit++;
	}
	snprintf(to, size, value < 99.95 ? "%.1f%c" : "%.0f%c", value,
		 units[unit]);
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

void table_clean(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
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

static void get_cell(table_get get, void *arg, size_t row, size_t column,
		     struct table_cell *cell)
{
	cell->unknown = false;
	get(arg, row, column, cell);
}

static void print_text_cell(const struct table_column *c,
			    const struct table_cell *cell)
{
	char text[32];

	if (cell->unknown) {
		printf("%*s", c->kind == TABLE_STRING ? -c->width : c->width,
		       "-");
		return;
	}
	switch (c->kind) {
	case TABLE_BYTES:
	case TABLE_COUNT:
		printf("%*s", c->width,
		       table_human(text, sizeof(text), cell->number,
				   c->kind == TABLE_BYTES));
		break;
	case TABLE_PERCENT:
		snprintf(text, sizeof(text), "%" PRIu64 ".%" PRIu64 "%%",
			 cell->number / 10, cell->number % 10);
		printf("%*s", c->width, text);
		break;
	case TABLE_AGE:
		printf("%*s", c->width,
		       table_age(text, sizeof(text), cell->number));
		break;
	case TABLE_NUMBER:
		printf("%*" PRIu64, c->width, cell->number);
		break;
	case TABLE_STRING:
		printf("%-*s", c->width, cell->string);
		break;
	}
}

void table_print_text(const struct table_column *columns, size_t nr_columns,
		      size_t nr_rows, table_get get, void *arg)
{
	struct table_cell cell;
	size_t row, c;

	for (c = 0; c < nr_columns; c++)
		printf(columns[c].kind == TABLE_STRING ? "%s%-*s" : "%s%*s",
		       c ? " " : "", columns[c].width, columns[c].title);
	putchar('\n');
	for (row = 0; row < nr_rows; row++) {
		for (c = 0; c < nr_columns; c++) {
			get_cell(get, arg, row, c, &cell);
			if (c)
				putchar(' ');
			print_text_cell(&columns[c], &cell);
		}
		putchar('\n');
	}
}

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

void table_print_csv(const struct table_column *columns, size_t nr_columns,
		     size_t nr_rows, table_get get, void *arg)
{
	struct table_cell cell;
	size_t row, c;

	for (c = 0; c < nr_columns; c++)
		printf("%s%s", c ? "," : "", columns[c].key);
	putchar('\n');
	for (row = 0; row < nr_rows; row++) {
		for (c = 0; c < nr_columns; c++) {
			get_cell(get, arg, row, c, &cell);
			if (c)
				putchar(',');
			if (cell.unknown)
				continue;
			if (columns[c].kind == TABLE_STRING)
				print_csv_string(cell.string);
			else if (columns[c].kind == TABLE_PERCENT)
				printf("%" PRIu64 ".%" PRIu64,
				       cell.number / 10, cell.number % 10);
			else
				printf("%" PRIu64, cell.number);
		}
		putchar('\n');
	}
}

static json_t *json_cell(const struct table_column *c,
			 const struct table_cell *cell)
{
	if (cell->unknown)
		return json_null();
	switch (c->kind) {
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

json_t *table_json(const struct table_column *columns,
			  size_t nr_columns, size_t nr_rows, table_get get,
			  void *arg)
{
	json_t *rows = json_array();
	struct table_cell cell;
	size_t row, c;

	for (row = 0; rows && row < nr_rows; row++) {
		json_t *object = json_object();

		for (c = 0; c < nr_columns; c++) {
			get_cell(get, arg, row, c, &cell);
			json_object_set_new(object, columns[c].key,
					    json_cell(&columns[c], &cell));
		}
		json_array_append_new(rows, object);
	}
	return rows;
}
