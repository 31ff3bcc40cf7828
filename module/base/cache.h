/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sizes and the name of a struct kmem_cache, an index for tables, a number for records,
 * and its slabs. On newer kernels such as 6.12, modules cannot see the members of the
 * struct. This module finds their offsets at load, by means of caches that it creates.
 */
#ifndef KMT_CACHE_H
#define KMT_CACHE_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/types.h>

struct page;
struct seq_file;

/**
 * struct kmt_cache_layout - offsets in struct kmem_cache, in bytes
 * @known: true if @size, @object_size and @name were found; else use kmem_cache_size()
 * @size: offset of size, u32: bytes that one object occupies
 * @object_size: offset of object_size, u32: bytes that the user of the cache requested
 * @name: offset of name, const char *
 * @flags: offset of flags, slab_flags_t; -1U if it was not found
 *
 * Constant after kmt_cache_init().
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
 * struct kmt_cache_sizes - the sizes of the objects of a cache, in bytes
 * @size: bytes that one object occupies
 * @object_size: bytes that the user of an object may use
 */
struct kmt_cache_sizes {
	u32 size;
	u32 object_size;
};

/**
 * kmt_cache_sizes_by_layout() - get the sizes of a cache
 * @s: the cache
 *
 * Context: any; kmt_cache_layout.known is true.
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
 * kmt_cache_sizes() - get the sizes of a cache
 * @s: the cache
 *
 * If the layout is unknown, both sizes are kmem_cache_size().
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

/* indices of caches are below this */
#define KMT_CACHES_MAX 2048
#define KMT_CACHE_SLOT_BITS 13

/**
 * struct kmt_cache_key - distinguishes a cache from others, also at the same address
 * @cache: its address
 * @name_at: address of its name
 * @object_size: bytes that the user of an object may use
 * @id: its number
 * @next: the next key of a cache with the same hash, as in kmt_cache_slots
 */
struct kmt_cache_key {
	const struct kmem_cache *cache;
	const char *name_at;
	u32 object_size;
	u16 id;
	u16 next;
} __aligned(32);

/* by index; the first one is not used, and belongs to no cache */
extern struct kmt_cache_key kmt_cache_keys[KMT_CACHES_MAX];
/*
 * By hash of the address of a cache: its key, or another one with this hash, as an offset in
 * kmt_cache_keys in bytes. 0: none.
 */
extern u16 kmt_cache_slots[1 << KMT_CACHE_SLOT_BITS];

static __always_inline u32 kmt_cache_slot(const struct kmem_cache *s)
{
	return hash_32((u32)(unsigned long)s, KMT_CACHE_SLOT_BITS);
}

static __always_inline const struct kmt_cache_key *kmt_cache_key_at(u32 slot)
{
	BUILD_BUG_ON(sizeof(kmt_cache_keys) > U16_MAX + 1);
	/* pairs with __link(): the address of the key depends on the slot */
	return (void *)kmt_cache_keys + READ_ONCE(kmt_cache_slots[slot]);
}

static __always_inline const char *kmt_cache_name_at(const struct kmem_cache *s)
{
	return data_race(*(const char **)((char *)s + kmt_cache_layout.name));
}

/* If the layout is unknown, there are no keys. */
static __always_inline bool kmt_cache_is(const struct kmem_cache *s,
					 const struct kmt_cache_key *key)
{
	return likely(key->cache == s) &&
	       likely(key->name_at == kmt_cache_name_at(s)) &&
	       likely(READ_ONCE(key->object_size) ==
		      kmt_cache_sizes_by_layout(s).object_size);
}

/* kmt_cache_key() for a cache that is not in its first slot */
const struct kmt_cache_key *kmt_cache_key_slowly(const struct kmem_cache *s);

/**
 * kmt_cache_key() - get the key of a cache
 * @s: the cache
 *
 * The first call for a cache assigns an index and a number. Those of a cache that was
 * destroyed (kmt_cache_released()) are assigned again: the index if all others are in use,
 * the number after all 65,534 numbers.
 *
 * Context: any, interrupts off; the caller holds the CPU's guard (guard.h), because a
 * spinlock is taken.
 * Return: the key, which stays until interrupts are on; that of index and number 0 if the
 * layout is unknown, or all indices are in use (kmt_cache_refused()).
 */
static __always_inline const struct kmt_cache_key *
kmt_cache_key(const struct kmem_cache *s)
{
	const struct kmt_cache_key *key = kmt_cache_key_at(kmt_cache_slot(s));

	return likely(kmt_cache_is(s, key)) ? key : kmt_cache_key_slowly(s);
}

/* Return: the number of a cache, for records. Context: as kmt_cache_key(). */
static __always_inline u16 kmt_cache_id(const struct kmem_cache *s)
{
	return kmt_cache_key(s)->id;
}

/* Return: the index of a cache. Context: as kmt_cache_key(). */
static inline u16 kmt_cache_index(const struct kmem_cache *s)
{
	return kmt_cache_key(s) - kmt_cache_keys;
}

/**
 * kmt_cache_find() - find the index of a cache by its address alone
 * @s: the cache, which may have been destroyed; or any other pointer
 *
 * Context: any, interrupts off.
 * Return: the index of the last cache at this address that got one; 0 if there is none, or if
 * it is known to be destroyed.
 */
u16 kmt_cache_find(const struct kmem_cache *s);

/**
 * kmt_cache_index_of() - get the index of the cache of an object
 * @object: an address that has a struct page; if it is in a slab, the slab is not freed meanwhile
 *
 * Context: as kmt_cache_key().
 * Return: the index; 0 if it is unknown.
 */
u16 kmt_cache_index_of(unsigned long object);

