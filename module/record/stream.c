// SPDX-License-Identifier: GPL-2.0-only
/*
 * Why no record is torn: a CPU numbers an event, writes its record to the buffer and
 * updates the position with interrupts off. A reader on that CPU runs before or after,
 * never within. A reader on another CPU is allowed in two cases. Either the buffer's CPU
 * is offline, and cpus_read_lock() keeps it offline. Or recording is off, and
 * kmt_channel_sem keeps it off. A snapshot is not written to, and is not replaced while
 * it is open.
 *
 * The read position is in the buffer. So a snapshot keeps it.
 */
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/pagemap.h>
#include <linux/poll.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include <linux/kmemtrace.h>

#include "base/cpus.h"
#include "base/open.h"
#include "record/buffers.h"
#include "record/channel.h"
#include "record/mode.h"
#include "record/snapshot.h"
#include "record/stream.h"
#include "record/wake.h"

/**
 * struct stream - one file cpu<n> or snapshot_cpu<n>
 * @cpu: number of the CPU
 * @snapshot: true for snapshot_cpu<n>
 * @file: the file; NULL: not created yet
 * @lock: serialises reads by threads that share the open file
 * @open: 1 while the file is open
 */
struct stream {
	int cpu;
	bool snapshot;
	struct dentry *file;
	struct mutex lock;
	atomic_t open;
};

/* by CPU */
static struct stream *streams;
static struct stream *snapshots;

static struct dentry *files_dir;
static int hotplug_state;

/**
 * struct view - the part of the oldest sub-buffer that can be read
 * @start: start of the sub-buffer
 * @end: bytes of records in it
 * @whole: the sub-buffer is full; no record will be added
 */
struct view {
	const char *start;
	size_t end;
	bool whole;
};

#ifdef KMT_DEBUG
static unsigned int read_delay;
module_param(read_delay, uint, 0644);
MODULE_PARM_DESC(read_delay,
		 "for tests: microseconds that a read waits where a probe may interrupt it");

static void widen_window(void)
{
	udelay(READ_ONCE(read_delay));
}
#else
static void widen_window(void)
{
}
#endif

static void view_oldest(struct kmt_buffer *buf, struct view *view)
{
	const struct kmt_subbuf *oldest = kmt_channel_subbuf(buf, buf->consumed);
	size_t filled, offset;

	/* read both at one moment: an interrupt or an NMI on this CPU may change both */
	do {
		filled = READ_ONCE(buf->filled);
		widen_window();
		offset = READ_ONCE(buf->offset);
	} while (filled != READ_ONCE(buf->filled));

	view->start = (const char *)oldest;
	view->whole = buf->consumed != filled;
	if (view->whole)
		view->end = oldest->end;
	else
		view->end = offset > buf->size ? 0 : offset;
}

/* Return: how many of len bytes are whole records that fit in max bytes. */
static size_t whole_records(const char *start, size_t len, size_t max)
{
	size_t done = 0;

	if (len <= max)
		return len;
	while (done < len) {
		const struct kmemtrace_event *rec = (void *)(start + done);

		if (done + rec->event_size > max || !rec->event_size)
			break;
		done += rec->event_size;
	}
	return done;
}

/*
 * Copy the records of one sub-buffer, as far as they fit.
 * Return: 1 if there may be more; 0 if not, or if the next record does not fit; -EINVAL if
 * not even one record fits; -EFAULT if memory at to + *done must be faulted in: then no
 * record is lost, and the caller calls again.
 */
static int __read_records(struct kmt_buffer *buf, char __user *to, size_t count,
			  size_t *done)
{
	size_t from = kmt_channel_read_bytes(buf), len = 0;
	struct view view;

	view_oldest(buf, &view);
	if (from < view.end)
		len = whole_records(view.start + from, view.end - from,
				    count - *done);
	if (copy_to_user(to + *done, view.start + from, len))
		return -EFAULT;
	*done += len;
	WRITE_ONCE(buf->read, from + len);
	if (from + len < view.end)
		return *done ? 0 : -EINVAL;
	if (!view.whole)
		return 0;
	WRITE_ONCE(buf->consumed, buf->consumed + 1);
	WRITE_ONCE(buf->read, 0);
	return 1;
}

