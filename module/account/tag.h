/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code tags: what is counted for each place that allocates.
 *
 * A tag is one site and one kind of memory. The site is the return address of
 * the call that allocated, or the address of another module's static tag
 * (kmemtrace_tag.h). Under a tag there is a class for each size that was
 * allocated there, so that a live object needs no more than the number of its
 * class to say where it is from and how large it is. Counters are kept for
 * each class and CPU; frees are counted on the CPU that frees.
 */
#ifndef KMT_TAG_H
#define KMT_TAG_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/hash.h>
#include <linux/limits.h>
#include <linux/percpu.h>
#include <linux/types.h>

/* kinds of memory; a large kmalloc is made of pages, but knows its waste */
#define KMT_KIND_SLAB	0
#define KMT_KIND_PAGE	1
#define KMT_KIND_LARGE	2
#define KMT_KIND_PERCPU 3
#define KMT_KINDS	4

/* the number of a class fits in so many bits; 0 is none */
#define KMT_CLASS_BITS 20
/*
 * The class of pages that the kernel took without an event to charge, as memory
 * that is plugged in and targets of compaction: of no tag. So the free of such a
 * page is known to discharge nothing.
 */
#define KMT_CLASS_UNSEEN 1
/* chains of classes */
#define KMT_CLASS_HEAD_BITS 14

#define KMT_SITE_WRAPPER 1 /* look through: charge its caller */
#define KMT_SITE_SLAB	 2 /* allocates the pages that slabs are made of */
#define KMT_SITE_INNER	 4 /* the allocator's own needs: no scope covers it */
#define KMT_SITE_GONE	 8 /* its code is gone: of init, or of a module */
/* and then */
#define KMT_SITE_UNLOADED 16 /* its module was unloaded */
#define KMT_SITE_SETTLED  32 /* a grace period passes before it is looked at */
#define KMT_SITE_UNLOAD_SHIFT 8 /* in which unloading, counted from 1 */

/* of a key: the site is a wrapper, and its class not for kmt_tag_find_class() */
#define KMT_KEY_WRAPPER BIT_ULL(63)

/* The waste of one object, up to here, is kept with the object. */
#define KMT_WASTE_BITS 12
#define KMT_WASTE_MASK ((1u << KMT_WASTE_BITS) - 1)

/**
 * struct kmt_class - objects of one size from one site
 * @site: what allocated; cleared when the site's module goes
 * @key: kmt_class_key(), with KMT_KEY_WRAPPER
 * @next: next class in the chain of its hash
 * @packed: its number as it stands in the word for an object (account.h)
 * @flags: KMT_SITE_*
 * @sibling: number of the next class of the same tag; 0 ends
 * @tag: index of its tag
 *
 * Written under insert_lock, read without: KMT_KEY_WRAPPER and @flags may change
 * while it is used.
 */
struct kmt_class {
	unsigned long site;
	u64 key;
	struct kmt_class *next;
	u32 packed;
	u32 flags;
	u32 sibling;
	u32 tag;
};

/**
 * union kmt_count - a count that says when a CPU is to report to the tag
 * @whole: in the upper bits, what the count will be when @left is 0; below these,
 *	KMT_COUNT_BATCH
 * @left: events that are not to be reported yet; below 0, a report is due
 *
 * To count takes one instruction and a branch, and whoever reads @whole gets a
 * count that is right at any time. Zero is a count of 0 whose next event is to be
 * reported.
 */
union kmt_count {
	u64 whole;
#ifdef __LITTLE_ENDIAN
	s8 left;
#else
	struct {
		/* private: */
		u8 upper[7];
		/* public: */
		s8 left;
	};
#endif
};

#define KMT_COUNT_SHIFT 9
/* of @whole: there were KMT_PEAK_EVERY events to the next report, else one */
#define KMT_COUNT_BATCH BIT_ULL(8)

/*
 * A CPU reports each of the first allocations and frees of a class, as long as
 * there are fewer than KMT_PEAK_EVERY, and then so many at a time.
 */
#define KMT_PEAK_EVERY 64

/* Return: whether kmt_tag_report() is due. */
static __always_inline bool kmt_count_one(union kmt_count *count)
{
	return --count->left < 0;
}

/* Return: false, and nothing was counted, if it is due before the last of these. */
static __always_inline bool kmt_count_many(union kmt_count *count, unsigned int n)
{
	if (unlikely((int)n > count->left))
		return false;
	count->left -= n;
	return true;
}

