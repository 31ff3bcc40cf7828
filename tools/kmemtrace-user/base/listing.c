// SPDX-License-Identifier: GPL-2.0-only
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/listing.h"
#include "base/msg.h"

static const char *unit_of(enum table_kind kind)
{
	switch (kind) {
	case TABLE_AGE:
		return "_ms";
	case TABLE_DURATION:
		return "_ns";
	case TABLE_BYTES_CHANGE:
	case TABLE_COUNT_CHANGE:
		return "_change";
	default:
		return "";
	}
}

static bool is_key_of(const struct table_column *c, const char *name)
{
	size_t len = strlen(name);
	const char *unit = unit_of(c->kind);

	return !strncmp(c->key, name, len) && (!c->key[len] || !strcmp(c->key + len, unit));
}

static bool is_title_of(const struct table_column *c, const char *name)
{
	return c->title && !strcasecmp(c->title, name);
}

static int listing_find(const struct table_column *columns, size_t nr_columns, const char *name,
			bool (*is_name_of)(const struct table_column *c, const char *name))
{
	size_t i;

	for (i = 0; i < nr_columns; i++)
		if (columns[i].kind != TABLE_STRING && is_name_of(&columns[i], name))
			return i;
	return -1;
}

int listing_column(const struct table_column *columns, size_t nr_columns,
		   const char *name)
{
	int column = listing_find(columns, nr_columns, name, is_key_of);

	return column < 0 ? listing_find(columns, nr_columns, name, is_title_of) : column;
}

int listing_no_column(const char *command, const struct table_column *columns,
		      size_t nr_columns, const char *name, const char *also)
{
	char list[600] = "";
	size_t i, at = 0;

	for (i = 0; i < nr_columns && at < sizeof(list); i++)
		if (columns[i].kind != TABLE_STRING)
			at += snprintf(list + at, sizeof(list) - at, "%s%s",
				       at ? ", " : "", columns[i].key);
	return msg_usage(command, "there is no column '%s' to sort by; the columns are %s%s%s",
			 name, list, also ? ", " : "", also ? also : "");
}

struct sort_key {
	uint64_t rank;
	uint32_t row;
	bool known;
};

static int by_key(const void *a, const void *b)
{
	const struct sort_key *x = a, *y = b;

	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? 1 : -1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Return: the sort key of a value: rows with larger keys come first. */
static uint64_t listing_rank(enum table_kind kind, uint64_t number)
{
	bool negative = (int64_t)number < 0;

	switch (kind) {
	case TABLE_BYTES_CHANGE:
	case TABLE_COUNT_CHANGE:
	case TABLE_KIB_CHANGE:
		/* by absolute value; if these are equal, growth comes first */
		return (negative ? -number : number) << 1 | !negative;
	case TABLE_BYTES:
	case TABLE_COUNT:
	case TABLE_KIB:
	case TABLE_SIGNED:
		return number ^ 1ull << 63;
	default:
		return number;
	}
}

static struct sort_key make_key(const struct listing *l, size_t row,
				size_t column)
{
	struct table_cell cell;

	table_get_cell(l->get, l->arg, row, column, &cell);
	if (cell.unknown || cell.blank)
		return (struct sort_key){ .row = row };
	return (struct sort_key){
		.rank = listing_rank(l->columns[column].kind, cell.number),
		.row = row,
		.known = true,
	};
}

void listing_keep(struct listing *l, size_t top)
{
	size_t i;

	l->row = xcalloc(l->nr_rows + 1, sizeof(*l->row));
	l->shown = top && top < l->nr_rows ? top : l->nr_rows;
	for (i = 0; i < l->shown; i++)
		l->row[i] = i;
}

void listing_sort(struct listing *l, size_t column, size_t top)
{
	struct sort_key *keys = xcalloc(l->nr_rows + 1, sizeof(*keys));
	size_t i;

	l->row = xcalloc(l->nr_rows + 1, sizeof(*l->row));
	for (i = 0; i < l->nr_rows; i++)
		keys[i] = make_key(l, i, column);
	qsort(keys, l->nr_rows, sizeof(*keys), by_key);
	l->shown = top && top < l->nr_rows ? top : l->nr_rows;
	for (i = 0; i < l->shown; i++)
		l->row[i] = keys[i].row;
	free(keys);
}

void listing_sort_by(struct listing *l, const char *key, size_t top)
{
	int column = listing_column(l->columns, l->nr_columns, key);

	assert(column >= 0);
	listing_sort(l, column, top);
}

static void get_shown(void *arg, size_t row, struct table_cell *cell)
{
	const struct listing *l = arg;

	l->get(l->arg, l->row[row], cell);
}

void listing_print(const struct listing *l, enum table_format format)
{
	if (format == TABLE_CSV) {
		table_print_csv(l->columns, l->nr_columns, l->shown, get_shown,
				(void *)l);
		return;
	}
	table_print_text(l->columns, listing_text_columns(l), l->shown, get_shown,
			 (void *)l);
	table_print_left_out(l->nr_rows - l->shown);
}

struct json_t *listing_json(const struct listing *l)
{
	return table_json(l->columns, l->nr_columns, l->shown, get_shown,
			  (void *)l);
}

struct json_t *listing_json_values(const struct listing *l)
{
	return table_json_values(l->columns, l->nr_columns, l->shown, get_shown,
				 (void *)l);
}

void listing_free(struct listing *l)
{
	free(l->row);
	l->row = NULL;
}
