// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: kmt_tag_class() and the sums take no lock. insert_lock
 * serialises all that changes the tables; a class is filled in before it is
 * published with smp_store_release(), and a class that was taken out of its
 * chain is used again only after a grace period: probes run with interrupts
 * off, and so within one. So is a tag that was given up, for who looks at it
 * under rcu_read_lock(). retire_mutex serialises those that retire.
 */
#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>
#include <trace/events/kmemtrace.h>

#include "callsite.h"
#include "tag.h"

/* the tracepoint of what grows is silent below */
#define GROWTH_MIN (1 << 20)

/**
 * struct tag - see tag.h
 * @site: what it is the tag of; 0 if it is free to be used
 * @next: next tag in the chain of its hash, or of the free ones
 * @classes: its first class
 * @kind: KMT_KIND_*
 * @flags: KMT_SITE_*
 * @peak: most bytes seen live; races lose little
 * @location: what to print once its module is gone
 *
 * Under insert_lock, but @peak.
 */
struct tag {
	unsigned long site;
	u32 next;
	u32 classes;
	u32 kind;
	u32 flags;
	u64 peak;
	char *location;
};

struct kmt_class *kmt_classes __ro_after_init;
struct kmt_class *kmt_class_heads[1 << KMT_CLASS_HEAD_BITS];
DEFINE_PER_CPU(struct kmt_counter *, kmt_counters);

static u32 max_classes __ro_after_init; /* number 0 is not used */
static struct tag *tags __ro_after_init;
static u32 tag_heads[1 << KMT_CLASS_HEAD_BITS];

static DEFINE_RAW_SPINLOCK(insert_lock);
static DEFINE_MUTEX(retire_mutex);
static u32 classes_used = KMT_CLASS_UNSEEN, classes_free, classes_free_count;
static u32 tags_used, tags_free;
static u64 refused;

static u32 *tag_head(unsigned long site, unsigned int kind)
{
	return &tag_heads[hash_64(site + kind, KMT_CLASS_HEAD_BITS)];
}

static u32 site_flags(unsigned long site)
{
	return (kmt_callsite_is_wrapper(site) ? KMT_SITE_WRAPPER : 0) |
	       (kmt_callsite_is_slab(site) ? KMT_SITE_SLAB : 0) |
	       (kmt_callsite_is_inner(site) ? KMT_SITE_INNER : 0);
}

/* There are no more tags than classes. */
static u32 __find_tag(unsigned long site, unsigned int kind)
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
	WRITE_ONCE(tag->flags, site_flags(site));
	WRITE_ONCE(tag->peak, 0);
	/* pairs with kmt_tag_site() */
	smp_store_release(&tag->site, site);
	*head = id;
	return id;
}

/* A number for a new class; 0 if there is none. */
static u32 __take_class(void)
{
	u32 id = classes_free;

	if (id) {
		classes_free = kmt_classes[id].sibling;
		classes_free_count--;
	} else if (classes_used + 1 < max_classes) {
		id = ++classes_used;
	} else {
		refused++;
	}
	return id;
}

static void set_flags(struct kmt_class *class, u32 flags)
{
	u64 key = class->key & ~KMT_KEY_WRAPPER;

	WRITE_ONCE(class->flags, flags);
	WRITE_ONCE(class->key,
		   key | (flags & KMT_SITE_WRAPPER ? KMT_KEY_WRAPPER : 0));
}

static struct kmt_class *find_class(struct kmt_class *const *head,
				    unsigned long site, u64 key)
{
	struct kmt_class *class = READ_ONCE(*head);

	for (; class; class = READ_ONCE(class->next))
		if (READ_ONCE(class->site) == site &&
		    (READ_ONCE(class->key) & ~KMT_KEY_WRAPPER) == key)
			break;
	return class;
}

static struct kmt_class *insert_class(struct kmt_class **head,
				      unsigned long site, u64 key)
{
	struct kmt_class *class;
	struct tag *tag;
	u32 id;

	raw_spin_lock(&insert_lock);
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
	WRITE_ONCE(class->tag, __find_tag(site, kmt_class_kind(class)));
	tag = &tags[class->tag];
	set_flags(class, tag->flags);
	class->sibling = tag->classes;
	WRITE_ONCE(class->site, site);
	smp_store_release(&tag->classes, id);
	smp_store_release(head, class);
out:
	raw_spin_unlock(&insert_lock);
	return class;
}