static inline s64 kmt_count_read(const union kmt_count *count)
{
	u64 whole = READ_ONCE(count->whole);

	return ((s64)whole >> KMT_COUNT_SHIFT) - (s8)whole;
}

/**
 * struct kmt_counter - what one CPU counted for one class
 * @allocs: allocations
 * @frees: frees; live objects are allocs less frees, over all CPUs
 * @waste: bytes of @allocs that were allocated and not requested, less those
 *	of @frees; without what the class's key says
 * @frames: pages freed, for the kinds made of pages
 *
 * Written by its CPU with interrupts off. The one of class 0 counts in @waste how often
 * the table of classes was full.
 */
struct kmt_counter {
	union kmt_count allocs;
	union kmt_count frees;
	s64 waste;
	union kmt_count frames;
};

/**
 * struct kmt_sum - what is live at one tag, and what there was
 * @bytes: live, as allocated
 * @requested: live, as asked for
 * @objects: live allocations
 * @allocated: bytes of all allocations since accounting was switched on
 * @allocs: how many these were
 * @frees: frees of these
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
DECLARE_PER_CPU(struct kmt_counter *, kmt_counters);

/**
 * kmt_class_key() - kind and sizes in one word
 * @kind: KMT_KIND_*
 * @bytes: allocated; below 4 GiB
 * @waste: of that not requested; the part of it above KMT_WASTE_BITS counts
 *
 * Context: any.
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

static __always_inline u32 kmt_class_hash(unsigned long site, u64 key)
{
	return ((site + (key << 7)) * GOLDEN_RATIO_64) >>
	       (64 - KMT_CLASS_HEAD_BITS);
}

/**
 * kmt_tag_find_class() - kmt_tag_class() where there is one, and no wrapper
 * @site: see there
 * @key: see there
 *
 * Context: as there.
 * Return: the class; NULL if there is none.
 */
static __always_inline const struct kmt_class *
kmt_tag_find_class(unsigned long site, u64 key)
{
	const struct kmt_class *class =
		READ_ONCE(kmt_class_heads[kmt_class_hash(site, key)]);

	for (; class; class = READ_ONCE(class->next))
		if (likely(READ_ONCE(class->site) == site &&
			   READ_ONCE(class->key) == key))
			break;
	return class;
}

/**
 * kmt_tag_class() - the class of an allocation
 * @site: what allocates
 * @key: kmt_class_key()
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h).
 * Return: the class; NULL if the table is full.
 */
const struct kmt_class *kmt_tag_class(unsigned long site, u64 key);

/**
 * kmt_class_number() - the number of a class
 * @class: the class
 *
 * Context: any.
 */
static __always_inline u32 kmt_class_number(const struct kmt_class *class)
{
	return class->packed >> KMT_WASTE_BITS;
}

/* @number: of a class, from bit KMT_WASTE_BITS on; 0 below that */
static __always_inline struct kmt_counter *__kmt_counter(u32 number)
{
	BUILD_BUG_ON(sizeof(struct kmt_counter) != 32);
	BUILD_BUG_ON(KMT_PEAK_EVERY - 1 > S8_MAX);
	return (void *)this_cpu_read(kmt_counters) +
	       (number >> (KMT_WASTE_BITS - 5));
}

/* This CPU's counter of a class, by what is packed into a word. */
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
 * kmt_tag_report() - add what this CPU has counted to what is live at the tag
 * @id: number of the class
 * @frames: pages that were freed and are not counted yet
 *
 * The peak is the most that was ever live by these reports. Takes as long however
 * many CPUs and classes there are.
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h).
 */
void kmt_tag_report(u32 id, unsigned int frames);

/**
 * kmt_tag_uncharge() - take back an allocation, as if it had never been counted
 * @class: that it was charged to
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h).
 */
void kmt_tag_uncharge(const struct kmt_class *class);

/**
 * kmt_tag_count() - how many tags there are
 *
 * Context: any. The tags are 1 to this.
 */
u32 kmt_tag_count(void);

/**
 * kmt_tag_site() - what a tag is the tag of
 * @tag: 1 to kmt_tag_count()
 * @kind: gets KMT_KIND_*, if it is in use
 * @flags: gets KMT_SITE_*, if it is in use
 *
 * Context: any; what it says is true for as long as rcu_read_lock() is held.
 * Return: the site; 0 if the tag is not in use.
 */
