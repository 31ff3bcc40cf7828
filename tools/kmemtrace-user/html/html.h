/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of the command html: the page and its document (cmd_html.c), what a recording has
 * (content.c), flows (flows.c), ages (ages.c), and a state of accounting (state.c).
 */
#ifndef HTML_H
#define HTML_H

#include <linux/kmemtrace_ages.h>

#include "account/tags.h"
#include "base/listing.h"
#include "export/formats.h"
#include "export/profile.h"
#include "report/report.h"
#include "report/timeline.h"
#include "trace/anonymize.h"

struct json_t;

/* --- tables, which recordings and states have in common (content.c) ----------- */

/** tables_json() - make a table: columns, rows, number of rows left out */
struct json_t *tables_json(const struct listing *l);

/** tables_cut_waste() - keep the rows of waste that the page has; "left_out" has the others */
void tables_cut_waste(struct json_t *waste);

/** tables_cut_leaks() - the same of the command leaks */
void tables_cut_leaks(struct json_t *leaks);

/** tables_lines() - make an array of the lines of a text, which is freed; may be NULL */
struct json_t *tables_lines(char *text);

/* --- live memory by age ------------------------------------------------------- */

/* live memory of a recording, by group and age */
struct ages {
	struct lifetimes life;		/* the time of each allocation */
	const struct analysis *a;	/* the analysis; NULL: live memory is not known */
	/* for each group, the buckets of kmemtrace_ages.h, in ticks of AGES_TICK_NS */
	struct ages_group {
		struct kmemtrace_ages_sum age[KMEMTRACE_AGES_BUCKETS];
	} *group;
	size_t nr_groups;		/* number of @group */
};

/** ages_begin() - start to watch the analysis of a report */
void ages_begin(struct ages *ages, struct report *r);

/** ages_finish() - count what is live, after report_read() */
void ages_finish(struct ages *ages);

/** ages_exit() - free the memory; a struct of zeros is empty */
void ages_exit(struct ages *ages);

/** ages_of_recording() - the ages at the end, for the rows of a table after report_sort() */
struct json_t *ages_of_recording(const struct ages *ages, const struct report *r);

/** ages_of_module() - those in the module's file ages, or why not; @tags: the rows of @l */
struct json_t *ages_of_module(const struct tags *tags, const struct listing *l);

/* --- the content of a recording, which is read once for each table ------------- */

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

/* a recording */
struct content {
	struct export e;			/* the command line */
	/* the tables, the highest peaks first; not CONTENT_SIZES */
	struct report table[CONTENT_TABLES];
	bool is_open[CONTENT_TABLES];		/* the input of @table is open */
	/* the timelines of @table, with flows; none of CONTENT_SIZES */
	struct timeline timeline[CONTENT_TABLES];
	struct ages ages;			/* live memory of the rows of CONTENT_SITES */
	/* the table CONTENT_SIZES as JSON: it may have very many groups, and few rows */
	struct json_t *sizes;
	/*
	 * timeline of @profile, with flows: profile_row.group is the number of a series. timeline.a
	 * is not valid any more
	 */
	struct timeline stacks;
	struct profile profile;			/* the stacks */
	/*
	 * for each row of @profile, whether leaks names its call site; NULL: not known; see
	 * content_judge()
	 */
	bool *leaks;
};

/** content_read() - read a recording; EXIT_*. The caller calls content_end() in any case. */
int content_read(struct content *s);

/** content_end() - print notes about the filter, and free all memory. Return: as report_end(). */
int content_end(struct content *s, int ret);

/** content_table() - make a table without flows */
struct json_t *content_table(const struct report *r);

/** content_has_timeline() - whether times and live memory are known */
bool content_has_timeline(const struct content *s);

/**
 * content_judge() - add the documents of the commands waste and leaks to a document
 * @document: gets the members "waste" and "leaks". Each may be an object with the member
 *	"why" alone: the reason why there is none
 * @s: the content; @s->leaks is set if the verdicts are known
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int content_judge(struct json_t *document, struct content *s);

/* --- allocations and frees by step of time ------------------------------------- */

/*
 * The page has at most so many steps, which are flows of the timeline, and so many series of
 * each table. Series that have no place are one sum for each kind of memory.
 */
#define FLOWS_STEPS  (TIMELINE_BUCKETS / TIMELINE_FLOW)
#define FLOWS_SERIES 250

/* sums of several series, by step */
struct flows {
	struct timeline_flow sum[FLOWS_STEPS];	/* the sums */
};

/* what is ranked */
struct ranked {
	uint64_t peak;	/* its highest live bytes; 0: not known */
	uint64_t alloc;	/* bytes that it allocated */
};

/**
 * ranking_make() - put what has a place in the page in order
 * @items: what is ranked
 * @count: number of @items
 *
 * Each beginning has, in equal parts, what had most live bytes and what allocated most.
 *
 * Return: numbers of all items in their order, which the caller frees.
 */
uint32_t *ranking_make(const struct ranked *items, size_t count);

/** flows_add() - add a series to sums; a @series that does not exist has no flows */
void flows_add(struct flows *f, const struct timeline *t, size_t series);

/** flows_json() - arrays without steps in which nothing happened; @row: of the table, or -1 */
struct json_t *flows_json(const struct flows *f, int64_t row, const char *kind);

/** flows_group() - number of the group that a row of a table shows */
size_t flows_group(const struct report *r, size_t row);

/** flows_of_table() - the flows of the rows of a table, as JSON */
struct json_t *flows_of_table(const struct report *r, const struct timeline *t);

/* --- a state of accounting ------------------------------------------------------ */

/**
 * state_document() - read a state, and make its document
 * @path: the file; NULL: the module, and the machine
 * @seconds: time to observe for leaks; 0: do not
 * @how: what to leave out: addresses, names of processes
 * @ret: set to the document
 *
 * Return: EXIT_DONE; EXIT_FAILED, after a message: with a document, this lacks some parts.
 */
int state_document(const char *path, double seconds, const struct anonymize *how,
		   struct json_t **ret);

#endif /* HTML_H */
