/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The content of the page: the tables of report, the timelines and the stacks of a
 * recording. The command reads the recording once for each.
 */
#ifndef CONTENT_HTML_H
#define CONTENT_HTML_H

#include "export/formats.h"
#include "export/profile.h"
#include "html/ages.h"
#include "report/report.h"

struct json_t;

/* The tables of the page. */
enum content_table {
	CONTENT_KINDS,
	CONTENT_SITES,
	CONTENT_CACHES,
	CONTENT_PROCESSES,
	CONTENT_SIZES, /* of each site; without a timeline */
	CONTENT_TABLES,
};

/* names of the tables in the document */
extern const char *const content_tables[CONTENT_TABLES];

/**
 * struct content - a recording
 * @e: the command line
 * @table: the tables, the highest peaks first; not CONTENT_SIZES
 * @is_open: the input of @table is open
 * @timeline: the timelines of @table, with flows; none of CONTENT_SIZES
 * @ages: live memory of the rows of CONTENT_SITES
 * @sizes: the table CONTENT_SIZES as JSON: it may have very many groups, and few rows
 * @stacks: timeline of @profile, with flows: profile_row.group is the number of a series.
 *	timeline.a is not valid any more
 * @profile: the stacks
 * @leaks: for each row of @profile, whether leaks names its call site; NULL: not known;
 *	see verdicts_add()
 */
struct content {
	struct export e;
	struct report table[CONTENT_TABLES];
	bool is_open[CONTENT_TABLES];
	struct timeline timeline[CONTENT_TABLES];
	struct ages ages;
	struct json_t *sizes;
	struct timeline stacks;
	struct profile profile;
	bool *leaks;
};

/**
 * content_read() - read a recording
 * @s: the content, with @s->e; otherwise zeros
 *
 * Prints a message on failure. The caller calls content_end() in any case.
 *
 * Return: EXIT_DONE, EXIT_FAILED or EXIT_USAGE.
 */
int content_read(struct content *s);

/**
 * content_end() - print notes about the filter, and free all memory
 * @s: the content
 * @ret: the exit status so far
 *
 * Return: @ret; EXIT_LOST instead of EXIT_DONE if events are missing.
 */
int content_end(struct content *s, int ret);

/** content_table() - make a table without flows */
struct json_t *content_table(const struct report *r);

/** content_has_timeline() - whether times and live memory are known */
bool content_has_timeline(const struct content *s);

#endif /* CONTENT_HTML_H */
