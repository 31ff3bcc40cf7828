/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command pages: the allocation site of each page, joined with its current kind. Each
 * kind of output has its own file pages_*.c.
 */
#ifndef PAGES_H
#define PAGES_H

#include <stdbool.h>

#include "base/listing.h"
#include "pages/shares.h"
#include "pages/survey.h"

/* the keys that pages can be grouped by */
enum page_key {
	PAGES_BY_SITE,
	PAGES_BY_KIND,
	PAGES_BY_FLAGS,
	PAGES_BY_ORDER,
	PAGES_BY_ZONE,
	PAGES_BY_NODE,
	PAGES_BY_MIGRATETYPE,
	PAGES_BY_PROCESS,
	PAGES_BY_AGE,
	PAGES_BY_CGROUP,
	PAGE_KEYS,
};

/* names as in --by, for example "site" */
extern const char *const page_key_names[PAGE_KEYS];

/* maximum number of keys in one table */
#define PAGE_KEYS_MAX 2

/**
 * struct pages_options - the options of the command line
 * @format: output format
 * @verbose: --verbose was given
 * @top: number of rows to show; 0: all
 * @sort: column to sort by; NULL: the default of the output
 * @by: keys of the rows
 * @nr_by: number of keys in @by
 * @filter: selects the pages
 * @leaks: show only pages that no kernel structure accounts for
 * @process: argument of --process, or NULL
 * @input: recording with the allocations of processes, or NULL
 */
struct pages_options {
	enum table_format format;
	bool verbose;
	size_t top;
	const char *sort;
	enum page_key by[PAGE_KEYS_MAX];
	int nr_by;
	struct page_filter filter;
	bool leaks;
	const char *process;
	const char *input;
};

/**
 * pages_sort_column() - find the column to sort by
 * @o: the options
 * @columns: the columns
 * @nr_columns: number of columns
 * @otherwise: key of the default column, used without --sort
 *
 * Return: its number; -1 after a message.
 */
int pages_sort_column(const struct pages_options *o,
		      const struct table_column *columns, size_t nr_columns,
		      const char *otherwise);

/**
 * pages_show() - print a table and its totals
 * @o: the options
 * @l: the table; is sorted, printed and freed
 * @column: number of the column to sort by
 * @text: prints the totals below a text table; is passed @l->arg
 * @totals: returns the totals as a JSON object; is passed @l->arg
 * @w: the walk that the table was made from
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int pages_show(const struct pages_options *o, struct listing *l, size_t column,
	       void (*text)(void *arg), struct json_t *(*totals)(void *arg),
	       const struct survey *w);

/**
 * pages_list_shares() - list the sites that have a row in a table of shares
 * @o: the options; --site selects sites by their location
 * @sites: the sites
 * @s: their shares
 * @row: set to the numbers of the sites; must be freed
 * @count: set to the number of rows
 */
void pages_list_shares(const struct pages_options *o, const struct sites *sites,
		      const struct shares *s, uint32_t **row, size_t *count);

/**
 * pages_print_json() - print a table as JSON
 * @rows: the rows of the table
 * @totals: data that belongs to no row, or NULL
 * @w: the walk that the table was made from, or NULL
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int pages_print_json(struct json_t *rows, struct json_t *totals,
		     const struct survey *w);

/** pages_bytes() - convert a number of pages to bytes */
uint64_t pages_bytes(uint64_t pages);

/**
 * pages_parse_by() - parse the argument of --by
 * @text: "site" or "site,kind"
 * @by: set to the keys
 *
 * Return: number of keys; 0 if @text is invalid.
 */
int pages_parse_by(const char *text, enum page_key by[PAGE_KEYS_MAX]);

/** pages_by() - show pages grouped by keys such as the site; returns EXIT_* */
int pages_by(const struct pages_options *o);

/** pages_fragmenting() - show sites with unmovable pages in movable pageblocks; EXIT_* */
int pages_fragmenting(const struct pages_options *o);

/** pages_pinned() - show sites that keep partly empty slabs allocated; returns EXIT_* */
int pages_pinned(const struct pages_options *o);

/** pages_process() - show the memory cost of processes, or of one in detail; EXIT_* */
int pages_process(const struct pages_options *o);

/** pages_page_owner() - print pages as the kernel's page_owner does; returns EXIT_* */
int pages_page_owner(const struct pages_options *o);

#endif /* PAGES_H */
