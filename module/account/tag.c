// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: finding a class and summing take no lock. insert_lock serialises all
 * changes of the tables. Its holder has interrupts off and the CPU's guard, so that no
 * probe in an NMI waits for it. retire_mutex serialises the steps that retire tags; only its
 * holder uses the classes of a hidden tag.
 *
 * A class is filled in before smp_store_release() publishes it. A class that was
 * removed from its chain is reused only after a grace period. Probes use it with interrupts
 * or preemption off, and therefore finish before. Readers of tags hold rcu_read_lock(); a
 * hidden tag is also reused only after a grace period.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>
#include <trace/events/kmemtrace.h>

#include "account/earlier.h"
#include "account/tag.h"
#include "base/allocators.h"
#include "base/guard.h"

/* the tracepoint tag_growth does not fire below this number of bytes */
#define GROWTH_MIN (1 << 20)

/**
 * struct tag - see tag.h
 * @site: its site; 0 if the tag is hidden or free
 * @next: next tag in the hash chain, or in the list of free tags
 * @classes: number of its first class
 * @kind: KMT_KIND_*
 * @flags: KMT_SITE_*
 * @peak: highest live bytes seen; racing updates may make it slightly too low
 * @live: live bytes, as reported by the CPUs
 * @objects: live allocations, as reported by the CPUs
 * @class_count: number of its classes
 * @class_bytes: the sum of their sizes
 * @location: text to print once its code is gone, or NULL
 *
 * insert_lock guards all but @peak, @live and @objects.
 */
struct tag {
	unsigned long site;
	u32 next;
	u32 classes;
	u32 kind;
	u32 flags;
	u64 peak;
	atomic64_t live;
	atomic64_t objects;
	u32 class_count;
	u64 class_bytes;
	char *location;
} ____cacheline_aligned_in_smp;

struct kmt_class *kmt_classes __ro_after_init;
struct kmt_class *kmt_class_heads[1 << KMT_CLASS_HEAD_BITS];

static u32 max_classes __ro_after_init; /* number 0 is not used */
static struct tag *tags __ro_after_init;
static u32 tag_heads[1 << KMT_CLASS_HEAD_BITS];

/* of a type that lockdep does not check, because probes in an NMI take it as well */
static arch_spinlock_t insert_lock = __ARCH_SPIN_LOCK_UNLOCKED;
static DEFINE_MUTEX(retire_mutex);
static u32 classes_used = KMT_CLASS_UNSEEN, classes_free, classes_free_count;
static u32 tags_used, tags_free;
static u32 unloads; /* under retire_mutex */
static void (*on_full)(void) __ro_after_init;
static bool full_is_told;

static u32 *tag_head(unsigned long site, unsigned int kind)
{
	return &tag_heads[hash_64(site + kind, KMT_CLASS_HEAD_BITS)];
}

static u32 site_flags(unsigned long site)
{
	u32 kinds = kmt_site_kinds(site);

	if (kmt_earlier_is_site(site))
		return KMT_SITE_EARLIER |
		       (site == kmt_earlier_kind_site(KMT_EARLIER_SLAB) ?
				KMT_SITE_SLAB : 0);
	return (kmt_site_is_wrapper(site) ? KMT_SITE_WRAPPER : 0) |
	       (kinds & KMT_FUNCTION_SLAB ? KMT_SITE_SLAB : 0) |
	       (kinds & KMT_FUNCTION_INNER ? KMT_SITE_INNER : 0) |
	       (kinds & KMT_FUNCTION_BACKING ? KMT_SITE_BACKING : 0);
}

/*
 * There is always a free tag: each tag has at least one class, and there are as many
 * tags as classes.
 */
static u32 __find_tag(unsigned long site, unsigned int kind, u32 flags)
{
	u32 *head = tag_head(site, kind), id;
	struct tag *tag;

	for (id = *head; id; id = tags[id].next)
		if (tags[id].site == site && tags[id].kind == kind)
			return id;
	id = tags_free ? tags_free : ++tags_used;
	tag = &tags[id];
	if (tags_free)
		tags_free = tag->next;
	tag->next = *head;
	WRITE_ONCE(tag->kind, kind);
	WRITE_ONCE(tag->flags, flags);
	WRITE_ONCE(tag->peak, 0);
	atomic64_set(&tag->live, 0);
	atomic64_set(&tag->objects, 0);
	WRITE_ONCE(tag->class_count, 0);
	WRITE_ONCE(tag->class_bytes, 0);
	/* pairs with kmt_tag_site() */
	smp_store_release(&tag->site, site);
	*head = id;
	return id;
}

