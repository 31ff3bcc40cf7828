/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The live slab objects, by where they lie: the module's file objects.
 */
#ifndef OBJECTS_H
#define OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/kmemtrace_pages.h>

/**
 * struct objects - the open file, and what was read of it last
 * @fd: the file
 * @object: what was read
 * @count: how many
 * @next: the one that comes next
 * @failed: reading failed, which was said
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
 * @o: set; to be closed with objects_close(), also after an error
 *
 * Return: 0; -1 after a message.
 */
int objects_open(struct objects *o);

/**
 * objects_peek() - the next object, which stays the next one
 * @o: the file
 *
 * Return: the object, good until the next call; NULL at the end, or, with
 * @o->failed set, after a message.
 */
const struct kmemtrace_object *objects_peek(struct objects *o);

/** objects_step() - go on behind what objects_peek() gave */
void objects_step(struct objects *o);

/** objects_close() - close the file */
void objects_close(struct objects *o);

#endif /* OBJECTS_H */
