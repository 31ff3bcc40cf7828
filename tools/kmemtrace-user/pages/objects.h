/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The live slab objects in the order of their addresses: the module's file objects.
 */
#ifndef OBJECTS_H
#define OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/kmemtrace_pages.h>

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

#endif /* OBJECTS_H */
