// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: grow_mutex guards the mappings. Probes and readers take no lock: they are
 * in an RCU read-side critical section, because their preemption is off or they hold
 * rcu_read_lock(). A mapping that was replaced is removed after a grace period.
 *
 * One instruction changes a counter, at the address of either mapping. Both lead to the same
 * memory.
 */
#include <linux/gfp.h>
#include <linux/irq_work.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "account/counter.h"
#include "base/cpus.h"

/* classes that have counters at first */
#define ROOM_FIRST 8192u
#define PER_PAGE   (PAGE_SIZE / sizeof(struct kmt_counter))

/**
 * struct mapping - the counters of a CPU
 * @pages: their memory
 * @replaced: the shorter mapping, until a grace period has passed; or NULL
 * @count: number of @pages
 * @mapped: number of @pages in the present mapping
 */
struct mapping {
	struct page **pages;
	void *replaced;
	u32 count;
	u32 mapped;
};

DEFINE_PER_CPU(struct kmt_counter *, kmt_counters);
struct kmt_counter *kmt_counter_scrap __ro_after_init;
struct cpumask kmt_counter_mask; /* written under grow_mutex */

static struct page *scrap_page __ro_after_init;
static void (*on_refused)(unsigned int cpu); /* under grow_mutex */
static struct mapping *mappings __ro_after_init; /* by CPU */
static u32 most __ro_after_init; /* classes */
static u32 room; /* this and the next are written under grow_mutex */
static u32 cpus; /* number of CPUs in kmt_counter_mask */
static u32 used_most; /* classes in use when more room was wanted */
static int hotplug_state __ro_after_init;
static DEFINE_MUTEX(grow_mutex);

#ifdef KMT_DEBUG
static uint counter_room = ROOM_FIRST;
module_param(counter_room, uint, 0444);
MODULE_PARM_DESC(counter_room, "classes that have counters at first, for tests");
#else
#define counter_room ROOM_FIRST
#endif

u32 kmt_counter_room(void)
{
	return READ_ONCE(room);
}

u32 kmt_counter_cpus(void)
{
	return READ_ONCE(cpus);
}

static u32 pages_for(u32 classes)
{
	return DIV_ROUND_UP(classes, PER_PAGE);
}

/* Its name is the site of the memory in the tables of tags. */
static noinline int add_counters(struct mapping *m, u32 count, int node)
{
	if (!m->pages)
		m->pages = kvcalloc(pages_for(most), sizeof(*m->pages), GFP_KERNEL);
	if (!m->pages)
		return -ENOMEM;
	for (; m->count < count; m->count++) {
		m->pages[m->count] = alloc_pages_node(
			node, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN, 0);
		if (!m->pages[m->count])
			return -ENOMEM;
	}
	return 0;
}

/* Give a CPU at least @count pages of counters. The caller holds grow_mutex. */
static int __grow(unsigned int cpu, u32 count)
{
	struct mapping *m = &mappings[cpu];
	void *old = kmt_counter_of(cpu), *new;

	if (old && m->mapped >= count)
		return 0;
	if (m->replaced || kmt_cpus_is_refused(cpu) || add_counters(m, count, cpu_to_node(cpu)))
		return -ENOMEM;
	new = vmap(m->pages, m->count, VM_MAP, PAGE_KERNEL);
	if (!new)
		return -ENOMEM;
	m->mapped = m->count;
	m->replaced = old;
	/* pairs with kmt_counter_for_each() */
	smp_store_release(per_cpu_ptr(&kmt_counters, cpu), new);
	if (!old) {
		cpumask_set_cpu(cpu, &kmt_counter_mask);
		WRITE_ONCE(cpus, cpus + 1);
	}
	return 0;
}

/* Give all CPUs counters for @classes classes. The caller holds grow_mutex. */
static int __grow_all(u32 classes)
{
	int cpu, err;

	for_each_cpu(cpu, &kmt_counter_mask) {
		err = __grow(cpu, pages_for(classes));
		if (err)
			return err;
		cond_resched();
	}
	return 0;
}

static void __forget_replaced(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		vunmap(mappings[cpu].replaced);
		mappings[cpu].replaced = NULL;
		cond_resched();
	}
}

