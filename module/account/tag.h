/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code tags: the counters of each place that allocates.
 *
 * A tag is one site and one kind of memory. The site is the return address of the call
 * that allocated, or the address of another module's static tag (kmemtrace_tag.h). A
 * tag has one class for each size that was allocated there. The number of the class
 * therefore gives both the site and the size of a live object. Each class has counters
 * for each CPU. The CPU that frees counts the free.
 */
#ifndef KMT_TAG_H
#define KMT_TAG_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/hash.h>
#include <linux/limits.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "account/counter.h"
#include "account/word.h"

/* kinds of memory; a large kmalloc() is made of pages, but its waste is known */
#define KMT_KIND_SLAB	0
#define KMT_KIND_PAGE	1
#define KMT_KIND_LARGE	2
#define KMT_KIND_PERCPU 3
#define KMT_KINDS	4

/* bits of the number of a hash chain of classes */
#define KMT_CLASS_HEAD_BITS 14

#define KMT_SITE_WRAPPER 1 /* a wrapper: its caller is charged */
#define KMT_SITE_SLAB	 2 /* allocates the pages of slabs */
#define KMT_SITE_INNER	 4 /* the allocator's own needs: no hook covers them */
#define KMT_SITE_GONE	 8 /* its code is gone: of init, or of a module */
/* only with KMT_SITE_GONE */
#define KMT_SITE_UNLOADED 16 /* its module was unloaded */
#define KMT_SITE_SETTLED  32 /* after the next grace period the tag may be hidden */
#define KMT_SITE_EARLIER  64 /* of memory that the survey has found (earlier.h) */
#define KMT_SITE_ARMED	  128 /* each allocation is looked at in detail: kmt_tag_arm() */
#define KMT_SITE_BACKING  256 /* it backs or describes objects of other tags */
#define KMT_SITE_UNLOAD_SHIFT 9 /* upper bits: the number of the unloading, 1 or more */

/* in a key: the site is a wrapper, or armed; kmt_tag_find_class() does not find the class */
#define KMT_KEY_RARE BIT_ULL(63)

/**
 * struct kmt_class - allocations of one size from one site
 * @simple: kmt_class_simple() for kmt_tag_find_simple(), or 0
 * @site: the site; 0 once its code is gone
 * @key: kmt_class_key(), with KMT_KEY_RARE
 * @next: next class in the hash chain
 * @packed: its number, at its place in the word of an object (account.h)
 * @flags: KMT_SITE_*
 * @sibling: number of the next class of the same tag; 0 ends
 * @tag: index of its tag
 *
 * Written under insert_lock, read without a lock. @simple, KMT_KEY_RARE and @flags may
 * change while the class is in use.
 */
struct kmt_class {
	u64 simple;
	unsigned long site;
	u64 key;
	struct kmt_class *next;
	u32 packed;
	u32 flags;
	u32 sibling;
	u32 tag;
};

/**
 * struct kmt_sum - live memory and counts of one tag
 * @bytes: live bytes, as allocated
 * @requested: live bytes, as requested
 * @objects: live allocations
 * @allocated: bytes of all allocations since accounting was switched on
 * @allocs: number of these allocations
 * @frees: number of frees of these allocations
 */
struct kmt_sum {
	s64 bytes;
	s64 requested;
	s64 objects;
	u64 allocated;
	u64 allocs;
	u64 frees;
};

extern struct kmt_class *kmt_classes;
extern struct kmt_class *kmt_class_heads[];

/**
 * kmt_class_key() - kind and sizes in one word
 * @kind: KMT_KIND_*
 * @bytes: bytes allocated; below 4 GiB
 * @waste: bytes of these that were not requested; the key has those from bit
 *	KMT_WASTE_BITS on
 *
 * Context: any.
 * Return: the key, without KMT_KEY_RARE.
 */
static __always_inline u64 kmt_class_key(unsigned int kind, u32 bytes,
					 u32 waste)
{
	return (u64)kind << 60 |
	       (u64)(waste >> KMT_WASTE_BITS) << 32 | bytes;
}

