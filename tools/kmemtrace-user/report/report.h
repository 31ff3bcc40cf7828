/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the command report is made of: its table (report_table.c), its text
 * (report_text.c) and its JSON (report_json.c).
 */
#ifndef REPORT_H
#define REPORT_H

#include "base/listing.h"
#include "report/analysis.h"
#include "report/event_filter.h"
#include "report/threads.h"
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
	COL_NAME,
	COLS_TEXT, /* the columns up to here are in the text */
	COL_WASTE_BYTES = COLS_TEXT,
	COL_LIVE_REQ,
	COL_FAILED,
	COL_REMOTE,
	COL_IMPLICIT,
	COL_LOW,
	COL_HIGH,
	COL_OBJECTS_LOW,
	COL_OBJECTS_HIGH,
	COLS,
};

/**
 * struct report - a report
 * @by: what there is a row for
 * @sort: by which column
 * @top: so many rows; 0: all
 * @raw_ip: addresses instead of symbols
 * @verbose: of --verbose
 * @format: of the output
 * @expression: of --filter; NULL: all records count
 * @since: of --since; NULL: from the beginning
 * @until: of --until; NULL: to the end
 * @filter: of @expression
 * @no_live: why the recording cannot tell what is live; NULL: it can
 * @matched: records that match it
 * @in: the recording
 * @a: its sums
 * @processes: BY_PROCESS: their names
 * @rows: of the table, in the order that equal ones have
 * @list: the table
 */
struct report {
	enum analysis_by by;
	enum column sort;
	size_t top;
	bool raw_ip;
	bool verbose;
	enum table_format format;
	const char *expression;
	const char *since;
	const char *until;
	struct event_filter *filter;
	const char *no_live;
	uint64_t matched;
	struct input in;
	struct analysis a;
	struct pidnames processes;
	const struct group **rows;
	struct listing list;
};

extern const char *const report_types[ANALYSIS_TYPES];
extern const char *const report_classes[CLASSES];
extern struct table_column report_columns[COLS];

/** report_is_uncertain() - whether any live figure may be wrong */
bool report_is_uncertain(const struct report *r);

/** report_is_overwritten() - whether older records are not there any more */
bool report_is_overwritten(const struct report *r);

/** report_sort() - make the rows and the table; false if memory ran out */
bool report_sort(struct report *r);

/** report_cell() - a table_get; @arg: a struct report */
void report_cell(void *arg, size_t row, size_t column,
		 struct table_cell *cell);

/** report_tenths_wasted() - of what was allocated, tenths of a percent */
uint64_t report_tenths_wasted(uint64_t alloc, uint64_t req);

/** report_seconds() - from the first record to the last; 0 without times */
double report_seconds(const struct report *r);

/**
 * report_uncertain() - how much of a live figure is known to be uncertain
 * @r: the report
 * @class: of what
 *
 * Return: bytes.
 */
uint64_t report_uncertain(const struct report *r, enum analysis_class class);

/** report_print_text() - print the report as text */
void report_print_text(struct report *r);

/**
 * report_print_json() - print the report as JSON
 * @r: the report
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int report_print_json(struct report *r);

#endif /* REPORT_H */
