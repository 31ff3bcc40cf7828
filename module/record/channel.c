// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/debugfs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <trace/events/kmemtrace.h>

#include "channel.h"
#include "compat.h"
#include "errlog.h"
#include "event.h"
#include "snapshot.h"
#include "stream.h"

/* The buffers of 2008, as long as they stay below 1 % of memory in total. */
#define DEFAULT_SUBBUFS	    20
#define DEFAULT_SUBBUF_SIZE (512 * 1024)
#define SMALLEST_DEFAULT    (32 * 1024)
#define SUBBUFS_MIN	    2
#define SUBBUFS_MAX	    65536
#define SUBBUF_SIZE_MIN	    4096
#define SUBBUF_SIZE_MAX	    (64 * 1024 * 1024)

static unsigned long subbufs;
module_param(subbufs, ulong, 0444);
MODULE_PARM_DESC(subbufs,
		 "sub-buffers for each CPU; 0: as memory allows, at most 20");
unsigned long kmt_channel_subbuf_size;
module_param_named(subbuf_size, kmt_channel_subbuf_size, ulong, 0444);
MODULE_PARM_DESC(subbuf_size,
		 "bytes in a sub-buffer; 0: as memory allows, at most 512 KiB");
bool kmt_channel_overwrite;
module_param_named(overwrite, kmt_channel_overwrite, bool, 0444);
MODULE_PARM_DESC(
	overwrite,
	"when a buffer is full, overwrite the oldest records instead of losing the newest");

struct rchan *kmt_channel;
struct rchan *kmt_channel_other;
struct rchan_buf *__percpu *kmt_channel_bufs;
DECLARE_RWSEM(kmt_channel_sem);
DEFINE_PER_CPU(struct kmt_channel_cpu, kmt_channel_cpu);

static struct dentry *files_dir;
static int hotplug_state;

void kmt_channel_drop(size_t size)
{
	this_cpu_add(kmt_channel_cpu.dropped_bytes, size);
	kmt_channel_lose(size);
}

void kmt_channel_lose(size_t size)
{
	/* also in an NMI that comes in between */
	this_cpu_inc(kmt_channel_cpu.lost_events);
	this_cpu_add(kmt_channel_cpu.lost_bytes, size);
	if (trace_kmemtrace_overrun_enabled())
		trace_kmemtrace_overrun(
			size, this_cpu_read(kmt_channel_cpu.lost_events),
			this_cpu_read(kmt_channel_cpu.lost_bytes));
}

static u64 ram_bytes(void)
{
	return (u64)totalram_pages() << PAGE_SHIFT;
}

/* Fill in the sizes that were not given. */
static void choose_sizes(void)
{
	u64 share = ram_bytes() / 100 / num_online_cpus() /
		    (kmt_channel_overwrite ? 2 : 1);
	bool free_choice = !kmt_channel_subbuf_size;

	if (!subbufs)
		subbufs = DEFAULT_SUBBUFS;
	if (!kmt_channel_subbuf_size)
		kmt_channel_subbuf_size = DEFAULT_SUBBUF_SIZE;
	while (free_choice && kmt_channel_subbuf_size > SMALLEST_DEFAULT &&
	       (u64)subbufs * kmt_channel_subbuf_size > share)
		kmt_channel_subbuf_size /= 2;
}

/* @both: there are two channels */
static int check_sizes(unsigned long n, unsigned long size, bool both)
{
	u64 total;

	if (n < SUBBUFS_MIN || n > SUBBUFS_MAX) {
		pr_err("subbufs=%lu: must be from %u to %u\n", n, SUBBUFS_MIN,
		       SUBBUFS_MAX);
		return -EINVAL;
	}
	if (size < SUBBUF_SIZE_MIN || size > SUBBUF_SIZE_MAX) {
		pr_err("subbuf_size=%lu: must be from %u to %u bytes\n", size,
		       SUBBUF_SIZE_MIN, SUBBUF_SIZE_MAX);
		return -EINVAL;
	}
	total = (u64)n * size * (both ? 2 : 1);
	if ((u64)n * size > UINT_MAX ||
	    total * num_online_cpus() > ram_bytes() / 4) {
		pr_err("subbufs=%lu of %lu bytes on %u CPUs: more than 4 GiB for a CPU or a quarter of memory; choose less\n",
		       n, size, num_online_cpus());
		return -EINVAL;
	}
	return 0;
}

