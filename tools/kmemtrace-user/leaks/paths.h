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

/**
 * struct path_task - a process that allocated by a path
 * @tgid: the process; PATHS_INTERRUPT: in interrupts, for no process
 * @comm: name of the thread that allocated first
 * @count: allocations; 0: unused
 */
struct path_task {
	int tgid;
	char comm[THREADS_COMM];
	uint64_t count;
};

/**
 * struct path - a call path of a site
 * @site: the call site
 * @seq: kmt_event_number() of the first event
 * @stack: return addresses, the innermost first
 * @depth: number of these
 * @allocs: allocations
 * @bytes: bytes allocated
 * @frees: number of these that were freed
 * @kept: share of its objects that live at the age paths.kept_age
 * @known: number of its objects that were freed, or that have reached paths.kept_age
 * @lives: lifetimes of its objects
 * @size_min: smallest size that was requested
 * @size_max: largest size that was requested
 * @task: the processes that were seen first
 * @others: allocations of all other processes
 * @cache: number of the slab cache of the first allocation; 0: not known
 */
struct path {
	uint64_t site;
	uint64_t seq;
	uint64_t stack[KMT_STACK_MAX];
	unsigned int depth;
	uint64_t allocs;
	uint64_t bytes;
	uint64_t frees;
	double kept;
	uint64_t known;
	struct survival lives;
	uint64_t size_min;
	uint64_t size_max;
	struct path_task task[PATHS_TASKS];
	uint64_t others;
	uint32_t cache;
};

/**
 * struct path_free - a place that frees objects of a site
 * @site: the site that allocated them
 * @addr: the call site that freed them
 * @count: objects
 */
struct path_free {
	uint64_t site;
	uint64_t addr;
	uint64_t count;
};

struct path_object;

/**
 * struct paths - all paths
 * @path: the paths; from paths_end() on, those that keep the largest share are first
 * @count: number of paths
 * @freed: places that free; from paths_end() on sorted by count
 * @nr_freed: number of these
 * @first: time of the first event
 * @last: time of the last event
 * @kept_age: half of the time of all events, in ns; from paths_end() on
 * @index: number of a path, by site and hash of the stack
 * @places: number of a place that frees, by site and address
 * @live: number of an object plus 1, by address
 * @object: live objects, and places for more
 * @nr_objects: number of these
 * @spare: a place, plus 1; 0: none
 */
struct paths {
	struct path *path;
	size_t count;
	struct path_free *freed;
	size_t nr_freed;
	uint64_t first;
	uint64_t last;
	uint64_t kept_age;
	struct pairs index;
	struct pairs places;
	struct map live;
	struct path_object *object;
	size_t nr_objects;
	uint32_t spare;
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
