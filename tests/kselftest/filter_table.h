/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of filter expressions, filters.txt, which says itself what may be
 * in it.
 */
#ifndef FILTER_TABLE_H
#define FILTER_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* What a row may be marked with; the table describes them. */
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
 * @source: as it stands in the table, without the marks
 * @text: what is meant; may have NULs in it; one more comes after it
 * @len: bytes of @text
 * @marks: mask of FILTER_*
 * @line: where in the table
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
 * @path: of the table
 * @rows: set to the rows, or NULL
 *
 * Return: how many there are; -1 if the table cannot be read or made sense of,
 * which is then said on stderr.
 */
int filter_table_read(const char *path, struct filter_row **rows);

/** filter_table_free() - free the @n rows that were read */
void filter_table_free(struct filter_row *rows, int n);

#endif /* FILTER_TABLE_H */
