// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/siterows.h"

static bool is_listed(const char *name, const char *list)
{
	char word[64];

	snprintf(word, sizeof(word), " %s ", name);
	return strstr(list, word);
}

static void insert_cell(struct insert *i, const struct table_column *column,
			const struct table_cell *cell)
{
	if (column->kind == TABLE_STRING)
		insert_text(i, cell->string);
	else if (cell->unknown || cell->blank || cell->beyond)
		insert_null(i);
	else if (column->kind == TABLE_PERCENT)
		insert_real(i, cell->number / 10.0);
	else
		insert_signed(i, cell->number);
}

static void siterows_write_rows(struct insert *i, const struct listing *l,
				const char *skip, uint64_t (*id)(void *arg, size_t row),
				void *arg)
{
	struct table_cell cell;
	size_t row, c;

	for (row = 0; row < l->shown; row++) {
		uint64_t number = id(arg, l->row[row]);

		if (!number)
			continue;
		insert_number(i, number);
		for (c = 0; c < l->nr_columns; c++) {
			if (is_listed(l->columns[c].key, skip))
				continue;
			cell.unknown = cell.blank = cell.beyond = false;
			l->get(l->arg, l->row[row], c, &cell);
			insert_cell(i, &l->columns[c], &cell);
		}
		insert_row(i);
	}
}

void siterows_write(struct database *d, const struct listing *l,
		    const char *skip, uint64_t (*id)(void *arg, size_t row),
		    void *arg)
{
	char columns[1024] = "id";
	struct insert i;
	size_t c, len = 2;

	for (c = 0; c < l->nr_columns; c++)
		if (!is_listed(l->columns[c].key, skip) &&
		    len < sizeof(columns))
			len += snprintf(columns + len, sizeof(columns) - len,
					",%s", l->columns[c].key);
	insert_begin(&i, d, "sites", columns);
	siterows_write_rows(&i, l, skip, id, arg);
	insert_end(&i);
}

/* A number, a text or null; anything else is written as JSON. */
static void insert_value(struct insert *i, const json_t *value)
{
	char *text;

	switch (json_typeof(value)) {
	case JSON_INTEGER:
		insert_signed(i, json_integer_value(value));
		break;
	case JSON_REAL:
		insert_real(i, json_real_value(value));
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		insert_number(i, json_is_true(value));
		break;
	case JSON_STRING:
		insert_text(i, json_string_value(value));
		break;
	case JSON_NULL:
		insert_null(i);
		break;
	default:
		text = json_dumps(value, JSON_COMPACT);
		insert_text(i, text);
		free(text);
	}
}

void siterows_meta(struct database *d, const json_t *document, const char *skip)
{
	struct insert i;
	const char *key;
	json_t *value;

	insert_begin(&i, d, "meta", "key,value");
	json_object_foreach((json_t *)document, key, value) {
		if (is_listed(key, skip))
			continue;
		insert_text(&i, key);
		insert_value(&i, value);
		insert_row(&i);
	}
	insert_end(&i);
}

void siterows_notes(struct database *d, char *text)
{
	char *line, *rest = NULL;
	struct insert i;

	insert_begin(&i, d, "notes", "note");
	for (line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		insert_text(&i, line);
		insert_row(&i);
	}
	insert_end(&i);
	free(text);
}
