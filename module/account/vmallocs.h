/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The areas of vmalloc() and their callers, from /proc/vmallocinfo. Modules cannot read the
 * kernel's own list.
 */
#ifndef KMT_VMALLOCS_H
#define KMT_VMALLOCS_H

#include <linux/types.h>

/**
 * struct kmt_vmalloc - an area
 * @shown: its address, as vmallocinfo shows it
 * @size: bytes, with the guard page behind it
 * @caller: "func:NAME", without a suffix of the compiler, or "[MODULE] func:NAME"; "" if there is none
 */
struct kmt_vmalloc {
	u64 shown;
	unsigned long size;
	char caller[128];
};

/**
 * struct kmt_vmallocs - all areas
 * @area: the areas, in the order of @shown
 * @count: number of areas
 */
struct kmt_vmallocs {
	struct kmt_vmalloc *area;
	unsigned int count;
};

/**
 * kmt_vmallocs_read() - read the areas
 * @v: set; the caller must call kmt_vmallocs_free()
 *
 * If they cannot be read, or the kernel shows no addresses (kernel.kptr_restrict=2), there
 * are none.
 *
 * Context: may sleep.
 */
void kmt_vmallocs_read(struct kmt_vmallocs *v);

/**
 * kmt_vmallocs_find() - find the area that begins at an address
 * @v: the areas
 * @addr: the address
 *
 * Context: may sleep; with the rights of the task that has read them, on which it may depend
 * what the kernel shows as an address.
 * Return: the area; NULL if there is none.
 */
const struct kmt_vmalloc *kmt_vmallocs_find(const struct kmt_vmallocs *v,
					    unsigned long addr);

/** kmt_vmallocs_free() - undo kmt_vmallocs_read(). Context: may sleep. */
void kmt_vmallocs_free(struct kmt_vmallocs *v);

#endif /* KMT_VMALLOCS_H */
