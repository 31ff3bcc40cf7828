/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The live slab objects in the order of their addresses, from the module's file objects; and a
 * walk over all slabs of the machine, with the live objects in each.
 */
#ifndef SLABWALK_H
#define SLABWALK_H

#include <stdbool.h>
#include <stdint.h>

#include "pages/survey.h"

/**
 * struct objects - the open file, and the objects of the last read
 * @fd: the file
 * @object: objects of the last read
 * @count: number of objects in @object
 * @next: index of the next object in @object
 * @failed: reading failed, and a message was printed
 */
struct objects {
	int fd;
	struct kmemtrace_object *object;
	size_t count;
	size_t next;
	bool failed;
};

/**
 * objects_open() - open the file
 * @o: set; must be closed with objects_close(), also after an error
 *
 * Return: 0; -1 after a message.
 */
int objects_open(struct objects *o);

/**
 * objects_peek() - get the next object without consuming it
 * @o: the file
 *
 * Return: the object, valid until the next call; NULL at the end; NULL after a message,
 * with @o->failed set.
 */
const struct kmemtrace_object *objects_peek(struct objects *o);

/** objects_step() - consume the object that objects_peek() returned */
void objects_step(struct objects *o);

/**
 * objects_seek() - continue with the first object at or above a frame
 * @o: the file
 * @address: physical address of the frame
 *
 * Return: 0; -1 after a message.
 */
int objects_seek(struct objects *o, uint64_t address);

/** objects_close() - close the file */
void objects_close(struct objects *o);

enum slab_state {
	SLAB_FULL,    /* no room for another object */
	SLAB_PARTIAL, /* has objects, and room for another one */
	SLAB_EMPTY,   /* has no object; the allocator keeps it */
	SLAB_OLDER,   /* from before accounting: its objects are not known */
	SLAB_STATES,
};

extern const char *const slab_state_names[SLAB_STATES];

/**
 * struct slabs - a sum of slabs
 * @count: number of slabs
 * @bytes: bytes of their pages
 */
struct slabs {
	uint64_t count;
	uint64_t bytes;
};

/**
 * struct slab - one slab
 * @start: physical address of its first byte
 * @end: physical address after its last byte
 * @known: it was allocated while accounting was on
 * @wanted: its first page matches the filter
 * @kmalloc: it belongs to kmalloc()
 * @live: bytes of its live objects
 * @objects: number of its live objects
 * @largest: bytes of the largest object
 * @state: whether it is full
 */
struct slab {
	uint64_t start;
	uint64_t end;
	bool known;
	bool wanted;
	bool kmalloc;
	uint64_t live;
	uint64_t objects;
	uint64_t largest;
	enum slab_state state;
};

/**
 * struct slabwalk - the walk
 * @w: the walk over the frames
 * @o: the objects
 * @slab: the slab that is being visited
 * @sums: slabs that match the filter, by state
 * @free_bytes: bytes without an object in partial slabs
 * @object: called for each object of a slab that matches the filter
 * @end: called after the objects of such a slab; may be NULL
 * @other: called for each frame that belongs to no slab; may be NULL
 * @arg: argument of the three
 */
struct slabwalk {
	struct survey w;
	struct objects o;
	struct slab slab;
	struct slabs sums[SLAB_STATES];
	uint64_t free_bytes;
	void (*object)(void *arg, const struct slabwalk *walk,
		       const struct kmemtrace_object *object);
	void (*end)(void *arg, const struct slabwalk *walk);
	void (*other)(void *arg, const struct slabwalk *walk, const struct page *page);
	void *arg;
};

/**
 * slabwalk_open() - open the files
 * @walk: set up; slabwalk_close() must be called, also after an error. The caller sets
 *	the functions.
 * @filter: selects slabs by their first page; the site is ignored
 *
 * Return: 0; -1 after a message.
 */
int slabwalk_open(struct slabwalk *walk, const struct page_filter *filter);

/**
 * slabwalk_run() - visit all slabs
 * @walk: the walk
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int slabwalk_run(struct slabwalk *walk);

/** slabwalk_print() - print the sums, in lines of text */
void slabwalk_print(const struct slabwalk *walk);

struct json_t;

/** slabwalk_json() - get the sums as a JSON object, with members named like the states */
struct json_t *slabwalk_json(const struct slabwalk *walk);

/** slabwalk_close() - undo slabwalk_open() */
void slabwalk_close(struct slabwalk *walk);

#endif /* SLABWALK_H */
