/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of the command timeline: reading, the rows, CSV and JSON (timeline_view.c), text
 * (timeline_text.c), and a picture (timeline_svg.c).
 */
#ifndef TIMELINE_VIEW_H
#define TIMELINE_VIEW_H

#include "report/report.h"
#include "report/timeline.h"
#include "trace/anonymize.h"

/* columns of the table of rows */
enum { TIMELINE_KIND = 3, TIMELINE_NAME, TIMELINE_COLS };

/* a value of report.format, besides those of enum table_format */
enum { TIMELINE_SVG = TABLE_JSON + 1 };

/* the command */
struct timeline_view {
	struct report r;		/* the recording */
	struct timeline t;		/* the timeline */
	size_t top;			/* maximum number of rows; 0: all */
	const char *path;		/* value of --output, or NULL */
	size_t width;			/* value of --width; 0: the default */
	struct anonymize anonymize;	/* --no-addresses, --hash-names */
	const char *name;		/* name of the recording, without its directory */
	bool is_open;			/* the input of @r is open */
	/* the groups, the highest peak first; groups without live memory are not shown */
	struct listing list;
	size_t count;			/* number of groups with live memory */
};

extern struct table_column timeline_columns[TIMELINE_COLS];

/** timeline_view_init() - set the defaults: all kinds of memory, by site */
void timeline_view_init(struct timeline_view *v);

/**
 * timeline_view_read() - read a recording
 * @v: the view, with the options
 * @paths: as of input_open()
 * @count: number of @paths
 * @command: name of the command, for messages
 *
 * Prints a message on failure. The caller calls timeline_view_end() in any case.
 *
 * Return: EXIT_DONE, EXIT_FAILED or EXIT_USAGE.
 */
int timeline_view_read(struct timeline_view *v, char **paths, size_t count,
		       const char *command);

/**
 * timeline_view_end() - free everything
 * @v: the view
 * @ret: exit status of the command up to now
 *
 * Return: as report_end().
 */
int timeline_view_end(struct timeline_view *v, int ret);

/** timeline_view_series() - get the series of a row */
const struct timeline_series *timeline_view_series(const struct timeline_view *v,
						   size_t row);

/** timeline_view_cell() - get a cell of the table of rows; see table_get */
void timeline_view_cell(const struct timeline_view *v, size_t row, size_t column,
			struct table_cell *cell);

/** timeline_view_mixes() - whether slabs and pages both count and have live memory */
bool timeline_view_mixes(const struct timeline_view *v);

/** timeline_print_text() - draw the timeline; EXIT_* */
void timeline_print_text(const struct timeline_view *v);

/** timeline_summary() - write a line: the time, the peak, and what is live at the end */
void timeline_summary(const struct timeline_view *v, FILE *out);

/** timeline_errors() - write a line for each reason why figures are not exact */
void timeline_errors(const struct timeline_view *v, FILE *out);

/** timeline_write_svg() - draw a picture of the sum, the kinds of memory and the rows */
void timeline_write_svg(const struct timeline_view *v, FILE *out);

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
