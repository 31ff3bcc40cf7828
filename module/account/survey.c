// SPDX-License-Identifier: GPL-2.0-only
/*
 * All online frames have KMT_CLASS_UNSEEN when the probes are attached. The first event of a
 * frame, or the survey, replaces it. So what the survey finds with this class has had no event
 * since: if the frame is in use now, it was allocated before. Until the probes of allocations
 * are attached, a frame may be freed and allocated again, which makes its entry 0. So the
 * survey begins with another look for entries of 0.
 *
 * A frame is in use if its page has references, or a type. Pages without either are free and
 * kept by a CPU; or they are those behind the first one of an allocation that is not a compound
 * page. So the survey visits all memory, marks the free pages that CPUs keep, and then visits
 * again what is left.
 *
 * Objects of slabs follow the same rule, with KMT_SLOTS_UNSEEN. First, all pages of a slab get
 * slots. Then the survey reads which objects are in the slab's list of free objects. An object
 * that had no event since its page has slots, and is not in the list, was allocated before. At
 * last, the survey looks for objects that are free, but are kept by a CPU or a node. Any object
 * that was free at some moment since the probes were attached, and had no event, still is free.
 * On kernels where the module cannot see what CPUs keep, these objects count as live until they
 * are used, which is counted (survey_corrected_objects).
 *
 * Notes on locking: frame.h has survey_lock. It is held for FRAMES_AT_ONCE frames, or for
 * OBJECTS_AT_ONCE objects. unplug_mutex is held while struct pages are read: memory that goes
 * offline waits for it, and the survey then does not find the memory online.
 */
#include <linux/bitmap.h>
#include <linux/delay.h>
#include <linux/hugetlb.h>
#include <linux/kfence.h>
#include <linux/ktime.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/workqueue.h>

#include "account/account.h"
#include "account/codetag.h"
#include "account/earlier.h"
#include "account/frame.h"
#include "account/kept.h"
#include "account/pagetables.h"
#include "account/slots.h"
#include "account/survey.h"
#include "account/tag.h"
#include "account/vmallocs.h"
#include "account/vmap.h"
#include "base/cache.h"
#include "base/compat.h"
#include "base/freelist.h"
#include "base/guard.h"

static bool survey = true;
module_param(survey, bool, 0444);
MODULE_PARM_DESC(survey, "when accounting is switched on, also charge the memory that was allocated before (default: 1)");

/* the order of the largest compound page: 1 GiB */
#define COMPOUND_ORDER_MAX (PUD_SHIFT - PAGE_SHIFT)
/*
 * The survey disables interrupts for less than 3,000 instructions: an object takes up to 150
 * (the first ones of a class on a CPU are reported to its tag), a frame 30, a free frame 10, and
 * 25 if entries are compressed. Probes of other CPUs may wait as long for survey_lock.
 */
#define FRAMES_AT_ONCE	32u /* that are charged */
#define OBJECTS_AT_ONCE 16u /* of a slab, that are charged */
#define FREE_AT_ONCE	64u /* frames of a free block that are marked */
/* frames between two calls of cond_resched() */
#define FRAMES_IN_TURN 1024u

/* What the survey has found. Only its worker writes the numbers. */
enum found {
	FOUND_COMPLETE,	 /* 1: it came to the end of memory */
	FOUND_MS,	 /* duration in ms */
	FOUND_PAGES,	 /* pages that were allocated before */
	FOUND_OBJECTS,	 /* objects that were allocated before */
	FOUND_SLABS,	 /* slabs */
	FOUND_UNREAD,	 /* slabs whose list changed all the time; all of their objects count
			  * as live */
	FOUND_UNTRACKED, /* slabs for which there was no memory, or without known layout; their
			  * objects are not charged */
	FOUND_COUNT
};

static u64 found[FOUND_COUNT];
static DEFINE_MUTEX(unplug_mutex);
static bool offlining; /* memory goes offline; under unplug_mutex */
static bool stopping; /* kmt_survey_stop() waits for the worker */