/* Return: number of a new class; 0 if none is left, or has counters. */
static u32 __take_class(void)
{
	u32 id = classes_free;

	if (id) {
		WRITE_ONCE(classes_free, kmt_classes[id].sibling);
		WRITE_ONCE(classes_free_count, classes_free_count - 1);
	} else if (classes_used + 1 < min(max_classes, kmt_counter_room())) {
		id = classes_used + 1;
		WRITE_ONCE(classes_used, id);
	}
	kmt_counter_want(classes_used);
	return id;
}

bool kmt_tag_is_full(void)
{
	return !READ_ONCE(classes_free) &&
	       READ_ONCE(classes_used) + 1 >= max_classes;
}

static void tell_full(struct irq_work *work)
{
	on_full();
}

static DEFINE_IRQ_WORK(full_work, tell_full);

static void refuse(void)
{
	__kmt_counter(0)->waste++;
	if (kmt_tag_is_full() && !READ_ONCE(full_is_told)) {
		WRITE_ONCE(full_is_told, true);
		irq_work_queue(&full_work);
	}
}

/* @site and the rest of @key are set. */
static void set_flags(struct kmt_class *class, u32 flags)
{
	u64 key = class->key & ~KMT_KEY_RARE;
	bool rare = flags & (KMT_SITE_WRAPPER | KMT_SITE_ARMED);
	bool simple = !rare &&
		      (s64)class->site >> 31 == -1 && !kmt_class_waste(class) &&
		      kmt_class_bytes(class) < 1u << 30;

	/* pairs with classify_anew(): KMT_SITE_ARMED comes after kmt_account_on_armed() */
	smp_store_release(&class->flags, flags);
	WRITE_ONCE(class->key,
		   key | (rare ? KMT_KEY_RARE : 0));
	WRITE_ONCE(class->simple,
		   simple ? kmt_class_simple(class->site, key) : 0);
}

static struct kmt_class *find_class(struct kmt_class *const *head,
				    unsigned long site, u64 key)
{
	struct kmt_class *class = READ_ONCE(*head);

	for (; class; class = READ_ONCE(class->next))
		if (READ_ONCE(class->site) == site &&
		    (READ_ONCE(class->key) & ~KMT_KEY_RARE) == key)
			break;
	return class;
}

static struct kmt_class *insert_class(struct kmt_class **head,
				      unsigned long site, u64 key,
				      unsigned long irq)
{
	/* if the wrappers change, kmt_tag_reflag() comes after this probe */
	u32 flags = site_flags(site), id;
	struct kmt_class *class;
	struct tag *tag;

	kmt_guard_spin_wait(&insert_lock, irq);
	class = find_class(head, site, key);
	if (class)
		goto out; /* another CPU was faster */
	id = __take_class();
	if (!id)
		goto out;
	class = &kmt_classes[id];
	class->key = key;
	class->packed = id << KMT_WASTE_BITS;
	class->next = *head;
	WRITE_ONCE(class->tag, __find_tag(site, kmt_class_kind(class), flags));
	tag = &tags[class->tag];
	WRITE_ONCE(class->site, site);
	set_flags(class, tag->flags);
	class->sibling = tag->classes;
	WRITE_ONCE(tag->class_count, tag->class_count + 1);
	WRITE_ONCE(tag->class_bytes, tag->class_bytes + kmt_class_bytes(class));
	smp_store_release(&tag->classes, id);
	smp_store_release(head, class);
out:
	arch_spin_unlock(&insert_lock);
	return class;
}

const struct kmt_class *kmt_tag_class(unsigned long site, u64 key,
				      unsigned long irq)
{
	struct kmt_class **head = kmt_class_head(site, key);
	const struct kmt_class *class = find_class(head, site, key);

	/* with a full table, CPUs must not wait for each other */
	if (!class && !kmt_tag_is_full())
		class = insert_class(head, site, key, irq);
	if (!class)
		refuse();
	return class;
}

/* --- sums ----------------------------------------------------------------- */

static bool is_of_pages(const struct kmt_class *class)
{
	unsigned int kind = kmt_class_kind(class);

	return kind == KMT_KIND_PAGE || kind == KMT_KIND_LARGE;
}

/* @frames: pages freed; for the kinds made of pages, these count instead of @frees */
static s64 bytes_of(const struct kmt_class *class, s64 allocs, s64 frees,
		    s64 frames)
{
	s64 size = kmt_class_bytes(class);

	if (is_of_pages(class))
		return allocs * size - frames * (s64)PAGE_SIZE;
	return (allocs - frees) * size;
}

