/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The live objects of one slab, and the one that contains an address.
 */
#ifndef SLABOBJECT_H
#define SLABOBJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/kmemtrace_pages.h>

#include "why/frame.h"

/**
 * struct slabobject - a slab
 * @start: physical address of its first byte
 * @end: physical address after its last byte
 * @objects: number of live objects that begin in it
 * @live: bytes of these
 * @size: bytes that an object takes; 0: there is none
 * @found: @object is set
 * @object: the live object that contains the address
 */
struct slabobject {
	uint64_t start;
	uint64_t end;
	uint64_t objects;
	uint64_t live;
	uint64_t size;
	bool found;
	struct kmemtrace_object object;
};

/**
 * slabobject_read() - read the objects of a slab
 * @s: set
 * @f: a frame of the slab
 * @address: a physical address in it
 *
 * Return: 0; -1 after a message.
 */
int slabobject_read(struct slabobject *s, const struct frame *f, uint64_t address);

#endif /* SLABOBJECT_H */