static bool is_stopped(void)
{
	return READ_ONCE(stopping);
}

static void note(enum found item, u64 n)
{
	WRITE_ONCE(found[item], found[item] + n);
}

static const struct kmt_class *class_of(unsigned long site, unsigned int kind,
					u32 bytes)
{
	const struct kmt_class *class;
	unsigned long flags = kmt_guard_lock();

	class = kmt_tag_class(site, kmt_class_key(kind, bytes, 0), flags);
	kmt_guard_unlock(flags);
	return class;
}

static void count_allocs(const struct kmt_class *class, unsigned int n)
{
	while (n--)
		if (kmt_count_alloc(kmt_class_counter(class), 0))
			kmt_tag_report(kmt_class_number(class), 0);
}

static void count_freed_frames(const struct kmt_class *class, unsigned int n)
{
	u32 id = kmt_class_number(class);

	if (!kmt_count_many(&kmt_class_counter(class)->frames, n))
		kmt_tag_report(id, n);
}

/* --- pages ---------------------------------------------------------------- */

/*
 * Charge the frames of an allocation. If its first frame has had an event, it was freed, and
 * nothing is charged. The others may be freed while they are charged.
 */
static void charge_pages(unsigned long pfn, unsigned int order,
			 unsigned long site)
{
	const struct kmt_class *class =
		class_of(site, KMT_KIND_PAGE, PAGE_SIZE << order);
	unsigned int i, n, done, count = 1u << order;
	unsigned long flags;

	for (i = 0; i < count && class; i += n) {
		n = min(count - i, FRAMES_AT_ONCE);
		flags = kmt_frame_survey_lock();
		if (!i && kmt_frame_class(kmt_frame_get(pfn)) !=
				  KMT_CLASS_UNSEEN) {
			class = NULL;
		} else {
			if (!i) {
				/* the owner counts its free without the lock, once this is done */
				count_allocs(class, 1);
				smp_wmb();
			}
			done = kmt_frame_settle(
				pfn + i, n,
				kmt_frame_make(kmt_class_number(class) |
						       (i ? 0 : KMT_FRAME_HEAD),
					       kmt_tick_now()));
			if (done < n)
				count_freed_frames(class, n - done);
			note(FOUND_PAGES, done);
		}
		kmt_frame_survey_unlock(flags);
		cond_resched();
	}
}

/*
 * The kernel may allocate from the block at the same time. The frames then have another class,
 * or their event comes soon.
 */
static void mark_free(unsigned long pfn, unsigned int count)
{
	unsigned int i, n;
	unsigned long flags;

	for (i = 0; i < count; i += n) {
		n = min(count - i, FREE_AT_ONCE);
		flags = kmt_frame_survey_lock();
		kmt_frame_settle_free(pfn + i, n);
		kmt_frame_survey_unlock(flags);
	}
}

static enum kmt_earlier_kind __kind_of(struct page *page)
{
	struct folio *folio = (struct folio *)page;
	unsigned long mapping;

	if (PageTable(page))
		return KMT_EARLIER_PAGE_TABLE;
	if (PageOffline(page))
		return KMT_EARLIER_OFFLINE;
	if (kmt_page_is_large_kmalloc(page))
		return KMT_EARLIER_LARGE;
	if (folio_test_hugetlb(folio))
		return KMT_EARLIER_HUGETLB;
	if (kmt_page_is_of_pool(page))
		return KMT_EARLIER_POOL;
	if (page_private(page) == KMT_EARLIER_OWN_MARK)
		return KMT_EARLIER_OWN;
	mapping = (unsigned long)READ_ONCE(folio->mapping);
	if (folio_test_anon(folio))
		return KMT_EARLIER_ANON;
	/* other users of the word have a bit set, or no pointer */
	if (mapping & (sizeof(long) - 1) || !virt_addr_valid(mapping))
		return KMT_EARLIER_OTHER;
	return folio_test_swapbacked(folio) ? KMT_EARLIER_SHMEM :
					      KMT_EARLIER_FILE;
}

