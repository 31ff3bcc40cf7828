// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "html/tables.h"

static const char *kind_name(enum table_kind kind)
{
	static const char *const names[] = {
		[TABLE_BYTES] = "bytes", [TABLE_COUNT] = "count",
		[TABLE_PERCENT] = "percent", [TABLE_AGE] = "age",
		[TABLE_STRING] = "text",
	};

	return names[kind] ? names[kind] : "number";
}

static json_t *json_columns(const struct listing *l)
{
	json_t *columns = json_array();
	size_t i;

	for (i = 0; i < l->nr_columns; i++)
		json_array_append_new(columns,
				      json_pack("[s,s,s,s?]", l->columns[i].key,
						l->columns[i].title,
						kind_name(l->columns[i].kind),
						l->columns[i].help));
	return columns;
}

json_t *tables_json(const struct listing *l)
{
	return json_pack("{s:o,s:I,s:o}", "columns", json_columns(l), "left_out",
			 (json_int_t)(l->nr_rows - l->shown), "rows",
			 listing_json_values(l));
}

static json_int_t sum_from(const json_t *rows, size_t first, const char *key)
{
	json_int_t sum = 0;
	size_t i;

	for (i = first; i < json_array_size(rows); i++)
		sum += json_integer_value(
			json_object_get(json_array_get(rows, i), key));
	return sum;
}

void tables_cut(json_t *document, const char *name, size_t max,
	       const char *const *sums)
{
	json_t *rows = json_object_get(document, name), *left;
	size_t count = json_array_size(rows);

	left = json_pack("{s:I}", "rows",
			 (json_int_t)(count > max ? count - max : 0));
	for (; *sums; sums++)
		json_object_set_new(left, *sums,
				    json_integer(sum_from(rows, max, *sums)));
	while (json_array_size(rows) > max)
		json_array_remove(rows, json_array_size(rows) - 1);
	json_object_set_new(document, "left_out", left);
}

json_t *tables_lines(char *text)
{
	json_t *lines = json_array();
	char *save = NULL, *line;

	for (line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		table_clean(line);
		json_array_append_new(lines, json_string(line));
	}
	free(text);
	return lines;
}
