/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of the command timeline: the rows (cmd_timeline.c), text (timeline_text.c),
 * CSV and JSON (timeline_data.c).
 */
#ifndef TIMELINE_VIEW_H
#define TIMELINE_VIEW_H

#include "report/report.h"
#include "report/timeline.h"

enum timeline_column {
	TIMELINE_PEAK,
	TIMELINE_AT,
	TIMELINE_LIVE,
	TIMELINE_KIND,
	TIMELINE_NAME,
	TIMELINE_COLS,
};

/**
 * struct timeline_view - the command
 * @r: the recording
 * @t: the timeline
 * @top: maximum number of rows; 0: all
 * @list: the groups, the highest peak first; groups without live memory are not shown
 * @count: number of groups with live memory
 */
struct timeline_view {
	struct report r;
	struct timeline t;
	size_t top;
	struct listing list;
	size_t count;
};

extern struct table_column timeline_columns[TIMELINE_COLS];

/** timeline_view_series() - get the series of a row */
const struct timeline_series *timeline_view_series(const struct timeline_view *v,
						   size_t row);

/** timeline_view_cell() - get a cell of the table of rows; see table_get */
void timeline_view_cell(const struct timeline_view *v, size_t row, size_t column,
			struct table_cell *cell);

/** timeline_view_mixes() - whether slabs and pages both count and have live memory */
bool timeline_view_mixes(const struct timeline_view *v);

/** timeline_print_text() - draw the timeline; EXIT_* */
int timeline_print_text(const struct timeline_view *v);

/** timeline_print_csv() - print a line for each bucket and row */
void timeline_print_csv(const struct timeline_view *v);

/** timeline_print_json() - print everything as JSON; EXIT_* */
int timeline_print_json(const struct timeline_view *v);

struct json_t;

/** timeline_json_series() - add the arrays of a series, and its peak, to an object */
void timeline_json_series(struct json_t *object, const struct timeline *t,
			  const struct timeline_series *s);

/** timeline_json_total() - the sum of all groups, with losses and bounds, as JSON */
struct json_t *timeline_json_total(const struct timeline *t);

#endif /* TIMELINE_VIEW_H */
