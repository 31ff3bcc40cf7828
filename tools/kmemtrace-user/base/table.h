/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables: one list of columns makes the text, the CSV and the JSON.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum table_format { TABLE_TEXT, TABLE_CSV, TABLE_JSON };

enum table_kind {
	TABLE_BYTES,   /* text: 12.3M */
	TABLE_COUNT,   /* text: 12.3M as well, by thousands */
	TABLE_PERCENT, /* in tenths */
	TABLE_AGE,     /* in milliseconds; text: 12m */
	TABLE_NUMBER,  /* as it is, in text as well: of a process */
	TABLE_STRING,
};

/**
 * struct table_column - one column
 * @title: in text, in capitals
 * @key: in CSV and JSON, and for --sort
 * @kind: what it holds
 * @width: in text; 0: as long as it is, for the last one
 */
struct table_column {
	const char *title;
	const char *key;
	enum table_kind kind;
	int width;
};

/**
 * struct table_cell - one value; which member depends on the column's kind
 * @number: of bytes, counts, tenths of percents
 * @unknown: nobody can tell: "-" in text, nothing in CSV, null in JSON
 * @string: of strings
 */
struct table_cell {
	uint64_t number;
	bool unknown;
	char string[4096];
};

/**
 * typedef table_get - the value of a cell
 * @arg: what table_print() was given
 * @row: counted from 0
 * @column: counted from 0
 * @cell: set to it; is not unknown before
 */
typedef void (*table_get)(void *arg, size_t row, size_t column,
			  struct table_cell *cell);

/** table_print_text() - print rows to stdout, with a line of titles */
void table_print_text(const struct table_column *columns, size_t nr_columns,
		      size_t nr_rows, table_get get, void *arg);

/** table_print_csv() - print rows as CSV (RFC 4180), with a line of keys */
void table_print_csv(const struct table_column *columns, size_t nr_columns,
		     size_t nr_rows, table_get get, void *arg);

struct json_t;

/** table_json() - rows as an array of objects; NULL if memory ran out */
struct json_t *table_json(const struct table_column *columns,
			  size_t nr_columns, size_t nr_rows, table_get get,
			  void *arg);

/** table_json_address() - "0x…", since most readers lose bits of a number; null
 * for 0 */
struct json_t *table_json_address(uint64_t address);

/** table_clean() - replace by '?' what is not printable ASCII, as a file may
 * hold anything */
void table_clean(char *text);

/** table_clean_lines() - the same, but lines stay lines */
void table_clean_lines(char *text);

/** table_human() - a number of bytes as 12.3M; of counts with @bytes 0 */
const char *table_human(char *to, size_t size, uint64_t n, int bytes);

/** table_age() - milliseconds as 12m */
const char *table_age(char *to, size_t size, uint64_t ms);

#endif /* TABLE_H */