static void add_class(u32 id, struct kmt_sum *sum)
{
	const struct kmt_class *class = &kmt_classes[id];
	s64 allocs = 0, frees = 0, frames = 0, waste = 0, bytes;
	const struct kmt_counter *c;
	int cpu;

	kmt_counter_for_each(cpu, c) {
		frees += kmt_count_read(&c[id].frees);
		frames += kmt_count_read(&c[id].frames);
		waste += READ_ONCE(c[id].waste);
	}
	smp_rmb();
	kmt_counter_for_each(cpu, c)
		allocs += kmt_count_read(&c[id].allocs);
	bytes = bytes_of(class, allocs, frees, frames);
	waste += (allocs - frees) * kmt_class_waste(class);
	sum->objects += allocs - frees;
	sum->allocs += allocs;
	sum->allocated += allocs * kmt_class_bytes(class);
	sum->frees += frees;
	sum->bytes += bytes;
	sum->requested += bytes - waste;
}

void kmt_tag_sum(u32 tag, struct kmt_sum *sum)
{
	u32 id;

	memset(sum, 0, sizeof(*sum));
	rcu_read_lock();
	for (id = smp_load_acquire(&tags[tag].classes); id;
	     id = READ_ONCE(kmt_classes[id].sibling))
		add_class(id, sum);
	rcu_read_unlock();
}

/* A CPU reports a class before it has counted KMT_PEAK_EVERY allocations or frees more. */
void kmt_tag_estimate(u32 tag, struct kmt_estimate *e)
{
	const struct tag *t = &tags[tag];
	u64 cpus = kmt_counter_cpus();

	e->bytes = atomic64_read(&t->live);
	e->objects = atomic64_read(&t->objects);
	e->counters = cpus * READ_ONCE(t->class_count);
	e->objects_off = e->counters * KMT_PEAK_EVERY;
	e->bytes_off = cpus * READ_ONCE(t->class_bytes) * KMT_PEAK_EVERY;
}

static void raise_peak(struct tag *tag, s64 bytes, s64 objects)
{
	u64 peak = READ_ONCE(tag->peak);

	if (bytes <= (s64)peak)
		return;
	if (trace_kmemtrace_tag_growth_enabled() && bytes >= GROWTH_MIN &&
	    fls64(bytes) > fls64(peak))
		trace_kmemtrace_tag_growth(READ_ONCE(tag->site),
					   READ_ONCE(tag->kind), bytes,
					   objects);
	WRITE_ONCE(tag->peak, bytes);
}

/* added to a count of which no event is left: a batch of KMT_PEAK_EVERY events */
#define FULL_BATCH                                              \
	((u64)(KMT_PEAK_EVERY - 1) << KMT_COUNT_SHIFT | KMT_COUNT_BATCH | (KMT_PEAK_EVERY - 1))

/*
 * Count @more events and begin a batch.
 * Return: number of events in the previous batch, with @more.
 */
static s64 begin_batch(union kmt_count *count, unsigned int more)
{
	u64 whole = count->whole;
	s64 events = kmt_count_read(count) + more;
	s64 had = whole & KMT_COUNT_BATCH ? KMT_PEAK_EVERY - 1 : 0;

	if (events < KMT_PEAK_EVERY - 1)
		WRITE_ONCE(count->whole, (u64)events << KMT_COUNT_SHIFT);
	else
		WRITE_ONCE(count->whole, ((u64)events << KMT_COUNT_SHIFT) + FULL_BATCH);
	return had - (s8)whole + more;
}

void kmt_tag_report(u32 id, unsigned int frames)
{
	const struct kmt_class *class = &kmt_classes[id];
	struct tag *tag = &tags[READ_ONCE(class->tag)];
	struct kmt_counter *c = kmt_class_counter(class);
	s64 allocs, frees, freed, bytes, objects;

	if (unlikely(this_cpu_read(kmt_counters) == kmt_counter_scrap))
		return;
	allocs = begin_batch(&c->allocs, 0);
	frees = begin_batch(&c->frees, 0);
	freed = begin_batch(&c->frames, frames);
	bytes = bytes_of(class, allocs, frees, freed);
	objects = atomic64_add_return(allocs - frees, &tag->objects);
	raise_peak(tag, atomic64_add_return(bytes, &tag->live), objects);
}

