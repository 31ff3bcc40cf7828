/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What each page frame is now: one kind for each, so that nothing is counted
 * twice.
 */
#ifndef KINDS_H
#define KINDS_H

#include <stddef.h>
#include <stdint.h>
#include <linux/kmemtrace_pages.h>

#include "frames/ram.h"
#include "frames/vmallocs.h"

/* The first that fits, in this order. */
enum frame_kind {
	KIND_HOLE,	/* no such frame, or not online */
	KIND_POISONED,	/* taken out of use: its memory is broken */
	KIND_OFFLINE,	/* given back to the hypervisor (balloon) */
	KIND_FREE,	/* in the buddy allocator */
	KIND_RESERVED,	/* of the firmware, the kernel's image, from before there
			 * was an allocator, hence without a tag: no part of
			 * MemTotal */
	KIND_SLAB,
	KIND_PGTABLE,
	KIND_HUGETLB,
	KIND_ZERO,	/* the zero page, huge or not */
	KIND_ANON,	/* of processes */
	KIND_SHMEM,	/* tmpfs, shared memory: of files, backed by swap */
	KIND_FILE,	/* page cache */
	KIND_STACK,	/* kernel stacks */
	KIND_PERCPU,
	KIND_MODULE,	/* modules, eBPF programs: code and data */
	KIND_VMALLOC,	/* other areas of vmalloc() */
	KIND_LARGE,	/* kmalloc() too large for a slab */
	KIND_MOVABLE,	/* a driver's, that can move it (zsmalloc, balloon) */
	KIND_KERNEL,	/* other pages that the kernel allocated, with a tag */
	KIND_VMAP,	/* without a tag, but mapped with vmap() */
	KIND_UNKNOWN,	/* in use, or kept free for a CPU; nobody knows for what */
	KINDS,
};

/* "hole", "poisoned" and so on */
extern const char *const kind_names[KINDS];

/**
 * struct kinds - the state of a walk from one frame to the next
 * @vmallocs: what is mapped by vmalloc(), or NULL
 * @ram: where there is memory, for frames whose owner is not known; or NULL
 * @head_flags: flags of the last head of a compound page that was seen: kernels
 *	before 6.12 do not set most of them on its tails
 * @next_pfn: the frame that is a tail of that one if it is a tail
 */
struct kinds {
	const struct vmallocs *vmallocs;
	const struct ram *ram;
	uint64_t head_flags;
	uint64_t next_pfn;
};

/**
 * kind_of_frame() - what a frame is now
 * @k: the state, 0 but for @vmallocs and @ram at the start; frames of a compound
 *	page are to come in order, from its head on
 * @pfn: its number
 * @flags: from /proc/kpageflags
 * @owner: who allocated it; NULL if that is not known
 *
 * A frame on its way to the LRU is already what it is going to be. A free one in
 * the list of a CPU is KIND_UNKNOWN.
 */
enum frame_kind kind_of_frame(struct kinds *k, uint64_t pfn, uint64_t flags,
			      const struct kmemtrace_page *owner);

/**
 * kind_of_tail() - what a frame of a compound page is now, out of order
 * @k: the state, which is lost
 * @pfn: its number
 * @flags: from /proc/kpageflags
 * @head_flags: those of the head
 * @owner: who allocated it; NULL if that is not known
 */
enum frame_kind kind_of_tail(struct kinds *k, uint64_t pfn, uint64_t flags,
			     uint64_t head_flags,
			     const struct kmemtrace_page *owner);

#endif /* KINDS_H */
