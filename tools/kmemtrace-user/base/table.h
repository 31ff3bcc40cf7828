/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables: text, CSV and JSON from the same list of columns.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum table_format { TABLE_TEXT, TABLE_CSV, TABLE_JSON };

enum table_kind {
	TABLE_BYTES,	    /* text: 12.3MiB */
	TABLE_COUNT,	    /* text: 12.3M; units are powers of 1000 */
	TABLE_BYTES_CHANGE, /* difference in bytes; text: +12.3MiB */
	TABLE_COUNT_CHANGE, /* difference of counts; text: +12.3M */
	TABLE_KIB,	    /* bytes; text: in KiB, all digits */
	TABLE_KIB_CHANGE,   /* difference in bytes; text: +12, in KiB, all digits */
	TABLE_PERCENT,	    /* in tenths of a percent */
	TABLE_AGE,	    /* in ms; text: 12m */
	TABLE_DURATION,	    /* in ns; text: 12.3us */
	TABLE_NUMBER,	    /* all digits, also in text; for example a PID */
	TABLE_SIGNED,	    /* the same, but may be negative */
	TABLE_ADDRESS,	    /* text and CSV: hexadecimal; JSON: "0x..." */
	TABLE_STRING,
};

/* number of columns of an array */
#define TABLE_COLUMNS(array) (sizeof(array) / sizeof(*(array)))

/* a column with titles, and a column for each NUMA node, at most 1024 */
#define TABLE_COLUMNS_MAX 1025

/* a string of more bytes does not make its column wider */
#define TABLE_STRING_WIDEST 40

/**
 * struct table_column - one column
 * @title: title in text, in capitals; NULL in the first column: text has no line of
 *	titles
 * @key: name in CSV and JSON, and for --sort; NULL in the first column: CSV has no line of
 *	keys
 * @kind: kind of the values
 * @width: the least width in text; 0: the values are not aligned, for the last column
 * @help: what the values are, for people
 */
struct table_column {
	const char *title;
	const char *key;
	enum table_kind kind;
	int width;
	const char *help;
};

/**
 * struct table_cell - one value
 * @before: columns before the one that is wanted
 * @number: the value, unless the column's kind is TABLE_STRING. Bytes, counts and their
 *	changes are an int64_t.
 * @unknown: the value is not known: "-" in text, nothing in CSV, null in JSON
 * @blank: the value does not exist: nothing in text and CSV, null in JSON
 * @beyond: the value is only known to be larger than @number: ">12.3us" in text, nothing
 *	in CSV, null in JSON
 * @string: the value, if the column's kind is TABLE_STRING
 */
struct table_cell {
	size_t before;
	uint64_t number;
	bool unknown;
	bool blank;
	bool beyond;
	char string[4096];
};

/**
 * typedef table_get - get the value of a cell
 * @arg: argument of the function that makes the table
 * @row: row of the cell, counted from 0
 * @cell: set to the value; it is 0, or "", before the call
 *
 * The function gives the values of all columns in their order; the cell takes one of them:
 *
 *	row_number(cell, site->live);
 *	row_text(cell, site->location);
 */
typedef void (*table_get)(void *arg, size_t row, struct table_cell *cell);

/** table_get_cell() - call @get for a column, counted from 0 */
void table_get_cell(table_get get, void *arg, size_t row, size_t column,
		    struct table_cell *cell);

/** row_wants() - whether the next column is the one that is wanted; each call is for a column */
static inline bool row_wants(struct table_cell *cell)
{
	return !cell->before--;
}

/** row_number() - give a number */
static inline void row_number(struct table_cell *cell, uint64_t number)
{
	if (row_wants(cell))
		cell->number = number;
}

/** row_known() - give a number that is known if @known */
static inline void row_known(struct table_cell *cell, bool known, uint64_t number)
{
	if (!row_wants(cell))
		return;
	cell->number = number;
	cell->unknown = !known;
}

