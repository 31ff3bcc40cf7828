// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: `lock` guards the state and the exchange of the channels.
 * It is taken in any context, also in the middle of an allocation; who finds it
 * taken does without. It is the innermost lock.
 *
 * A snapshot can be read once a grace period has passed since the exchange:
 * until then a probe may be writing its last record there.
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
#include "event.h"
#include "gate.h"
#include "snapshot.h"
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
	unsigned long flags;

	synchronize_rcu();
	raw_spin_lock_irqsave(&lock, flags);
	if (state == FREEZING)
		state = FROZEN;
	raw_spin_unlock_irqrestore(&lock, flags);
}

static DECLARE_WORK(settle_work, settle);

static void queue_settle(struct irq_work *work)
{
	schedule_work(&settle_work);
}

static DEFINE_IRQ_WORK(settle_irq_work, queue_settle);

/* Return: 0 or -EBUSY. */
static int __take(enum kmt_snapshot_reason reason)
{
	if (state == FREEZING || readers)
		return -EBUSY;
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

/* Who finds the lock taken comes in the middle of another snapshot. */
static int try_take(enum kmt_snapshot_reason reason)
{
	int err;

	if (!raw_spin_trylock(&lock))
		return -EBUSY;
	err = __take(reason);
	missed += !!err;
	raw_spin_unlock(&lock);
	return err;
}

int kmt_snapshot_take(enum kmt_snapshot_reason reason)
{
	unsigned long flags;
	int err;

	/* while something is recorded and interrupts are off, channels stay */
	local_irq_save(flags);
	if (!READ_ONCE(kmt_channel_overwrite))
		err = -EINVAL;
	else
		err = kmt_gate_paused() ? -EAGAIN : try_take(reason);
	local_irq_restore(flags);
	return err;
}

int kmt_snapshot_get(void)
{
	if (!kmt_channel_overwrite)
		return -EINVAL;
	triggers++;
	return 0;
}

void kmt_snapshot_put(void)
{
	triggers--;
}

bool kmt_snapshot_needed(void)
{
	return triggers;
}

static int drop(void)
{
	unsigned long flags;
	int err = 0;

	raw_spin_lock_irqsave(&lock, flags);
	if (state == FREEZING || readers)
		err = -EBUSY;
	else
		state = EMPTY;
	raw_spin_unlock_irqrestore(&lock, flags);
	return err;
}

/* Under kmt_channel_sem the channels are not replaced. */
static int request(void)
{
	int err;

	down_read(&kmt_channel_sem);
	err = kmt_snapshot_take(KMT_SNAPSHOT_REQUEST);
	up_read(&kmt_channel_sem);
	if (err)
		return err;
	irq_work_sync(&settle_irq_work);
	flush_work(&settle_work);
	return 0;
}

int kmt_snapshot_write(char *text)
{
	text = strim(text);
	if (!strcmp(text, "1"))
		return request();
	return strcmp(text, "0") ? -EINVAL : drop();
}

void kmt_snapshot_show(struct seq_file *m)
{
	static const char *const states[] = {
		[EMPTY] = "empty", [FREEZING] = "freezing", [FROZEN] = "taken",
	};
	unsigned long flags;

	if (!READ_ONCE(kmt_channel_overwrite)) {
		seq_puts(m, "state off\n# load with overwrite=1, or write 1 to overwrite\n");
		return;
	}
	raw_spin_lock_irqsave(&lock, flags);
	seq_printf(m, "state %s\ntaken %llu\nmissed %llu\n", states[state],
		   taken, missed);
	if (state != EMPTY)
		seq_printf(m, "reason %s\nsequence %u\ntime_ns %llu\n",
			   reasons[last.reason], last.sequence, last.time);
	raw_spin_unlock_irqrestore(&lock, flags);
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

void kmt_snapshot_reset(void)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	state = EMPTY;
	raw_spin_unlock_irqrestore(&lock, flags);
}

/* The kernel asks whether somebody can give memory back. We cannot. */
static int notice_oom(struct notifier_block *nb, unsigned long unused,
		      void *freed)
{
	if (READ_ONCE(snapshot_on_oom))
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
