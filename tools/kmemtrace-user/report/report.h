/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of the command report: reading (report_read.c), table (report_table.c), other
 * tables (report_views.c), call tree (report_tree.c), text (report_text.c) and JSON
 * (report_json.c). The command timeline reads a recording in the same way.
 */
#ifndef REPORT_H
#define REPORT_H

#include <stdio.h>

#include "base/listing.h"
#include "base/pairs.h"
#include "report/analysis.h"
#include "report/event_filter.h"
#include "report/keys.h"
#include "report/lifetimes.h"
#include "report/lines.h"
#include "report/peaks.h"
#include "report/temporary.h"
#include "report/timeline.h"
#include "trace/input.h"

enum column {
	COL_LIVE,
	COL_OBJECTS,
	COL_ALLOCS,
	COL_FREES,
	COL_REQ,
	COL_ALLOC,
	COL_WASTE,
	COL_KIND,
	COL_NAME, /* the last one in text */
	COL_WASTE_BYTES,
	COL_LIVE_REQ,
	COL_FAILED,
	COL_REMOTE,
	COL_IMPLICIT,
	COL_LOW,
	COL_HIGH,
	COL_OBJECTS_LOW,
	COL_OBJECTS_HIGH,
	COL_PEAK,
	COL_PEAK_LOW,
	COL_PEAK_HIGH,
	COLS,
};

/* The figures that a report shows of each group. */
enum report_view {
	VIEW_ROWS,
	VIEW_LIFETIMES,
	VIEW_TEMPORARY,
	VIEW_MATRIX, /* of pairs of CPUs or nodes, not of groups */
};

/* in place of the node of a CPU: it is not known */
#define MATRIX_UNKNOWN UINT32_MAX

/* frees by the CPU, or the node, of the allocation and of the free */
struct matrix {
	struct analysis_watch watch;	/* watches the analysis */
	/* for each CPU, its node + 1, or 0 if it is not known; NULL: the matrix is by CPU */
	uint32_t *nodes;
	size_t nr_nodes;		/* number of elements of @nodes */
	struct pairs pairs;		/* pairs of an allocating and a freeing CPU or node */
	/* for each of @pairs, its frees */
	struct matrix_cell {
		uint64_t frees;
		uint64_t bytes;
	} *cells;
	size_t room;			/* number of elements that fit into @cells */
};

/* a report */
struct report {
	struct keys keys;		/* the properties that the rows are made by */
	enum column sort;		/* column of the view to sort by */
	size_t top;			/* maximum number of rows; 0: all rows */
	bool tree;			/* print a call tree instead of the table */
	bool callers;			/* value of --callers, which is the default */
	bool callees;			/* the tree begins with the innermost functions */
	/* maximum number of functions in a path of the tree; 0: no limit */
	size_t depth;
	unsigned int min_tenths;	/* the tree has nodes from this percentage on, in tenths */
	bool verbose;			/* print details below the table */
	enum table_format format;	/* the output format */
	const char *expression;		/* value of --filter; NULL: all records count */
	const char *since;		/* value of --since; NULL: from the beginning */
	const char *until;		/* value of --until; NULL: to the end */
	const char *at;			/* value of --at; NULL: at the end */
	uint64_t in_limit;		/* of --at peak: number of records up to the peak; 0: all */
	bool wants_peaks;		/* determine @peaks */
	bool numbers_records;		/* determine peaks.now */
	/* the caller of report_read() uses the tables of live allocations */
	bool needs_live;
	/* called before the first record, to add watches to @a; NULL: not needed */
	void (*watch)(struct report *r);
	void *watch_arg;		/* for @watch and @each */
	/*
	 * called for each record, after it was added, also if it does not match @filter; false if
	 * it failed, with a message. NULL: not needed
	 */
	bool (*each)(struct report *r, const struct merged *record, bool matches);
	bool failed;			/* @each failed */
	struct analysis_watch each_watch; /* calls @each, if the records are not added one by one */
	struct peaks peaks;		/* the highest live memory */
	enum report_view view;		/* what is shown */
	const char *sort_name;		/* value of --sort; NULL: the default */
	size_t within;			/* of VIEW_TEMPORARY: value of --within */
	bool by_node;			/* of VIEW_MATRIX: by node instead of CPU */
	struct lifetimes lifetimes;	/* of VIEW_LIFETIMES */
	struct temporary temporary;	/* of VIEW_TEMPORARY */
	struct matrix matrix;		/* of VIEW_MATRIX */
	struct timeline *timeline;	/* set by the command timeline; otherwise NULL */
	const char *debuginfo;		/* value of --debuginfo, or NULL */
	struct lines *lines;		/* source lines, from @debuginfo */
	struct event_filter *filter;	/* the compiled @expression */
	/* the reason why live memory is not known; NULL if it is known */
	const char *no_live;
	uint64_t matched;		/* number of records that match @filter */
	struct input in;		/* the recording */
	struct analysis a;		/* sums of the recording */
	/* the groups in the order used for rows with equal values */
	const struct group **rows;
	struct listing list;		/* the table: @columns */
	/* the columns of the view, with one column for each key */
	struct table_column columns[COLS - 1 + KEYS_MAX];
};