unsigned long kmt_tag_site(u32 tag, unsigned int *kind, u32 *flags);

/**
 * kmt_tag_sum() - add up what is counted for a tag
 * @tag: 1 to kmt_tag_count()
 * @sum: gets it
 *
 * Frees are read before allocations, so that an object that is freed
 * meanwhile counts as live rather than less than none.
 *
 * Context: any.
 */
void kmt_tag_sum(u32 tag, struct kmt_sum *sum);

/**
 * kmt_tag_read() - kmt_tag_site() and kmt_tag_sum() of one and the same tag
 * @tag: see there
 * @kind: see there
 * @flags: see there
 * @sum: see there; set if the tag is in use
 *
 * Context: any.
 * Return: see kmt_tag_site().
 */
unsigned long kmt_tag_read(u32 tag, unsigned int *kind, u32 *flags,
			   struct kmt_sum *sum);

/**
 * kmt_tag_peak() - the most bytes that were seen live at once
 * @tag: 1 to kmt_tag_count()
 * @site: what it is the tag of
 *
 * Context: any.
 * Return: bytes; 0 if the tag was given up meanwhile.
 */
u64 kmt_tag_peak(u32 tag, unsigned long site);

/**
 * kmt_tag_location() - what to print for a tag whose module is gone
 * @tag: 1 to kmt_tag_count()
 * @site: what it was the tag of
 *
 * Context: under rcu_read_lock(), for as long as the text is used.
 * Return: text; NULL while its module, if any, is there, or if the tag was given up
 * meanwhile.
 */
const char *kmt_tag_location(u32 tag, unsigned long site);

/**
 * kmt_tag_of_class() - the tag that a class belongs to
 * @id: number of the class
 *
 * Context: any.
 */
static inline u32 kmt_tag_of_class(u32 id)
{
	return READ_ONCE(kmt_classes[id].tag);
}

/**
 * kmt_tag_retire() - the sites in a range are no longer what they were
 * @contains: says whether a site is in the range
 * @arg: passed to @contains
 * @describe: returns what to print for the site, to be freed
 *
 * No allocation is charged to their tags any more; what is live there stays
 * until it is freed. Tags without anything live are given up, some time later.
 *
 * Context: may sleep; waits for no grace period.
 */
void kmt_tag_retire(bool (*contains)(unsigned long site, const void *arg),
		    const void *arg, char *(*describe)(unsigned long site));

/**
 * kmt_tag_unload() - kmt_tag_retire() for all of a module
 * @contains: see there
 * @arg: see there
 * @describe: see there
 * @module: its name
 *
 * Marks its tags as unloaded, those of its init functions included.
 *
 * Context: as there.
 * Return: the number of this unloading, which is above KMT_SITE_UNLOAD_SHIFT in
 * their flags.
 */
u32 kmt_tag_unload(bool (*contains)(unsigned long site, const void *arg),
		   const void *arg, char *(*describe)(unsigned long site),
		   const char *module);

/**
 * kmt_tag_reflag() - look up anew which sites are wrappers
 *
 * Context: may sleep.
 */
void kmt_tag_reflag(void);

/**
 * kmt_tag_reset() - forget what was counted, keep the sites
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_tag_reset(void);

/**
 * kmt_tag_refused() - how many allocations found no room for their class
 *
 * Context: any.
 */
u64 kmt_tag_refused(void);

/**
 * kmt_tag_is_full() - whether there is no room for another class
 *
 * Context: any.
 */
bool kmt_tag_is_full(void);

/**
 * kmt_class_count() - how many classes are in use
 *
 * Context: any.
 */
u32 kmt_class_count(void);

/**
 * kmt_tag_init() - allocate the tables
 * @classes: how many there may be at most; a power of two
 * @full: called when an allocation is the first to find no room for its class since
 *	the last kmt_tag_reset(); in an interrupt
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM; kmt_tag_exit() is due in either case.
 */
int kmt_tag_init(u32 classes, void (*full)(void));

/**
 * kmt_tag_class_size() - bytes of memory for one class, with the CPUs that are online
 *
 * Context: any.
 */
size_t kmt_tag_class_size(void);

/**
 * kmt_tag_memory() - bytes of memory that the tables take
 *
 * Context: any.
 */
u64 kmt_tag_memory(void);

/**
 * kmt_tag_exit() - free the tables
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_tag_exit(void);

#endif /* KMT_TAG_H */