/*
 * The first report withdraws what the allocation has reported. Then the next allocations need no
 * report, as they are taken back in turn.
 */
void kmt_tag_uncharge(const struct kmt_class *class)
{
	union kmt_count *count = &kmt_class_counter(class)->allocs;

	if (!kmt_count_back(count) && count->whole & KMT_COUNT_BATCH)
		return;
	kmt_tag_report(kmt_class_number(class), 0);
	if (!(count->whole & KMT_COUNT_BATCH))
		WRITE_ONCE(count->whole, count->whole + FULL_BATCH);
}

u64 kmt_tag_peak(u32 tag, unsigned long site)
{
	struct kmt_sum sum;
	u64 peak = 0;

	rcu_read_lock();
	if (smp_load_acquire(&tags[tag].site) == site) {
		kmt_tag_sum(tag, &sum);
		raise_peak(&tags[tag], sum.bytes, sum.objects);
		peak = READ_ONCE(tags[tag].peak);
	}
	rcu_read_unlock();
	return peak;
}

u32 kmt_tag_count(void)
{
	return READ_ONCE(tags_used);
}

u32 kmt_class_count(void)
{
	return READ_ONCE(classes_used) - KMT_CLASS_UNSEEN -
	       READ_ONCE(classes_free_count);
}

u64 kmt_tag_refused(void)
{
	const struct kmt_counter *c;
	u64 refused = 0;
	int cpu;

	rcu_read_lock();
	kmt_counter_for_each(cpu, c)
		refused += READ_ONCE(c->waste);
	rcu_read_unlock();
	return refused;
}

unsigned long kmt_tag_site(u32 tag, unsigned int *kind, u32 *flags)
{
	unsigned long site = smp_load_acquire(&tags[tag].site);

	if (site) {
		*kind = READ_ONCE(tags[tag].kind);
		*flags = READ_ONCE(tags[tag].flags);
	}
	return site;
}

unsigned long kmt_tag_read(u32 tag, unsigned int *kind, u32 *flags,
			   struct kmt_sum *sum)
{
	unsigned long site;

	rcu_read_lock();
	site = kmt_tag_site(tag, kind, flags);
	if (site)
		kmt_tag_sum(tag, sum);
	rcu_read_unlock();
	return site;
}

const char *kmt_tag_location(u32 tag, unsigned long site)
{
	/* the text is freed after a grace period for readers that see the site */
	if (smp_load_acquire(&tags[tag].site) != site)
		return NULL;
	return smp_load_acquire(&tags[tag].location);
}

/* --- retiring tags -------------------------------------------------------- */

/* classes that are changed with interrupts off */
#define CLASSES_AT_ONCE 16

/*
 * A tag has a class for each size that its site has allocated. The caller holds retire_mutex,
 * so no class is taken from the tag. A class that is added meanwhile gets the flags of the tag.
 */
static void for_classes(const struct tag *tag,
			void (*change)(struct kmt_class *class, u32 flags))
{
	unsigned long irq = kmt_guard_spin_lock(&insert_lock);
	u32 flags = tag->flags, id, n = 0;

	for (id = tag->classes; id; id = kmt_classes[id].sibling) {
		change(&kmt_classes[id], flags);
		if (++n % CLASSES_AT_ONCE)
			continue;
		kmt_guard_spin_unlock(&insert_lock, irq);
		cond_resched();
		irq = kmt_guard_spin_lock(&insert_lock);
	}
	kmt_guard_spin_unlock(&insert_lock, irq);
}

/* A late probe may still read the class, but must not use it. */
static void __unchain_class(struct kmt_class *class, u32 flags)
{
	struct kmt_class **link =
		kmt_class_head(class->site, class->key & ~KMT_KEY_RARE);

	while (*link != class)
		link = &(*link)->next;
	WRITE_ONCE(*link, class->next);
	WRITE_ONCE(class->site, 0);
	WRITE_ONCE(class->simple, 0);
}

static void __unchain_tag(u32 id)
{
	u32 *link = tag_head(tags[id].site, tags[id].kind);

	while (*link != id)
		link = &tags[*link].next;
	*link = tags[id].next;
}

static void retire(u32 id, char *location)
{
	struct tag *tag = &tags[id];
	unsigned long flags = kmt_guard_spin_lock(&insert_lock);

	__unchain_tag(id);
	smp_store_release(&tag->location, location);
	WRITE_ONCE(tag->flags, tag->flags | KMT_SITE_GONE);
	kmt_guard_spin_unlock(&insert_lock, flags);
	for_classes(tag, __unchain_class);
}