/**
 * kmt_cache_released() - note that a cache is being destroyed
 * @s: the cache, which has no slabs any more
 *
 * Context: any except in a probe or an NMI.
 */
void kmt_cache_released(const struct kmem_cache *s);

/**
 * kmt_cache_doubt() - note that caches may have been destroyed
 *
 * Called when kmt_cache_released() was not called for a while. A cache that still exists
 * gets the same index and number with its next event.
 *
 * Context: may sleep; no page has slots with an index that is still used.
 */
void kmt_cache_doubt(void);

/* the largest order of a slab; see slub_max_order */
#define KMT_SLAB_ORDER_MAX 3u

/**
 * kmt_cache_slabs_known() - check whether kmt_cache_of_slab() can find caches
 *
 * Context: any.
 */
bool kmt_cache_slabs_known(void);

/**
 * kmt_cache_of_slab() - get the cache of a slab
 * @page: the first page of the slab
 *
 * Context: any. If @page is no longer a slab, the result may not be a cache.
 * Return: the cache; NULL if it is unknown.
 */
struct kmem_cache *kmt_cache_of_slab(struct page *page);

/**
 * kmt_cache_unmerged() - a constructor that does nothing
 * @object: an object of a new slab
 *
 * The kernel does not merge a cache that has a constructor with another one. It destroys
 * the cache at once, whereas it waits for a grace period if the cache is
 * SLAB_TYPESAFE_BY_RCU, which is not merged either.
 *
 * Context: any.
 */
void kmt_cache_unmerged(void *object);

/**
 * kmt_cache_is_kmalloc() - whether a cache is one of kmalloc()
 * @s: the cache, or another pointer, which is only compared; may be NULL
 *
 * The caches of kmem_buckets_create() are not.
 *
 * Context: any.
 */
bool kmt_cache_is_kmalloc(const struct kmem_cache *s);

/**
 * kmt_cache_distance() - get the distance of the objects in a slab
 * @page: the first page of the slab
 * @bytes: bytes of all pages of the slab
 *
 * Also works for a slab that is being freed, because the allocator has not yet
 * overwritten the pointer to the cache. A cache that is destroyed meanwhile causes no
 * fault.
 *
 * Context: any.
 * Return: bytes from one object to the next; 0 if unknown, or if the first object is
 * not at the start of the slab (slub_debug).
 */
unsigned int kmt_cache_distance(struct page *page, unsigned long bytes);

/**
 * kmt_cache_struct_size() - bytes of a struct kmem_cache that may be read
 * @s: a cache that is not destroyed meanwhile
 *
 * Context: any; after kmt_cache_init().
 * Return: the size of the struct, which the kernel itself allocates from a cache; 0 if unknown.
 */
unsigned int kmt_cache_struct_size(const struct kmem_cache *s);

/* bytes of a stored name, with the 0 at its end */
#define KMT_CACHE_NAME_SIZE 48

/**
 * kmt_cache_name() - get the name of a cache
 * @key: its key
 *
 * Context: as kmt_cache_key().
 * Return: the name, with the lifetime of the key.
 */
const char *kmt_cache_name(const struct kmt_cache_key *key);

/**
 * kmt_cache_init() - find the layout, and allocate the table of caches
 *
 * Context: may sleep.
 * Return: 0, also if the layout cannot be found (the kernel log says so); -ENOMEM.
 */
int kmt_cache_init(void);

/**
 * kmt_cache_exit() - undo kmt_cache_init()
 *
 * Context: may sleep; no probe runs any more.
 */
void kmt_cache_exit(void);

/**
 * struct kmt_cache_info - what is known of a cache
 * @cache: its address; NULL if it was destroyed, or may have been
 * @object_size: bytes that the user of an object may use
 * @size: bytes that one object occupies
 * @id: its number
 * @reclaimable: it is SLAB_RECLAIM_ACCOUNT
 * @name: its name
 */
struct kmt_cache_info {
	const struct kmem_cache *cache;
	u32 object_size;
	u32 size;
	u16 id;
	bool reclaimable;
	char name[KMT_CACHE_NAME_SIZE];
};

/**
 * kmt_cache_read() - look at the cache with an index
 * @index: the index, from 1 to kmt_cache_count()
 * @info: set
 *
 * Context: any except in a probe or an NMI.
 */
void kmt_cache_read(u16 index, struct kmt_cache_info *info);

/**
 * kmt_cache_show() - print the caches that have a number
 * @m: gets rows "id object_size size name", with " reclaimable" after the name of caches
 *	that are SLAB_RECLAIM_ACCOUNT
 *
 * Context: may sleep.
 */
void kmt_cache_show(struct seq_file *m);

/**
 * kmt_cache_reclaimable_known() - check whether kmt_cache_is_reclaimable() can be trusted
 *
 * Context: any.
 */
bool kmt_cache_reclaimable_known(void);

/**
 * kmt_cache_is_reclaimable() - check whether the kernel can free the objects of a cache
 * @index: index of the cache, or 0
 *
 * Context: any.
 * Return: whether the cache is SLAB_RECLAIM_ACCOUNT; false for 0.
 */
bool kmt_cache_is_reclaimable(u16 index);

/**
 * kmt_cache_count() - get the highest index of a cache
 *
 * Context: any.
 */
unsigned int kmt_cache_count(void);

/**
 * kmt_cache_destroyed() - count the caches up to kmt_cache_count() that were destroyed
 *
 * Context: any.
 */
unsigned int kmt_cache_destroyed(void);

/**
 * kmt_cache_refused() - count the calls of kmt_cache_key() that found no index
 *
 * Context: any.
 */
unsigned long kmt_cache_refused(void);

#endif /* KMT_CACHE_H */
