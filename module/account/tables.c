// SPDX-License-Identifier: GPL-2.0-only
#include <linux/log2.h>
#include <linux/memory.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>

#include "account/account.h"
#include "account/bucket.h"
#include "account/counter.h"
#include "account/earlier.h"
#include "account/frame.h"
#include "account/location.h"
#include "account/object.h"
#include "account/stock.h"
#include "account/survey.h"
#include "account/tables.h"
#include "account/tag.h"
#include "base/cache.h"
#include "base/guard.h"

static ulong max_objects;
module_param(max_objects, ulong, 0444);
MODULE_PARM_DESC(max_objects, "room for live objects without slots (default: by the memory of the machine)");

static uint max_tags;
module_param(max_tags, uint, 0444);
MODULE_PARM_DESC(max_tags, "room for classes (call site and size) (default: by the memory of the machine)");

static bool ready __ro_after_init;
static bool compressed __ro_after_init;
static void (*disable_accounting)(void) __ro_after_init;
static bool notified; /* the memory notifier is registered */
static u64 forgotten; /* changes only while no probe is attached */
static u64 resets;
static u64 since; /* local_clock() at the last reset, in ns */

static void show_live(struct seq_file *m)
{
	static const char *const names[KMT_KINDS] = { "slab", "page", "large",
						      "percpu" };
	struct kmt_sum sums[KMT_KINDS] = { }, sum;
	unsigned int kind;
	u32 tag, flags;

	for (tag = 1; tag <= kmt_tag_count(); tag++) {
		cond_resched(); /* a sum visits all CPUs */
		if (!kmt_tag_read(tag, &kind, &flags, &sum))
			continue;
		sums[kind].bytes += sum.bytes;
		sums[kind].objects += sum.objects;
		sums[kind].allocated += sum.allocated;
		sums[kind].allocs += sum.allocs;
		sums[kind].frees += sum.frees;
	}
	for (kind = 0; kind < KMT_KINDS; kind++)
		seq_printf(m,
			   "live_%s_bytes %lld\nlive_%s_objects %lld\n%s_allocated_bytes %llu\n%s_allocs %llu\n%s_frees %llu\n",
			   names[kind], sums[kind].bytes, names[kind],
			   sums[kind].objects, names[kind],
			   sums[kind].allocated, names[kind], sums[kind].allocs,
			   names[kind], sums[kind].frees);
}

void kmt_tables_show_stats(struct seq_file *m)
{
	if (!ready)
		return;
	show_live(m);
	kmt_account_show_errors(m);
	kmt_survey_show(m);
	seq_printf(m, "forgotten_objects %llu\n", READ_ONCE(forgotten));
	seq_printf(m, "accounting_starts %llu\n", READ_ONCE(resets));
	seq_printf(m, "accounting_since_ns %llu\n", READ_ONCE(since));
	seq_printf(m, "tags %u\n", kmt_tag_count());
	seq_printf(m, "classes %u\n", kmt_class_count());
	seq_printf(m, "classes_refused %llu\n", kmt_tag_refused());
	seq_printf(m, "classes_full %d\n", kmt_tag_is_full());
	seq_printf(m, "max_objects %lu\n", max_objects);
	seq_printf(m, "max_tags %u\n", max_tags);
	seq_printf(m, "stock_refused %llu\n", kmt_stock_refused());
	seq_printf(m, "memory_bytes %llu\n",
		   kmt_object_memory() + kmt_frame_memory() +
			   kmt_tag_memory() + kmt_location_memory());
}

/* --- memory hotplug ------------------------------------------------------- */

/* frames that are handled between two calls of cond_resched() */
#define FRAMES_AT_ONCE 1024ul

static void for_frames(const struct memory_notify *memory,
		       void (*charge)(unsigned long pfn, unsigned long count,
				      unsigned long flags))
{
	unsigned long pfn = memory->start_pfn, count = memory->nr_pages, n, flags;

	for (; count; pfn += n, count -= n) {
		n = min(count, FRAMES_AT_ONCE);
		local_irq_save(flags);
		if (kmt_guard_enter()) {
			charge(pfn, n, flags);
			kmt_guard_leave();
		}
		local_irq_restore(flags);
		cond_resched();
	}
}

/*
 * Memory gets entries before it goes online. The kernel then frees each of its pages,
 * which is not the free of an allocation.
 */
