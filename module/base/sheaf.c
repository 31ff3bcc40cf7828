// SPDX-License-Identifier: GPL-2.0-only
/*
 * SLUB changes the sheaves of an online CPU on that CPU, with preemption disabled. A task on this
 * CPU therefore finds them complete. On PREEMPT_RT, a task can be preempted while it changes a
 * sheaf, so sheaves are not read there. The full sheaves of a node can be taken by any of its
 * CPUs.
 *
 * All memory is read without faults, because a cache may be destroyed, and a sheaf freed.
 */
#include <linux/kfence.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/slab.h>

#include "base/cache.h"
#include "base/peek.h"
#include "base/sheaf.h"

#define WORD ((int)sizeof(long))

/* the most objects of a sheaf that is read */
#define SHEAF_MAX 1024
/* sheaves of a CPU: main, spare, and the one of kfree_rcu() */
#define OF_CPU 3
/* full sheaves of a node that are read; SLUB keeps fewer */
#define OF_NODE 64

/**
 * struct layout - offsets in bytes
 * @end: size of struct kmem_cache
 * @sheaves: in struct kmem_cache: pointer to the struct of each CPU
 * @main: in this struct: the first of OF_CPU pointers to sheaves
 * @full: in the struct of a node: head of the list of full sheaves, whose first member is in
 *	this list
 * @cache: in a sheaf: its cache
 * @size: in a sheaf, u32: number of its objects
 * @objects: in a sheaf: its first object
 */
struct layout {
	int end;
	int sheaves;
	int main;
	int full;
	int cache;
	int size;
	int objects;
};

static struct layout layout __ro_after_init;
static bool known __ro_after_init;

/* the objects of a sheaf; the survey runs in one task at a time */
static unsigned long copy[SHEAF_MAX];

bool kmt_sheaf_known(void)
{
	return known;
}

/* Return: the word; 0 if it cannot be read. */
static unsigned long word_at(unsigned long at)
{
	unsigned long word;

	return kmt_peek(&word, (void *)at, sizeof(word)) ? 0 : word;
}

/* Sheaves and structs of nodes are in the direct map, as all that kmalloc() returns. */
static bool is_pointer(unsigned long word)
{
	return word % WORD == 0 && word >= PAGE_OFFSET &&
	       word < (unsigned long)high_memory;
}

static bool is_sheaf_of(const struct kmem_cache *cache, unsigned long at,
			const struct layout *l)
{
	return is_pointer(at) && word_at(at + l->cache) == (unsigned long)cache;
}

/* Return: number of its objects; 0 if it is no sheaf of the cache. */
static u32 size_of_sheaf(const struct kmem_cache *cache, unsigned long at,
			 const struct layout *l)
{
	u32 size;

	if (!is_sheaf_of(cache, at, l) ||
	    kmt_peek(&size, (void *)at + l->size, sizeof(size)))
		return 0;
	return size <= SHEAF_MAX ? size : 0;
}

/*
 * Copy the objects of a sheaf.
 *
 * Return: their number; 0 if it is no sheaf of the cache.
 */
static u32 copy_objects(const struct kmem_cache *cache, unsigned long sheaf,
			unsigned long *objects, const struct layout *l)
{
	u32 size = size_of_sheaf(cache, sheaf, l);

	return kmt_peek(objects, (void *)sheaf + l->objects, size * sizeof(*objects)) ||
			       !is_sheaf_of(cache, sheaf, l) ?
		       0 :
		       size;
}

/* Return: address of the struct of a CPU; 0 if there is none. */
static unsigned long sheaves_of(const struct kmem_cache *cache, int cpu, int offset)
{
	unsigned long at = word_at((unsigned long)cache + offset);

	/* a pointer to per-CPU memory may be an address of the kernel's image */
	return at && !is_pointer(at) ?
		       (unsigned long)per_cpu_ptr((void __percpu *)at, cpu) :
		       0;
}

void kmt_sheaf_read_cpu(const struct kmem_cache *cache,
			void (*found)(unsigned long object, const void *arg),
			const void *arg)
{
	unsigned long at, flags;
	u32 size, n;
	int i;

	for (i = 0; i < OF_CPU; i++) {
		/* one sheaf at a time, so that interrupts are off for a short time */
		local_irq_save(flags);
		at = sheaves_of(cache, smp_processor_id(), layout.sheaves);
		size = at ? copy_objects(cache, word_at(at + layout.main + i * WORD),
					 copy, &layout) :
			    0;
		local_irq_restore(flags);
		for (n = 0; n < size; n++)
			found(copy[n], arg);
	}
}

/* Return: number of sheaves in the list, up to @room. */
static unsigned int follow(const struct kmem_cache *cache, const void *arg,
			   unsigned long head,
			   struct kmt_sheaf_full *full, unsigned int room,
			   const struct layout *l)
{
	unsigned long at = word_at(head);
	unsigned int n;

	for (n = 0; n < min(room, OF_NODE) && at != head; n++) {
		if (!is_sheaf_of(cache, at, l))
			break;
		full[n] = (struct kmt_sheaf_full){
			cache, arg, at, size_of_sheaf(cache, at, l)
		};
		at = word_at(at);
	}
	return n;
}

/* Any member of the struct may be a pointer to the struct of a node. */
static unsigned int find_full(const struct kmem_cache *cache, const void *arg,
			      struct kmt_sheaf_full *full, unsigned int room,
			      const struct layout *l)
{
	unsigned int n = 0;
	int i;

	for (i = 0; i + WORD <= l->end; i += WORD) {
		unsigned long barn = word_at((unsigned long)cache + i);

		if (is_pointer(barn))
			n += follow(cache, arg, barn + l->full, full + n, room - n, l);
	}
	return n;
}