extern const struct table_column report_columns[COLS];

/**
 * report_read() - read the recording
 * @r: the report, with an open input and the options of the command
 * @command: name of the command, for messages
 *
 * Prints a message if it fails. The caller calls report_free() in any case.
 *
 * Return: EXIT_DONE, EXIT_FAILED or EXIT_USAGE.
 */
int report_read(struct report *r, const char *command);

/** report_free() - undo report_read() and report_sort(); the input stays open */
void report_free(struct report *r);

/**
 * report_end() - end a command that prints a report
 * @r: the report, with an open input
 * @ret: exit status of the command up to now
 *
 * Prints notes about the filter, and frees everything, including the input.
 *
 * Return: @ret; EXIT_LOST instead of EXIT_DONE if events are missing, see losses_exit().
 */
int report_end(struct report *r, int ret);

/** report_view_begin() - start to gather the figures of the view */
void report_view_begin(struct report *r);

/** report_view_finish() - complete the figures of the view */
void report_view_finish(struct report *r);

/**
 * report_view_check() - check whether the recording describes what the view needs
 * @r: the report, with an open input
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int report_view_check(const struct report *r);

/** report_view_free() - undo report_view_begin() */
void report_view_free(struct report *r);

/**
 * report_view_sort() - set the column to sort by
 * @r: the report, with its view
 * @name: key of the column
 *
 * Return: EXIT_DONE; EXIT_USAGE, with a message, if the view has no such column.
 */
int report_view_sort(struct report *r, const char *name);

/** report_view_list() - set the columns and rows of @r->list */
void report_view_list(struct report *r);

/** report_print_matrix() - draw the matrix; false if it has too many CPUs */
bool report_print_matrix(const struct report *r);

/* below sums of several kinds */
#define REPORT_KINDS_NOTE                                                      \
	"Pages include those of slabs and of large kmallocs: do not add the lines up."

/** report_is_uncertain() - whether any live figure may be wrong */
bool report_is_uncertain(const struct report *r);

/** report_is_overwritten() - whether older records may have been overwritten */
bool report_is_overwritten(const struct report *r);

/** report_is_behind() - whether --at peak:CLASS asks for other classes, which come first */
bool report_is_behind(const struct report *r, enum site_kind class);

/** report_sort() - create the rows and the table */
void report_sort(struct report *r);

/** report_name() - the keys of a group, separated by commas, as printable ASCII */
void report_name(struct report *r, const struct group *g, char *to, size_t size);

/** report_name_column() - get the column that has report_name() */
struct table_column report_name_column(const struct report *r);

/** report_column() - number in the table of a column of the view */
size_t report_column(const struct report *r, int column);

/** report_tree_sorts() - whether --tree can be sorted by a column */
bool report_tree_sorts(enum column column);

/** report_print_tree() - print the call tree as text */
void report_print_tree(struct report *r);

/** report_json_tree() - make an array of the call trees */
struct json_t *report_json_tree(struct report *r);

struct option_use;

/** report_take_by() - parse --by; as option_row.take */
int report_take_by(const struct option_use *use, struct report *r);

/** report_take_kind() - add a class of --kind to a mask, an unsigned int; as option_row.take */
int report_take_kind(const struct option_use *use);

/** report_cell() - table_get of VIEW_ROWS; @arg: a struct report */
void report_cell(void *arg, size_t row, struct table_cell *cell);

/** report_group_text() - give the kind of a group and its keys */
void report_group_text(struct table_cell *cell, struct report *r, const struct group *g);

/** report_tenths_wasted() - waste in tenths of a percent of the allocated bytes */
uint64_t report_tenths_wasted(uint64_t alloc, uint64_t req);

/** report_seconds() - seconds from the first record to the last; 0 without times */
double report_seconds(const struct report *r);

/** report_uncertain() - get the known uncertainty of a live figure. Return: bytes. */
uint64_t report_uncertain(const struct report *r, enum site_kind class);

/**
 * report_print_text() - print the report as text
 * @r: the report
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
void report_print_text(struct report *r);

/**
 * report_print_json() - print the report as JSON
 * @r: the report
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int report_print_json(struct report *r);

/** report_json() - the document of report_print_json() without rows; NULL: no memory */
struct json_t *report_json(const struct report *r);

/* bytes of report_title() */
#define REPORT_TITLE_MAX 1024

/**
 * report_title() - name a recording: its file and its kernel, as printable ASCII
 * @r: the report
 * @path: name of the file
 * @to: buffer of REPORT_TITLE_MAX bytes
 */
void report_title(const struct report *r, const char *path, char *to);

/**
 * report_words() - write the sentences of -v: what is live, its error, and losses
 * @r: the report; all records have been read
 * @out: stream to write to
 */
void report_words(const struct report *r, FILE *out);

#endif /* REPORT_H */
