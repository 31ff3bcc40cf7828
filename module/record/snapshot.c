// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: `lock` guards the state and the exchange of the channels.
 * It is taken in any context, also in the middle of an allocation; a trigger that
 * finds it taken takes no snapshot. It is the innermost lock.
 *
 * A snapshot can be read once a grace period has passed since the exchange:
 * until then a probe may be writing its last record there. Until kmt_channel_sem
 * was free, a reader of cpu<n> may be taking records out.
 */
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/oom.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <trace/events/kmemtrace.h>

#include "channel.h"
#include "clock.h"
#include "errlog.h"
#include "gate.h"
#include "snapshot.h"
#include "textfile.h"
#include "writer.h"

static bool snapshot_on_oom = true;
module_param(snapshot_on_oom, bool, 0644);
MODULE_PARM_DESC(snapshot_on_oom, "with overwrite=1: take a snapshot when the kernel runs out of memory (default yes)");

static DEFINE_RAW_SPINLOCK(lock);

/* what the other channel holds */
static enum {
	EMPTY,
	FREEZING, /* a snapshot that cannot be read yet */
	FROZEN,	  /* a snapshot */
} state;

static unsigned int readers; /* this and the following under lock */
static u64 taken, missed;
static struct {
	enum kmt_snapshot_reason reason;
	u32 sequence;
	u64 time;
} last;

static unsigned int triggers; /* under kmt_event_lock() */

static const char *const reasons[] = {
	[KMT_SNAPSHOT_REQUEST] = "request",
	[KMT_SNAPSHOT_TRIGGER] = "trigger",
	[KMT_SNAPSHOT_OOM] = "oom",
};

static void settle(struct work_struct *work)
{
	u64 seen = READ_ONCE(taken);
	unsigned long flags;

	synchronize_rcu();
	down_write(&kmt_channel_sem);
	raw_spin_lock_irqsave(&lock, flags);
	/* a snapshot that was taken since queued this again */
	if (state == FREEZING && taken == seen)
		state = FROZEN;
	raw_spin_unlock_irqrestore(&lock, flags);
	up_write(&kmt_channel_sem);
}

static DECLARE_WORK(settle_work, settle);

static void queue_settle(struct irq_work *work)
{
	schedule_work(&settle_work);
}

static DEFINE_IRQ_WORK(settle_irq_work, queue_settle);

/* Wait until the last snapshot can be read. */
static void settle_now(void)
{
	irq_work_sync(&settle_irq_work);
	flush_work(&settle_work);
}

/* Return: 0 or -EBUSY. */
static int __take(enum kmt_snapshot_reason reason)
{
	if (state == FREEZING || readers || !kmt_channel_other) {
		missed++;
		return -EBUSY;
	}
	kmt_channel_exchange();
	state = FREEZING;
	taken++;
	last.reason = reason;
	last.sequence = kmt_writer_sequence();
	last.time = kmt_clock_now();
	irq_work_queue(&settle_irq_work);
	if (trace_kmemtrace_snapshot_enabled())
		trace_kmemtrace_snapshot(reason, last.sequence);
	return 0;
}

void kmt_snapshot_take(enum kmt_snapshot_reason reason)
{
	unsigned long flags;

	local_irq_save(flags);
	/* if the lock is taken, this is in the middle of another snapshot */
	if (raw_spin_trylock(&lock)) {
		__take(reason);
		raw_spin_unlock(&lock);
	}
	local_irq_restore(flags);
}

int kmt_snapshot_get(void)
{
	int err = kmt_channel_open_other();

	triggers += !err;
	return err;
}

void kmt_snapshot_put(void)
{
	triggers--;
}

bool kmt_snapshot_needed(void)
{
	return triggers;
}

static int request(void)
{
	unsigned long flags;
	int err;

	down_write(&kmt_channel_sem);
	err = kmt_channel_open_other();
	if (!err) {
		raw_spin_lock_irqsave(&lock, flags);
		err = __take(KMT_SNAPSHOT_REQUEST);
		raw_spin_unlock_irqrestore(&lock, flags);
	}
	up_write(&kmt_channel_sem);
	settle_now();
	return err;
}

