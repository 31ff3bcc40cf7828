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

/* one bucket of a series */
struct timeline_point {
	uint64_t highest;	/* highest live bytes in the bucket */
	uint64_t live;		/* live bytes at its end */
};

/* allocations and frees in TIMELINE_FLOW buckets */
struct timeline_flow {
	uint64_t allocs;	/* allocations */
	uint64_t alloc;		/* bytes allocated */
	uint64_t frees;		/* frees */
	uint64_t freed;		/* bytes freed */
};

/* live bytes of a group, or of all */
struct timeline_series {
	/* the points; a bucket behind the last point has the live bytes of now */
	struct timeline_point *points;
	size_t count;			/* number of @points */
	/* with timeline.has_flows: the allocations and frees; none behind the last one */
	struct timeline_flow *flows;
	size_t nr_flows;		/* number of @flows */
	uint64_t live;			/* live bytes now */
	uint64_t peak;			/* highest live bytes */
	uint64_t peak_time;		/* time of @peak, in ns */
};

/* what is not known about the sum in one bucket */
struct timeline_loss {
	uint64_t lost;	/* events lost after a record of the bucket, and before the next record */
	uint64_t low;	/* minimum of the true live bytes at its end */
	uint64_t high;	/* maximum of the true live bytes at its end */
};

/* series of an analysis */
struct timeline {
	unsigned int classes;		/* mask of the classes that count; 0: all */
	bool has_flows;			/* determine the flows of the groups */
	bool has_kinds;			/* determine the series of the kinds of memory */
	/*
	 * the groups have no points, which need much memory: @points is empty, and
	 * timeline_finish() is not called
	 */
	bool has_no_points;
	const struct analysis *a;	/* the analysis */
	struct analysis_watch watch;	/* watches @a */
	uint64_t start;			/* time of the first bucket, in ns */
	unsigned int shift;		/* a bucket has 1 << @shift ns */
	bool has_start;			/* @start is known */
	size_t bucket;			/* the current bucket */
	struct timeline_series all;	/* the sum of all groups */
	/* with @has_kinds: the sums of the groups of each kind */
	struct timeline_series kinds[ANALYSIS_TYPES];
	struct timeline_series *groups;	/* the series of each group */
	size_t nr_groups;		/* number of elements of @groups */
	/* for each bucket up to @bucket, the losses */
	struct timeline_loss losses[TIMELINE_BUCKETS];
	uint64_t lost;			/* events lost up to now */
	uint64_t largest;		/* bytes of the largest allocation */
	uint64_t doubtful;		/* live bytes of groups with frees that have no record */
};

/**
 * timeline_init() - start to watch an analysis
 * @t: set, except @t->classes, @t->has_flows, @t->has_kinds and @t->has_no_points
 * @a: the analysis, before the first record
 */
void timeline_init(struct timeline *t, struct analysis *a);

/** timeline_exit() - free the memory */
void timeline_exit(struct timeline *t);

/** timeline_finish() - extend all series to the last record */
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