static void add_flags(u32 id, u32 flags)
{
	unsigned long irq = kmt_guard_spin_lock(&insert_lock);

	WRITE_ONCE(tags[id].flags, tags[id].flags | flags);
	kmt_guard_spin_unlock(&insert_lock, irq);
}

/* The counters are all zero when the class is used again. */
static void free_class(u32 id)
{
	struct kmt_counter *c;
	unsigned long flags;
	int cpu;

	cond_resched();
	rcu_read_lock();
	kmt_counter_for_each(cpu, c)
		memset(&c[id], 0, sizeof(*c));
	rcu_read_unlock();
	flags = kmt_guard_spin_lock(&insert_lock);
	kmt_classes[id].sibling = classes_free;
	WRITE_ONCE(classes_free, id);
	WRITE_ONCE(classes_free_count, classes_free_count + 1);
	kmt_guard_spin_unlock(&insert_lock, flags);
}

/* No reader holds a reference, so the numbers of the tag and its classes can be reused. */
static void give_up(u32 id)
{
	struct tag *tag = &tags[id];
	char *location = tag->location;
	unsigned long flags;
	u32 class, next;

	for (class = tag->classes; class; class = next) {
		next = kmt_classes[class].sibling;
		free_class(class);
	}
	flags = kmt_guard_spin_lock(&insert_lock);
	WRITE_ONCE(tag->location, NULL);
	tag->flags = 0;
	tag->classes = 0;
	tag->next = tags_free;
	tags_free = id;
	kmt_guard_spin_unlock(&insert_lock, flags);
	kfree(location);
}

/*
 * The states of a tag, in the order that it goes through them: FREE; USED; its code is
 * GONE; HIDDEN from readers; FREE.
 */
enum state { FREE, USED, GONE, HIDDEN };

static enum state state_of(u32 id, unsigned long *site, u32 *flags)
{
	unsigned long irq = kmt_guard_spin_lock(&insert_lock);

	*site = tags[id].site;
	*flags = tags[id].flags;
	kmt_guard_spin_unlock(&insert_lock, irq);
	if (*site)
		return *flags & KMT_SITE_GONE ? GONE : USED;
	return *flags & KMT_SITE_GONE ? HIDDEN : FREE;
}

/* Hide the tag from readers if nothing is live. Return: whether it was hidden. */
static bool hide_idle(u32 id)
{
	unsigned long flags;
	struct kmt_sum sum;

	kmt_tag_sum(id, &sum);
	if (sum.objects || sum.bytes)
		return false;
	flags = kmt_guard_spin_lock(&insert_lock);
	WRITE_ONCE(tags[id].site, 0);
	kmt_guard_spin_unlock(&insert_lock, flags);
	return true;
}

/*
 * Let each tag in state @from take one step towards reuse.
 * Return: whether any tag took it.
 */
static bool step_all(enum state from, bool (*step)(u32 id, u32 flags))
{
	u32 id, flags, count = kmt_tag_count();
	unsigned long site;
	bool any = false;

	mutex_lock(&retire_mutex);
	for (id = 1; id <= count; id++) {
		if (state_of(id, &site, &flags) == from)
			any |= step(id, flags);
		cond_resched();
	}
	mutex_unlock(&retire_mutex);
	return any;
}

static bool settle(u32 id, u32 flags)
{
	if (!(flags & KMT_SITE_SETTLED))
		add_flags(id, KMT_SITE_SETTLED);
	return !(flags & KMT_SITE_SETTLED);
}

static bool hide(u32 id, u32 flags)
{
	return (flags & KMT_SITE_SETTLED) && hide_idle(id);
}

static bool reuse(u32 id, u32 flags)
{
	give_up(id);
	return true;
}

/*
 * Runs in a worker, not in the module notifiers. Booting loads hundreds of modules one
 * after the other, and each grace period takes about 10 ms.
 */
static void reclaim(struct work_struct *work)
{
	if (step_all(GONE, settle))
		synchronize_rcu(); /* for probes that use one of its classes */
	if (!step_all(GONE, hide))
		return;
	synchronize_rcu(); /* for readers of the tags */
	step_all(HIDDEN, reuse);
}

static DECLARE_WORK(reclaim_work, reclaim);

/* Return: whether the location names the module. */
static bool is_in(const char *location, const char *module)
{
	char text[MODULE_NAME_LEN + 16];

	snprintf(text, sizeof(text), " [%s] func:", module);
	return location && strstr(location, text);
}

