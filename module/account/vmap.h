/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pages that the kernel has mapped with vmalloc() and similar functions. Modules
 * cannot read the list of areas, but can read the page tables.
 */
#ifndef KMT_VMAP_H
#define KMT_VMAP_H

#include <linux/types.h>

struct dentry;

/**
 * kmt_vmap_pfn() - get the frame that is mapped at an address
 * @addr: the address
 * @pfn: set to the number of the frame, if the result is true
 *
 * Context: may sleep.
 * Return: whether the address is one of vmalloc() or of modules, and is mapped.
 */
bool kmt_vmap_pfn(unsigned long addr, unsigned long *pfn);

/**
 * kmt_vmap_end() - get the end of the address range of vmalloc() or of modules
 * @addr: an address
 *
 * Context: any.
 * Return: the address after the range that contains @addr; 0 if neither range contains
 * it.
 */
unsigned long kmt_vmap_end(unsigned long addr);

/**
 * kmt_vmap_walk() - visit all frames that are mapped in the area of vmalloc()
 * @visit: called with the address, the number of the first frame, and the number of frames,
 *	of each mapping, in ascending order of addresses; also for frames that are no memory,
 *	and twice for those mapped twice. If it returns false, the walk ends
 *
 * Areas may be mapped and unmapped meanwhile.
 *
 * Context: may sleep, and so may @visit.
 */
void kmt_vmap_walk(bool (*visit)(unsigned long addr, unsigned long pfn,
				 unsigned long count));

/**
 * kmt_vmap_walk_memmap() - the same for the struct pages of all memory
 * @visit: as for kmt_vmap_walk()
 *
 * Does nothing on kernels that do not map them at addresses of their own.
 *
 * Context: may sleep, and so may @visit.
 */
void kmt_vmap_walk_memmap(bool (*visit)(unsigned long addr, unsigned long pfn,
					unsigned long count));

/**
 * kmt_vmap_is_module() - whether an address is in the range of modules
 * @addr: the address
 *
 * Context: any.
 */
bool kmt_vmap_is_module(unsigned long addr);

/**
 * kmt_vmap_create() - create the file vmalloc_starts
 * @dir: directory of debugfs; the file is removed with it
 *
 * Context: may sleep.
 * Return: 0 or an error of debugfs.
 */
int kmt_vmap_create(struct dentry *dir);

#endif /* KMT_VMAP_H */
