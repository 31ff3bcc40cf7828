/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about a struct kmem_cache: its sizes, its name, a number that fits in a
 * record, and its slabs. On newer kernels the struct is private (it is on 6.12). The
 * module finds its members at load, with caches made for the purpose.
 */
#ifndef KMT_CACHE_H
#define KMT_CACHE_H

#include <linux/slab.h>
#include <linux/types.h>

struct page;
struct seq_file;

/**
 * struct kmt_cache_layout - offsets in struct kmem_cache, in bytes
 * @known: whether they were found; else use kmem_cache_size()
 * @size: of size, u32: what one object takes up
 * @object_size: of object_size, u32: what the user of the cache asked for
 * @name: of name, const char *
 * @flags: of flags, slab_flags_t; -1U if they were not found
 */
struct kmt_cache_layout {
	bool known;
	unsigned int size;
	unsigned int object_size;
	unsigned int name;
	unsigned int flags;
};

extern struct kmt_cache_layout kmt_cache_layout;

/**
 * struct kmt_cache_sizes - of a cache
 * @size: bytes that one object takes up
 * @object_size: bytes that the user of an object may use
 */
struct kmt_cache_sizes {
	u32 size;
	u32 object_size;
};

/**
 * kmt_cache_sizes_by_layout() - sizes of a cache
 * @s: a cache
 *
 * Context: any; kmt_cache_layout is known.
 */
static __always_inline struct kmt_cache_sizes
kmt_cache_sizes_by_layout(const struct kmem_cache *s)
{
	return (struct kmt_cache_sizes){
		data_race(*(u32 *)((char *)s + kmt_cache_layout.size)),
		data_race(*(u32 *)((char *)s + kmt_cache_layout.object_size)),
	};
}

/**
 * kmt_cache_sizes() - sizes of a cache
 * @s: a cache
 *
 * Context: any.
 */
static inline struct kmt_cache_sizes kmt_cache_sizes(struct kmem_cache *s)
{
	u32 size;

	if (kmt_cache_layout.known)
		return kmt_cache_sizes_by_layout(s);
	size = kmem_cache_size(s);
	return (struct kmt_cache_sizes){ size, size };
}

/**
 * kmt_cache_id() - the number of a cache
 * @s: a cache
 *
 * A cache gets its number when it is first met. Numbers are not given twice
 * while the module is loaded, also not once a cache is gone.
 *
 * Context: any, interrupts off; not from NMI.
 * Return: the number; 0 where names are not known or the table is full.
 */
u16 kmt_cache_id(struct kmem_cache *s);

/* Slabs are of at most so many pages; see slub_max_order. */
#define KMT_SLAB_ORDER_MAX 3u

/**
 * kmt_cache_slabs_known() - whether the cache of a slab can be found out
 *
 * Context: any.
 */
bool kmt_cache_slabs_known(void);

/**
 * kmt_cache_of_slab() - the cache of a slab
 * @page: its first page
 *
 * Context: any. Where @page is no slab any more, the result means nothing, but can
 * be passed to kmt_cache_id().
 * Return: the cache, or NULL.
 */
struct kmem_cache *kmt_cache_of_slab(struct page *page);

/**
 * kmt_cache_distance() - from one object to the next in a slab
 * @page: its first page
 * @bytes: of all its pages
 *
 * When a slab is freed, the allocator has not yet put anything in place of the
 * pointer to the cache. One that goes meanwhile does no harm.
 *
 * Context: any.
 * Return: bytes; 0 if it cannot be told, or objects do not begin at the start
 * of the slab (slub_debug).
 */
unsigned int kmt_cache_distance(struct page *page, unsigned long bytes);

/* Numbers are below this. */
#define KMT_CACHES_MAX 2048
/* of a name that was kept, with its end */
#define KMT_CACHE_NAME_SIZE 48

/**
 * kmt_cache_name() - name of a cache
 * @id: its number
 *
 * Context: any.
 */
const char *kmt_cache_name(u16 id);

/**
 * kmt_cache_init() - find out the layout
 *
 * Context: may sleep.
 * Return: 0, also if it cannot be found out; or -ENOMEM.
 */
int kmt_cache_init(void);

/**
 * kmt_cache_exit() - undo kmt_cache_init()
 *
 * Context: may sleep; no probe runs any more.
 */
void kmt_cache_exit(void);

/**
 * kmt_cache_show() - list the caches that have a number
 * @m: gets rows "id object_size size name"
 *
 * Context: may sleep.
 */
void kmt_cache_show(struct seq_file *m);

/**
 * kmt_cache_count() - how many caches have a number
 *
 * Context: any.
 */
unsigned int kmt_cache_count(void);

/**
 * kmt_cache_refused() - how often a cache got no number, the table being full
 *
 * Context: any.
 */
unsigned long kmt_cache_refused(void);

#endif /* KMT_CACHE_H */
