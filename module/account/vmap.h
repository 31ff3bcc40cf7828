/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pages that the kernel has mapped with vmalloc() and the like. The areas are
 * closed to modules, their page tables are not.
 */
#ifndef KMT_VMAP_H
#define KMT_VMAP_H

#include <linux/types.h>

struct dentry;

/**
 * kmt_vmap_pfn() - the frame that is mapped at an address
 * @addr: the address
 * @pfn: set to the number of the frame
 *
 * Context: may sleep.
 * Return: whether it is an address of vmalloc() or of modules, and mapped.
 */
bool kmt_vmap_pfn(unsigned long addr, unsigned long *pfn);

/**
 * kmt_vmap_end() - where addresses for vmalloc() or for modules end
 * @addr: one of them
 *
 * Context: any.
 * Return: the address after the last; 0 if @addr is none of them.
 */
unsigned long kmt_vmap_end(unsigned long addr);

/**
 * kmt_vmap_create() - make the file vmalloc_starts
 * @dir: where it goes
 *
 * Context: may sleep.
 * Return: 0, or what debugfs answered.
 */
int kmt_vmap_create(struct dentry *dir);

#endif /* KMT_VMAP_H */
