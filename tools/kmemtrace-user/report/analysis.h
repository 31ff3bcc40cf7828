/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums of a recording, by kind of memory and by group. One pass over the records is
 * enough. The memory needed depends on the live allocations and the groups, and not on
 * the length of the recording.
 */
#ifndef ANALYSIS_H
#define ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/siterows.h"
#include "base/pairs.h"
#include "kmt_event.h"
#include "report/live.h"
#include "trace/merge.h"
#include "trace/names.h"

/*
 * Sums of allocations with a common property, for example a call site or a cache.
 */

/*
 * the sums of one group
 *
 * The first cache line has the members that nearly every record reads or changes.
 */
struct group {
	uint64_t key;		/* the common property of the allocations */
	uint64_t allocs;	/* allocations that succeeded */
	uint64_t frees;		/* frees of @allocs */
	uint64_t req;		/* bytes requested */
	uint64_t alloc;		/* bytes allocated */
	uint64_t freed_req;	/* bytes requested by the allocations that were freed */
	uint64_t freed;		/* bytes allocated by the allocations that were freed */
	uint32_t size;		/* number of the size of the last allocation */
	uint8_t type;		/* KMEMTRACE_TYPE_* of the allocations */
	uint16_t place;		/* names_place() of @key, if @key is a call site; otherwise 0 */
	uint64_t failed;	/* allocations that failed */
	uint64_t remote_frees;	/* frees on a CPU other than that of the allocation */
	/* frees without a record, found when the address was allocated again */
	uint64_t implicit;
	uint64_t largest;	/* bytes of the largest allocation */
	/* live allocations whose free may be among the lost events; after analysis_finish() */
	uint64_t unsure;
	uint64_t unsure_bytes;	/* bytes of @unsure; after analysis_finish() */
	/*
	 * the most bytes of @unsure_bytes that the lost events can have freed; after
	 * analysis_narrow()
	 */
	uint64_t unsure_most;
	/* number of its first record in a part of an analysis; see analysis_split() */
	uint64_t first;
} __attribute__((aligned(64)));

/** group_live() - bytes allocated by live allocations */
static inline uint64_t group_live(const struct group *g)
{
	return g->alloc - g->freed;
}

/** group_live_req() - bytes requested by live allocations */
static inline uint64_t group_live_req(const struct group *g)
{
	return g->req - g->freed_req;
}

/** group_objects() - number of live allocations */
static inline uint64_t group_objects(const struct group *g)
{
	return g->allocs - g->frees;
}

/* groups by key and type */
struct group_table {
	struct group *groups;	/* the groups, in the order in which they were created */
	size_t count;		/* number of groups */
	size_t room;		/* number of groups that fit into the memory of @groups */
	struct pairs keys;	/* maps key, type and place to the index of a group */
	/* for group_get_small(): maps key and type to the index of a group, plus 1 */
	uint32_t *small;
	size_t nr_small;	/* number of elements of @small */
};

/** group_init() - initialise an empty table */
void group_init(struct group_table *t);

/** group_exit() - undo group_init() */
void group_exit(struct group_table *t);

/**
 * group_get_small() - as group_get(), for keys that are numbers from 0 on
 * @t: the table
 * @key: the key; memory is needed for all smaller ones
 * @type: KMEMTRACE_TYPE_*
 *
 * Return: the index of the group.
 */
uint32_t group_get_small(struct group_table *t, uint32_t key, uint8_t type);

/** group_prefetch() - have the CPU fetch what nearly every record changes of a group */
static inline void group_prefetch(const struct group_table *t, uint32_t index)
{
	if (index < t->count)
		__builtin_prefetch(t->groups + index, 1);
}

/**
 * group_join() - add the groups of another table; groups get the order of @first
 * @t: the table; afterwards, no more groups may be found or created
 * @from: the other table
 */
void group_join(struct group_table *t, const struct group_table *from);

/**
 * group_get() - find or create the group of a key, a type and a place
 * @t: the table
 * @key: the key
 * @type: KMEMTRACE_TYPE_*
 * @place: names_place() of the key, or 0
 *
 * Return: the index of the group.
 */
uint32_t group_get(struct group_table *t, uint64_t key, uint8_t type,
		   uint16_t place);

#define ANALYSIS_TYPES (KMEMTRACE_TYPE_PERCPU + 1)

/* The property that all allocations of a group have in common. */
enum analysis_by {
	BY_SITE,
	BY_CACHE,
	BY_KIND,
	BY_GFP,
	BY_ORDER,
	BY_NODE,
	BY_CPU,
	BY_SIZE,
	BY_STACK, /* kmt_event.stack */
	BY_PROCESS,
	BY_FUNCTION,
	BY_MODULE,
	BY_COMM,
	BY_CGROUP,
	BY_GIVEN, /* analysis.given, as for all keys from BY_PROCESS on */
};

