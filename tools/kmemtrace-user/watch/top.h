/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Settings of the command top.
 */
#ifndef TOP_H
#define TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "base/duration.h"
#include "watch/view.h"

/* limits of the time between two refreshes, in seconds */
#define TOP_DELAY_MIN 0.01
#define TOP_DELAY_MAX 86400
#define TOP_DELAY_FORMS "a time from 10ms to 24h"

/**
 * struct top - settings
 * @by: what a row is
 * @sort: column to sort by
 * @kind: kind of --kind; -1: all kinds
 * @filter: text that names must contain; NULL: all rows
 * @rows: number of rows to show; 0: all
 * @delay: seconds between two refreshes
 */
struct top {
	enum watch_by by;
	enum view_column sort;
	int kind;
	const char *filter;
	size_t rows;
	double delay;
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

#endif /* TOP_H */