static inline unsigned int kmt_class_kind(const struct kmt_class *class)
{
	return READ_ONCE(class->key) >> 60 & 3;
}

static inline u32 kmt_class_bytes(const struct kmt_class *class)
{
	return READ_ONCE(class->key);
}

static inline u64 kmt_class_waste(const struct kmt_class *class)
{
	return (READ_ONCE(class->key) >> 32 & GENMASK(27, 0))
	       << KMT_WASTE_BITS;
}

/*
 * Site and key in one word. It is unique for sites in code, which is in the topmost 2 GiB,
 * if the key has no waste, and less than 1 GiB.
 */
static __always_inline u64 kmt_class_simple(unsigned long site, u64 key)
{
	return (u64)site << 32 ^ (key & GENMASK_ULL(59, 0)) ^ (key >> 60) << 30;
}

static __always_inline u32 kmt_class_hash(u64 simple)
{
	return simple * GOLDEN_RATIO_64 >> (64 - KMT_CLASS_HEAD_BITS);
}

/* @key: without KMT_KEY_RARE. Return: the hash chain of a class. */
static __always_inline struct kmt_class **kmt_class_head(unsigned long site,
							 u64 key)
{
	return &kmt_class_heads[kmt_class_hash(kmt_class_simple(site, key))];
}

/**
 * kmt_tag_find_simple() - find the class of an allocation, in the common case
 * @site: the caller of the allocator, in code
 * @kind: KMT_KIND_*
 * @bytes: bytes allocated, below 1 GiB
 *
 * Context: any, not preemptible.
 * Return: the class, of memory without waste in the key; NULL if there is none yet, or
 * @site is a wrapper or armed.
 */
static __always_inline const struct kmt_class *
kmt_tag_find_simple(unsigned long site, unsigned int kind, u32 bytes)
{
	u64 simple = kmt_class_simple(site, kmt_class_key(kind, bytes, 0));
	const struct kmt_class *class =
		READ_ONCE(kmt_class_heads[kmt_class_hash(simple)]);

	for (; class; class = READ_ONCE(class->next))
		if (likely(READ_ONCE(class->simple) == simple))
			break;
	return class;
}

/**
 * kmt_tag_find_class() - find the class of an allocation
 * @site: what allocates
 * @key: kmt_class_key()
 *
 * Context: any, interrupts off.
 * Return: the class; NULL if there is none yet, or @site is a wrapper or armed.
 */
static __always_inline const struct kmt_class *
kmt_tag_find_class(unsigned long site, u64 key)
{
	const struct kmt_class *class =
		READ_ONCE(*kmt_class_head(site, key));

	for (; class; class = READ_ONCE(class->next))
		if (likely(READ_ONCE(class->site) == site &&
			   READ_ONCE(class->key) == key))
			break;
	return class;
}

/**
 * kmt_tag_class() - find or create the class of an allocation
 * @site: the return address or static tag that is charged
 * @key: kmt_class_key()
 * @irq: from local_irq_save(); interrupts may come in while another CPU changes the tables
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h).
 * Return: the class; NULL if the table is full, which is counted (kmt_tag_refused()).
 */
const struct kmt_class *kmt_tag_class(unsigned long site, u64 key,
				      unsigned long irq);

/**
 * kmt_class_number() - the number of a class
 * @class: the class
 *
 * Context: any.
 * Return: the number.
 */
static __always_inline u32 kmt_class_number(const struct kmt_class *class)
{
	return class->packed >> KMT_WASTE_BITS;
}

/* @number: number of a class << KMT_WASTE_BITS */
static __always_inline struct kmt_counter *__kmt_counter(u32 number)
{
	BUILD_BUG_ON(sizeof(struct kmt_counter) != 32);
	BUILD_BUG_ON(KMT_PEAK_EVERY - 1 > S8_MAX);
	return (void *)this_cpu_read(kmt_counters) +
	       (number >> (KMT_WASTE_BITS - 5));
}

/* This CPU's counter of the class with number @id */
static __always_inline struct kmt_counter *kmt_number_counter(u32 id)
{
	return __kmt_counter(id << KMT_WASTE_BITS);
}