/*
 * The next sub-buffer takes the place of the oldest one. No reader is in the
 * buffer, since records go into it.
 */
static int overwrite_oldest(KMT_SUBBUF_START_ARGS)
{
	size_t n = buf->chan->n_subbufs;

	if (buf->subbufs_produced - buf->subbufs_consumed < n)
		return 1;
	this_cpu_add(kmt_channel_cpu.overwritten_bytes,
		     buf->chan->subbuf_size -
			     buf->padding[buf->subbufs_produced % n] -
			     buf->bytes_consumed);
	buf->subbufs_consumed++;
	buf->bytes_consumed = 0;
	return 1;
}

static int stop_if_full(KMT_SUBBUF_START_ARGS)
{
	kmt_stream_wake(buf->cpu);
	return !relay_buf_full(buf);
}

/* The files are made by create_files(); relay wants an answer all the same. */
static struct dentry *no_buf_file(const char *filename, struct dentry *parent,
				  umode_t mode, struct rchan_buf *buf,
				  int *is_global)
{
	return files_dir;
}

static int keep_buf_file(struct dentry *dentry)
{
	return 0;
}

static const struct rchan_callbacks stop_when_full = {
	.subbuf_start = stop_if_full,
	.create_buf_file = no_buf_file,
	.remove_buf_file = keep_buf_file,
};

static const struct rchan_callbacks overwrite_when_full = {
	.subbuf_start = overwrite_oldest,
	.create_buf_file = no_buf_file,
	.remove_buf_file = keep_buf_file,
};

/* relay takes page after page, until the kernel kills a process for more. */
static bool is_available(u64 bytes)
{
	return si_mem_available() > (long)(bytes >> PAGE_SHIFT);
}

/*
 * No CPU may be on its way up: relay would make a buffer neither for a CPU
 * that is online, nor later, when it is told of the CPU.
 */
static struct rchan *open_channel(unsigned long size, bool overwrite)
{
	struct rchan *channel = NULL;

	cpus_read_lock();
	if (is_available((u64)size * subbufs * num_online_cpus()))
		channel = relay_open(NULL, NULL, size, subbufs,
				     overwrite ? &overwrite_when_full :
						 &stop_when_full,
				     NULL);
	cpus_read_unlock();
	return channel;
}

static void close_channels(struct kmt_channels *c)
{
	relay_close(c->record);
	relay_close(c->snapshot);
}

static int open_channels(struct kmt_channels *c, unsigned long size,
			 bool overwrite, bool both)
{
	c->record = open_channel(size, overwrite);
	c->snapshot = c->record && both ? open_channel(size, overwrite) : NULL;
	if (c->record && (c->snapshot || !both))
		return 0;
	close_channels(c);
	return -ENOMEM;
}

void kmt_channel_swap(struct kmt_channels *c)
{
	struct kmt_channels old = { kmt_channel, kmt_channel_other };

	/* a probe that sees the channel sees it as it was opened */
	smp_store_release(&kmt_channel_bufs, c->record ? c->record->buf : NULL);
	WRITE_ONCE(kmt_channel, c->record);
	WRITE_ONCE(kmt_channel_other, c->snapshot);
	*c = old;
}

/* Before the CPU can record anything: a reader that finds no file lacks nothing. */
static int create_files(unsigned int cpu)
{
	return kmt_stream_create_files(cpu, files_dir);
}

/*
 * cpuhp_setup_state() would call it for the CPUs that are online, but 6.1 did not do
 * so for this state at first.
 */
