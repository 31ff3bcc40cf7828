// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/relay.h>

#include "base/compat.h"
#include "base/errlog.h"
#include "record/buffers.h"
#include "record/channel.h"
#include "record/mode.h"
#include "record/modlog.h"
#include "record/wake.h"
#include "record/writer.h"

/*
 * The default is the size of 2008, or a smaller one if all buffers would take more than
 * 1 % of RAM.
 */
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
module_param_named(subbuf_size, kmt_channel_subbuf_size, ulong, 0444);
MODULE_PARM_DESC(subbuf_size,
		 "bytes in a sub-buffer; 0: as memory allows, at most 512 KiB");
module_param_named(overwrite, kmt_channel_overwrite, bool, 0444);
MODULE_PARM_DESC(
	overwrite,
	"when a buffer is full, overwrite the oldest records instead of losing the newest");

static struct dentry *any_dir;
/* triggers that need the other channel; under kmt_control_mutex */
static unsigned int triggers;

static u64 ram_bytes(void)
{
	return (u64)totalram_pages() << PAGE_SHIFT;
}

/*
 * relay allocates a buffer for each CPU that comes online, and this cannot be prevented.
 * So the sizes are chosen and limited by the number of CPUs that can come online.
 */
static void choose_sizes(void)
{
	u64 share = ram_bytes() / 100 / num_present_cpus() /
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

/* @both: two channels are allocated */
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
	    total * num_present_cpus() > ram_bytes() / 4) {
		pr_err("subbufs=%lu of %lu bytes on %u CPUs: more than 4 GiB for a CPU or a quarter of memory; choose less\n",
		       n, size, num_present_cpus());
		return -EINVAL;
	}
	return 0;
}

/*
 * Begins a sub-buffer, in a probe. relay also calls this (without @prev) for a new buffer, which
 * has no record yet: its first record then begins the first sub-buffer, as in a full buffer.
 */
static int begin(struct rchan_buf *buf, u64 *subbuf, const void *prev)
{
	if (!prev) {
		buf->offset = buf->chan->subbuf_size + 1;
		return 1;
	}
	WRITE_ONCE(*subbuf, kmt_writer_next());
	subbuf_start_reserve(buf, KMT_CHANNEL_HEADER);
	return 1;
}

/*
 * The next sub-buffer overwrites the oldest one. No reader is in the buffer, because
 * records are written to it.
 */
static int overwrite_oldest(KMT_SUBBUF_START_ARGS)
{
	size_t n = buf->chan->n_subbufs;

	if (buf->subbufs_produced - buf->subbufs_consumed >= n) {
		this_cpu_add(kmt_channel_cpu.overwritten_bytes,
			     buf->chan->subbuf_size -
				     buf->padding[buf->subbufs_produced % n] -
				     kmt_channel_consumed(buf));
		buf->subbufs_consumed++;
		buf->bytes_consumed = 0;
	}
	return begin(buf, subbuf, prev_subbuf);
}

static int stop_if_full(KMT_SUBBUF_START_ARGS)
{
	kmt_wake(buf->cpu);
	return relay_buf_full(buf) ? 0 : begin(buf, subbuf, prev_subbuf);
}

/* stream.c creates the files, but relay needs a dentry that is not NULL. */
static struct dentry *no_buf_file(const char *filename, struct dentry *parent,
				  umode_t mode, struct rchan_buf *buf,
				  int *is_global)
{
	return any_dir;
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

/* relay allocates page by page, until the kernel kills a process to free memory. */
static bool is_available(u64 bytes)
{
	return si_mem_available() > (long)(bytes >> PAGE_SHIFT);
}

/*
 * relay allocates buffers for the CPUs that are online, and later for CPUs that it is
 * notified of. A CPU that comes online during relay_open() would get none. So
 * cpus_read_lock() prevents that.
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

int __init kmt_buffers_init(struct dentry *dir)
{
	any_dir = dir;
	choose_sizes();
	return check_sizes(subbufs, kmt_channel_subbuf_size,
			   kmt_channel_overwrite);
}

void kmt_buffers_exit(void)
{
	struct kmt_channels c = { };

	kmt_channel_swap(&c);
	close_channels(&c);
}

static void log_shortage(void)
{
	char text[80];

	snprintf(text, sizeof(text), "%llu KiB on each of %u CPUs",
		 kmt_buffers_size() * (kmt_channel_overwrite ? 2 : 1) >> 10,
		 num_online_cpus());
	kmt_errlog_add("buffers", "Not enough memory: write a smaller size to buffer_size_kb",
		       text, 0);
	pr_err("not enough memory for buffers of %s; write a smaller size to buffer_size_kb, or load with smaller subbufs= and subbuf_size=\n",
	       text);
}

int kmt_buffers_allocate(bool *allocated)
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
	kmt_channel_swap(&c);
	*allocated = true;
	return 0;
}

int __kmt_buffers_free(void)
{
	struct kmt_channels c = { };

	if (!kmt_channel)
		return 0;
	if (!kmt_mode_quiet() || kmt_buffers_other_is_held() ||
	    !kmt_channel_claim())
		return -EBUSY;
	kmt_channel_swap(&c);
	synchronize_rcu(); /* wait for a trigger that takes a snapshot */
	close_channels(&c);
	kmt_channel_release();
	return 0;
}

