/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which frames the kernel has mapped with vmalloc(), and for whom: the areas of
 * /proc/vmallocinfo. Their addresses are hashed there where kptr_restrict is 0;
 * the module's file vmalloc_starts tells the real ones, its file vmalloc the
 * frames.
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
 * struct vmalloc_frame - one frame that an area maps
 * @pfn: its number; the first member
 * @area: index of the area
 */
struct vmalloc_frame {
	uint64_t pfn;
	uint32_t area;
};

/**
 * struct vmallocs - all of them
 * @area: the areas, by address; ioremap() is left out
 * @nr_areas: how many
 * @frame: their frames, by number; those of areas that own them first
 * @nr_frames: how many
 * @why: a sentence, if they are not known; else NULL
 */
struct vmallocs {
	struct vmalloc_area *area;
	size_t nr_areas;
	struct vmalloc_frame *frame;
	size_t nr_frames;
	const char *why;
};

/**
 * vmallocs_parse() - understand the texts
 * @v: gets the areas; to be freed with vmallocs_free(), also after an error
 * @info: text of /proc/vmallocinfo
 * @starts: text of the module's vmalloc_starts: addresses where an area may
 *	start, and what they are in @info
 *
 * An area that is in one of them alone is left out.
 *
 * Return: 0; -1 if memory ran out.
 */
int vmallocs_parse(struct vmallocs *v, const char *info, const char *starts);

/**
 * vmallocs_map() - find the frames of the areas
 * @v: gets them
 * @fd: the module's file vmalloc
 *
 * Return: 0 or -errno.
 */
int vmallocs_map(struct vmallocs *v, int fd);

/**
 * vmallocs_read() - find them all
 * @v: set; to be freed with vmallocs_free(), also after an error
 *
 * Where the module or the kernel does not tell them, there are none, and @v->why
 * says so.
 *
 * Return: 0; -1 after a message.
 */
int vmallocs_read(struct vmallocs *v);

/**
 * vmallocs_find() - the area that a frame is of
 * @v: the areas
 * @pfn: number of the frame
 *
 * Return: the area, the one that owns it if there are several; NULL if it is of
 * none.
 */
const struct vmalloc_area *vmallocs_find(const struct vmallocs *v, uint64_t pfn);

/** vmallocs_free() - free it */
void vmallocs_free(struct vmallocs *v);

#endif /* VMALLOCS_H */
