// SPDX-License-Identifier: GPL-2.0-only
/*
 * The format of a list is that of mm/slub.c, freelist_ptr() (in v6.1) or
 * freelist_ptr_encode(): the address of the next object, XORed with a random number of the
 * cache and with the address of this word, whose bytes are swapped.
 *
 * A slab that a CPU allocates from is frozen, and its free objects are in the list of the CPU,
 * struct kmem_cache_cpu. Frees by other CPUs go into the slab's list. Newer kernels do not have
 * this struct: their CPUs keep arrays of free objects (sheaf.h).
 *
 * All of another slab's memory is read without faults, because the slab may be freed.
 */
#include <linux/bitmap.h>
#include <linux/kfence.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/swab.h>

#include "base/cache.h"
#include "base/freelist.h"
#include "base/peek.h"

/* how often a list is read that changes meanwhile */
#define TRIES 4

/**
 * struct layout - offsets in bytes
 * @list: in struct page of a slab: the first free object
 * @next: in struct kmem_cache, u32: offset of the word in an object
 * @random: in struct kmem_cache: the number that obscures addresses; -1: they are plain
 * @cpu: in struct kmem_cache: pointer to struct cpu_list of each CPU; -1: not known
 */
struct layout {
	int list;
	int next;
	int random;
	int cpu;
};

/**
 * struct cpu_list - the first members of struct kmem_cache_cpu
 * @first: the first free object; not obscured
 * @tid: changes with each operation
 * @slab: the slab that the objects are in
 */
struct cpu_list {
	unsigned long first;
	unsigned long tid;
	const struct page *slab;
};

/* in the word behind the list, see struct slab in mm/slab.h */
#define FROZEN BIT(31)

static struct layout layout __ro_after_init;
static bool known __ro_after_init;

/* The largest slab has so many objects of 8 bytes. The survey runs in one task at a time. */
static DECLARE_BITMAP(free_of_cpu, KMT_FREELIST_MAX);

bool kmt_freelist_known(void)
{
	return known;
}

bool kmt_freelist_knows_cpus(void)
{
	return known && layout.cpu >= 0;
}

/**
 * struct slab_view - what is needed for reading the list of a slab
 * @start: address of the first object
 * @size: bytes from one object to the next
 * @objects: number of objects
 * @next: offset of the word in an object
 * @random: the number of the cache, or 0
 * @plain: addresses are not obscured
 */
struct slab_view {
	unsigned long start;
	unsigned int size;
	unsigned int objects;
	u32 next;
	unsigned long random;
	bool plain;
};

/* Return: the number of an object; -1 if no object begins at the address. */
static int index_of(const struct slab_view *v, unsigned long object)
{
	unsigned long offset = object - v->start;

	if (object < v->start || offset % v->size ||
	    offset / v->size >= v->objects)
		return -1;
	return offset / v->size;
}

/*
 * Follow the list.
 *
 * @free: gets the objects; empty before
 * Return: their number; -1 if the list has an address that is no object, or has no end.
 */
static int follow(const struct slab_view *v, unsigned long object,
		  unsigned long *free)
{
	int count, i;

	for (count = 0; object; count++) {
		unsigned long at, word;

		i = index_of(v, object);
		if (i < 0 || test_bit(i, free))
			return -1;
		__set_bit(i, free);
		at = object + v->next;
		if (kmt_peek(&word, (void *)at, sizeof(word)))
			return -1;
		object = v->plain ? word : word ^ v->random ^ swab(at);
	}
	return count;
}

static unsigned long first_free(struct page *slab, int list)
{
	return READ_ONCE(*(unsigned long *)((void *)slab + list));
}

/*
 * A list that was taken from the slab meanwhile is no longer its list. Whoever takes objects
 * from the list changes its first word.
 */
static bool read_list(struct page *slab, int list, const struct slab_view *v,
		      unsigned long *free)
{
	unsigned long first;
	int tries, count;

	for (tries = 0; tries < TRIES; tries++) {
		bitmap_zero(free, v->objects);
		first = first_free(slab, list);
		count = follow(v, first, free);
		smp_rmb(); /* the objects before the first word */
		if (count >= 0 && first_free(slab, list) == first)
			return true;
	}
	bitmap_zero(free, v->objects);
	return false;
}

static bool is_frozen(struct page *slab, int list)
{
	return first_free(slab, list + sizeof(long)) & FROZEN;
}

