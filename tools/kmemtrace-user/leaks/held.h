/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel counts some things that its users hold: files of each tmpfs, connections that
 * netfilter tracks, TCP connections that no process has accepted, those that are closed, locks of
 * files, keys, objects of System V IPC, mounts, tasks, which are threads and processes, cgroups
 * that were removed, but that pages keep, pages of processes that KSM scans, and those that it has
 * merged. A site whose objects grow as such a count does not leak: a user can, for example, delete
 * the files.
 */
#ifndef HELD_H
#define HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control/counts.h"

/* a count, by number of the sample */
struct held {
	enum counts_kind kind;	/* what is counted */
	uint64_t id;		/* the file system, or the inode of the listening socket */
	/* where a tmpfs is mounted, or the address of the socket; otherwise NULL */
	char *where;
	double *count;		/* the count; 0 in samples without the file system or the socket */
};

/* all counts */
struct helds {
	struct held *held;	/* the counts */
	size_t count;		/* number of @held */
	size_t next;		/* where to look for the next count */
	double *tasks;		/* number of tasks before each sample; 0: not read */
	bool ends;		/* there are two samples: the start and the end of a recording */
};

/**
 * held_begin() - count the tasks before a sample
 * @h: as for held_sample()
 * @i: as for held_sample()
 * @room: as for held_sample()
 *
 * The ages of a sample are read between held_begin() and held_sample(). If a process begins in
 * between, whether the ages include its objects is not known.
 */
void held_begin(struct helds *h, size_t i, size_t room);

/**
 * held_sample() - read all counts
 * @h: the counts; begins zeroed
 * @i: number of the sample
 * @room: maximum number of samples
 *
 * Each tmpfs that is mounted where this process is counts, and so do the mounts and the objects
 * of System V IPC in its namespaces.
 */
void held_sample(struct helds *h, size_t i, size_t room);

/**
 * held_take() - held_sample(), with the counts of a text
 * @h: as for held_sample()
 * @text: END of a recording, or another text with that of counts_text(); may be NULL
 * @prefix: as for counts_text()
 * @i: as for held_sample()
 * @room: as for held_sample()
 */
void held_take(struct helds *h, const char *text, const char *prefix, size_t i, size_t room);

/** held_grew() - get by how much it grew from the first sample to sample @i */
double held_grew(const struct held *held, size_t i);

/** held_kind_grew() - held_grew() of all counts of a kind together */
double held_kind_grew(const struct helds *h, enum counts_kind kind, size_t i);

/**
 * held_explains() - find what holds the objects of a site
 * @h: the counts
 * @objects: objects of the site, by sample: live ones, or old ones
 * @n: number of samples
 * @late: samples after which the objects count, because they are old then; at most half of @n
 * @shared: several of this kind share an object; COUNTS_KINDS: none do; COUNTS_TASKS: only tasks
 *	can hold the objects
 *
 * In each sample, the site has to have grown by as many objects as what is held, of one kind.
 * A task may have several objects, or share one with others. Keys that share nodes may have fewer
 * nodes.
 * An object that is freed later than it is counted may differ, and one that is allocated while
 * the sample is taken.
 *
 * Return: of this kind, what grew most; NULL if nothing explains the growth.
 */
const struct held *held_explains(const struct helds *h, const double *objects, size_t n,
				 size_t late, enum counts_kind shared);

/** held_name() - get @where of a count, or where the kernel shows it */
const char *held_name(const struct held *held);

/** held_free() - free all counts */
void held_free(struct helds *h);

#endif /* HELD_H */