/* After the grace period, each probe finds the longer mapping. So classes may use it. */
static void grow(struct work_struct *work)
{
	u32 target = room;
	int err;

	mutex_lock(&grow_mutex);
	while (target < most && READ_ONCE(used_most) > target / 2)
		target = min(2 * target, most);
	if (target > room) {
		err = __grow_all(target);
		synchronize_rcu();
		if (!err) /* else a later class asks again */
			WRITE_ONCE(room, target);
		__forget_replaced();
	}
	mutex_unlock(&grow_mutex);
}

static DECLARE_WORK(grow_work, grow);

static void start_growing(struct irq_work *work)
{
	schedule_work(&grow_work);
}

static DEFINE_IRQ_WORK(grow_irq_work, start_growing);

void kmt_counter_want(u32 used)
{
	u32 now = kmt_counter_room();

	if (likely(used <= now / 2) || now >= most)
		return;
	WRITE_ONCE(used_most, used);
	irq_work_queue(&grow_irq_work);
}

/* The counters of a CPU stay when it goes offline. */
static int prepare_cpu(unsigned int cpu)
{
	void (*refused)(unsigned int cpu);
	int err;

	mutex_lock(&grow_mutex);
	err = __grow(cpu, pages_for(room));
	if (err)
		per_cpu(kmt_counters, cpu) = kmt_counter_scrap;
	refused = on_refused;
	mutex_unlock(&grow_mutex);
	if (err && refused)
		refused(cpu);
	return 0;
}

int kmt_counter_complete(void)
{
	int cpu, err = 0;

	mutex_lock(&grow_mutex);
	for_each_possible_cpu(cpu) {
		if (per_cpu(kmt_counters, cpu) == kmt_counter_scrap)
			err = err ? err : __grow(cpu, pages_for(room));
	}
	mutex_unlock(&grow_mutex);
	return err;
}

u64 kmt_counter_memory(void)
{
	u64 bytes = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		if (mappings && mappings[cpu].count)
			bytes += mappings[cpu].count * PAGE_SIZE +
				 pages_for(most) * sizeof(struct page *);
	return bytes + (scrap_page ? PAGE_SIZE : 0);
}

void kmt_counter_reset(void)
{
	u32 i;
	int cpu;

	mutex_lock(&grow_mutex);
	for_each_possible_cpu(cpu) {
		for (i = 0; i < mappings[cpu].count; i++)
			clear_page(page_address(mappings[cpu].pages[i]));
		cond_resched();
	}
	mutex_unlock(&grow_mutex);
}

/* One page, mapped again and again. */
static struct kmt_counter *__init create_scrap(void)
{
	u32 i, count = pages_for(most);
	struct page **pages = kvcalloc(count, sizeof(*pages), GFP_KERNEL);
	void *scrap = NULL;

	scrap_page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	for (i = 0; pages && i < count; i++)
		pages[i] = scrap_page;
	if (pages && scrap_page)
		scrap = vmap(pages, count, VM_MAP, PAGE_KERNEL);
	kvfree(pages);
	return scrap;
}

int __init kmt_counter_init(u32 classes, void (*refused)(unsigned int cpu))
{
	most = classes;
	room = min(most, counter_room);
	mappings = kvcalloc(nr_cpu_ids, sizeof(*mappings), GFP_KERNEL);
	kmt_counter_scrap = create_scrap();
	if (!mappings || !kmt_counter_scrap)
		return -ENOMEM;
	hotplug_state = kmt_cpus_prepare("kmemtrace:counters", prepare_cpu);
	if (hotplug_state < 0)
		return hotplug_state;
	mutex_lock(&grow_mutex);
	on_refused = refused;
	mutex_unlock(&grow_mutex);
	return kmt_counter_complete(); /* without it so far */
}

static void free_mapping(struct mapping *m)
{
	while (m->count)
		__free_page(m->pages[--m->count]);
	kvfree(m->pages);
}

static void free_counters(int cpu)
{
	vunmap(mappings[cpu].replaced);
	vunmap(kmt_counter_of(cpu));
	per_cpu(kmt_counters, cpu) = NULL;
	free_mapping(&mappings[cpu]);
}

void kmt_counter_exit(void)
{
	int cpu;

	kmt_cpus_forget(hotplug_state);
	irq_work_sync(&grow_irq_work);
	cancel_work_sync(&grow_work);
	for_each_possible_cpu(cpu)
		if (mappings)
			free_counters(cpu);
	kvfree(mappings);
	vunmap(kmt_counter_scrap);
	if (scrap_page)
		__free_page(scrap_page);
}