/* Add the objects that one CPU has, unless they change all the time. */
static void read_cpu(const struct page *slab, const struct cpu_list __percpu *lists,
		     int cpu, const struct slab_view *v, unsigned long *free)
{
	const struct cpu_list *at = per_cpu_ptr(lists, cpu);
	struct cpu_list before, after;
	int tries;

	for (tries = 0; tries < TRIES; tries++) {
		if (kmt_peek(&before, at, sizeof(before)))
			return;
		if (before.slab != slab)
			return;
		smp_rmb(); /* what the CPU has done before its words */
		bitmap_zero(free_of_cpu, v->objects);
		if (follow(v, before.first, free_of_cpu) < 0)
			continue;
		smp_rmb(); /* the objects before the words */
		if (kmt_peek(&after, at, sizeof(after)))
			return;
		if (memcmp(&before, &after, sizeof(before)))
			continue;
		bitmap_or(free, free, free_of_cpu, v->objects);
		return;
	}
}

/* Add the objects that the CPU has that allocates from the slab. */
static void read_cpus(struct page *slab, const struct kmem_cache *cache,
		      const struct layout *l, const struct slab_view *v,
		      unsigned long *free)
{
	const struct cpu_list __percpu *lists;
	int cpu;

	if (kmt_peek(&lists, (void *)cache + l->cpu, sizeof(lists)))
		return;
	for_each_possible_cpu(cpu)
		read_cpu(slab, lists, cpu, v, free);
}

/* A CPU that stops allocating from the slab puts its objects into the slab's list. */
static bool read_all(struct page *slab, const struct kmem_cache *cache,
		     const struct layout *l, const struct slab_view *v,
		     unsigned long *free)
{
	int tries;

	for (tries = 0; tries < TRIES; tries++) {
		if (!read_list(slab, l->list, v, free))
			return false;
		if (l->cpu < 0 || !is_frozen(slab, l->list))
			break;
		read_cpus(slab, cache, l, v, free);
		if (is_frozen(slab, l->list))
			break;
	}
	return true;
}

/* Return: false if the cache is gone. */
static bool view_cache(struct slab_view *v, const struct kmem_cache *cache,
		       const struct layout *l)
{
	const void *at = cache;

	v->plain = l->random < 0;
	v->random = 0;
	if (kmt_peek(&v->next, at + l->next, sizeof(v->next)))
		return false;
	return v->plain || !kmt_peek(&v->random, at + l->random, sizeof(v->random));
}

bool kmt_freelist_read(struct page *slab, const struct kmem_cache *cache,
		       unsigned int size, unsigned int objects,
		       unsigned long *free)
{
	struct slab_view v = {
		.start = (unsigned long)page_address(slab),
		.size = size,
		.objects = objects,
	};

	bitmap_zero(free, objects);
	return known && view_cache(&v, cache, &layout) &&
	       v.next + sizeof(long) <= size &&
	       read_all(slab, cache, &layout, &v, free);
}

/* --- finding the layout --------------------------------------------------- */

#define SAMPLES 96

/**
 * struct specimen - a cache, some of whose objects are allocated
 * @name: its name
 * @object_size: bytes that were requested
 * @cache: the cache
 * @objects: the objects
 */
struct specimen {
	const char *name;
	unsigned int object_size;
	struct kmem_cache *cache;
	void *objects[SAMPLES];
};

/*
 * Sizes that are so odd that no other member of the struct has the offset of the word, which
 * is in the middle of the object. SLAB_NOLEAKTRACE prevents merging with another cache.
 */
static struct specimen specimens[] __initdata = {
	{ .name = "kmemtrace_free_a", .object_size = 1301 },
	{ .name = "kmemtrace_free_b", .object_size = 725 },
};

/*
 * Free every second object, and give all that CPUs keep back to the slabs. So most slabs
 * have a list of several objects.
 */
static int __init prepare(struct specimen *sp)
{
	int i;

	sp->cache = kmem_cache_create(sp->name, sp->object_size, 0,
				      SLAB_NOLEAKTRACE, NULL);
	if (!sp->cache)
		return -ENOMEM;
	for (i = 0; i < SAMPLES; i++) {
		sp->objects[i] = kmem_cache_alloc(sp->cache, GFP_KERNEL);
		if (!sp->objects[i])
			return -ENOMEM;
	}
	for (i = 0; i < SAMPLES; i += 2) {
		kmem_cache_free(sp->cache, sp->objects[i]);
		sp->objects[i] = NULL;
	}
	kmem_cache_shrink(sp->cache);
	return 0;
}

static void __init destroy(struct specimen *sp)
{
	int i;

	for (i = 0; i < SAMPLES && sp->cache; i++)
		if (sp->objects[i])
			kmem_cache_free(sp->cache, sp->objects[i]);
	kmem_cache_destroy(sp->cache);
}

static bool __init is_kept(const struct specimen *sp, unsigned long object)
{
	int i;

	for (i = 0; i < SAMPLES; i++)
		if ((unsigned long)sp->objects[i] == object)
			return true;
	return false;
}

