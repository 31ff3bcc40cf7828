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
	TABLE_BYTES,	    /* text: 12.3MiB */
	TABLE_COUNT,	    /* text: 12.3M, by thousands */
	TABLE_BYTES_CHANGE, /* by how many bytes; text: +12.3MiB */
	TABLE_COUNT_CHANGE, /* the same of a count */
	TABLE_KIB,	    /* bytes; text: in KiB, all digits */
	TABLE_PERCENT,	    /* in tenths */
	TABLE_AGE,	    /* in milliseconds; text: 12m */
	TABLE_NUMBER,	    /* as it is, in text as well: of a process */
	TABLE_ADDRESS,	    /* text: hexadecimal; JSON: "0x..." */
	TABLE_STRING,
};

/* a NUMA node each, of which there are up to 1024, and a title */
#define TABLE_COLUMNS_MAX 1025

/* a string that is longer does not make its column wider */
#define TABLE_STRING_WIDEST 40

/**
 * struct table_column - one column
 * @title: in text, in capitals; NULL in the first column: text has no line of titles
 * @key: in CSV and JSON, and for --sort
 * @kind: what it holds
 * @width: in text, at least; 0: as long as it is, for the last one
 */
struct table_column {
	const char *title;
	const char *key;
	enum table_kind kind;
	int width;
};

/**
 * struct table_cell - one value; which member depends on the column's kind
 * @number: of bytes, counts, tenths of percents; bytes, counts and their changes are
 *	an int64_t
 * @unknown: the value is not known: "-" in text, nothing in CSV, null in JSON
 * @blank: there is no such value: nothing in text and CSV, null in JSON
 * @string: of strings
 */
struct table_cell {
	uint64_t number;
	bool unknown;
	bool blank;
	char string[4096];
};

/**
 * typedef table_get - the value of a cell
 * @arg: what table_print() was given
 * @row: counted from 0
 * @column: counted from 0
 * @cell: set to it; is neither unknown nor blank before
 */
typedef void (*table_get)(void *arg, size_t row, size_t column,
			  struct table_cell *cell);

/**
 * typedef table_below - a line that belongs to a row
 * @arg: what table_print_tree() was given
 * @row: counted from 0
 * @i: which line of the row, counted from 0
 * @line: set to it
 *
 * Return: false behind the last one.
 */
typedef bool (*table_below)(void *arg, size_t row, size_t i,
			    const char **line);

/** table_print_tree() - table_print_text() with lines below rows, indented */
void table_print_tree(const struct table_column *columns, size_t nr_columns,
		      size_t nr_rows, table_get get, table_below below,
		      void *arg);

/** table_print_left_out() - say below a table how many rows --top left out, if any */
void table_print_left_out(size_t rows);

/**
 * table_print_fact() - print a line that is no row: a label, and a value
 * @width: of the label, at least
 * @label: the label
 * @format: of the value, as printf, without a newline
 */
void table_print_fact(int width, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

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

/** table_human() - a number of bytes as 12.3MiB; of counts with @bytes 0, as 12.3M */
const char *table_human(char *to, size_t size, uint64_t n, int bytes);

/** table_age() - milliseconds as 12m */
const char *table_age(char *to, size_t size, uint64_t ms);

#endif /* TABLE_H */