/* The comment at the top of this file explains the cases. */
static int may_read(const struct stream *stream)
{
	if (stream->snapshot || kmt_mode_quiet())
		return 0;
	if (kmt_channel_overwrite)
		return -EBUSY;
	return cpu_online(stream->cpu) && smp_processor_id() != stream->cpu ?
		       -EXDEV : 0;
}

static int __read_stream(struct stream *stream, char __user *to, size_t count,
			 size_t *done)
{
	struct kmt_buffer *buf = kmt_channel_readable(
		READ_ONCE(*(stream->snapshot ? &kmt_channel_other : &kmt_channel)),
		stream->snapshot, stream->cpu);

	return buf ? __read_records(buf, to, count, done) : 0;
}

/*
 * Page faults are disabled while the locks are held, because a page fault may wait for a
 * task that waits for these locks.
 */
static int read_records(struct stream *stream, char __user *to, size_t count,
			size_t *done)
{
	int err;

	down_read(&kmt_channel_sem);
	cpus_read_lock();
	migrate_disable();
	pagefault_disable();
	err = may_read(stream);
	if (!err)
		err = __read_stream(stream, to, count, done);
	pagefault_enable();
	migrate_enable();
	cpus_read_unlock();
	up_read(&kmt_channel_sem);
	return err;
}

static ssize_t read_stream(struct file *file, char __user *to, size_t count,
			   loff_t *ppos)
{
	struct stream *stream = file->private_data;
	size_t done = 0, left;
	int err;

	if (!count)
		return 0;
	if (mutex_lock_interruptible(&stream->lock))
		return -ERESTARTSYS;
	do {
		err = read_records(stream, to, count, &done);
		left = min(count - done, READ_ONCE(kmt_channel_subbuf_size));
		if (err == -EFAULT && !fault_in_writeable(to + done, left))
			err = 1;
		if (err > 0 && signal_pending(current))
			err = -ERESTARTSYS;
		cond_resched();
	} while (err > 0);
	mutex_unlock(&stream->lock);
	return done ? done : err;
}

/* Under kmt_channel_sem. A partly filled sub-buffer counts while recording is off. */
static bool has_records(const struct stream *stream)
{
	const struct kmt_buffer *buf = kmt_channel_readable(READ_ONCE(kmt_channel), false,
							    stream->cpu);

	/* a read would find nothing, or fail */
	if (!buf || (kmt_channel_overwrite && !kmt_mode_quiet()))
		return false;
	return kmt_channel_has_records(buf, kmt_mode_paused());
}

/* A snapshot is always readable: all its records are there, and then its end. */
static __poll_t poll_stream(struct file *file, struct poll_table_struct *wait)
{
	struct stream *stream = file->private_data;
	bool ready = stream->snapshot;

	if (!ready) {
		poll_wait(file, kmt_wake_queue(stream->cpu), wait);
		down_read(&kmt_channel_sem);
		ready = has_records(stream);
		up_read(&kmt_channel_sem);
	}
	return ready ? EPOLLIN | EPOLLRDNORM : 0;
}

static bool has_buffer(struct kmt_channel *const *channel, int cpu)
{
	bool has;

	rcu_read_lock(); /* keeps the channel from being freed meanwhile */
	has = kmt_channel_buffer(READ_ONCE(*channel), cpu);
	rcu_read_unlock();
	return has;
}

static int __open_stream(struct stream *stream)
{
	int err;

	/* the CPU never had a buffer, or is offline and no buffers are allocated */
	if (!has_buffer(&kmt_channel, stream->cpu) &&
	    (READ_ONCE(kmt_channel) || !cpu_online(stream->cpu)))
		return -ENODEV;
	if (atomic_cmpxchg(&stream->open, 0, 1))
		return -EBUSY;
	if (!stream->snapshot)
		return 0;
	err = kmt_snapshot_open();
	if (!err && !has_buffer(&kmt_channel_other, stream->cpu)) {
		kmt_snapshot_close();
		err = -ENODATA;
	}
	if (err)
		atomic_set(&stream->open, 0);
	return err;
}