/*
 * Check a layout with the slab of one object that is in use.
 *
 * Return: number of free objects in its list; -1 if these are not exactly the objects that
 * are not in use.
 */
static int __init check_slab(const struct specimen *sp, void *object,
			     const struct layout *l)
{
	struct page *slab = virt_to_head_page(object);
	struct slab_view v = {
		.start = (unsigned long)page_address(slab),
		.size = kmt_cache_sizes(sp->cache).size,
	};
	DECLARE_BITMAP(free, 256);
	unsigned int i;

	v.objects = page_size(slab) / v.size;
	if (v.objects > 256 || !view_cache(&v, sp->cache, l) ||
	    v.next + sizeof(long) > v.size ||
	    !read_all(slab, sp->cache, l, &v, free))
		return -1;
	for (i = 0; i < v.objects; i++)
		if (test_bit(i, free) == is_kept(sp, v.start + i * v.size))
			return -1;
	return bitmap_weight(free, v.objects);
}

static bool __init layout_is(const struct layout *l)
{
	int s, i, free = 0;

	for (s = 0; s < ARRAY_SIZE(specimens); s++) {
		for (i = 0; i < SAMPLES; i++) {
			const struct specimen *sp = &specimens[s];
			void *object = sp->objects[i];
			int n = 0;

			if (object && !is_kfence_address(object))
				n = check_slab(sp, object, l);
			if (n < 0)
				return false;
			free += n;
		}
	}
	return free > SAMPLES;
}

/* The middle of the object; behind the object, if free objects are poisoned (slub_debug=P). */
static bool __init is_offset_of_word(const struct specimen *sp, int at)
{
	u32 offset = *(u32 *)((void *)sp->cache + at);

	return offset == ALIGN_DOWN(sp->object_size / 2, sizeof(void *)) ||
	       offset == ALIGN(sp->object_size, sizeof(void *));
}

/*
 * Find the other offsets, given @l->next, or a member that has the same value.
 *
 * Return: false if there are none.
 */
static bool __init find_list(struct layout *l, int size)
{
	for (l->list = 0; l->list < sizeof(struct page); l->list += sizeof(long)) {
		for (l->random = -1; l->random < size;
		     l->random += l->random < 0 ? 1 : sizeof(long))
			if (l->random + (int)sizeof(long) <= size &&
			    layout_is(l))
				return true;
	}
	return false;
}

/*
 * Take an object again, which makes its slab that of a CPU.
 *
 * Return: the object; NULL if there is no memory.
 */
static void *__init take_again(struct specimen *sp)
{
	int i;

	for (i = 0; i < SAMPLES; i += 2) {
		sp->objects[i] = kmem_cache_alloc(sp->cache, GFP_KERNEL);
		if (!sp->objects[i] || !is_kfence_address(sp->objects[i]))
			return sp->objects[i];
	}
	return NULL;
}

/* Whether the slab of @object has free objects, and exactly those that are expected. */
static bool __init cpu_is_at(const struct specimen *sp, void *object,
			     const struct layout *l)
{
	return object && is_frozen(virt_to_head_page(object), l->list) &&
	       check_slab(sp, object, l) > 0;
}

static void __init find_cpu(struct layout *l, int size)
{
	struct specimen *a = &specimens[0], *b = &specimens[1];
	void *of_a = take_again(a), *of_b = take_again(b);

	for (l->cpu = 0; l->cpu + (int)sizeof(long) <= size; l->cpu += sizeof(long))
		if (cpu_is_at(a, of_a, l) && cpu_is_at(b, of_b, l))
			return;
	l->cpu = -1;
}

static bool __init find_layout(struct layout *l)
{
	int size = min(kmt_cache_struct_size(specimens[0].cache),
		       kmt_cache_struct_size(specimens[1].cache));

	l->cpu = -1;
	for (l->next = 0; l->next + (int)sizeof(u32) <= size;
	     l->next += sizeof(u32)) {
		if (!is_offset_of_word(&specimens[0], l->next) ||
		    !is_offset_of_word(&specimens[1], l->next) ||
		    !find_list(l, size))
			continue;
		find_cpu(l, size);
		return true;
	}
	return false;
}

int __init kmt_freelist_init(void)
{
	int i, err = 0;

	if (!kmt_cache_layout.known || !kmt_cache_slabs_known())
		return 0;
	for (i = 0; i < ARRAY_SIZE(specimens) && !err; i++)
		err = prepare(&specimens[i]);
	if (!err)
		known = find_layout(&layout);
	for (i = 0; i < ARRAY_SIZE(specimens); i++)
		destroy(&specimens[i]);
	return err;
}