unsigned int kmt_sheaf_find_full(const struct kmem_cache *cache, const void *arg,
				 struct kmt_sheaf_full *full, unsigned int room)
{
	return find_full(cache, arg, full, room, &layout);
}

/*
 * If a CPU uses the sheaf again, its words are objects that the CPU has allocated from it or
 * freed into it since. But words behind those that it had when it was found may be older.
 */
void kmt_sheaf_read_full(const struct kmt_sheaf_full *full,
			 void (*found)(unsigned long object, const void *arg))
{
	u32 i, size = copy_objects(full->cache, full->at, copy, &layout);

	for (i = 0; i < min(size, full->size); i++)
		found(copy[i], full->arg);
}

/* --- finding the layout --------------------------------------------------- */

/* objects that fill the sheaves of a CPU, and some of its node */
#define SAMPLES 1024
/* words at the start of a struct in which a member is searched */
#define SEARCH_WORDS 24

/**
 * struct specimen - a cache whose objects are free, and were freed by this CPU
 * @cache: the cache
 * @objects: the objects, in the order in which they were freed
 */
struct specimen {
	struct kmem_cache *cache;
	void *objects[SAMPLES];
};

/* On failure, objects that could not be allocated are NULL. */
static int __init prepare(struct specimen *sp)
{
	int i, err = 0;

	sp->cache = kmem_cache_create("kmemtrace_sheaf", 200, 0, 0, kmt_cache_unmerged);
	if (!sp->cache)
		return -ENOMEM;
	for (i = 0; i < SAMPLES && !err; i++) {
		sp->objects[i] = kmem_cache_alloc(sp->cache, GFP_KERNEL);
		err = sp->objects[i] ? 0 : -ENOMEM;
	}
	for (i = 0; i < SAMPLES; i++)
		if (sp->objects[i])
			kmem_cache_free(sp->cache, sp->objects[i]);
	return err;
}

static bool __init is_sample(const struct specimen *sp, unsigned long object)
{
	int i;

	for (i = 0; i < SAMPLES && object; i++)
		if ((unsigned long)sp->objects[i] == object)
			return true;
	return false;
}

/*
 * Whether all objects of a sheaf are samples.
 *
 * @last: set to the last one
 */
static bool __init has_samples(const struct specimen *sp, unsigned long sheaf,
			       const struct layout *l, unsigned long *last)
{
	u32 i, size = copy_objects(sp->cache, sheaf, copy, l);

	for (i = 0; i < size; i++)
		if (!is_sample(sp, copy[i]))
			return false;
	*last = size ? copy[size - 1] : 0;
	return size;
}

/* An object that is allocated is the last one of the sheaf, which is then smaller by one. */
static bool __init takes(const struct specimen *sp, unsigned long sheaf,
			 unsigned long last, const struct layout *l)
{
	u32 size = size_of_sheaf(sp->cache, sheaf, l);
	void *object;
	bool taken;

	do {
		object = kmem_cache_alloc(sp->cache, GFP_KERNEL);
		taken = (unsigned long)object == last &&
			size_of_sheaf(sp->cache, sheaf, l) == size - 1;
		if (object)
			kmem_cache_free(sp->cache, object);
	} while (is_kfence_address(object));
	return taken;
}

/* Find the members of a sheaf. Return: false if it is none. */
static bool __init find_members(const struct specimen *sp, unsigned long sheaf,
				struct layout *l)
{
	unsigned long last;

	for (l->cache = 0; l->cache < SEARCH_WORDS * WORD; l->cache += WORD) {
		if (!is_sheaf_of(sp->cache, sheaf, l))
			continue;
		for (l->size = 0; l->size < SEARCH_WORDS * WORD; l->size += sizeof(u32)) {
			for (l->objects = 0; l->objects < SEARCH_WORDS * WORD;
			     l->objects += WORD)
				if (has_samples(sp, sheaf, l, &last) &&
				    takes(sp, sheaf, last, l))
					return true;
		}
	}
	return false;
}

/* Find the sheaf from which this CPU takes objects. */
static bool __init find_main(const struct specimen *sp, struct layout *l)
{
	unsigned long at, sheaf;

	l->end = kmt_cache_struct_size(sp->cache);
	for (l->sheaves = 0; l->sheaves + WORD <= l->end; l->sheaves += WORD) {
		at = sheaves_of(sp->cache, raw_smp_processor_id(), l->sheaves);
		for (l->main = 0; at && l->main < SEARCH_WORDS * WORD; l->main += WORD) {
			sheaf = word_at(at + l->main);
			if (is_pointer(sheaf) && find_members(sp, sheaf, l))
				return true;
		}
	}
	return false;
}

static bool __init find_barn(const struct specimen *sp, struct layout *l)
{
	struct kmt_sheaf_full full;
	unsigned long last;

	for (l->full = 0; l->full < SEARCH_WORDS * WORD; l->full += WORD)
		if (find_full(sp->cache, NULL, &full, 1, l) &&
		    has_samples(sp, full.at, l, &last))
			return true;
	return false;
}

int __init kmt_sheaf_init(void)
{
	struct specimen *sp;
	int err;

	if (!kmt_cache_layout.known || !kmt_cache_slabs_known() ||
	    IS_ENABLED(CONFIG_PREEMPT_RT))
		return 0;
	sp = kvzalloc(sizeof(*sp), GFP_KERNEL);
	if (!sp)
		return -ENOMEM;
	/* the sheaves are those of one CPU */
	migrate_disable();
	err = prepare(sp);
	known = !err && find_main(sp, &layout) && find_barn(sp, &layout);
	migrate_enable();
	kmem_cache_destroy(sp->cache);
	kvfree(sp);
	return err;
}