/* The kernel may free the page, and use it again, at any time. */
static enum kmt_earlier_kind kind_of(struct page *page)
{
	return data_race(__kind_of(page));
}

static unsigned int order_of(struct page *page)
{
	return PageHead(page) ? data_race(compound_order(page)) : 0;
}

/* --- slabs ---------------------------------------------------------------- */

/*
 * attempts to get slots for a slab, one every 500 us or more. If they have failed once, the
 * survey does not wait again.
 */
#define SLOTS_TRIES 400

/**
 * struct slab - the slab that is surveyed
 * @page: its first page
 * @order: it has 1 << @order pages
 * @cache: its cache
 * @size: bytes from one object to the next
 * @objects: number of objects
 * @class: of its objects
 * @free: the objects in its list
 */
struct slab {
	struct page *page;
	unsigned int order;
	struct kmem_cache *cache;
	unsigned int size;
	unsigned int objects;
	const struct kmt_class *class;
	DECLARE_BITMAP(free, KMT_FREELIST_MAX);
};

/* Too large for the stack; there is one worker. */
static struct slab slab;
static bool no_memory; /* there was none for slots */

/* Also objects behind the last one, where the slots have words, are free. */
static bool is_free(unsigned long ptr, const void *arg)
{
	const struct slab *s = arg;
	unsigned long i = (ptr - (unsigned long)page_address(s->page)) / s->size;

	return i >= s->objects || test_bit(i, s->free);
}

/* Return: the first object that begins in page number @i; 0 if there is none. */
static unsigned long first_object(const struct slab *s, unsigned int i)
{
	unsigned long start = (unsigned long)page_address(s->page);
	unsigned long n = DIV_ROUND_UP(i * PAGE_SIZE, s->size);

	return n < s->objects && n * s->size < (i + 1) * PAGE_SIZE ?
		       start + n * s->size : 0;
}

/* Fill in all but @free. Return: false if its objects cannot be charged. */
static bool view_slab(struct slab *s, struct page *page, unsigned int order)
{
	unsigned long flags;
	u16 index;

	s->page = page;
	s->order = order;
	s->size = kmt_cache_distance(page, PAGE_SIZE << order);
	s->objects = s->size ? (PAGE_SIZE << order) / s->size : 0;
	if (!s->size || s->objects > KMT_FREELIST_MAX ||
	    !kmt_freelist_known() || !kmt_frame_keeps_birth() ||
	    is_kfence_address(page_address(page)))
		return false;
	flags = kmt_frame_survey_lock();
	/* the free of a page waits for the lock if its entry has this class, and only then */
	s->cache = kmt_frame_class(kmt_frame_get(page_to_pfn(page))) == KMT_CLASS_UNSEEN &&
				   PageSlab(page) ?
			   kmt_cache_of_slab(page) :
			   NULL;
	index = s->cache ? kmt_cache_index(s->cache) : 0;
	kmt_frame_survey_unlock(flags);
	if (kmt_earlier_name_cache(index))
		kmt_codetag_changed();
	if (s->cache)
		s->class = class_of(kmt_earlier_cache_site(index), KMT_KIND_SLAB,
				    s->size);
	return s->cache && s->class;
}

/*
 * Give slots to the pages of the slab that have none. Objects that have an event afterwards
 * are settled.
 *
 * Return: false if the stock has no memory for slots.
 */
static bool try_slots(const struct slab *s)
{
	unsigned long pfn = page_to_pfn(s->page), flags, first;
	struct kmt_frame frame;
	unsigned int i;
	bool done = true;

	for (i = 0; i < 1u << s->order && done; i++) {
		first = first_object(s, i);
		if (!first)
			continue;
		flags = kmt_frame_survey_lock();
		frame = kmt_frame_get(pfn + i);
		if (kmt_frame_class(frame) == KMT_CLASS_UNSEEN &&
		    !kmt_frame_is_hashed(frame))
			done = kmt_slots_create(first, s->size);
		kmt_frame_survey_unlock(flags);
	}
	return done;
}

