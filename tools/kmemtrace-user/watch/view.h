/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of a watch as a table: sorted and filtered.
 */
#ifndef VIEW_H
#define VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "base/duration.h"
#include "base/listing.h"
#include "watch/watch.h"

enum view_column {
	VIEW_BYTES,
	VIEW_RATE,
	VIEW_CHANGE,
	VIEW_ALLOCS,
	VIEW_FREES,
	VIEW_WASTE,
	VIEW_OLDEST,
	VIEW_NAME,
	VIEW_COLUMNS_TEXT, /* number of columns in text output */
	VIEW_OBJECTS = VIEW_COLUMNS_TEXT,
	VIEW_REQUESTED,
	VIEW_TOTAL_ALLOCS,
	VIEW_TOTAL_FREES,
	VIEW_TAGS,
	VIEW_COLUMNS,
};

extern const struct table_column view_columns[VIEW_COLUMNS];

/* names of the columns that can be sorted by: the first VIEW_COLUMNS_TEXT */
extern const char *const view_sort_names[VIEW_COLUMNS_TEXT];

#define VIEW_FILTER_MAX 64

/* a table */
struct view {
	const struct watch *watch;	/* its rows */
	/* column that it is sorted by: the largest comes first; VIEW_NAME: by name */
	enum view_column sort;
	bool reverse;			/* the order is reversed */
	/* text that names must contain, in upper or lower case; "": all rows */
	char filter[VIEW_FILTER_MAX];
	struct listing list;		/* the table; its rows are indices in @shown */
	uint32_t *shown;		/* index in @watch of each row that matches @filter */
};

/**
 * view_update() - filter and sort the rows
 * @v: the table; the caller calls view_exit() later, also after a failure
 * @top: number of rows to show; 0: all
 *
 * To be called after each change of the watch or of @v.
 */
void view_update(struct view *v, size_t top);

/** view_exit() - free the rows */
void view_exit(struct view *v);

/** view_row() - get the index in @v->watch of the row at a position, below list.shown */
uint32_t view_row(const struct view *v, size_t position);

/** view_position() - find the position of a row by its name; SIZE_MAX if it is not shown */
size_t view_position(const struct view *v, const char *name);

/*
 * Settings of the command top.
 */

/* limits of the time between two refreshes, in seconds */
#define TOP_DELAY_MIN 0.01
#define TOP_DELAY_MAX 86400
#define TOP_DELAY_FORMS "a time from 10ms to 24h"

/* settings */
struct top {
	enum watch_by by;	/* what a row is */
	enum view_column sort;	/* column to sort by */
	int kind;		/* kind of --kind; -1: all kinds */
	const char *filter;	/* text that names must contain; NULL: all rows */
	size_t rows;		/* number of rows to show; 0: all */
	double delay;		/* seconds between two refreshes */
};

/**
 * top_delay() - parse the time between two refreshes
 * @text: the time, as for duration_parse()
 * @delay: set to the time
 *
 * Return: false if @text is not a time within the limits.
 */
static inline bool top_delay(const char *text, double *delay)
{
	return duration_seconds(text, TOP_DELAY_MIN, TOP_DELAY_MAX, delay);
}

/** top_timespec() - convert a time in seconds */
static inline struct timespec top_timespec(double seconds)
{
	return (struct timespec){
		.tv_sec = seconds,
		.tv_nsec = (seconds - (time_t)seconds) * 1e9,
	};
}

#endif /* VIEW_H */