/* The records that belong to a half of all addresses. */
enum analysis_part {
	PART_ALL,
	PART_FIRST,
	PART_SECOND,
};

/* names of the types */
extern const char *const analysis_types[ANALYSIS_TYPES];

/* sums of a class */
struct analysis_class_sums {
	uint64_t live;			/* live bytes; after analysis_finish() */
	uint64_t objects;		/* live allocations; after analysis_finish() */
	/* implicit frees: the address was allocated again without a recorded free */
	uint64_t implicit;
	uint64_t implicit_bytes;	/* bytes of @implicit */
	uint64_t unmatched;		/* frees without a recorded allocation */
	/*
	 * sum of the lower bounds of all groups; after analysis_finish(), and narrower after
	 * analysis_narrow()
	 */
	uint64_t low;
	/* live bytes of groups with implicit frees; after analysis_finish() */
	uint64_t uncertain;
	uint64_t largest;		/* bytes of the largest allocation */
};

/* an allocation, or a free of an allocation or of a part of it */
struct analysis_change {
	enum site_kind class;	/* class of the memory */
	uint32_t group;		/* index of the group of the allocation */
	uint64_t ptr;		/* address of the allocation or of the part */
	uint64_t bytes;		/* bytes of it */
	uint64_t requested;	/* bytes that were requested */
	/* the entry counts as an allocation; otherwise it is a further part of a block of pages */
	bool whole;
	/* the free has no record; it was found when the address was allocated again */
	bool implicit;
	/* time of the record, in ns, but not before an earlier record; 0: no times */
	uint64_t time;
	uint32_t from;		/* of a free: CPU of the allocation */
	uint32_t cpu;		/* CPU of the record */
};

/* functions that are called after each change of live memory */
struct analysis_watch {
	/* called after an allocation that succeeded; NULL: not needed */
	void (*alloc)(void *arg, const struct analysis_change *c);
	/*
	 * called after a free, implicit or not, of an allocation that was recorded; NULL: not
	 * needed
	 */
	void (*free)(void *arg, const struct analysis_change *c);
	/*
	 * called by analysis_add_window() after each record; false if it failed, which ends the
	 * analysis; NULL: not needed
	 */
	void (*record)(void *arg, const struct merged *m);
	/* called after a loss was noted, before the record that follows it; NULL: not needed */
	void (*lose)(void *arg);
	void *arg;						/* argument of the functions */
	struct analysis_watch *next;				/* the next watch, or NULL */
};

/* sums of a recording */
struct analysis {
	enum analysis_by by;			/* property that the groups are made by */
	uint64_t page_size;			/* page size of the recorded machine, in bytes */
	/* memory of the recorded machine, in bytes; UINT64_MAX: not known */
	uint64_t memory;
	uint64_t lost;				/* number of lost events */
	/* any number of frees may be missing; @lost is no upper limit for it */
	bool frees_unseen;
	/*
	 * each missing sequence number is a lost event; if false, it may be an event that was not
	 * recorded on purpose
	 */
	bool gaps_are_losses;
	/* with @begins: frees with a smaller sequence number may be missing */
	uint64_t from;
	/* no record with the number @from or a larger one has been added yet */
	bool begins;
	/* events were lost, and entries from before that are still marked as fresh */
	bool aging;
	/* records added since the entries were last marked as not fresh */
	uint64_t since_aged;
	/*
	 * BY_SITE: to distinguish modules that used the same addresses; NULL if no two modules did
	 */
	const struct names *names;
	/* from BY_PROCESS on: the key of the allocation that is added next */
	uint64_t given;
	struct group_table groups;		/* the groups */
	struct sizes sizes;			/* sizes of the live allocations */
	struct live_table live[SITE_KINDS];	/* live allocations, by class */
	struct analysis_class_sums sums[SITE_KINDS]; /* sums, by class */
	uint64_t frees[ANALYSIS_TYPES];		/* frees, by type */
	uint64_t allocs[ANALYSIS_TYPES];	/* allocations, by type; after analysis_finish() */
	/* failed allocations, by type; after analysis_finish() */
	uint64_t failed[ANALYSIS_TYPES];
	/* bytes requested, by type; after analysis_finish() */
	uint64_t req[ANALYSIS_TYPES];
	/* bytes allocated, by type; after analysis_finish() */
	uint64_t alloc[ANALYSIS_TYPES];
	/* frees on a CPU other than that of the allocation; after analysis_finish() */
	uint64_t remote_frees;
	/* frees through another interface than the allocation, which is allowed */
	uint64_t cross_frees;
	bool has_time;				/* records have times */
	uint64_t time_first;			/* the earliest time of a record */
	uint64_t time_last;			/* the latest time of a record */
	/* which records analysis_add_window() adds; see analysis_split() */
	enum analysis_part part;
	/* functions that are called after each change; NULL: none */
	struct analysis_watch *watch;
};

