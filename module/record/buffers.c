// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "base/cpus.h"
#include "base/errlog.h"
#include "record/buffers.h"
#include "record/channel.h"
#include "record/mode.h"
#include "record/modlog.h"
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

module_param_named(subbufs, kmt_channel_subbufs, ulong, 0444);
MODULE_PARM_DESC(subbufs,
		 "sub-buffers for each CPU; 0: as memory allows, at most 20");
module_param_named(subbuf_size, kmt_channel_subbuf_size, ulong, 0444);
MODULE_PARM_DESC(subbuf_size,
		 "bytes in a sub-buffer; 0: as memory allows, at most 512 KiB");
module_param_named(overwrite, kmt_channel_overwrite, bool, 0444);
MODULE_PARM_DESC(
	overwrite,
	"when a buffer is full, overwrite the oldest records instead of losing the newest");

/* triggers that need the other channel; under kmt_control_mutex */
static unsigned int triggers;

static u64 ram_bytes(void)
{
	return (u64)totalram_pages() << PAGE_SHIFT;
}

/* A CPU that comes online gets a buffer, so the sizes do not depend on those that are online. */
static void choose_sizes(void)
{
	u64 share = ram_bytes() / 100 / num_present_cpus() /
		    (kmt_channel_overwrite ? 2 : 1);
	bool free_choice = !kmt_channel_subbuf_size;

	if (!kmt_channel_subbufs)
		kmt_channel_subbufs = DEFAULT_SUBBUFS;
	if (!kmt_channel_subbuf_size)
		kmt_channel_subbuf_size = DEFAULT_SUBBUF_SIZE;
	while (free_choice && kmt_channel_subbuf_size > SMALLEST_DEFAULT &&
	       (u64)kmt_channel_subbufs * kmt_channel_subbuf_size > share)
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
 * All channels. The mutex also guards their buffers' memory. It is taken after
 * kmt_control_mutex and cpus_read_lock(), or while a CPU comes online.
 */
static LIST_HEAD(channels);
static DEFINE_MUTEX(channels_mutex);
static struct cpumask prepared; /* CPUs that have been online, and have files; under the mutex */

/* vmalloc() would allocate page by page, until the kernel kills a process to free memory. */
static bool is_available(u64 bytes)
{
	return si_mem_available() > (long)(bytes >> PAGE_SHIFT);
}

/* Under channels_mutex. The CPU may be recording. Return: false if there is no memory. */
static bool give_memory(struct kmt_channel *channel, int cpu)
{
	struct kmt_buffer *buf = per_cpu_ptr(channel->buffers, cpu);
	size_t bytes = kmt_channel_subbufs * buf->size;
	char *memory;

	if (buf->start)
		return true;
	if (kmt_cpus_is_refused(cpu) || !is_available(bytes))
		return false;
	memory = vmalloc_node(bytes, cpu_to_node(cpu));
	smp_store_release(&buf->start, memory);
	return memory;
}

void kmt_buffers_close(struct kmt_channel *channel)
{
	int cpu;

	if (!channel)
		return;
	mutex_lock(&channels_mutex);
	list_del(&channel->link);
	mutex_unlock(&channels_mutex);
	for_each_possible_cpu(cpu) {
		vfree(per_cpu_ptr(channel->buffers, cpu)->start);
		cond_resched();
	}
	free_percpu(channel->buffers);
	kfree(channel);
}

/* Return: a channel whose buffers have no memory; NULL if there is none for it. */
static struct kmt_channel *create_channel(size_t size)
{
	struct kmt_channel *channel = kzalloc(sizeof(*channel), GFP_KERNEL);
	struct kmt_buffer *buf;
	int cpu;

	if (!channel)
		return NULL;
	channel->buffers = alloc_percpu(struct kmt_buffer);
	if (!channel->buffers) {
		kfree(channel);
		return NULL;
	}
	for_each_possible_cpu(cpu) {
		buf = per_cpu_ptr(channel->buffers, cpu);
		buf->size = size;
		buf->offset = KMT_BUFFER_SEALED;
	}
	return channel;
}

/*
 * Return: whether all CPUs that are online, and have files, have memory. Under cpus_read_lock()
 * and channels_mutex.
 */
static bool give_all_memory(struct kmt_channel *channel)
{
	int cpu;

	for_each_cpu_and(cpu, cpu_online_mask, &prepared) {
		if (!give_memory(channel, cpu))
			return false;
		cond_resched();
	}
	return true;
}

/* Once the channel is in the list, CPUs that come online get memory. */
static struct kmt_channel *open_channel(size_t size)
{
	struct kmt_channel *channel = create_channel(size);
	bool done;

	if (!channel)
		return NULL;
	cpus_read_lock();
	mutex_lock(&channels_mutex);
	list_add(&channel->link, &channels);
	done = is_available((u64)size * kmt_channel_subbufs * num_online_cpus()) &&
	       give_all_memory(channel);
	mutex_unlock(&channels_mutex);
	cpus_read_unlock();
	if (!done)
		kmt_buffers_close(channel);
	return done ? channel : NULL;
}

static unsigned long retry_after = HZ; /* of retry_work only */

static void retry(struct work_struct *work);
static DECLARE_DELAYED_WORK(retry_work, retry);

/* A CPU came online when there was no memory. Until there is some, its events are lost. */
static void retry(struct work_struct *work)
{
	struct kmt_channel *channel;
	bool done = true;

	cpus_read_lock();
	mutex_lock(&channels_mutex);
	list_for_each_entry(channel, &channels, link)
		done &= give_all_memory(channel);
	mutex_unlock(&channels_mutex);
	cpus_read_unlock();
	retry_after = done ? HZ : min(retry_after * 2, 60UL * HZ);
	if (!done)
		schedule_delayed_work(&retry_work, retry_after);
}

void kmt_buffers_prepare(unsigned int cpu)
{
	struct kmt_channel *channel;
	bool done = true;

	mutex_lock(&channels_mutex);
	cpumask_set_cpu(cpu, &prepared);
	list_for_each_entry(channel, &channels, link)
		done &= give_memory(channel, cpu);
	mutex_unlock(&channels_mutex);
	if (!done) {
		pr_warn("not enough memory for the buffer of CPU %u: its events are lost until there is some\n",
			cpu);
		schedule_delayed_work(&retry_work, HZ);
	}
}

static void close_channels(struct kmt_channels *c)
{
	kmt_buffers_close(c->record);
	kmt_buffers_close(c->snapshot);
}

static int open_channels(struct kmt_channels *c, unsigned long size, bool both)
{
	c->record = open_channel(size);
	c->snapshot = c->record && both ? open_channel(size) : NULL;
	if (c->record && (c->snapshot || !both))
		return 0;
	close_channels(c);
	return -ENOMEM;
}

int __init kmt_buffers_init(void)
{
	choose_sizes();
	return check_sizes(kmt_channel_subbufs, kmt_channel_subbuf_size,
			   kmt_channel_overwrite);
}

void kmt_buffers_exit(void)
{
	struct kmt_channels c = { };

	cancel_delayed_work_sync(&retry_work);
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
	if (open_channels(&c, kmt_channel_subbuf_size, kmt_channel_overwrite)) {
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
	struct kmt_channel *channel;
	const struct kmt_buffer *buf;
	u64 bytes = 0;
	int cpu;

	mutex_lock(&channels_mutex);
	list_for_each_entry(channel, &channels, link) {
		for_each_possible_cpu(cpu) {
			buf = kmt_channel_buffer(channel, cpu);
			bytes += buf ? buf->size * kmt_channel_subbufs : 0;
		}
	}
	mutex_unlock(&channels_mutex);
	return bytes;
}

/* No buffers are allocated yet. */
static int choose(unsigned long size, bool overwrite, bool both)
{
	int err = check_sizes(kmt_channel_subbufs, size, both);

	if (!err) {
		WRITE_ONCE(kmt_channel_subbuf_size, size);
		WRITE_ONCE(kmt_channel_overwrite, overwrite);
	}
	return err;
}

/* Probes may be recording. */
static int replace(unsigned long size, bool overwrite, bool both)
{
	struct kmt_channels c;
	int err;

	if (!kmt_channel)
		return choose(size, overwrite, both);
	err = check_sizes(kmt_channel_subbufs, size, both);
	if (!err)
		err = open_channels(&c, size, both);
	if (err)
		return err;
	kmt_channel_swap(&c);
	WRITE_ONCE(kmt_channel_overwrite, overwrite);
	WRITE_ONCE(kmt_channel_subbuf_size, size);
	synchronize_rcu();
	close_channels(&c);
	return 0;
}

int kmt_buffers_resize(u64 bytes)
{
	u64 size = max_t(u64, ALIGN(DIV_ROUND_UP_ULL(bytes, kmt_channel_subbufs), 8),
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
	struct kmt_channel *other = NULL;
	bool allocated;
	int err = kmt_buffers_allocate(&allocated);

	if (err || kmt_channel_other)
		return err;
	if (!check_sizes(kmt_channel_subbufs, kmt_channel_subbuf_size, true))
		other = open_channel(kmt_channel_subbuf_size);
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
	return (u64)kmt_channel_subbufs * READ_ONCE(kmt_channel_subbuf_size);
}