/* The survey is faster than the worker that fills the stock. Return: as try_slots(). */
static bool make_slots(const struct slab *s)
{
	unsigned int tries;

	for (tries = 0; !try_slots(s); tries++) {
		no_memory = no_memory || tries == SLOTS_TRIES;
		if (no_memory)
			return false;
		usleep_range(500, 1000);
	}
	return true;
}

/* Settle some of the objects of a frame, from @offset on. Return: where to go on. */
static u32 settle_some(const struct slab *s, unsigned long pfn, u32 offset)
{
	unsigned long flags = kmt_frame_survey_lock();
	struct kmt_frame frame = kmt_frame_get(pfn);
	unsigned int live = 0;

	if (kmt_frame_class(frame) == KMT_CLASS_UNSEEN &&
	    frame.word & KMT_FRAME_SLOTS)
		live = kmt_slots_settle(pfn, frame, &offset, OBJECTS_AT_ONCE,
					kmt_account_pack(s->class->packed),
					is_free, s);
	else
		offset = PAGE_SIZE;
	count_allocs(s->class, live);
	kmt_frame_survey_unlock(flags);
	note(FOUND_OBJECTS, live);
	/* a probe found no slots for the page, so the objects from before are not known */
	note(FOUND_UNTRACKED, kmt_frame_class(frame) == KMT_CLASS_UNSEEN &&
				      kmt_frame_is_hashed(frame));
	return offset;
}

static void settle_objects(const struct slab *s)
{
	unsigned long pfn = page_to_pfn(s->page);
	unsigned int i;
	u32 offset;

	for (i = 0; i < 1u << s->order; i++)
		for (offset = 0; offset < PAGE_SIZE;)
			offset = settle_some(s, pfn + i, offset);
}

static void charge_slab(struct page *page, unsigned int order)
{
	note(FOUND_SLABS, 1);
	if (!view_slab(&slab, page, order) || !make_slots(&slab)) {
		/* unless it was freed meanwhile */
		note(FOUND_UNTRACKED, PageSlab(page));
	} else {
		if (!kmt_freelist_read(page, slab.cache, slab.size,
				       slab.objects, slab.free))
			note(FOUND_UNREAD, 1);
		settle_objects(&slab);
	}
	charge_pages(page_to_pfn(page), order,
		     kmt_earlier_kind_site(KMT_EARLIER_SLAB));
}

/* --- all frames ----------------------------------------------------------- */

/* Return: number of frames of a free block; 1 if it is none any more. */
static unsigned int visit_free(unsigned long pfn, struct page *page)
{
	unsigned long order = READ_ONCE(page->private);

	smp_rmb(); /* the order is that of a free block if the page is still its first one */
	if (order > KMT_ORDER_MAX || pfn & ((1ul << order) - 1) || !PageBuddy(page))
		return 1;
	mark_free(pfn, 1u << order);
	return 1u << order;
}

/*
 * A page without references may be behind the first one of its allocation. A page in a free
 * block is not: the one before it is free as well.
 * Return: its site; 0 if it is free. A PGD may have two pages, the first of which is even.
 */
static unsigned long site_behind(unsigned long pfn)
{
	const unsigned long tables = kmt_earlier_kind_site(KMT_EARLIER_PAGE_TABLE);
	u32 before = pfn ? kmt_frame_class(kmt_frame_get(pfn - 1)) : 0;

	if (before <= KMT_CLASS_UNSEEN)
		return 0;
	return pfn & 1 && READ_ONCE(kmt_classes[before].site) == tables ?
		       tables :
		       kmt_earlier_kind_site(KMT_EARLIER_OTHER);
}