/** analysis_init() - initialise an empty analysis */
void analysis_init(struct analysis *a, enum analysis_by by,
		   uint64_t page_size);

/** analysis_exit() - undo analysis_init() */
void analysis_exit(struct analysis *a);

/** analysis_watch() - call functions after each change of live memory */
void analysis_watch(struct analysis *a, struct analysis_watch *watch);

/**
 * analysis_add() - add one record
 * @a: the analysis
 * @ev: the record; records must be added in the order of sequence numbers
 * @cpu: the CPU of the record
 */
void analysis_add(struct analysis *a, const struct kmt_event *ev,
		  uint32_t cpu);

/** analysis_add_free() - add a free if its allocation has been added */
void analysis_add_free(struct analysis *a, const struct kmt_event *ev,
		       uint32_t cpu);

/**
 * analysis_add_gap() - note sequence numbers that are missing before the next record
 * @a: the analysis
 * @missing: number of missing sequence numbers
 *
 * analysis_add_window() calls this function itself.
 */
void analysis_add_gap(struct analysis *a, uint64_t missing);

/** analysis_add_window() - add the records of a window */
void analysis_add_window(struct analysis *a, const struct window *w);

/**
 * analysis_split() - leave half of the addresses to a second analysis
 * @a: the analysis, before the first record and without a watch
 * @second: set to the second analysis
 *
 * Each needs all records, through analysis_add_window() alone, after window_divide(). It
 * has the sums of its part. Two threads may add them.
 */
void analysis_split(struct analysis *a, struct analysis *second);

/**
 * analysis_join() - add the sums of the second analysis
 * @a: the analysis
 * @second: from analysis_split(); analysis_exit() is up to the caller
 *
 * Both need analysis_finish() before. Afterwards, @a has no table of live allocations of
 * all addresses, and no further records may be added.
 */
void analysis_join(struct analysis *a, const struct analysis *second);

/** analysis_lose() - note events that were lost at this point; @events: number of lost events */
void analysis_lose(struct analysis *a, uint64_t events);

/**
 * analysis_lose_frees() - note that frees of earlier allocations may be missing
 * @a: the analysis
 *
 * Any number of frees may be missing, for a reason other than lost events.
 */
void analysis_lose_frees(struct analysis *a);

/*
 * bounds of the true live figures of a group
 *
 * See "Effect of lost events on live figures" in Documentation/file-format.rst.
 */
struct analysis_bounds {
	uint64_t low;		/* minimum of live bytes */
	uint64_t high;		/* maximum of live bytes */
	uint64_t objects_low;	/* minimum of live allocations */
	uint64_t objects_high;	/* maximum of live allocations */
};

/**
 * analysis_highest() - get the upper bound of live bytes of one class
 * @a: the analysis
 * @bytes: live bytes that were seen
 * @largest: bytes of the largest allocation: each lost event may be one of this size
 *
 * Return: the bound, which is not above the memory of the machine.
 */
uint64_t analysis_highest(const struct analysis *a, uint64_t bytes, uint64_t largest);

/**
 * analysis_bounds() - get the bounds of the live figures of a group
 * @a: the analysis, after analysis_finish()
 * @g: a group of the analysis
 * @b: set to the bounds
 */
void analysis_bounds(const struct analysis *a, const struct group *g,
		     struct analysis_bounds *b);

/**
 * analysis_finish() - calculate the members that depend on other members
 * @a: the analysis
 *
 * The result covers the records added so far. Further records may be added afterwards.
 */
void analysis_finish(struct analysis *a);

/**
 * analysis_narrow() - find narrower lower bounds, after analysis_finish()
 * @a: the analysis
 *
 * In each group, the lost events have freed at most the largest allocations. So the bound of
 * a group is not wider than the sum of the bounds of its parts. Takes memory for all live
 * allocations, if events were lost.
 */
void analysis_narrow(struct analysis *a);

/**
 * analysis_end() - note what is missing after the last record, and analysis_finish()
 * @a: the analysis; all records have been added
 * @missing: missing sequence numbers in all of the recording
 */
void analysis_end(struct analysis *a, uint64_t missing);

/** analysis_key() - get the property of an allocation */
uint64_t analysis_key(const struct analysis *a, enum analysis_by by,
		      const struct kmt_event *ev, uint32_t cpu);

/** analysis_kind_of() - get the class of a type of memory */
enum site_kind analysis_kind_of(uint8_t type);

#endif /* ANALYSIS_H */