/** row_existing() - give a number that exists if @exists */
static inline void row_existing(struct table_cell *cell, bool exists, uint64_t number)
{
	if (!row_wants(cell))
		return;
	cell->number = number;
	cell->blank = !exists;
}

/** row_text() - give a string, which table_clean() makes printable; NULL: not known */
void row_text(struct table_cell *cell, const char *text);

/** row_format() - give a string, as printf */
void row_format(struct table_cell *cell, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * typedef table_below - get a line below a row
 * @arg: argument of table_print_tree()
 * @row: the row, counted from 0
 * @i: number of the line below this row, counted from 0
 * @line: set to the line
 *
 * Return: false if the row has no such line.
 */
typedef bool (*table_below)(void *arg, size_t row, size_t i,
			    const char **line);

/* bytes of a cell as text, unless it is a string */
#define TABLE_CELL_TEXT 32

/**
 * table_cell_text() - format a cell as text
 * @column: its column
 * @cell: the cell
 * @to: buffer, which may be used
 *
 * Return: the text, in @to or in @cell.
 */
const char *table_cell_text(const struct table_column *column,
			    const struct table_cell *cell,
			    char to[TABLE_CELL_TEXT]);

/** table_print_tree() - the same as table_print_text(), with indented lines below rows */
void table_print_tree(const struct table_column *columns, size_t nr_columns,
		      size_t nr_rows, table_get get, table_below below,
		      void *arg);

/** table_print_left_out() - print how many rows --top omitted; nothing if 0 */
void table_print_left_out(size_t rows);

/**
 * table_print_fact() - print a line outside of a table: a label and a value
 * @width: the least width of the label
 * @label: the label
 * @format: format of the value, as printf, without a newline
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

/** table_json() - make an array of objects from rows */
struct json_t *table_json(const struct table_column *columns,
			  size_t nr_columns, size_t nr_rows, table_get get,
			  void *arg);

/** table_json_values() - as table_json(), but a row is an array of its values */
struct json_t *table_json_values(const struct table_column *columns,
				 size_t nr_columns, size_t nr_rows,
				 table_get get, void *arg);

/**
 * table_json_address() - make a string "0x…" from an address
 * @address: the address
 *
 * Most readers of JSON lose bits of a large number; a string keeps them.
 *
 * Return: the string; a JSON null for 0.
 */
struct json_t *table_json_address(uint64_t address);

/** table_clean() - replace each byte by '?' that is not part of a printable character */
void table_clean(char *text);

/** table_clean_lines() - the same as table_clean(), but keep newlines */
void table_clean_lines(char *text);

/**
 * table_escape() - write such bytes as \xNN, which a filter understands
 * @to: gets the text
 * @size: bytes of @to, not 0: four times those of @text are always enough
 * @text: the text, for example the name of a thread
 *
 * A backslash is also written as \x5c if it would begin such a byte. So different texts are
 * written differently.
 */
void table_escape(char *to, size_t size, const char *text);

/**
 * table_cut() - find how much of a text fits into a line
 * @text: the text
 * @width: columns of the line; set to those that are used
 *
 * Return: the number of bytes.
 */
size_t table_cut(const char *text, size_t *width);

/** table_width() - number of columns that a text takes on a terminal */
size_t table_width(const char *text);

/** table_human() - format bytes as 12.3MiB; if @bytes is 0, a count as 12.3M */
const char *table_human(char *to, size_t size, uint64_t n, int bytes);

/**
 * table_signed() - format a number with a sign, as table_human() does without
 * @to: set to the text
 * @size: of @to, in bytes
 * @n: the number
 * @bytes: format bytes; else a count
 * @plus: a number above 0 gets a plus
 *
 * Return: @to.
 */
const char *table_signed(char *to, size_t size, int64_t n, bool bytes, bool plus);

/** table_age() - format milliseconds as 12m */
const char *table_age(char *to, size_t size, uint64_t ms);

#endif /* TABLE_H */
