// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: kmt_channel_lock guards the state and the exchange of the channels. Many CPUs
 * may take a snapshot at once. A probe does not wait for its turn: it looks without the lock
 * whether its snapshot would be missed, again and again while another CPU holds the lock. So it
 * waits for one change of the state at most.
 *
 * A snapshot can be read when a grace period has passed since the exchange, and the
 * worker has held kmt_channel_sem. Until then, a probe may be writing its last record to
 * it, and a reader of cpu<n> may be reading it.
 */
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/oom.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <trace/events/kmemtrace.h>

#include "base/clock.h"
#include "base/errlog.h"
#include "base/guard.h"
#include "base/textfile.h"
#include "record/buffers.h"
#include "record/channel.h"
#include "record/mode.h"
#include "record/number.h"
#include "record/snapshot.h"

static bool snapshot_on_oom = true;
module_param(snapshot_on_oom, bool, 0644);
MODULE_PARM_DESC(snapshot_on_oom, "with overwrite=1: take a snapshot when the kernel runs out of memory (default yes)");

static unsigned int readers; /* this and the following are under kmt_channel_lock */
static u64 taken;
static struct {
	enum kmt_snapshot_reason reason;
	u64 sequence;
	u64 time;
} last;

static DEFINE_PER_CPU(unsigned long, missed);

static const char *const reasons[] = {
	[KMT_SNAPSHOT_REQUEST] = "request",
	[KMT_SNAPSHOT_TRIGGER] = "trigger",
	[KMT_SNAPSHOT_OOM] = "oom",
};

/* Return: whether snapshot number @number is the last one, and has this state. */
static bool is_state(enum kmt_channel_state state, u64 number)
{
	unsigned long flags;
	bool is;

	flags = kmt_guard_spin_lock(&kmt_channel_lock);
	is = kmt_channel_other_state == state && taken == number;
	kmt_guard_spin_unlock(&kmt_channel_lock, flags);
	return is;
}

static void settle(struct work_struct *work)
{
	u64 seen = READ_ONCE(taken);
	unsigned long flags;

	synchronize_rcu();
	down_write(&kmt_channel_sem);
	/* if another snapshot was taken, this work was queued again for it */
	if (is_state(KMT_CHANNEL_FREEZING, seen)) {
		kmt_channel_seal();
		flags = kmt_guard_spin_lock(&kmt_channel_lock);
		kmt_channel_other_state = KMT_CHANNEL_FROZEN;
		kmt_guard_spin_unlock(&kmt_channel_lock, flags);
	}
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

/* Return: whether no snapshot can be taken now. Certain under kmt_channel_lock only. */
static bool is_refused(void)
{
	return READ_ONCE(kmt_channel_other_state) == KMT_CHANNEL_FREEZING ||
	       READ_ONCE(readers) || !READ_ONCE(kmt_channel_other);
}

/* Under kmt_channel_lock. Return: whether it was taken. */
static bool __take(enum kmt_snapshot_reason reason)
{
	if (is_refused())
		return false;
	kmt_channel_exchange();
	kmt_channel_other_state = KMT_CHANNEL_FREEZING;
	taken++;
	last.reason = reason;
	last.sequence = kmt_number_next();
	last.time = kmt_clock_now();
	return true;
}

/* Until settle() has run, no other snapshot changes @last. */
bool kmt_snapshot_take(enum kmt_snapshot_reason reason)
{
	bool done = false;

	while (!is_refused()) {
		if (arch_spin_trylock(&kmt_channel_lock)) {
			done = __take(reason);
			arch_spin_unlock(&kmt_channel_lock);
			break;
		}
		cpu_relax();
	}
	if (!done) {
		this_cpu_inc(missed);
		return false;
	}
	if (trace_kmemtrace_snapshot_enabled())
		trace_kmemtrace_snapshot(reason, last.sequence);
	irq_work_queue(&settle_irq_work);
	return true;
}

/* The same, outside of a probe. */
static bool take(enum kmt_snapshot_reason reason)
{
	unsigned long flags = kmt_guard_lock();
	bool done = kmt_snapshot_take(reason);

	kmt_guard_unlock(flags);
	return done;
}

static int request(void)
{
	int err;

	mutex_lock(&kmt_control_mutex);
	err = kmt_buffers_open_other();
	if (!err && !take(KMT_SNAPSHOT_REQUEST))
		err = -EBUSY;
	mutex_unlock(&kmt_control_mutex);
	settle_now();
	return err;
}

/* Under kmt_channel_lock. @other: set to the channel, if the caller must free it */
static int __drop(bool frees, struct kmt_channel **other)
{
	if (kmt_channel_other_state == KMT_CHANNEL_FREEZING || readers)
		return -EBUSY;
	kmt_channel_other_state = KMT_CHANNEL_EMPTY;
	if (frees)
		*other = xchg(&kmt_channel_other, NULL);
	return 0;
}

/* In overwrite mode, or with a trigger, the channel may be needed at any time. */
static int drop(bool frees)
{
	struct kmt_channel *other = NULL;
	unsigned long flags;
	int err;

	mutex_lock(&kmt_control_mutex);
	frees &= !kmt_channel_overwrite && !kmt_buffers_other_is_held();
	flags = kmt_guard_spin_lock(&kmt_channel_lock);
	err = __drop(frees, &other);
	kmt_guard_spin_unlock(&kmt_channel_lock, flags);
	if (other)
		synchronize_rcu(); /* wait for an open() that reads the channel */
	kmt_buffers_close(other);
	mutex_unlock(&kmt_control_mutex);
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
			       "Not enough memory for the snapshot's buffers: write a smaller size to buffer_size_kb",
			       text, 0);
	return err;
}