static int __init create_all_files(void)
{
	int cpu, err = 0;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		err = err ? err : create_files(cpu);
	if (!err)
		err = cpuhp_setup_state_nocalls_cpuslocked(
			CPUHP_BP_PREPARE_DYN, "kmemtrace:files", create_files,
			NULL);
	cpus_read_unlock();
	hotplug_state = err;
	return min(err, 0);
}

int __init kmt_channel_init(struct dentry *dir)
{
	int err;

	choose_sizes();
	err = check_sizes(subbufs, kmt_channel_subbuf_size,
			  kmt_channel_overwrite);
	if (err)
		return err;
	files_dir = dir;
	err = kmt_stream_init();
	if (err)
		return err;
	err = create_all_files();
	if (err)
		kmt_stream_exit();
	return err;
}

void kmt_channel_exit(void)
{
	struct kmt_channels c = { };

	cpuhp_remove_state_nocalls(hotplug_state);
	kmt_channel_swap(&c);
	close_channels(&c);
	kmt_stream_exit();
}

static void log_shortage(void)
{
	char text[80];

	snprintf(text, sizeof(text), "%llu KiB on each of %u CPUs",
		 kmt_channel_size() * (kmt_channel_overwrite ? 2 : 1) >> 10,
		 num_online_cpus());
	kmt_errlog_add("buffers", "Not enough memory: write a smaller size to buffer_size_kb",
		       text, 0);
	pr_err("not enough memory for buffers of %s; write a smaller size to buffer_size_kb, or load with smaller subbufs= and subbuf_size=\n",
	       text);
}

int kmt_channel_allocate(bool *allocated)
{
	struct kmt_channels c;

	*allocated = false;
	if (kmt_channel)
		return 0;
	if (open_channels(&c, kmt_channel_subbuf_size, kmt_channel_overwrite,
			  kmt_channel_overwrite)) {
		log_shortage();
		return -ENOMEM;
	}
	kmt_snapshot_replace(&c);
	*allocated = true;
	return 0;
}

int __kmt_channel_free(void)
{
	struct kmt_channels c = { };

	if (!kmt_channel)
		return 0;
	if (!kmt_event_quiet() || kmt_snapshot_needed() || !kmt_stream_claim())
		return -EBUSY;
	kmt_snapshot_replace(&c);
	synchronize_rcu(); /* a trigger may be taking a snapshot */
	close_channels(&c);
	kmt_stream_release();
	return 0;
}

int kmt_channel_free(void)
{
	int err;

	down_write(&kmt_channel_sem);
	err = __kmt_channel_free();
	up_write(&kmt_channel_sem);
	return err;
}

u64 kmt_channel_memory(void)
{
	u64 bytes = 0;
	int cpu;

	down_read(&kmt_channel_sem);
	for_each_possible_cpu(cpu)
		if (kmt_channel && READ_ONCE(*per_cpu_ptr(kmt_channel->buf, cpu)))
			bytes += kmt_channel_size() * (kmt_channel_other ? 2 : 1);
	up_read(&kmt_channel_sem);
	return bytes;
}

/* Nothing is allocated yet. */
static int choose(unsigned long size, bool overwrite, bool both)
{
	int err = check_sizes(subbufs, size, both);

	if (!err) {
		WRITE_ONCE(kmt_channel_subbuf_size, size);
		WRITE_ONCE(kmt_channel_overwrite, overwrite);
	}
	return err;
}

/*
 * Probes may go on recording. Until all of them have seen the new channels, they
 * use neither old nor new sub-buffers beyond the smaller of the two sizes.
 */
static int replace(unsigned long size, bool overwrite, bool both)
{
	struct kmt_channels c;
	int err;

	if (!kmt_channel)
		return choose(size, overwrite, both);
	err = check_sizes(subbufs, size, both);
	if (!err)
		err = open_channels(&c, size, overwrite, both);
	if (err)
		return err;
	WRITE_ONCE(kmt_channel_subbuf_size, min(kmt_channel_subbuf_size, size));
	synchronize_rcu();
	kmt_snapshot_replace(&c);
	WRITE_ONCE(kmt_channel_overwrite, overwrite);
	synchronize_rcu();
	WRITE_ONCE(kmt_channel_subbuf_size, size);
	close_channels(&c);
	return 0;
}