void kmt_tag_retire(bool (*contains)(unsigned long site, const void *arg),
		    const void *arg, char *(*describe)(unsigned long site))
{
	u32 id, flags, count = kmt_tag_count();
	unsigned long site;
	bool gone = false;

	mutex_lock(&retire_mutex);
	for (id = 1; id <= count; id++) {
		enum state state = state_of(id, &site, &flags);

		if (state == USED && contains(site, arg)) {
			retire(id, describe(site));
			state = GONE;
		}
		gone |= state == GONE;
	}
	mutex_unlock(&retire_mutex);
	if (gone)
		schedule_work(&reclaim_work);
}

u32 kmt_tag_unload(bool (*contains)(unsigned long site, const void *arg),
		   const void *arg, char *(*describe)(unsigned long site),
		   const char *module)
{
	u32 id, flags, count = kmt_tag_count(), mark;
	unsigned long site;

	kmt_tag_retire(contains, arg, describe);
	mutex_lock(&retire_mutex);
	mark = KMT_SITE_UNLOADED | ++unloads << KMT_SITE_UNLOAD_SHIFT;
	for (id = 1; id <= count; id++)
		if (state_of(id, &site, &flags) == GONE &&
		    !(flags & KMT_SITE_UNLOADED) &&
		    is_in(tags[id].location, module))
			add_flags(id, mark);
	mutex_unlock(&retire_mutex);
	return mark >> KMT_SITE_UNLOAD_SHIFT;
}

/*
 * Set those of the flags of a tag that are in @mask. Under retire_mutex.
 * Return: false if the tag is not that of @site, or its code is gone.
 */
static bool set_tag_flags(u32 id, unsigned long site, u32 mask, u32 flags)
{
	unsigned long irq = kmt_guard_spin_lock(&insert_lock);
	struct tag *tag = &tags[id];
	bool ok = site && tag->site == site && !(tag->flags & KMT_SITE_GONE);

	if (ok)
		WRITE_ONCE(tag->flags, (tag->flags & ~mask) | flags);
	kmt_guard_spin_unlock(&insert_lock, irq);
	if (ok)
		for_classes(tag, set_flags);
	return ok;
}

void kmt_tag_reflag(void)
{
	unsigned long site;
	u32 id, flags;

	mutex_lock(&retire_mutex);
	for (id = 1; id <= kmt_tag_count(); id++) {
		preempt_disable(); /* as in a probe */
		site = READ_ONCE(tags[id].site);
		flags = site_flags(site);
		preempt_enable();
		set_tag_flags(id, site, ~KMT_SITE_ARMED, flags);
		cond_resched();
	}
	mutex_unlock(&retire_mutex);
}

bool kmt_tag_arm(u32 tag, unsigned long site, bool on)
{
	bool ok;

	mutex_lock(&retire_mutex);
	ok = set_tag_flags(tag, site, KMT_SITE_ARMED, on ? KMT_SITE_ARMED : 0);
	mutex_unlock(&retire_mutex);
	return ok;
}

void kmt_tag_reset(void)
{
	u32 id;

	kmt_counter_reset();
	for (id = 1; id <= tags_used; id++) {
		tags[id].peak = 0;
		atomic64_set(&tags[id].live, 0);
		atomic64_set(&tags[id].objects, 0);
	}
	WRITE_ONCE(full_is_told, false);
}

/* --- the tables ----------------------------------------------------------- */

#define SHARED_SIZE (sizeof(struct kmt_class) + sizeof(struct tag))

size_t kmt_tag_class_size(void)
{
	return SHARED_SIZE + num_online_cpus() * sizeof(struct kmt_counter);
}

u64 kmt_tag_memory(void)
{
	return (u64)max_classes * SHARED_SIZE + kmt_counter_memory();
}

int __init kmt_tag_init(u32 classes, void (*full)(void),
			void (*no_counters)(unsigned int cpu))
{
	max_classes = classes;
	on_full = full;
	kmt_classes = vzalloc(classes * sizeof(*kmt_classes));
	tags = vzalloc(classes * sizeof(*tags));
	if (!kmt_classes || !tags)
		return -ENOMEM;
	return kmt_counter_init(classes, no_counters);
}

void kmt_tag_exit(void)
{
	u32 id;

	cancel_work_sync(&reclaim_work);
	irq_work_sync(&full_work);
	kmt_counter_exit();
	for (id = 1; tags && id <= tags_used; id++)
		kfree(tags[id].location);
	vfree(tags);
	vfree(kmt_classes);
}
