/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The call paths that allocate at some sites, which objects of each are freed, and where.
 * Made from events; does no I/O.
 *
 * Several paths can lead through one site. The path that leaks is the one whose objects
 * stay: the shares of the survivors (report/survival.h) are compared, not the allocations.
 */
#ifndef PATHS_H
#define PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/pairs.h"
#include "kmt_event.h"
#include "report/survival.h"
#include "report/threads.h"

#define PATHS_TASKS	4
#define PATHS_INTERRUPT -1

/* a process that allocated by a path */
struct path_task {
	/* the process; PATHS_INTERRUPT: in interrupts, for no process */
	int tgid;
	char comm[THREADS_COMM];	/* name of the thread that allocated first */
	uint64_t count;			/* allocations; 0: unused */
};

/* a call path of a site */
struct path {
	uint64_t site;				/* the call site */
	uint64_t seq;				/* kmt_event_number() of the first event */
	uint64_t stack[KMT_STACK_MAX];		/* return addresses, the innermost first */
	unsigned int depth;			/* number of these */
	uint64_t allocs;			/* allocations */
	uint64_t bytes;				/* bytes allocated */
	uint64_t frees;				/* number of these that were freed */
	/* share of its objects that live at the age paths.kept_age */
	double kept;
	/* number of its objects that were freed, or that have reached paths.kept_age */
	uint64_t known;
	struct survival lives;			/* lifetimes of its objects */
	uint64_t size_min;			/* smallest size that was requested */
	uint64_t size_max;			/* largest size that was requested */
	struct path_task task[PATHS_TASKS];	/* the processes that were seen first */
	uint64_t others;			/* allocations of all other processes */
	/* number of the slab cache of the first allocation; 0: not known */
	uint32_t cache;
};

/* a place that frees objects of a site */
struct path_free {
	uint64_t site;	/* the site that allocated them */
	uint64_t addr;	/* the call site that freed them */
	uint64_t count;	/* objects */
};

struct path_object;

/* all paths */
struct paths {
	/* the paths; from paths_end() on, those that keep the largest share are first */
	struct path *path;
	size_t count;			/* number of paths */
	struct path_free *freed;	/* places that free; from paths_end() on sorted by count */
	size_t nr_freed;		/* number of these */
	uint64_t first;			/* time of the first event */
	uint64_t last;			/* time of the last event */
	/* half of the time of all events, in ns; from paths_end() on */
	uint64_t kept_age;
	struct pairs index;		/* number of a path, by site and hash of the stack */
	struct pairs places;		/* number of a place that frees, by site and address */
	struct map live;		/* number of an object plus 1, by address */
	struct path_object *object;	/* live objects, and places for more */
	size_t nr_objects;		/* number of these */
	uint32_t spare;			/* a place, plus 1; 0: none */
};

/** paths_init() - set up. The caller calls paths_free() later */
void paths_init(struct paths *p);

/**
 * paths_alloc() - take an allocation at one of the sites
 * @p: the paths
 * @ev: the event, with its time
 * @x: its stack and task, if they are known
 */
void paths_alloc(struct paths *p, const struct kmt_event *ev, const struct kmt_extra *x);

/** paths_release() - take a free of any object */
void paths_release(struct paths *p, const struct kmt_event *ev);

/** paths_end() - compute what is kept, and sort */
void paths_end(struct paths *p);

/** paths_free() - undo paths_init() */
void paths_free(struct paths *p);

#endif /* PATHS_H */
