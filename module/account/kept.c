// SPDX-License-Identifier: GPL-2.0-only
/*
 * An object that was free at some moment since the probes were attached, and had no event since,
 * still is free. So it does not matter when a sheaf is read, and whether it is used meanwhile:
 * if an object has been allocated from it, its word is not that of the survey any more. The same
 * holds for an object that was passed to kfree_rcu(): it is not live.
 *
 * Objects that move from a CPU to the list of its node, or back, are not missed: nodes are read
 * before and after CPUs. Few are: those that go back into the list of a slab meanwhile. They count
 * as live until they are used.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "account/earlier.h"
#include "account/frame.h"
#include "account/kept.h"
#include "account/slots.h"
#include "account/tag.h"
#include "base/cache.h"
#include "base/freelist.h"
#include "base/sheaf.h"

static u64 corrected; /* written by one task at a time */

bool kmt_kept_known(void)
{
	return kmt_freelist_knows_cpus() || kmt_sheaf_known();
}

/* Return: the class of the objects of a cache that the survey has charged; or NULL. */
static const struct kmt_class *class_of_cache(u16 id, const struct kmem_cache **cache)
{
	const struct kmt_class *class;
	struct kmt_cache_info info;
	unsigned long flags;

	kmt_cache_read(id, &info);
	*cache = info.cache;
	if (!info.cache)
		return NULL;
	local_irq_save(flags);
	class = kmt_tag_find_class(kmt_earlier_cache_site(id),
				   kmt_class_key(KMT_KIND_SLAB, info.size, 0));
	local_irq_restore(flags);
	return class;
}

static void correct(unsigned long object, const void *arg)
{
	const struct kmt_class *class = arg;
	unsigned long flags = kmt_frame_survey_lock();
	u32 id = kmt_class_number(class);

	if (kmt_slots_correct(object, id)) {
		if (kmt_count_free(kmt_class_counter(class), 0))
			kmt_tag_report(id, 0);
		corrected++;
	}
	kmt_frame_survey_unlock(flags);
}

/* --- those of a CPU -------------------------------------------------------- */

/* A CPU that has not begun after this time is busy with tasks of a real-time priority. */
#define CPU_WAITS (5 * HZ)

static bool (*is_stopped)(void); /* as passed to kmt_kept_correct() */
static DECLARE_COMPLETION(cpu_done);

static void correct_cpu(struct work_struct *work)
{
	const struct kmem_cache *cache;
	const struct kmt_class *class;
	unsigned int id;

	for (id = 1; id <= kmt_cache_count() && !is_stopped(); id++) {
		class = class_of_cache(id, &cache);
		if (class)
			kmt_sheaf_read_cpu(cache, correct, class);
		cond_resched();
	}
	complete(&cpu_done);
}

static DECLARE_WORK(cpu_work, correct_cpu);

/*
 * If the CPU goes offline, the kernel empties its sheaves, and another CPU does the work, with its
 * own sheaves.
 */
static void correct_on(int cpu)
{
	unsigned long end = jiffies + CPU_WAITS;

	reinit_completion(&cpu_done);
	schedule_work_on(cpu, &cpu_work);
	while (!wait_for_completion_timeout(&cpu_done, HZ / 10) && !is_stopped() &&
	       time_before(jiffies, end))
		;
	cancel_work_sync(&cpu_work);
}

/* --- those of nodes -------------------------------------------------------- */

/* full sheaves that are read after the same grace period */
#define FULL_AT_ONCE 4096

/* Return: number of the cache after those whose sheaves were found. */
static unsigned int find_full(unsigned int id, struct kmt_sheaf_full *full,
			      unsigned int *count)
{
	const struct kmem_cache *cache;
	const struct kmt_class *class;

	*count = 0;
	for (; id <= kmt_cache_count() && *count < FULL_AT_ONCE && !is_stopped(); id++) {
		class = class_of_cache(id, &cache);
		if (class)
			*count += kmt_sheaf_find_full(cache, class, full + *count,
						      FULL_AT_ONCE - *count);
		cond_resched();
	}
	return id;
}

static void correct_nodes(struct kmt_sheaf_full *full)
{
	unsigned int id = 1, i, count;

	while (id <= kmt_cache_count() && !is_stopped()) {
		id = find_full(id, full, &count);
		synchronize_rcu(); /* as kmt_sheaf_read_full() requires */
		for (i = 0; i < count; i++) {
			kmt_sheaf_read_full(&full[i], correct);
			cond_resched();
		}
	}
}

u64 kmt_kept_correct(bool (*stopped)(void))
{
	struct kmt_sheaf_full *full;
	int cpu;

	corrected = 0;
	is_stopped = stopped;
	if (!kmt_sheaf_known())
		return 0;
	full = kvmalloc_array(FULL_AT_ONCE, sizeof(*full), GFP_KERNEL);
	if (full)
		correct_nodes(full);
	for_each_online_cpu(cpu)
		if (!stopped())
			correct_on(cpu);
	if (full)
		correct_nodes(full);
	kvfree(full);
	return corrected;
}

/* There are no sheaves on kernels whose CPUs have lists. */
int __init kmt_kept_init(void)
{
	int err = kmt_freelist_knows_cpus() ? 0 : kmt_sheaf_init();

	if (!err && !kmt_kept_known())
		pr_info("cannot see which free objects CPUs keep: those from before accounting count as live until they are used (survey_corrected_bytes)\n");
	return err;
}