/*
 * This CPU's counter of a class. @packed: the number of the class as in
 * kmt_class.packed; the bits below KMT_WASTE_BITS are ignored
 */
static __always_inline struct kmt_counter *kmt_packed_counter(u32 packed)
{
	return __kmt_counter(packed & ~KMT_WASTE_MASK);
}

static __always_inline struct kmt_counter *
kmt_class_counter(const struct kmt_class *class)
{
	return __kmt_counter(class->packed);
}

/**
 * kmt_tag_report() - add the counts of this CPU to the live figures of the tag
 * @id: number of the class
 * @frames: pages that were freed and are not counted yet
 *
 * Raises the peak to the live bytes that have been reported, if these are higher. Takes
 * the same time for any number of CPUs and classes.
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h).
 */
void kmt_tag_report(u32 id, unsigned int frames);

/**
 * kmt_tag_uncharge() - take back an allocation as if it had never been counted
 * @class: the class that it was charged to
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h).
 */
void kmt_tag_uncharge(const struct kmt_class *class);

/**
 * kmt_tag_count() - the highest index of a tag
 *
 * Context: any.
 * Return: the index; tags are 1 to this.
 */
u32 kmt_tag_count(void);

/**
 * kmt_tag_site() - site, kind and flags of a tag
 * @tag: 1 to kmt_tag_count()
 * @kind: set to KMT_KIND_*, if the tag is in use
 * @flags: set to KMT_SITE_*, if the tag is in use
 *
 * Context: any; the tag may be reused once the caller's rcu_read_lock() ends.
 * Return: the site; 0 if the tag is not in use.
 */
unsigned long kmt_tag_site(u32 tag, unsigned int *kind, u32 *flags);

/**
 * kmt_tag_sum() - sum the counters of a tag over all CPUs
 * @tag: 1 to kmt_tag_count()
 * @sum: set to the sum
 *
 * Reads frees before allocations. An object that is freed meanwhile then counts as live,
 * and does not make a live figure negative.
 *
 * Context: any.
 */
void kmt_tag_sum(u32 tag, struct kmt_sum *sum);

/**
 * kmt_tag_read() - kmt_tag_site() and kmt_tag_sum() of the same tag
 * @tag: 1 to kmt_tag_count()
 * @kind: as for kmt_tag_site()
 * @flags: as for kmt_tag_site()
 * @sum: set to the sum, if the tag is in use
 *
 * Context: any.
 * Return: as kmt_tag_site().
 */
unsigned long kmt_tag_read(u32 tag, unsigned int *kind, u32 *flags,
			   struct kmt_sum *sum);

/**
 * struct kmt_estimate - the live figures of a tag, as CPUs have reported them
 * @bytes: live bytes
 * @bytes_off: the true number differs by this at most
 * @objects: live allocations
 * @objects_off: the true number differs by this at most
 * @counters: number of counters that kmt_tag_sum() adds up
 */
struct kmt_estimate {
	s64 bytes;
	u64 bytes_off;
	s64 objects;
	u64 objects_off;
	u64 counters;
};

/**
 * kmt_tag_estimate() - get the live figures of a tag without visiting all CPUs
 * @tag: 1 to kmt_tag_count()
 * @e: set to the figures
 *
 * Context: any.
 */
void kmt_tag_estimate(u32 tag, struct kmt_estimate *e);

/**
 * kmt_tag_peak() - the highest number of live bytes seen
 * @tag: 1 to kmt_tag_count()
 * @site: site of the tag
 *
 * Context: any.
 * Return: bytes; 0 if the tag is no longer that of @site.
 */
u64 kmt_tag_peak(u32 tag, unsigned long site);

/**
 * kmt_tag_arm() - let each allocation of a tag be looked at in detail, or end this
 * @tag: 1 to kmt_tag_count()
 * @site: site of the tag
 * @on: true to begin
 *
 * An armed site is found as slowly as a wrapper, so that other sites take no instruction
 * more. kmt_account_on_armed() says what is done with its allocations.
 *
 * Context: may sleep.
 * Return: false, without an effect, if the tag is not that of @site, or its code is gone.
 */
