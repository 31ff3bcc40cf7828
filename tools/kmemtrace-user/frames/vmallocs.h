/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The frames that the kernel has mapped with vmalloc(), and their callers. The areas are
 * listed in /proc/vmallocinfo. If kptr_restrict is 0, it shows hashed addresses. The
 * module's file vmalloc_starts has the real addresses, and its file vmalloc has the
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
 * @end: address after the last, including the guard page
 * @kind: its purpose, derived from the caller
 * @owned: its pages were allocated for it; false for vmap()
 * @caller: the caller of vmalloc(): "function+0x12/0x34 [module]"
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
 * @pfn: number of the frame; must be the first member, as the key of the binary search
 * @area: index of the area
 */
struct vmalloc_frame {
	uint64_t pfn;
	uint32_t area;
};

/**
 * struct vmallocs - all areas and their frames
 * @area: the areas in the order of their addresses, without those of ioremap()
 * @nr_areas: number of areas
 * @frame: the frames in the order of their numbers; if several areas map a frame, those
 *	that own it come first
 * @nr_frames: number of frames
 * @why: the reason why the areas are not known; NULL if they are
 */
struct vmallocs {
	struct vmalloc_area *area;
	size_t nr_areas;
	struct vmalloc_frame *frame;
	size_t nr_frames;
	const char *why;
};

/**
 * vmallocs_parse() - parse the list of areas
 * @v: gets the areas; must be freed with vmallocs_free(), also after an error
 * @info: text of /proc/vmallocinfo
 * @starts: text of the module's vmalloc_starts: addresses where an area may start, and
 *	the form of each address in @info
 *
 * An area that is in only one of the texts is left out.
 */
void vmallocs_parse(struct vmallocs *v, const char *info, const char *starts);

/**
 * vmallocs_map() - find the frames of the areas
 * @v: has the areas; gets the frames
 * @fd: the module's file vmalloc
 *
 * Return: 0 or -errno.
 */
int vmallocs_map(struct vmallocs *v, int fd);

/**
 * vmallocs_read() - read all areas and their frames
 * @v: set; must be freed with vmallocs_free(), also after an error
 *
 * If the module or the kernel does not show the areas, @v has none, and @v->why is set.
 *
 * Return: 0; -1 after a message.
 */
int vmallocs_read(struct vmallocs *v);

/**
 * vmallocs_find() - find the area that maps a frame
 * @v: the areas
 * @pfn: number of the frame
 *
 * Return: the area; the one that owns the frame, if several areas map it; NULL if no area
 * maps it.
 */
const struct vmalloc_area *vmallocs_find(const struct vmallocs *v, uint64_t pfn);

/**
 * vmallocs_area() - find the area that contains an address
 * @v: the areas
 * @address: the address
 *
 * Return: the area; NULL if there is none.
 */
const struct vmalloc_area *vmallocs_area(const struct vmallocs *v, uint64_t address);

/**
 * vmallocs_frame() - find the frame that is mapped at an address
 * @address: an address in an area, or of the code of a module
 * @pfn: set to the number of the frame
 *
 * Return: 1; 0 if nothing is mapped there; -1 after a message.
 */
int vmallocs_frame(uint64_t address, uint64_t *pfn);

/** vmallocs_free() - free the areas and the frames */
void vmallocs_free(struct vmallocs *v);

#endif /* VMALLOCS_H */