/*
 * Nothing of @page is certain: the kernel may free and allocate it at any time. An order that
 * is wrong because of that is still a valid one.
 *
 * @again: all free pages that CPUs keep are marked
 * Return: number of frames that were visited.
 */
static unsigned int visit(unsigned long pfn, struct page *page, bool again)
{
	enum kmt_earlier_kind kind;
	unsigned int order;
	unsigned long site;

	if (PageBuddy(page))
		return visit_free(pfn, page);
	if (kmt_frame_class(kmt_frame_get(pfn)) != KMT_CLASS_UNSEEN ||
	    PageReserved(page) || PageTail(page))
		return 1;
	if (kmt_page_is_unaccepted(page)) {
		mark_free(pfn, 1u << KMT_ORDER_MAX);
		return 1u << KMT_ORDER_MAX;
	}
	order = order_of(page);
	if (order > COMPOUND_ORDER_MAX || pfn & ((1ul << order) - 1))
		return 1;
	if (PageSlab(page)) {
		charge_slab(page, order);
		return 1u << order;
	}
	kind = kind_of(page);
	site = kmt_earlier_kind_site(kind);
	if (!page_count(page) && kind == KMT_EARLIER_OTHER)
		site = again ? site_behind(pfn) : 0;
	if (site)
		charge_pages(pfn, order, site);
	return 1u << order;
}

/* --- what is mapped in the area of vmalloc() ------------------------------------ */

/**
 * struct mapped - the area of vmalloc() that is surveyed
 * @areas: all areas
 * @start: first address of this one
 * @end: address after it
 * @site: its pages are charged to this site
 */
static struct mapped {
	struct kmt_vmallocs areas;
	unsigned long start;
	unsigned long end;
	unsigned long site;
} mapped;

static unsigned long site_of_area(unsigned long addr, const char *caller)
{
	if (kmt_vmap_is_module(addr))
		return kmt_earlier_kind_site(KMT_EARLIER_MODULE);
	if (!strcmp(caller, "func:pcpu_get_vm_areas"))
		return kmt_earlier_kind_site(KMT_EARLIER_PERCPU);
	return *caller ? kmt_earlier_caller_site(caller) :
			 kmt_earlier_kind_site(KMT_EARLIER_VMALLOC);
}

/* An area of per-CPU memory begins at a multiple of PMD_SIZE, but may not be mapped there. */
static void enter_area(struct mapped *m, unsigned long addr)
{
	const struct kmt_vmalloc *area;

	m->start = addr;
	area = kmt_vmallocs_find(&m->areas, addr);
	if (!area) {
		m->start = addr & PMD_MASK;
		area = kmt_vmallocs_find(&m->areas, m->start);
	}
	if (area && addr - m->start < area->size) {
		m->end = m->start + area->size;
	} else {
		m->start = addr;
		m->end = addr + PAGE_SIZE;
		area = NULL;
	}
	m->site = site_of_area(addr, area ? area->caller : "");
}

/* Other owners of pages map them as well: vmap(). */
static bool visit_mapped(unsigned long addr, unsigned long pfn,
			 unsigned long count)
{
	struct page *page;

	if (is_stopped())
		return false;
	if (addr < mapped.start || addr >= mapped.end)
		enter_area(&mapped, addr);
	mutex_lock(&unplug_mutex);
	for (; count--; pfn++) {
		page = pfn_to_online_page(pfn);
		if (page && !PageReserved(page) && !PageCompound(page) &&
		    !PageSlab(page) && page_count(page) &&
		    kind_of(page) == KMT_EARLIER_OTHER)
			charge_pages(pfn, 0, mapped.site);
	}
	mutex_unlock(&unplug_mutex);
	return true;
}

static void visit_all_mapped(void)
{
	kmt_vmap_walk(visit_mapped);
	kmt_vmallocs_free(&mapped.areas);
}

