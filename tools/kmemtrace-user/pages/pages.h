/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command pages: who allocated each page, joined with what it is now. Each of
 * the things that it can show is in a file of its own, pages_*.c.
 */
#ifndef PAGES_H
#define PAGES_H

#include <stdbool.h>

#include "base/listing.h"
#include "pages/pagegroups.h"
#include "pages/process_cost.h"
#include "pages/shares.h"
#include "pages/survey.h"

/**
 * struct pages_options - what the command line says
 * @format: of the output
 * @verbose: of --verbose
 * @top: rows to show; 0: all
 * @sort: column to sort by; NULL: each has its own
 * @by: what rows are made by
 * @nr_by: how many of these
 * @filter: which pages count
 * @leaks: only those that nothing leads to
 * @process: of --process
 * @input: a recording to take allocations of processes from, or NULL
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
 * pages_sort_column() - the column of --sort
 * @o: the options
 * @columns: the columns that there are
 * @nr_columns: how many
 * @otherwise: key of the column without --sort
 *
 * Return: its number; -1 after a message.
 */
int pages_sort_column(const struct pages_options *o,
		      const struct table_column *columns, size_t nr_columns,
		      const char *otherwise);

/**
 * pages_show() - print a table and what is said below it
 * @o: the options
 * @l: the table; sorted and freed
 * @column: to sort by
 * @text: prints what is said below a table of text, passed @l->arg
 * @totals: the same as members of an object of JSON, passed @l->arg
 * @w: the walk that they are of
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int pages_show(const struct pages_options *o, struct listing *l, size_t column,
	       void (*text)(void *arg), struct json_t *(*totals)(void *arg),
	       const struct survey *w);

/**
 * pages_list_shares() - which sites have rows in a table of shares
 * @o: the options: --site narrows them
 * @sites: the sites
 * @s: their shares
 * @row: set to the numbers of the sites, to be freed
 * @count: set to how many
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int pages_list_shares(const struct pages_options *o, const struct sites *sites,
		      const struct shares *s, uint32_t **row, size_t *count);

/**
 * pages_print_json() - print what is shown as JSON
 * @rows: the rows of the table
 * @totals: what belongs to no row, or NULL
 * @w: the walk that they are of, or NULL
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int pages_print_json(struct json_t *rows, struct json_t *totals,
		     const struct survey *w);

/** pages_bytes() - bytes of so many pages */
uint64_t pages_bytes(uint64_t pages);

/** pages_age() - a TABLE_AGE of an age in hundredths, of which @known are known */
void pages_age(uint64_t hundredths, uint64_t known, struct table_cell *cell);

/** pages_by() - rows by site and so on; EXIT_* */
int pages_by(const struct pages_options *o);

/** pages_fragmenting() - who has unmovable pages in movable pageblocks; EXIT_* */
int pages_fragmenting(const struct pages_options *o);

/** pages_pinned() - who keeps partly empty slabs alive; EXIT_* */
int pages_pinned(const struct pages_options *o);

/** pages_process() - what processes cost; EXIT_* */
int pages_process(const struct pages_options *o);

/**
 * pages_cost() - what one process costs, in all detail
 * @o: the options
 * @c: how that was told
 * @cost: it
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int pages_cost(const struct pages_options *o, const struct process_costs *c,
	       const struct process_cost *cost);

/** pages_page_owner() - the text of the kernel's page_owner; EXIT_* */
int pages_page_owner(const struct pages_options *o);

#endif /* PAGES_H */