int kmt_channel_resize(u64 bytes)
{
	u64 size = max_t(u64, ALIGN(DIV_ROUND_UP_ULL(bytes, subbufs), 8),
			 SUBBUF_SIZE_MIN);
	int err = -EBUSY;

	if (!bytes || bytes > UINT_MAX) {
		pr_err("buffer_size_kb: must be from 1 to %u\n",
		       UINT_MAX >> 10);
		return -EINVAL;
	}
	down_write(&kmt_channel_sem);
	if (kmt_stream_claim()) {
		err = replace(size, kmt_channel_overwrite, kmt_channel_other);
		kmt_stream_release();
	}
	up_write(&kmt_channel_sem);
	return err;
}

int kmt_channel_set_overwrite(bool overwrite)
{
	int err;

	down_write(&kmt_channel_sem);
	if (overwrite == kmt_channel_overwrite) {
		err = 0;
	} else if (!kmt_event_quiet() || !kmt_stream_claim()) {
		err = -EBUSY;
	} else {
		err = replace(kmt_channel_subbuf_size, overwrite,
			      overwrite || kmt_snapshot_needed());
		kmt_stream_release();
	}
	up_write(&kmt_channel_sem);
	return err;
}

int kmt_channel_open_other(void)
{
	struct rchan *other;
	bool allocated;
	int err = kmt_channel_allocate(&allocated);

	if (err || kmt_channel_other)
		return err;
	if (check_sizes(subbufs, kmt_channel_subbuf_size, true))
		return -ENOMEM;
	other = open_channel(kmt_channel_subbuf_size, kmt_channel_overwrite);
	if (!other) {
		if (allocated)
			__kmt_channel_free();
		return -ENOMEM;
	}
	smp_store_release(&kmt_channel_other, other);
	return 0;
}

/* relay_reset() cannot be called in any context; nothing but this is needed. */
static void empty(struct rchan *channel)
{
	struct rchan_buf *buf;
	int cpu;

	for_each_possible_cpu(cpu) {
		buf = READ_ONCE(*per_cpu_ptr(channel->buf, cpu));
		if (!buf)
			continue;
		buf->data = buf->start;
		buf->offset = 0;
		buf->subbufs_produced = 0;
		buf->subbufs_consumed = 0;
		buf->bytes_consumed = 0;
		buf->padding[0] = 0;
	}
}

void kmt_channel_exchange(void)
{
	struct rchan *full = kmt_channel;

	empty(kmt_channel_other);
	/* a probe that sees the channel sees it empty */
	smp_store_release(&kmt_channel_bufs, kmt_channel_other->buf);
	WRITE_ONCE(kmt_channel, kmt_channel_other);
	WRITE_ONCE(kmt_channel_other, full);
}

u64 kmt_channel_size(void)
{
	return (u64)subbufs * READ_ONCE(kmt_channel_subbuf_size);
}

void kmt_channel_reset_lost(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&kmt_channel_cpu, cpu), 0,
		       sizeof(struct kmt_channel_cpu));
}

void kmt_channel_lost(struct kmt_channel_cpu *lost)
{
	int cpu;

	memset(lost, 0, sizeof(*lost));
	for_each_possible_cpu(cpu) {
		struct kmt_channel_cpu *c = per_cpu_ptr(&kmt_channel_cpu, cpu);

		lost->lost_events += READ_ONCE(c->lost_events);
		lost->lost_bytes += READ_ONCE(c->lost_bytes);
		lost->dropped_bytes += READ_ONCE(c->dropped_bytes);
		lost->overwritten_bytes += READ_ONCE(c->overwritten_bytes);
	}
}
