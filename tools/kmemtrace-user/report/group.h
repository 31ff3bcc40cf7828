/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums of allocations with a common property, for example a call site or a cache.
 */
#ifndef GROUP_H
#define GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pairs.h"

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

#endif /* GROUP_H */
