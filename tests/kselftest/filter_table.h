/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the table of filter expressions, filters.txt. Its first lines describe its form.
 */
#ifndef FILTER_TABLE_H
#define FILTER_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* The marks that a row may have; the table describes them. */
#define FILTER_ERRNO	  (1u << 0)
#define FILTER_SUFFIX	  (1u << 1)
#define FILTER_FIELD	  (1u << 2)
#define FILTER_DATA	  (1u << 3)
#define FILTER_STACKTRACE (1u << 4)
#define FILTER_FUNCTION	  (1u << 5)
#define FILTER_CPUS	  (1u << 6)
#define FILTER_MARKS	  7

/** filter_marks - names of the marks, in the order of their bits */
extern const char *const filter_marks[FILTER_MARKS];

/**
 * struct filter_row - one expression
 * @source: the expression as written in the table, without the marks
 * @text: the expression after expansion of %{}; may contain NULs, and a NUL follows
 * @len: bytes of @text, without the NUL that follows
 * @marks: mask of FILTER_*
 * @line: number of the line in the table
 */
struct filter_row {
	char *source;
	char *text;
	size_t len;
	unsigned int marks;
	int line;
};

/**
 * filter_table_read() - read the table
 * @path: path of the table
 * @rows: set to the rows, or to NULL; to be freed with filter_table_free()
 *
 * Return: the number of rows; -1 and a message on stderr if the table cannot be read or
 * is malformed.
 */
int filter_table_read(const char *path, struct filter_row **rows);

/** filter_table_free() - free the @n rows that were read */
void filter_table_free(struct filter_row *rows, int n);

#endif /* FILTER_TABLE_H */