int kmt_buffers_free(void)
{
	int err;

	mutex_lock(&kmt_control_mutex);
	err = __kmt_buffers_free();
	mutex_unlock(&kmt_control_mutex);
	return err;
}

u64 kmt_buffers_memory(void)
{
	const struct rchan *channel;
	u64 bytes = 0;
	int cpu;

	rcu_read_lock(); /* keeps the channel from being freed meanwhile */
	channel = READ_ONCE(kmt_channel);
	for_each_possible_cpu(cpu)
		if (channel && READ_ONCE(*per_cpu_ptr(channel->buf, cpu)))
			bytes += kmt_buffers_size() * (READ_ONCE(kmt_channel_other) ? 2 : 1);
	rcu_read_unlock();
	return bytes;
}

/* No buffers are allocated yet. */
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
 * Probes may be recording. Until all of them have seen the new channels, they fill old
 * and new sub-buffers only up to the smaller of the two sizes.
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
	kmt_channel_swap(&c);
	WRITE_ONCE(kmt_channel_overwrite, overwrite);
	synchronize_rcu();
	WRITE_ONCE(kmt_channel_subbuf_size, size);
	close_channels(&c);
	return 0;
}

int kmt_buffers_resize(u64 bytes)
{
	u64 size = max_t(u64, ALIGN(DIV_ROUND_UP_ULL(bytes, subbufs), 8),
			 SUBBUF_SIZE_MIN);
	int err = -EBUSY;

	if (!bytes || bytes > UINT_MAX) {
		pr_err("buffer_size_kb: must be from 1 to %u\n",
		       UINT_MAX >> 10);
		return -EINVAL;
	}
	mutex_lock(&kmt_control_mutex);
	if (kmt_channel_claim()) {
		err = replace(size, kmt_channel_overwrite,
			      kmt_channel_overwrite || kmt_channel_other);
		kmt_channel_release();
	}
	mutex_unlock(&kmt_control_mutex);
	return err;
}

/* Replaces the channels while nothing is recorded. Under kmt_control_mutex. */
static int __renew(bool overwrite)
{
	int err;

	if (!kmt_mode_quiet() || !kmt_channel_claim())
		return -EBUSY;
	err = replace(kmt_channel_subbuf_size, overwrite,
		      overwrite || kmt_buffers_other_is_held());
	kmt_channel_release();
	return err;
}

int kmt_buffers_set_overwrite(bool overwrite)
{
	int err = 0;

	mutex_lock(&kmt_control_mutex);
	if (overwrite != kmt_channel_overwrite)
		err = __renew(overwrite);
	mutex_unlock(&kmt_control_mutex);
	return err;
}

int kmt_buffers_set_timed(bool on)
{
	int err = 0;

	mutex_lock(&kmt_control_mutex);
	if (on && !kmt_clock_trusted()) {
		err = -ENODEV; /* also if the kernel ceased to trust it */
	} else if (on != kmt_mode_timed()) {
		err = __renew(kmt_channel_overwrite);
		if (!err)
			err = kmt_writer_set_timed(on);
		if (!err)
			kmt_modlog_reorder();
	}
	mutex_unlock(&kmt_control_mutex);
	return err;
}

int kmt_buffers_open_other(void)
{
	struct rchan *other = NULL;
	bool allocated;
	int err = kmt_buffers_allocate(&allocated);

	if (err || kmt_channel_other)
		return err;
	if (!check_sizes(subbufs, kmt_channel_subbuf_size, true))
		other = open_channel(kmt_channel_subbuf_size,
				     kmt_channel_overwrite);
	if (!other) {
		if (allocated)
			__kmt_buffers_free();
		return -ENOMEM;
	}
	smp_store_release(&kmt_channel_other, other);
	return 0;
}

int kmt_buffers_get_other(void)
{
	int err = kmt_buffers_open_other();

	triggers += !err;
	return err;
}

void kmt_buffers_put_other(void)
{
	triggers--;
}

bool kmt_buffers_other_is_held(void)
{
	return triggers;
}

u64 kmt_buffers_size(void)
{
	return (u64)subbufs * READ_ONCE(kmt_channel_subbuf_size);
}