static int open_stream(struct inode *inode, struct file *file)
{
	struct stream *stream = inode->i_private;
	int err = kmt_open_addresses();

	if (err)
		return err;
	if (!kmt_channel_get())
		return -EBUSY;
	err = __open_stream(stream);
	if (err) {
		kmt_channel_put();
		return err;
	}
	file->private_data = stream;
	return nonseekable_open(inode, file);
}

static int release_stream(struct inode *inode, struct file *file)
{
	struct stream *stream = file->private_data;

	if (stream->snapshot)
		kmt_snapshot_close();
	atomic_set(&stream->open, 0);
	kmt_channel_put();
	return 0;
}

static const struct file_operations stream_fops = {
	.owner = THIS_MODULE,
	.open = open_stream,
	.read = read_stream,
	.poll = poll_stream,
	.release = release_stream,
};

/* If the CPU was online before, its files exist. Return: whether the file exists. */
static bool create_file(const char *prefix, struct stream *stream)
{
	struct dentry *file;
	char name[32];

	if (stream->file)
		return true;
	snprintf(name, sizeof(name), "%scpu%d", prefix, stream->cpu);
	file = kmt_cpus_is_refused(stream->cpu) ?
		       ERR_PTR(-ENOMEM) :
		       debugfs_create_file(name, 0400, files_dir, stream,
					   &stream_fops);
	if (!IS_ERR(file))
		stream->file = file;
	return stream->file;
}

/*
 * The CPU comes online, or the caller holds cpus_read_lock(). The CPU records nothing before its
 * files exist, so a reader that finds no file misses no record.
 */
static bool prepare(unsigned int cpu)
{
	if (!create_file("snapshot_", &snapshots[cpu]) ||
	    !create_file("", &streams[cpu]))
		return false;
	kmt_buffers_prepare(cpu);
	return true;
}

static void retry(struct work_struct *work);
static DECLARE_DELAYED_WORK(retry_work, retry);

/* A CPU came online when there was no memory for its files. */
static void retry(struct work_struct *work)
{
	bool done = true;
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		done &= streams[cpu].file || prepare(cpu); /* created after snapshot_cpu<n> */
	cpus_read_unlock();
	if (!done)
		schedule_delayed_work(&retry_work, HZ);
}

static int prepare_cpu(unsigned int cpu)
{
	if (!prepare(cpu)) {
		pr_warn("not enough memory for the files of CPU %u: its events are lost until there is some\n",
			cpu);
		schedule_delayed_work(&retry_work, HZ);
	}
	return 0;
}

static void init(struct stream *stream, int cpu, bool snapshot)
{
	stream->cpu = cpu;
	stream->snapshot = snapshot;
	mutex_init(&stream->lock);
}

static void free_streams(void)
{
	cancel_delayed_work_sync(&retry_work);
	kvfree(snapshots);
	kvfree(streams);
}

int __init kmt_stream_init(struct dentry *dir)
{
	int cpu;

	streams = kvcalloc(nr_cpu_ids, sizeof(*streams), GFP_KERNEL);
	snapshots = kvcalloc(nr_cpu_ids, sizeof(*snapshots), GFP_KERNEL);
	if (!streams || !snapshots) {
		free_streams();
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu) {
		init(&streams[cpu], cpu, false);
		init(&snapshots[cpu], cpu, true);
	}
	files_dir = dir;
	hotplug_state = kmt_cpus_prepare("kmemtrace:files", prepare_cpu);
	if (hotplug_state < 0)
		free_streams();
	return min(hotplug_state, 0);
}

void kmt_stream_exit(void)
{
	kmt_cpus_forget(hotplug_state);
	free_streams();
}
