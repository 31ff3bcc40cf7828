/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The current kind of each page frame. A frame has exactly one kind, so that no frame is
 * counted twice.
 */
#ifndef KINDS_H
#define KINDS_H

#include <stddef.h>
#include <stdint.h>
#include <linux/kmemtrace_pages.h>

#include "frames/ram.h"
#include "frames/vmallocs.h"

/* A frame has the first kind that applies, in this order. */
enum frame_kind {
	KIND_HOLE,	/* the frame does not exist, or is not online */
	KIND_POISONED,	/* not used any more: its memory has a hardware error */
	KIND_OFFLINE,	/* given back to the hypervisor (balloon) */
	KIND_FREE,	/* in the buddy allocator */
	KIND_RESERVED,	/* firmware, kernel image, and memory allocated before the
			 * page allocator was available; without a tag, and not
			 * part of MemTotal */
	KIND_SLAB,
	KIND_PGTABLE,
	KIND_HUGETLB,
	KIND_ZERO,	/* the zero page, huge or not */
	KIND_ANON,	/* anonymous memory of processes */
	KIND_SHMEM,	/* tmpfs and shared memory: file pages backed by swap */
	KIND_FILE,	/* page cache */
	KIND_STACK,	/* kernel stacks */
	KIND_PERCPU,
	KIND_MODULE,	/* modules, eBPF programs: code and data */
	KIND_VMALLOC,	/* other areas of vmalloc() */
	KIND_LARGE,	/* kmalloc() too large for a slab */
	KIND_MOVABLE,	/* its driver can move it (zsmalloc, balloon) */
	KIND_KERNEL,	/* other pages that the kernel allocated, with a tag; also those
			 * from before accounting whose use the module knows */
	KIND_VMAP,	/* without a tag, but mapped with vmap() */
	KIND_UNKNOWN,	/* in use for an unknown purpose, or in a CPU's free list */
	KINDS,
};

/* names, for example "hole" */
extern const char *const kind_names[KINDS];

/**
 * struct kinds - the state of a walk, kept from one frame to the next
 * @vmallocs: areas of vmalloc(), or NULL
 * @ram: ranges of memory, for frames without an owner entry; or NULL
 * @head_flags: flags of the last head of a compound page; kernels before 6.12 do not set
 *	most of them on its tails
 * @next_pfn: number of the next frame; if this frame is a tail, it belongs to that head
 */
struct kinds {
	const struct vmallocs *vmallocs;
	const struct ram *ram;
	uint64_t head_flags;
	uint64_t next_pfn;
};

/**
 * kind_of_frame() - the current kind of a frame
 * @k: the state; at the start all 0 except @vmallocs and @ram. The frames of a compound
 *	page must be passed in order, beginning with its head
 * @pfn: number of the frame
 * @flags: its flags in /proc/kpageflags
 * @owner: its entry in the module's file pages; NULL if not read
 *
 * A frame that is not on its LRU list yet already has the kind that it will have there. A
 * frame in the free list of a CPU is KIND_UNKNOWN.
 */
enum frame_kind kind_of_frame(struct kinds *k, uint64_t pfn, uint64_t flags,
			      const struct kmemtrace_page *owner);

/**
 * kind_of_tail() - the current kind of a tail of a compound page, out of order
 * @k: the state; its @head_flags and @next_pfn are overwritten
 * @pfn: number of the frame
 * @flags: its flags in /proc/kpageflags
 * @head_flags: flags of the head
 * @owner: its entry in the module's file pages; NULL if not read
 */
enum frame_kind kind_of_tail(struct kinds *k, uint64_t pfn, uint64_t flags,
			     uint64_t head_flags,
			     const struct kmemtrace_page *owner);

#endif /* KINDS_H */
