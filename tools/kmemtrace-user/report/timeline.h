/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Live bytes over time, in one pass: of all memory, and of each group of an analysis.
 *
 * Time is divided into at most TIMELINE_BUCKETS buckets of equal length. When a record is
 * behind the last bucket, the length is doubled, and each two buckets become one. So the
 * memory needed depends on the number of groups, and not on the length of the recording.
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include "report/analysis.h"

#define TIMELINE_BUCKETS 512
/* buckets that have one flow */
#define TIMELINE_FLOW 4

/**
 * struct timeline_point - one bucket of a series
 * @highest: highest live bytes in the bucket
 * @live: live bytes at its end
 */
struct timeline_point {
	uint64_t highest;
	uint64_t live;
};

/**
 * struct timeline_flow - allocations and frees in TIMELINE_FLOW buckets
 * @allocs: allocations
 * @alloc: bytes allocated
 * @frees: frees
 * @freed: bytes freed
 */
struct timeline_flow {
	uint64_t allocs;
	uint64_t alloc;
	uint64_t frees;
	uint64_t freed;
};

/**
 * struct timeline_series - live bytes of a group, or of all
 * @points: the points; a bucket behind the last point has the live bytes of now
 * @count: number of @points
 * @flows: with timeline.has_flows: the allocations and frees; none behind the last one
 * @nr_flows: number of @flows
 * @live: live bytes now
 * @peak: highest live bytes
 * @peak_time: time of @peak, in ns
 */
struct timeline_series {
	struct timeline_point *points;
	size_t count;
	struct timeline_flow *flows;
	size_t nr_flows;
	uint64_t live;
	uint64_t peak;
	uint64_t peak_time;
};

/**
 * struct timeline_loss - what is not known about the sum in one bucket
 * @lost: events lost after a record of the bucket, and before the next record
 * @low: minimum of the true live bytes at its end
 * @high: maximum of the true live bytes at its end
 */
struct timeline_loss {
	uint64_t lost;
	uint64_t low;
	uint64_t high;
};

/**
 * struct timeline - series of an analysis
 * @classes: mask of the classes that count; 0: all
 * @has_flows: determine the flows of the groups
 * @has_kinds: determine the series of the kinds of memory
 * @has_no_points: the groups have no points, which need much memory: @points is empty, and
 *	timeline_finish() is not called
 * @a: the analysis
 * @watch: watches @a
 * @start: time of the first bucket, in ns
 * @shift: a bucket has 1 << @shift ns
 * @has_start: @start is known
 * @bucket: the current bucket
 * @all: the sum of all groups
 * @kinds: with @has_kinds: the sums of the groups of each kind
 * @groups: the series of each group
 * @nr_groups: number of elements of @groups
 * @losses: for each bucket up to @bucket, the losses
 * @lost: events lost up to now
 * @largest: bytes of the largest allocation
 * @doubtful: live bytes of groups with frees that have no record
 */
struct timeline {
	unsigned int classes;
	bool has_flows;
	bool has_kinds;
	bool has_no_points;
	const struct analysis *a;
	struct analysis_watch watch;
	uint64_t start;
	unsigned int shift;
	bool has_start;
	size_t bucket;
	struct timeline_series all;
	struct timeline_series kinds[ANALYSIS_TYPES];
	struct timeline_series *groups;
	size_t nr_groups;
	struct timeline_loss losses[TIMELINE_BUCKETS];
	uint64_t lost;
	uint64_t largest;
	uint64_t doubtful;
};

/**
 * timeline_init() - start to watch an analysis
 * @t: set, except @t->classes, @t->has_flows, @t->has_kinds and @t->has_no_points
 * @a: the analysis, before the first record
 */
void timeline_init(struct timeline *t, struct analysis *a);

/** timeline_exit() - free the memory */
void timeline_exit(struct timeline *t);

/**
 * timeline_finish() - extend all series to the last record
 * @t: the timeline, after analysis_finish()
 */
void timeline_finish(struct timeline *t);

/**
 * timeline_highest() - get the highest live bytes of a part of a series
 * @t: the timeline, after timeline_finish()
 * @s: the series
 * @part: number of the part
 * @parts: number of equal parts of the time from the first record to the last
 */
uint64_t timeline_highest(const struct timeline *t,
			  const struct timeline_series *s, size_t part,
			  size_t parts);

/** timeline_lost() - events lost in a part of the time; see timeline_highest() */
uint64_t timeline_lost(const struct timeline *t, size_t part, size_t parts);

/** timeline_part() - number of the part that has a time; see timeline_highest() */
size_t timeline_part(const struct timeline *t, uint64_t time, size_t parts);

/** timeline_end() - time of the end of a bucket, or of the last record, in ns */
uint64_t timeline_end(const struct timeline *t, size_t bucket);

#endif /* TIMELINE_H */
