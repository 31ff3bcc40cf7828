/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which frames the kernel has mapped with vmalloc(), and for whom: the areas of
 * /proc/vmallocinfo, through the module's file vmalloc.
 */
#ifndef VMALLOCS_H
#define VMALLOCS_H

#include <stddef.h>
#include <stdint.h>

enum vmalloc_kind { VMALLOC_OTHER, VMALLOC_STACK, VMALLOC_PERCPU, VMALLOC_MODULE };

/**
 * struct vmalloc_area - one area
 * @start: first address
 * @end: address after the last, the guard page included
 * @kind: what it is for, by who asked for it
 * @owned: its pages were allocated for it; not so with vmap() and ioremap()
 * @caller: "function+0x12/0x34 [module]"
 */
struct vmalloc_area {
	uint64_t start;
	uint64_t end;
	enum vmalloc_kind kind;
	int owned;
	char *caller;
};

/**
 * struct vmalloc_frame - one frame of an area
 * @pfn: its number
 * @area: index of the area
 */
struct vmalloc_frame {
	uint64_t pfn;
	uint32_t area;
};

/**
 * struct vmallocs - all of them
 * @area: the areas, by address
 * @nr_areas: how many
 * @frame: the frames of areas that own their pages, by number
 * @nr_frames: how many
 */
struct vmallocs {
	struct vmalloc_area *area;
	size_t nr_areas;
	struct vmalloc_frame *frame;
	size_t nr_frames;
};

/**
 * vmallocs_read() - find them all
 * @v: set; to be freed with vmallocs_free(), also after an error
 *
 * Return: 0; -1 after a message.
 */
int vmallocs_read(struct vmallocs *v);

/**
 * vmallocs_find() - the area that a frame is of
 * @v: the areas
 * @pfn: number of the frame
 *
 * Return: the area; NULL if it is of none.
 */
const struct vmalloc_area *vmallocs_find(const struct vmallocs *v, uint64_t pfn);

/** vmallocs_free() - free it */
void vmallocs_free(struct vmallocs *v);

#endif /* VMALLOCS_H */
