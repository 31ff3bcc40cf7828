/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Observes live memory by age for some time: samples of the module's file ages, at equal
 * distances.
 *
 * The distance is a power of two of ticks. The ages of the levels (verdict.h) are powers
 * of two as well, so that each is a whole number of samples.
 */
#ifndef OBSERVE_H
#define OBSERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/sites.h"
#include "base/map.h"
#include "leaks/agefile.h"
#include "leaks/held.h"
#include "leaks/verdict.h"

/* a year; an observation has a fixed number of samples, so that it may be long */
#define OBSERVE_SECONDS_MAX (365 * 86400.0)

/* kfree_rcu() frees up to 5 s and a grace period late */
#define OBSERVE_SETTLE 8.0

/* intervals of ages with a share of survivors; each is twice the one before */
#define OBSERVE_BIRTHS 16

/* the samples of a tag or of a site */
struct observed {
	uint32_t id;		/* id of the tag; number of the site */
	bool slab;		/* its memory is an allocator's own, such as pages of slabs */
	/* @live: all live memory; @level: memory that is older than each level */
	struct { double *bytes, *objects; } live, level[VERDICT_LEVELS];
	/*
	 * live objects in slab caches that the kernel can reclaim, at the first and at the last
	 * sample; of a recording, an estimate
	 */
	double reclaimable[2];
	/* what holds the objects, from findings_make() on; NULL: not known */
	const struct held *held;
	bool is_names;		/* the objects are names of files, from findings_make() on */
	/*
	 * largest number of live bytes before the first sample; of a site, the sum of those of its
	 * tags; 0: not known
	 */
	double peak;
	/*
	 * allocations since the start of accounting: [0] at the last sample, [k] 1 << (k - 1)
	 * samples before it
	 */
	double allocs[OBSERVE_BIRTHS + 1];
	/* objects at the last sample that are at least 1 << k samples old */
	double older[OBSERVE_BIRTHS + 1];
	/* memory by age at the last sample */
	struct kmemtrace_ages_sum age[KMEMTRACE_AGES_BUCKETS];
	double *values;		/* memory of all arrays */
};

/* an observation */
struct observation {
	struct agefile ages;	/* the file */
	/*
	 * number of samples, without the second check; at most @room, fewer if the observation was
	 * interrupted
	 */
	size_t n;
	/* elements of the arrays of rows, for samples and the second check */
	size_t room;
	unsigned int shift;	/* the distance of samples is 1 << shift ticks */
	uint64_t interval;	/* the same in ticks */
	unsigned int bits;	/* the first level has an age of 1 << bits ticks */
	size_t step;		/* samples in the age of the first level */
	size_t levels;		/* number of levels */
	/*
	 * number of values in observed.allocs, less one; 0: they are not known, because the
	 * observation was interrupted
	 */
	size_t births;
	/* of a recording: lost events, each of which may be the free of an object */
	uint64_t lost;
	/*
	 * the kernel was asked to free its caches before the second check, or before each sample of
	 * rounds
	 */
	bool reclaimed;
	/* areas of vmalloc() that waited to be freed at the end; INFINITY: not known */
	double unpurged;
	struct helds helds;	/* what users of the kernel hold, by sample */
	double start;		/* time of the first sample, moved by the delays of later ones */
	double *time;		/* seconds, by sample */
	struct observed *row;	/* tags, from observe_run() on; sites, from observe_merge() on */
	size_t count;		/* number of @row */
	struct map index;	/* number of the row, by @id + 1 */
	const struct sites *sites; /* the sites, from observe_merge() on */
};

/**
 * observe_plan() - choose the distance of samples, and the levels
 * @w: @w->ages.head.tick_ns is set
 * @seconds: duration
 * @settle: least age of the first level, in seconds
 * @finest: least distance of samples, in seconds
 * @within: of a recording: nothing is known before the first sample, and the second check
 *	is within @seconds as well
 *
 * Sets @w->interval, the members from @w->n to @w->births, and allocates @w->time.
 *
 * Return: 0; the least duration in seconds, if @seconds is shorter.
 */
double observe_plan(struct observation *w, double seconds, double settle, double finest,
		    bool within);

/**
 * observe_short() - check whether an observation is too short to trust its verdicts
 * @w: the observation
 *
 * Return: 0; the seconds that would be enough, if it has less than twice the least samples.
 */
double observe_short(const struct observation *w);

/** observe_row() - get the row of a tag or site, made if needed */
struct observed *observe_row(struct observation *w, uint32_t id);

/**
 * observe_check() - check whether accounting is on
 *
 * Without it, nothing grows, and the caller would wait for nothing.
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int observe_check(void);

/**
 * observe_run() - observe, until the time is over or SIGINT arrives
 * @w: set up; the caller calls observe_free() later, also after a failure
 * @seconds: duration
 * @settle: least age of the first level, in seconds
 *
 * SIGINT ends the samples if there are enough of them. A second SIGINT ends the process.
 *
 * Return: 0; -1, with a message.
 */
int observe_run(struct observation *w, double seconds, double settle);

/**
 * observe_rounds() - take samples between rounds of some work
 * @w: set up; the caller calls observe_free() later, also after a failure. Only the live
 *	memory of its rows is of use
 * @rounds: number of rounds; there is one more sample
 * @settle: seconds from the end of a round to the sample
 * @reclaim: ask the kernel to free its caches before each sample
 * @work: does the work of a round; returns EXIT_*
 * @arg: passed to @work
 *
 * Return: EXIT_DONE; else the result of @work, or EXIT_FAILED with a message.
 */
int observe_rounds(struct observation *w, size_t rounds, double settle, bool reclaim,
		   int (*work)(void *arg), void *arg);

/**
 * observe_reclaim() - ask the kernel to free its caches, before a sample
 * @w: the observation
 *
 * Dirty inodes cannot be freed, so this writes them to disk first (sync). It frees the page
 * cache as well, because inodes with pages stay.
 *
 * Return: 0; -1, with a message.
 */
int observe_reclaim(struct observation *w);

/**
 * observe_again() - wait for the age of the first level, then take another sample
 * @w: the observation; the sample has number @w->n
 *
 * Tags and sites without a row are left out. So pointers to rows stay valid.
 *
 * Return: 0; -1, with a message.
 */
int observe_again(struct observation *w);

/**
 * observe_merge() - replace the tags by sites
 * @w: the observation
 * @sites: the sites; they must live as long as @w
 */
void observe_merge(struct observation *w, const struct sites *sites);

/** observe_age() - get the age of a level, in seconds */
double observe_age(const struct observation *w, size_t level);

/** observe_free() - undo observe_run() */
void observe_free(struct observation *w);

#endif /* OBSERVE_H */