const struct kmt_class *kmt_tag_class(unsigned long site, u64 key)
{
	struct kmt_class **head = &kmt_class_heads[kmt_class_hash(site, key)];
	const struct kmt_class *class = find_class(head, site, key);

	return class ? class : insert_class(head, site, key);
}

/* --- sums ----------------------------------------------------------------- */

static struct kmt_counter *counter(int cpu, u32 id)
{
	return per_cpu(kmt_counters, cpu) + id;
}

static void add_class(u32 id, struct kmt_sum *sum)
{
	const struct kmt_class *class = &kmt_classes[id];
	unsigned int kind = kmt_class_kind(class);
	u64 allocs = 0, frees = 0;
	s64 waste = 0, frames = 0, objects;
	int cpu;

	for_each_possible_cpu(cpu) {
		frees += READ_ONCE(counter(cpu, id)->frees);
		waste += READ_ONCE(counter(cpu, id)->waste);
	}
	smp_rmb();
	for_each_possible_cpu(cpu) {
		allocs += READ_ONCE(counter(cpu, id)->allocs);
		frames += READ_ONCE(counter(cpu, id)->frames);
	}
	objects = allocs - frees;
	waste += objects * kmt_class_waste(class);
	sum->objects += objects;
	sum->allocs += allocs;
	sum->allocated += allocs * kmt_class_bytes(class);
	sum->frees += frees;
	if (kind == KMT_KIND_PAGE || kind == KMT_KIND_LARGE) {
		sum->bytes += frames * (s64)PAGE_SIZE;
		sum->requested += frames * (s64)PAGE_SIZE - waste;
	} else {
		sum->bytes += objects * kmt_class_bytes(class);
		sum->requested += objects * kmt_class_bytes(class) - waste;
	}
}

void kmt_tag_sum(u32 tag, struct kmt_sum *sum)
{
	u32 id;

	memset(sum, 0, sizeof(*sum));
	for (id = smp_load_acquire(&tags[tag].classes); id;
	     id = READ_ONCE(kmt_classes[id].sibling))
		add_class(id, sum);
}

void kmt_tag_sample_peak(u32 tag)
{
	u64 peak = READ_ONCE(tags[tag].peak);
	struct kmt_sum sum;

	kmt_tag_sum(tag, &sum);
	if (sum.bytes <= (s64)peak)
		return;
	if (trace_kmemtrace_tag_growth_enabled() && sum.bytes >= GROWTH_MIN &&
	    fls64(sum.bytes) > fls64(peak))
		trace_kmemtrace_tag_growth(READ_ONCE(tags[tag].site),
					   READ_ONCE(tags[tag].kind),
					   sum.bytes, sum.objects);
	WRITE_ONCE(tags[tag].peak, sum.bytes);
}

