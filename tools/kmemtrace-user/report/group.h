/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums of allocations that have something in common: a call site, a cache.
 */
#ifndef GROUP_H
#define GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pairs.h"

/**
 * struct group - the sums of one group
 * @key: what its members have in common
 * @allocs: allocations, without the failed ones
 * @frees: frees of them
 * @req: bytes requested
 * @alloc: bytes used up
 * @freed_req: bytes requested, of what was freed
 * @freed: bytes used up, of what was freed
 * @type: KMEMTRACE_TYPE_* of its members
 * @place: of @key, if that is a call site: see names_place(); else 0
 * @size: number of the size that was allocated last
 * @failed: allocations that failed
 * @remote_frees: frees on another CPU than the allocation's
 * @implicit: frees that were only noticed by the address being used again
 * @largest: the most bytes that one allocation had
 * @unsure: live allocations whose free may be among the lost events; after
 *	analysis_finish()
 * @unsure_bytes: bytes of them; likewise
 * @unsure_largest: the most bytes that one of them has; likewise
 *
 * What nearly every record changes is in the first cache line.
 */
struct group {
	uint64_t key;
	uint64_t allocs;
	uint64_t frees;
	uint64_t req;
	uint64_t alloc;
	uint64_t freed_req;
	uint64_t freed;
	uint32_t size;
	uint8_t type;
	uint16_t place;
	uint64_t failed;
	uint64_t remote_frees;
	uint64_t implicit;
	uint64_t largest;
	uint64_t unsure;
	uint64_t unsure_bytes;
	uint64_t unsure_largest;
} __attribute__((aligned(64)));

/** group_live() - bytes used up by what is live */
static inline uint64_t group_live(const struct group *g)
{
	return g->alloc - g->freed;
}

/** group_live_req() - bytes requested for it */
static inline uint64_t group_live_req(const struct group *g)
{
	return g->req - g->freed_req;
}

/** group_objects() - allocations that are live */
static inline uint64_t group_objects(const struct group *g)
{
	return g->allocs - g->frees;
}

/**
 * struct group_table - groups by key and type
 * @groups: in the order in which they were met
 * @count: how many
 * @room: for how many there is memory
 * @keys: numbers them
 */
struct group_table {
	struct group *groups;
	size_t count;
	size_t room;
	struct pairs keys;
};

/** group_init() - make an empty table; false if memory ran out */
bool group_init(struct group_table *t);

/** group_exit() - undo group_init() */
void group_exit(struct group_table *t);

/**
 * group_get() - the group of a key, a type and a place, made if it is new
 * @t: the table
 * @key: the key
 * @type: KMEMTRACE_TYPE_*
 * @place: of the key, or 0
 *
 * Return: its index; UINT32_MAX if memory ran out.
 */
uint32_t group_get(struct group_table *t, uint64_t key, uint8_t type,
		   uint16_t place);

#endif /* GROUP_H */