/* The boot allocator has most of it; its pages are reserved. A huge page is one allocation. */
static bool visit_memmap(unsigned long addr, unsigned long pfn,
			 unsigned long count)
{
	struct page *page;

	if (is_stopped())
		return false;
	mutex_lock(&unplug_mutex);
	page = pfn_to_online_page(pfn);
	if (page && !PageReserved(page) && !PageCompound(page) && page_count(page) &&
	    kind_of(page) == KMT_EARLIER_OTHER)
		charge_pages(pfn, ilog2(count),
			     kmt_earlier_kind_site(KMT_EARLIER_MEMMAP));
	mutex_unlock(&unplug_mutex);
	return true;
}

/* --- the kernel's own page tables ------------------------------------------------ */

/* A PGD of two pages is a compound page on some kernels. Tables from early at boot are reserved. */
static bool visit_table(unsigned long pfn)
{
	unsigned int order;
	struct page *page;

	if (is_stopped())
		return false;
	mutex_lock(&unplug_mutex);
	page = pfn_to_online_page(pfn);
	if (page && !PageReserved(page) && !PageTail(page) && page_count(page) &&
	    kind_of(page) == KMT_EARLIER_OTHER) {
		order = order_of(page);
		if (order <= 1 && !(pfn & order))
			charge_pages(pfn, order,
				     kmt_earlier_kind_site(KMT_EARLIER_PAGE_TABLE));
	}
	mutex_unlock(&unplug_mutex);
	return page;
}

/* --- free pages that CPUs keep --------------------------------------------- */

/* attempts to take a lock, one every 50 us or more */
#define LOCK_TRIES 4000

/* Return: the order of the pages in a list; see pindex_to_order() in mm/page_alloc.c. */
static unsigned int order_of_list(unsigned int i)
{
	return i < NR_LOWORDER_PCP_LISTS ? i / MIGRATE_PCPTYPES :
					   pageblock_order;
}

/*
 * On 6.1, interrupts are off for the length of the lists, once. The kernel's drain_pages_zone()
 * does more in the same way, whenever memory is short.
 *
 * Return: false if the lock was always taken.
 */
static bool mark_kept(struct per_cpu_pages *kept)
{
	unsigned long flags;
	unsigned int i, tries;
	struct page *page;

	for (tries = 0; !kmt_pcp_trylock(kept, flags); tries++) {
		if (tries == LOCK_TRIES)
			return false;
		usleep_range(50, 100);
	}
	for (i = 0; i < NR_PCP_LISTS; i++)
		list_for_each_entry(page, &kept->lists[i], pcp_list)
			mark_free(page_to_pfn(page), 1u << order_of_list(i));
	kmt_pcp_unlock(kept, flags);
	return true;
}

/* The kernel frees the lists of a zone whose last memory goes offline. */
static bool mark_kept_of(struct zone *zone, int cpu)
{
	bool done = true;

	mutex_lock(&unplug_mutex);
	if (offlining)
		done = false;
	else if (populated_zone(zone))
		done = mark_kept(per_cpu_ptr(zone->per_cpu_pageset, cpu));
	mutex_unlock(&unplug_mutex);
	return done;
}

static bool mark_all_kept(void)
{
	int node, z, cpu;
	bool done = true;

	for_each_online_node(node) {
		for (z = 0; z < MAX_NR_ZONES; z++) {
			for_each_possible_cpu(cpu) {
				done &= mark_kept_of(
					&NODE_DATA(node)->node_zones[z], cpu);
				cond_resched();
			}
		}
	}
	return done;
}

/* Return: the frame after those that were visited. */
static unsigned long visit_some(unsigned long pfn, bool again)
{
	unsigned long end = pfn + FRAMES_IN_TURN;
	struct page *page;

	mutex_lock(&unplug_mutex);
	for (;;) {
		pfn = kmt_frame_find_unseen(pfn, end);
		if (pfn >= end)
			break;
		page = pfn_to_online_page(pfn);
		if (!page) {
			pfn = ALIGN(pfn + 1, PAGES_PER_SUBSECTION);
			break;
		}
		pfn += visit(pfn, page, again);
	}
	mutex_unlock(&unplug_mutex);
	return pfn;
}