void kmt_snapshot_show(struct seq_file *m)
{
	static const char *const states[] = {
		[KMT_CHANNEL_EMPTY] = "empty",
		[KMT_CHANNEL_FREEZING] = "freezing",
		[KMT_CHANNEL_FROZEN] = "taken",
	};
	enum kmt_channel_state state;
	unsigned long flags;
	typeof(last) l;
	bool allocated;
	u64 n;

	flags = kmt_guard_spin_lock(&kmt_channel_lock);
	allocated = kmt_channel_other;
	state = kmt_channel_other_state;
	n = taken;
	l = last;
	kmt_guard_spin_unlock(&kmt_channel_lock, flags);
	seq_printf(m, "state %s\ntaken %llu\nmissed %llu\n",
		   allocated ? states[state] : "off", n, kmt_snapshot_missed());
	if (state != KMT_CHANNEL_EMPTY)
		seq_printf(m, "reason %s\nsequence %llu\ntime_ns %llu\n",
			   reasons[l.reason], l.sequence, l.time);
	if (state == KMT_CHANNEL_FROZEN)
		kmt_channel_show_starts(&kmt_channel_other, m);
	seq_printf(m, "#\n# * Snapshot is %s *\n#\n# write 1 to take one, 2 to drop it, 0 to drop it and free its buffers\n",
		   allocated ? "allocated" : "freed");
}

int kmt_snapshot_open(void)
{
	unsigned long flags;
	int err = 0;

	flags = kmt_guard_spin_lock(&kmt_channel_lock);
	if (kmt_channel_other_state == KMT_CHANNEL_FROZEN)
		readers++;
	else
		err = -ENODATA;
	kmt_guard_spin_unlock(&kmt_channel_lock, flags);
	return err;
}

void kmt_snapshot_close(void)
{
	unsigned long flags;

	flags = kmt_guard_spin_lock(&kmt_channel_lock);
	readers--;
	kmt_guard_spin_unlock(&kmt_channel_lock, flags);
}

u64 kmt_snapshot_missed(void)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(&missed, cpu));
	return sum;
}

/* Preemption is off, so that no grace period ends: the channel is not freed. */
static bool is_unread(void)
{
	struct kmt_channel *other = READ_ONCE(kmt_channel_other);
	const struct kmt_buffer *buf;
	int cpu;

	if (!other || READ_ONCE(kmt_channel_other_state) == KMT_CHANNEL_EMPTY)
		return false;
	for_each_possible_cpu(cpu) {
		buf = kmt_channel_buffer(other, cpu);
		if (buf && kmt_channel_has_records(buf, true))
			return true;
	}
	return false;
}

/*
 * When memory runs out, each allocation that waits calls this again and again, and each
 * process that is killed is followed by others. The first snapshot has the history.
 */
static void take_first(void)
{
	/* another snapshot that is taken meanwhile stays FREEZING, so this one is missed */
	preempt_disable();
	if (is_unread())
		this_cpu_inc(missed);
	else
		take(KMT_SNAPSHOT_OOM);
	preempt_enable();
}

/* The notifier may free memory, but the module has none to free. */
static int notice_oom(struct notifier_block *nb, unsigned long unused,
		      void *freed)
{
	if (READ_ONCE(snapshot_on_oom) && READ_ONCE(kmt_channel_overwrite) &&
	    !kmt_mode_paused())
		take_first();
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
