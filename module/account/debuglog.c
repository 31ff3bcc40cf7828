// SPDX-License-Identifier: GPL-2.0-only
/*
 * A probe may run under any lock, including the locks of the console. It therefore puts
 * its lines into a ring. An irq_work starts a worker, which prints them: a slow console takes
 * milliseconds for a line.
 *
 * Notes on locking: log_lock guards the ring and the table of what was logged. Its
 * holder has interrupts off and the CPU's guard, so that no probe in an NMI waits for
 * it.
 */
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "account/debuglog.h"
#include "base/guard.h"

bool kmt_debug;
module_param_named(debug, kmt_debug, bool, 0644);
MODULE_PARM_DESC(debug, "log what could not be accounted, once for each call site and reason");

#define SEEN_BITS 11
#define RING	  64

/* of a type that lockdep does not check, because probes in an NMI take it as well */
static arch_spinlock_t log_lock = __ARCH_SPIN_LOCK_UNLOCKED;
static u64 seen[1 << SEEN_BITS]; /* site + reason of lines that were logged */
static struct entry {
	enum kmt_debuglog_reason reason;
	unsigned long site;
} ring[RING];
static unsigned int head, tail;

static const char *const texts[KMT_DEBUGLOG_REASONS][2] = {
	[KMT_DEBUGLOG_NO_ROOM] = {
		"allocation",
		"is untracked: the tables are full; load with a larger max_objects= or max_tags=" },
	[KMT_DEBUGLOG_IMPLICIT] = {
		"allocation",
		"was freed unseen: its address was allocated again" },
	[KMT_DEBUGLOG_REAPED] = {
		"allocation", "was freed unseen: its slab page was freed" },
	[KMT_DEBUGLOG_UNMATCHED] = {
		"free",
		"is of an object from before accounting, or of an untracked object" },
	[KMT_DEBUGLOG_UNMATCHED_PAGE] = {
		"free", "is of a page from before accounting, or unseen" },
};

static bool take(struct entry *entry)
{
	unsigned long flags = kmt_guard_lock();
	bool any;

	arch_spin_lock(&log_lock);
	any = head != tail;
	if (any)
		*entry = ring[tail++ % RING];
	arch_spin_unlock(&log_lock);
	kmt_guard_unlock(flags);
	return any;
}

static void print_ring(struct work_struct *work)
{
	struct entry entry;

	for (; take(&entry); cond_resched())
		pr_info("%s by %pS %s\n", texts[entry.reason][0],
			(void *)entry.site, texts[entry.reason][1]);
}

static DECLARE_WORK(print_work, print_ring);

static void queue_print(struct irq_work *work)
{
	schedule_work(&print_work);
}

static DEFINE_IRQ_WORK(print_irq_work, queue_print);

void __kmt_debuglog(enum kmt_debuglog_reason reason, unsigned long site)
{
	u64 *slot = &seen[hash_64(site + reason, SEEN_BITS)];
	bool queue = false;

	arch_spin_lock(&log_lock);
	/* a site that hashes to the same slot causes a second line */
	if (*slot != site + reason && head - tail < RING) {
		*slot = site + reason;
		ring[head++ % RING] = (struct entry){ reason, site };
		queue = true;
	}
	arch_spin_unlock(&log_lock);
	if (queue)
		irq_work_queue(&print_irq_work);
}

void kmt_debuglog_exit(void)
{
	irq_work_sync(&print_irq_work);
	flush_work(&print_work);
}
