/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All about one page frame, from the files that have an entry for each, and about its slab.
 */
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pages/survey.h"

/**
 * struct frame - a frame
 * @pfn: its number
 * @flags: its flags in /proc/kpageflags
 * @count: number of its mappings
 * @owner: its entry in the module's file pages
 * @first: the same of the first frame of its compound page
 * @kind: its kind
 * @head: number of the first frame of its compound page; @pfn if it is in none
 * @pages: number of frames of the compound page or, without one, of the allocation
 * @is_compound: it is a part of a compound page
 */
struct frame {
	uint64_t pfn;
	uint64_t flags;
	uint64_t count;
	struct kmemtrace_page owner;
	struct kmemtrace_page first;
	enum frame_kind kind;
	uint64_t head;
	uint64_t pages;
	bool is_compound;
};

/**
 * frame_read() - read a frame
 * @f: set
 * @w: from survey_open(); its buffers are overwritten
 * @pfn: its number
 *
 * Return: 0; -1 after a message, also if the machine has no such frame.
 */
int frame_read(struct frame *f, struct survey *w, uint64_t pfn);

/**
 * frame_cgroup() - find the memory cgroup that is charged for a frame
 * @pfn: its number
 * @path: set to the path below the mount point, "/" for the root; "" if the cgroup is gone
 * @size: bytes of @path
 * @inode: set to the inode number of its directory; 0: no cgroup
 *
 * Return: 1; 0 if the kernel has no such file; -1 after a message.
 */
int frame_cgroup(uint64_t pfn, char *path, size_t size, uint64_t *inode);

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

#endif /* FRAME_H */