static int notify_memory(struct notifier_block *block, unsigned long event,
			 void *arg)
{
	const struct memory_notify *memory = arg;

	switch (event) {
	case MEM_GOING_ONLINE:
		if (kmt_frame_add(memory->start_pfn, memory->nr_pages))
			pr_warn("not enough memory for the entries of %lu pages plugged in at page frame %#lx: allocations there are untracked until the module is loaded again\n",
				memory->nr_pages, memory->start_pfn);
		for_frames(memory, kmt_account_unseen);
		break;
	case MEM_GOING_OFFLINE:
		kmt_survey_unplug(true);
		break;
	case MEM_CANCEL_OFFLINE:
		kmt_survey_unplug(false);
		break;
	case MEM_OFFLINE:
		kmt_survey_unplug(false);
		fallthrough;
	case MEM_CANCEL_ONLINE:
		for_frames(memory, kmt_account_unplugged);
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block memory_notifier = {
	.notifier_call = notify_memory,
};

/* --- beginning and end ---------------------------------------------------- */

u64 kmt_tables_since(void)
{
	return READ_ONCE(since);
}

bool kmt_tables_ready(void)
{
	return ready;
}

static void forget_all(void)
{
	u64 objects = kmt_object_reset();

	pr_notice("accounting starts again: all counters are zero, and %llu live objects are forgotten\n",
		  objects);
	forgotten += objects;
	kmt_frame_reset();
	kmt_tag_reset();
	kmt_account_reset();
}

/* The tables are empty at first. Clearing them would take long on a large machine. */
int kmt_tables_reset(void)
{
	int err = kmt_counter_complete();

	if (err)
		return err;
	if (resets++)
		forget_all();
	kmt_survey_prepare();
	WRITE_ONCE(since, local_clock());
	return 0;
}

/* As in mainline, profiling with compressed tags is switched off when no tag is left. */
static void table_is_full(void)
{
	if (!compressed) {
		pr_warn("all %u classes (call site and size) are in use: allocations that need another class are untracked; load with a larger max_tags=\n",
			max_tags);
		return;
	}
	pr_warn("all %u classes (call site and size) are in use: memory profiling is disabled; load without \",compressed\", or with a larger max_tags=\n",
		max_tags);
	disable_accounting();
}

/* What the CPU allocates and frees cannot be counted, so all numbers would be wrong. */
static void no_counters(unsigned int cpu)
{
	pr_warn("not enough memory for the counters of CPU %u: memory profiling is disabled; switch it on again when there is memory\n",
		cpu);
	disable_accounting();
}

/*
 * bytes that are the same on every machine: code, static data, names of caches,
 * kretprobes
 */
#define FIXED_BYTES (5ul << 18)

/*
 * Compressed entries have no room for the place of slots, and slots need the layout of
 * caches. Without them, all objects are in the table of bucket.h. It gets 0.5 % of RAM
 * then; on a small machine, the rest of 0.9 %, but at least 0.25 %. Else it gets 0.05 %.
 */
static u64 __init objects_share(u64 ram)
{
	u64 used = FIXED_BYTES + totalram_pages() * sizeof(struct kmt_frame) +
		   (u64)max_tags * kmt_tag_class_size();
	u64 left = div_u64(ram * 9, 1000);

	if (!compressed && kmt_cache_layout.known)
		return max(div_u64(ram, 2000), 1ull << 19);
	left = left > used ? left - used : 0;
	return clamp(left, div_u64(ram, 400), div_u64(ram, 200));
}

/*
 * After load, the module takes less than 1 % of RAM. Frames and tags take 0.2 % each.
 */
static int __init choose_sizes(void)
{
	u64 ram = (u64)totalram_pages() << PAGE_SHIFT;
	u32 limit = compressed ? KMT_FRAME_COMPRESSED_MAX + 1 :
				 1u << KMT_CLASS_BITS;

	if (max_tags > limit && !compressed) {
		pr_err("max_tags=%u is too large: the maximum is %u\n",
		       max_tags, limit);
		return -EINVAL;
	}
	if (max_tags > limit) {
		pr_warn("max_tags=%u is too large for \",compressed\", which has 15 bits for the class of a page: the maximum is %u\n",
			max_tags, limit);
		return -E2BIG;
	}
	if (!max_tags)
		max_tags = clamp_t(u64, div_u64(ram, 500 * kmt_tag_class_size()),
				   4096, min(limit, 65536u));
	max_tags = rounddown_pow_of_two(max(max_tags, 16u));
	if (!max_objects)
		max_objects = div_u64(objects_share(ram), KMT_BUCKET_SIZE) *
			      KMT_BUCKET_LOAD;
	return 0;
}

static void free_tables(void)
{
	if (notified)
		unregister_memory_notifier(&memory_notifier);
	kmt_frame_exit();
	kmt_object_exit();
	kmt_tag_exit();
	kmt_earlier_exit();
}

/* As in mainline, loading succeeds without tables. Recording needs none. */
int __init kmt_tables_init(bool compress, void (*disable)(void))
{
	int err;

	compressed = compress;
	disable_accounting = disable;
	err = choose_sizes();
	if (err == -EINVAL)
		return err;
	if (!err)
		err = kmt_tag_init(max_tags, table_is_full, no_counters);
	if (!err)
		err = kmt_object_init(max_objects);
	if (!err)
		err = kmt_survey_init();
	if (!err) {
		kmt_frame_init(compressed);
		err = register_memory_notifier(&memory_notifier);
		notified = !err;
	}
	/*
	 * memory that is plugged in now gets entries from the notifier or from this
	 * call
	 */
	if (!err)
		err = kmt_frame_add_present();
	ready = !err;
	if (err) {
		free_tables();
		pr_warn("memory profiling is disabled: its tables cannot be created (error %d); recording works; load with a smaller max_objects= (now %lu) or max_tags= (now %u)\n",
			err, max_objects, max_tags);
	}
	return 0;
}

void kmt_tables_exit(void)
{
	if (ready)
		free_tables();
}
