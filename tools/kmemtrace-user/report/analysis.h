/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a recording adds up to: sums by kind of memory and by group, in one
 * pass, in memory that is bounded by what is live.
 */
#ifndef ANALYSIS_H
#define ANALYSIS_H

#include <stdbool.h>
#include <stdint.h>

#include "kmt_event.h"
#include "report/group.h"
#include "report/live.h"
#include "trace/merge.h"
#include "trace/names.h"

#define ANALYSIS_TYPES (KMEMTRACE_TYPE_PERCPU + 1)

/* Memory of one class lies in one table: addresses of two may be the same. */
enum analysis_class {
	CLASS_SLAB,   /* kmalloc and caches */
	CLASS_PAGES,  /* those of slabs and of large kmallocs included */
	CLASS_PERCPU,
	CLASSES,
};

/* What groups are made by. */
enum analysis_by {
	BY_SITE,
	BY_CACHE,
	BY_KIND,
	BY_GFP,
	BY_ORDER,
	BY_NODE,
	BY_CPU,
	BY_SIZE,
	BY_PROCESS,
};

/**
 * struct analysis_class_sums - sums of a class
 * @live: bytes that are live; after analysis_finish()
 * @objects: allocations that are live; likewise
 * @implicit: addresses that were allocated again without having been freed:
 *	their frees have no event
 * @implicit_bytes: bytes of them
 * @unmatched: frees of what was not seen allocated
 * @uncertain: bytes that are live in groups with implicit frees; likewise
 * @largest: the most bytes that one allocation had
 */
struct analysis_class_sums {
	uint64_t live;
	uint64_t objects;
	uint64_t implicit;
	uint64_t implicit_bytes;
	uint64_t unmatched;
	uint64_t uncertain;
	uint64_t largest;
};

/**
 * struct analysis - sums of a recording
 * @by: what groups are made by
 * @page_size: of the recorded machine
 * @lost: events that were lost
 * @frees_unseen: any number of frees may be missing; no number of lost events
 *	bounds them
 * @gaps_are_losses: missing numbers are lost events, and not events that were
 *	not to be recorded
 * @from: with @begins: frees with a smaller number may be missing
 * @begins: @from has not been reached yet
 * @aging: events were lost, and entries are still fresh from before
 * @since_aged: records that were added since entries were last made not fresh
 * @names: BY_SITE: distinguish modules that used the same addresses; NULL: there
 *	are none
 * @process: BY_PROCESS: in which the record that is added next happened
 * @groups: the groups
 * @sizes: of what is live
 * @live: what is live, by class
 * @sums: by class
 * @frees: by type
 * @allocs: by type; after analysis_finish()
 * @failed: allocations that failed, by type; likewise
 * @req: bytes requested, by type; likewise
 * @alloc: bytes used up, by type; likewise
 * @remote_frees: frees on another CPU than the allocation's; likewise
 * @cross_frees: frees by another interface than the allocation's: legal
 * @has_time: records have times
 * @time_first: of the first record
 * @time_last: the latest
 */
struct analysis {
	enum analysis_by by;
	uint64_t page_size;
	uint64_t lost;
	bool frees_unseen;
	bool gaps_are_losses;
	uint32_t from;
	bool begins;
	bool aging;
	uint64_t since_aged;
	const struct names *names;
	uint64_t process;
	struct group_table groups;
	struct sizes sizes;
	struct live_table live[CLASSES];
	struct analysis_class_sums sums[CLASSES];
	uint64_t frees[ANALYSIS_TYPES];
	uint64_t allocs[ANALYSIS_TYPES];
	uint64_t failed[ANALYSIS_TYPES];
	uint64_t req[ANALYSIS_TYPES];
	uint64_t alloc[ANALYSIS_TYPES];
	uint64_t remote_frees;
	uint64_t cross_frees;
	bool has_time;
	uint64_t time_first;
	uint64_t time_last;
};

/** analysis_init() - nothing yet; false if memory ran out */
bool analysis_init(struct analysis *a, enum analysis_by by,
		   uint64_t page_size);

/** analysis_exit() - undo analysis_init() */
void analysis_exit(struct analysis *a);

/**
 * analysis_add() - take in one record
 * @a: the analysis
 * @ev: the record; in the order of sequence numbers
 * @cpu: its CPU
 *
 * Return: false if memory ran out.
 */
bool analysis_add(struct analysis *a, const struct kmt_event *ev,
		  uint32_t cpu);

/**
 * analysis_add_free() - take in a free if the allocation was taken in
 * @a: the analysis
 * @ev: the record, of a free
 * @cpu: its CPU
 *
 * Return: false if memory ran out.
 */
bool analysis_add_free(struct analysis *a, const struct kmt_event *ev,
		       uint32_t cpu);

/**
 * analysis_add_gap() - numbers are missing in front of the next record
 * @a: the analysis
 * @missing: how many
 *
 * analysis_add_window() calls it itself.
 */
void analysis_add_gap(struct analysis *a, uint64_t missing);

/**
 * analysis_add_window() - take in records
 * @a: the analysis
 * @w: the records
 *
 * Return: false if memory ran out.
 */
bool analysis_add_window(struct analysis *a, const struct window *w);

/**
 * analysis_lose() - events were lost here
 * @a: the analysis
 * @events: how many
 */
void analysis_lose(struct analysis *a, uint64_t events);

/**
 * analysis_lose_frees() - frees of what was allocated so far may be missing
 * @a: the analysis
 *
 * They are missing for another reason than lost events, and in any number.
 */
void analysis_lose_frees(struct analysis *a);

/**
 * struct analysis_bounds - what the live figures of a group really are
 * @low: bytes that are live at least
 * @high: bytes that are live at most
 * @objects_low: allocations that are live at least
 * @objects_high: allocations that are live at most
 *
 * See "What lost events do to live figures" in Documentation/file-format.rst.
 */
struct analysis_bounds {
	uint64_t low;
	uint64_t high;
	uint64_t objects_low;
	uint64_t objects_high;
};

/**
 * analysis_bounds() - between which bounds live figures lie
 * @a: the analysis, after analysis_finish()
 * @g: one of its groups
 * @b: set to them
 */
void analysis_bounds(const struct analysis *a, const struct group *g,
		     struct analysis_bounds *b);

/** analysis_finish() - fill in what can be told from the rest, so far */
void analysis_finish(struct analysis *a);

/** analysis_class_of() - where memory of a type lies */
enum analysis_class analysis_class_of(uint8_t type);

#endif /* ANALYSIS_H */