bool kmt_tag_arm(u32 tag, unsigned long site, bool on);

/**
 * kmt_tag_location() - the location of a tag whose code is gone
 * @tag: 1 to kmt_tag_count()
 * @site: site of the tag
 *
 * Context: under rcu_read_lock(), for as long as the text is used.
 * Return: text; NULL while the code is there, if there was no memory for the text, or
 * if the tag is no longer that of @site.
 */
const char *kmt_tag_location(u32 tag, unsigned long site);

/**
 * kmt_tag_of_class() - the tag of a class
 * @id: number of the class
 *
 * Context: any.
 * Return: index of the tag.
 */
static inline u32 kmt_tag_of_class(u32 id)
{
	return READ_ONCE(kmt_classes[id].tag);
}

/**
 * kmt_tag_retire() - retire the sites of code that goes
 * @contains: returns whether a site is in this code
 * @arg: passed to @contains
 * @describe: returns the location to print for a site, allocated with kmalloc(), or
 *	NULL; may sleep
 *
 * No allocation is charged to the tags of these sites any more. Memory that is live at
 * them stays charged until it is freed. Tags without live memory are reused some time
 * later.
 *
 * Context: may sleep; waits for no grace period.
 */
void kmt_tag_retire(bool (*contains)(unsigned long site, const void *arg),
		    const void *arg, char *(*describe)(unsigned long site));

/**
 * kmt_tag_unload() - kmt_tag_retire() for the sites of a module
 * @contains: as for kmt_tag_retire()
 * @arg: as for kmt_tag_retire()
 * @describe: as for kmt_tag_retire()
 * @module: name of the module
 *
 * Marks the tags of the module as unloaded, including those of its init functions.
 *
 * Context: as kmt_tag_retire().
 * Return: the number of this unloading. The flags of the tags have it from bit
 * KMT_SITE_UNLOAD_SHIFT on.
 */
u32 kmt_tag_unload(bool (*contains)(unsigned long site, const void *arg),
		   const void *arg, char *(*describe)(unsigned long site),
		   const char *module);

/**
 * kmt_tag_reflag() - determine again which sites are wrappers
 *
 * Must be called when the list of wrappers has changed.
 *
 * Context: may sleep.
 */
void kmt_tag_reflag(void);

/**
 * kmt_tag_reset() - set all counters to zero, keep the sites
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_tag_reset(void);

/**
 * kmt_tag_refused() - number of allocations that found no space for their class
 *
 * Context: any.
 * Return: the number since accounting was switched on.
 */
u64 kmt_tag_refused(void);

/**
 * kmt_tag_is_full() - whether no further class can be created
 *
 * Context: any.
 * Return: whether all classes are in use.
 */
bool kmt_tag_is_full(void);

/**
 * kmt_class_count() - number of classes in use
 *
 * Context: any.
 * Return: the number, without KMT_CLASS_UNSEEN.
 */
u32 kmt_class_count(void);

/**
 * kmt_tag_init() - allocate the tables
 * @classes: maximum number of classes; a power of two
 * @full: called in an interrupt when an allocation finds no space for its class, once
 *	after each kmt_tag_reset()
 * @no_counters: as @refused of kmt_counter_init()
 *
 * Context: may sleep.
 * Return: 0 or -errno; kmt_tag_exit() must be called in either case.
 */
int kmt_tag_init(u32 classes, void (*full)(void),
		 void (*no_counters)(unsigned int cpu));

/**
 * kmt_tag_class_size() - memory of one class, with the CPUs that are online now
 *
 * Context: any.
 * Return: bytes.
 */
size_t kmt_tag_class_size(void);

/**
 * kmt_tag_memory() - memory of the tables
 *
 * Context: any.
 * Return: bytes.
 */
u64 kmt_tag_memory(void);

/**
 * kmt_tag_exit() - free the tables
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_tag_exit(void);

#endif /* KMT_TAG_H */
