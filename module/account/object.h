/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The words of all live objects, by address. An object has its word in a slot of its page
 * (slots.h), or, if it has no slot, in a table (bucket.h).
 *
 * The word is not 0; account.h has its meaning.
 */
#ifndef KMT_OBJECT_H
#define KMT_OBJECT_H

#include <linux/types.h>

#include "account/frame.h"
#include "account/slots.h"

#define KMT_OBJECT_FULL (~0ULL)

/* for kmt_object_walk(): the index of the cache is not known */
#define KMT_OBJECT_NO_CACHE 0xffff

/**
 * kmt_object_insert() - store an allocated object
 * @ptr: its address; not 0
 * @value: its word; not 0
 * @distance: bytes from one object to the next in its slab; 0: it is not in a slab
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h).
 * Return: 0; KMT_OBJECT_FULL if there was no space; if the object was stored, the old
 * word, which @value has replaced; KMT_SLOTS_UNSEEN if it is not known whether it was.
 */
u64 kmt_object_insert(unsigned long ptr, u64 value, u32 distance);

/**
 * kmt_object_remove() - remove a freed object
 * @ptr: its address
 *
 * Context: as kmt_object_insert().
 * Return: the word of the object; 0 if it is not stored; KMT_SLOTS_UNSEEN if the survey has
 * not found it yet.
 */
u64 kmt_object_remove(unsigned long ptr);

/**
 * kmt_object_find() - find an object
 * @ptr: its address
 *
 * Context: as kmt_object_insert(); the object is not freed meanwhile.
 * Return: the word of the object; 0 if it is not stored.
 */
u64 kmt_object_find(unsigned long ptr);

/**
 * kmt_object_walk() - visit all objects, and all frames whose entry is not 0
 * @visit: called for each object with its address, its word, and the index of its cache,
 *	0 if it has none; with KMT_OBJECT_NO_CACHE, the object stays until @visit returns,
 *	and interrupts are off
 * @visit_frame: called for each frame, as by kmt_frame_walk(); or NULL
 * @arg: passed to both
 *
 * Context: may sleep. @visit and @visit_frame may not.
 * Return: 0; -EINTR if the task was killed.
 */
int kmt_object_walk(void (*visit)(unsigned long ptr, u64 value, u16 cache,
				  void *arg),
		    void (*visit_frame)(unsigned long pfn,
					struct kmt_frame frame,
					struct kmt_frame before, void *arg),
		    void *arg);

/**
 * kmt_object_reset() - remove all objects, and clear the entries of frames that have slots
 *
 * Context: may sleep; no probe is attached.
 * Return: number of objects that were removed.
 */
u64 kmt_object_reset(void);

/**
 * kmt_object_init() - allocate the memory for objects
 * @objects: number of objects that the table is to have space for
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM; kmt_object_exit() must be called in either case.
 */
int kmt_object_init(u64 objects);

/**
 * kmt_object_memory() - memory for objects
 *
 * Context: any.
 * Return: bytes.
 */
u64 kmt_object_memory(void);

/**
 * kmt_object_exit() - free the memory for objects
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_object_exit(void);

#endif /* KMT_OBJECT_H */
