/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocations and frees by step of time: what the page adds up for a part of the
 * timeline. A step is a flow of the timeline. Series that have no place are
 * one sum for each kind of memory, so that all sums are complete.
 */
#ifndef FLOWS_HTML_H
#define FLOWS_HTML_H

#include "report/report.h"
#include "report/timeline.h"

/* The page has at most so many steps, and so many series of each table. */
#define FLOWS_STEPS  (TIMELINE_BUCKETS / TIMELINE_FLOW)
#define FLOWS_SERIES 250

struct json_t;

/**
 * struct flows - sums of several series, by step
 * @sum: the sums
 */
struct flows {
	struct timeline_flow sum[FLOWS_STEPS];
};

/** flows_add() - add a series to sums; a @series that does not exist has no flows */
void flows_add(struct flows *f, const struct timeline *t, size_t series);

/**
 * flows_json() - sums as arrays, without steps in which nothing happened
 * @f: the sums
 * @row: row of the table, or -1
 * @kind: kind of memory
 *
 * Return: an object.
 */
struct json_t *flows_json(const struct flows *f, int64_t row, const char *kind);

/** flows_group() - number of the group that a row of a table shows */
size_t flows_group(const struct report *r, size_t row);

/** flows_of_table() - the flows of the rows of a table, as JSON */
struct json_t *flows_of_table(const struct report *r, const struct timeline *t);

#endif /* FLOWS_HTML_H */