/* Return: false if it was stopped. */
static bool visit_all(bool again)
{
	unsigned long pfn = 0, end = kmt_frame_end();

	while (pfn < end) {
		if (is_stopped())
			return false;
		pfn = visit_some(pfn, again);
		cond_resched();
	}
	return true;
}

void kmt_survey_unplug(bool going)
{
	mutex_lock(&unplug_mutex);
	offlining = going;
	mutex_unlock(&unplug_mutex);
}

void kmt_survey_read(void)
{
	if (!survey)
		return;
	mapped = (struct mapped){ 0 };
	/* here, because on newer kernels a worker has no /proc */
	kmt_vmallocs_read(&mapped.areas);
}

void kmt_survey_prepare(void)
{
	enum found item;

	for (item = 0; item < FOUND_COUNT; item++)
		WRITE_ONCE(found[item], 0);
	if (!survey)
		return;
	kmt_frame_mark_unseen(false);
	WRITE_ONCE(kmt_frame_surveyed, true);
}

static void run(struct work_struct *work)
{
	u64 start = ktime_get_ns();
	bool complete, kept;

	no_memory = false;
	kmt_frame_mark_unseen(true);
	/* for probes that have found an entry of 0 */
	synchronize_rcu();
	/* for sheaves that wait for the end of kfree_rcu(), which no list has until then */
	rcu_barrier();
	visit_all_mapped();
	kmt_pagetables_walk(visit_table);
	kmt_vmap_walk_memmap(visit_memmap);
	complete = visit_all(false);
	kept = complete && mark_all_kept();
	/* twice: the kernel may have moved a page past the first visit */
	complete = complete && visit_all(kept) && visit_all(kept);
	if (complete)
		note(FOUND_OBJECTS, -kmt_kept_correct(is_stopped));
	note(FOUND_COMPLETE, complete && kept && !is_stopped());
	note(FOUND_MS, div_u64(ktime_get_ns() - start, NSEC_PER_MSEC));
	/* the numbers before the end; pairs with kmt_survey_show() */
	smp_store_release(&kmt_frame_surveyed, false);
}

static DECLARE_WORK(work, run);

/* It may take seconds on a large machine, which nothing should wait for. */
void kmt_survey_start(void)
{
	if (survey)
		queue_work(kmt_unbound_wq, &work);
}

void kmt_survey_stop(void)
{
	WRITE_ONCE(stopping, true);
	flush_work(&work);
	WRITE_ONCE(stopping, false);
	kmt_vmallocs_free(&mapped.areas);
	WRITE_ONCE(kmt_frame_surveyed, false);
}

int __init kmt_survey_init(void)
{
	int err = survey ? kmt_freelist_init() : 0;

	return survey && !err ? kmt_kept_init() : err;
}

void kmt_survey_show(struct seq_file *m)
{
	static const char *const names[FOUND_COUNT] = {
		[FOUND_COMPLETE] = "complete",
		[FOUND_MS] = "ms",
		[FOUND_PAGES] = "pages",
		[FOUND_OBJECTS] = "objects",
		[FOUND_SLABS] = "slabs",
		[FOUND_UNREAD] = "unread_slabs",
		[FOUND_UNTRACKED] = "untracked_slabs",
	};
	enum found item;

	seq_printf(m, "survey %d\n", survey);
	seq_printf(m, "survey_running %d\n", kmt_frame_survey_runs());
	seq_printf(m, "survey_cpu_lists %d\n", kmt_kept_known());
	for (item = 0; item < FOUND_COUNT; item++)
		seq_printf(m, "survey_%s %llu\n", names[item], READ_ONCE(found[item]));
}