u64 kmt_tag_peak(u32 tag, unsigned long site)
{
	u64 peak = 0;

	rcu_read_lock();
	if (smp_load_acquire(&tags[tag].site) == site) {
		kmt_tag_sample_peak(tag);
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
	return READ_ONCE(refused);
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
	/* who still sees the site is waited for before the text is freed */
	if (smp_load_acquire(&tags[tag].site) != site)
		return NULL;
	return smp_load_acquire(&tags[tag].location);
}

/* --- sites that go -------------------------------------------------------- */

static void __unchain_class(u32 id)
{
	struct kmt_class *class = &kmt_classes[id], **link;

	link = &kmt_class_heads[kmt_class_hash(class->site, class->key)];
	while (*link != class)
		link = &(*link)->next;
	WRITE_ONCE(*link, class->next);
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
	u32 class;

	raw_spin_lock_irq(&insert_lock);
	__unchain_tag(id);
	for (class = tag->classes; class; class = kmt_classes[class].sibling) {
		__unchain_class(class);
		/* a late probe may stand at it, but must not take it */
		WRITE_ONCE(kmt_classes[class].site, 0);
	}
	smp_store_release(&tag->location, location);
	WRITE_ONCE(tag->flags, tag->flags | KMT_SITE_GONE);
	raw_spin_unlock_irq(&insert_lock);
}

/* Nobody stands at it any more: its numbers can be used again. */
static void give_up(u32 id)
{
	struct tag *tag = &tags[id];
	char *location = tag->location;
	u32 class, next;
	int cpu;

	raw_spin_lock_irq(&insert_lock);
	for (class = tag->classes; class; class = next) {
		next = kmt_classes[class].sibling;
		for_each_possible_cpu(cpu)
			memset(counter(cpu, class), 0,
			       sizeof(struct kmt_counter));
		kmt_classes[class].sibling = classes_free;
		classes_free = class;
		classes_free_count++;
	}
	WRITE_ONCE(tag->location, NULL);
	tag->flags = 0;
	tag->classes = 0;
	tag->next = tags_free;
	tags_free = id;
	raw_spin_unlock_irq(&insert_lock);
	kfree(location);
}

/* A tag's life: it is used, its module goes, it is hidden, it is free again. */
enum state { FREE, USED, GONE, HIDDEN };

static enum state state_of(u32 id, unsigned long *site)
{
	bool gone;

	raw_spin_lock_irq(&insert_lock);
	*site = tags[id].site;
	gone = tags[id].flags & KMT_SITE_GONE;
	raw_spin_unlock_irq(&insert_lock);
	if (*site)
		return gone ? GONE : USED;
	return gone ? HIDDEN : FREE;
}

/* If nothing is live, nobody is to find it any more. Return: whether it is so. */
static bool hide_idle(u32 id)
{
	struct kmt_sum sum;

	kmt_tag_sum(id, &sum);
	if (sum.objects || sum.bytes)
		return false;
	raw_spin_lock_irq(&insert_lock);
	WRITE_ONCE(tags[id].site, 0);
	raw_spin_unlock_irq(&insert_lock);
	return true;
}

void kmt_tag_retire(bool (*contains)(unsigned long site, const void *arg),
		    const void *arg, char *(*describe)(unsigned long site))
{
	u32 id, count = kmt_tag_count();
	unsigned long site;
	bool hidden = false;

	mutex_lock(&retire_mutex);
	for (id = 1; id <= count; id++)
		if (state_of(id, &site) == USED && contains(site, arg))
			retire(id, describe(site));
	synchronize_rcu(); /* probes that stand at one of its classes */
	for (id = 1; id <= count; id++)
		if (state_of(id, &site) == GONE)
			hidden |= hide_idle(id);
	if (hidden)
		synchronize_rcu(); /* who looks at it */
	for (id = 1; hidden && id <= count; id++)
		if (state_of(id, &site) == HIDDEN)
			give_up(id);
	mutex_unlock(&retire_mutex);
}

void kmt_tag_reflag(void)
{
	u32 id, class;

	for (id = 1; id <= kmt_tag_count(); id++) {
		struct tag *tag = &tags[id];

		raw_spin_lock_irq(&insert_lock);
		if (tag->site && !(tag->flags & KMT_SITE_GONE)) {
			WRITE_ONCE(tag->flags, site_flags(tag->site));
			for (class = tag->classes; class;
			     class = kmt_classes[class].sibling)
				set_flags(&kmt_classes[class], tag->flags);
		}
		raw_spin_unlock_irq(&insert_lock);
	}
}

void kmt_tag_reset(void)
{
	int cpu;
	u32 id;

	for_each_possible_cpu(cpu)
		memset(per_cpu(kmt_counters, cpu), 0,
		       max_classes * sizeof(struct kmt_counter));
	for (id = 1; id <= tags_used; id++)
		tags[id].peak = 0;
	refused = 0;
}

/* --- the tables ----------------------------------------------------------- */

size_t kmt_tag_class_size(void)
{
	return sizeof(struct kmt_class) + sizeof(struct tag) +
	       num_possible_cpus() * sizeof(struct kmt_counter);
}

int kmt_tag_init(u32 classes)
{
	int cpu;

	max_classes = classes;
	kmt_classes = vzalloc(classes * sizeof(*kmt_classes));
	tags = vzalloc(classes * sizeof(*tags));
	if (!kmt_classes || !tags)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct kmt_counter *counters =
			vzalloc_node(classes * sizeof(*counters),
				     cpu_to_node(cpu));

		if (!counters)
			return -ENOMEM;
		per_cpu(kmt_counters, cpu) = counters;
	}
	return 0;
}

void kmt_tag_exit(void)
{
	int cpu;
	u32 id;

	for_each_possible_cpu(cpu)
		vfree(per_cpu(kmt_counters, cpu));
	for (id = 1; tags && id <= tags_used; id++)
		kfree(tags[id].location);
	vfree(tags);
	vfree(kmt_classes);
}