/* @other: set to the channel, if there is one and it is to be freed */
static int __drop(bool frees, struct rchan **other)
{
	if (state == FREEZING || readers)
		return -EBUSY;
	state = EMPTY;
	if (frees)
		*other = xchg(&kmt_channel_other, NULL);
	return 0;
}

/* What the flight recorder or a trigger needs at any time is not freed. */
static int drop(bool frees)
{
	struct rchan *other = NULL;
	unsigned long flags;
	int err;

	down_write(&kmt_channel_sem);
	frees &= !kmt_channel_overwrite && !triggers;
	raw_spin_lock_irqsave(&lock, flags);
	err = __drop(frees, &other);
	raw_spin_unlock_irqrestore(&lock, flags);
	if (other)
		synchronize_rcu(); /* for an open() that looks at it */
	relay_close(other);
	up_write(&kmt_channel_sem);
	return err;
}

int kmt_snapshot_write(char *text)
{
	unsigned long what;
	int err = kmt_textfile_number("snapshot", text, ULONG_MAX, &what);

	if (err)
		return err;
	settle_now();
	err = what == 1 ? request() : drop(!what);
	if (err == -EBUSY)
		kmt_errlog_add("snapshot",
			       "The snapshot is being read, or a trigger takes another one",
			       text, 0);
	else if (err)
		kmt_errlog_add("snapshot",
			       "There is not enough memory for the snapshot's buffers",
			       text, 0);
	return err;
}

void kmt_snapshot_show(struct seq_file *m)
{
	static const char *const states[] = {
		[EMPTY] = "empty", [FREEZING] = "freezing", [FROZEN] = "taken",
	};
	unsigned long flags;
	bool allocated;

	raw_spin_lock_irqsave(&lock, flags);
	allocated = kmt_channel_other;
	seq_printf(m, "state %s\ntaken %llu\nmissed %llu\n",
		   allocated ? states[state] : "off", taken, missed);
	if (state != EMPTY)
		seq_printf(m, "reason %s\nsequence %u\ntime_ns %llu\n",
			   reasons[last.reason], last.sequence, last.time);
	raw_spin_unlock_irqrestore(&lock, flags);
	seq_printf(m, "#\n# * Snapshot is %s *\n#\n# write 1 to take one, 2 to drop it, 0 to drop it and free its buffers\n",
		   allocated ? "allocated" : "freed");
}

int kmt_snapshot_open(void)
{
	unsigned long flags;
	int err = 0;

	raw_spin_lock_irqsave(&lock, flags);
	if (state == FROZEN)
		readers++;
	else
		err = -ENODATA;
	raw_spin_unlock_irqrestore(&lock, flags);
	return err;
}

void kmt_snapshot_close(void)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	readers--;
	raw_spin_unlock_irqrestore(&lock, flags);
}

u64 kmt_snapshot_missed(void)
{
	return READ_ONCE(missed);
}

void kmt_snapshot_replace(struct kmt_channels *c)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	kmt_channel_swap(c);
	state = EMPTY;
	raw_spin_unlock_irqrestore(&lock, flags);
}

/* The kernel asks whether somebody can give memory back. We cannot. */
static int notice_oom(struct notifier_block *nb, unsigned long unused,
		      void *freed)
{
	if (READ_ONCE(snapshot_on_oom) && READ_ONCE(kmt_channel_overwrite) &&
	    !kmt_gate_paused())
		kmt_snapshot_take(KMT_SNAPSHOT_OOM);
	return NOTIFY_OK;
}

static struct notifier_block oom_notifier = {
	.notifier_call = notice_oom,
};

int __init kmt_snapshot_init(void)
{
	return register_oom_notifier(&oom_notifier);
}

void kmt_snapshot_exit(void)
{
	unregister_oom_notifier(&oom_notifier);
	irq_work_sync(&settle_irq_work);
	cancel_work_sync(&settle_work);
}
