// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <linux/percpu.h>

#include "record/writer.h"

static uint seq_start;
module_param(seq_start, uint, 0444);
MODULE_PARM_DESC(seq_start, "first sequence number (to test that it wraps)");

struct kmt_sequence kmt_sequence;

/* the number of the first event since recording was switched on */
static u32 first;
static DEFINE_PER_CPU(u64, nested);

void kmt_writer_put_extra(struct kmt_event *ev, struct kmt_extra *x,
			  struct kmem_cache *s, u32 features)
{
	size_t core = kmt_record_size(ev, features);
	size_t size = core + kmt_record_extra_size(x, features);
	void *room;

	ev->seq = kmt_writer_next_number();
	room = kmt_channel_reserve(size);
	if (!room)
		return;
	if (features & KMT_FEATURE_TIME)
		ev->time = kmt_clock_now();
	if (ev->type_id == KMEMTRACE_TYPE_CACHE &&
	    (features & KMT_FEATURE_CACHE))
		ev->cache = kmt_cache_id(s);
	kmt_record_encode(room, size, ev, features);
	kmt_record_encode_extra(room + core, x, features);
}

void kmt_writer_lose(size_t size)
{
	kmt_writer_next_number();
	kmt_channel_lose(size);
	__this_cpu_inc(nested);
}

int __init kmt_writer_init(void)
{
	atomic_set(&kmt_sequence.next, seq_start);
	first = seq_start;
	return 0;
}

void kmt_writer_start(void)
{
	first = kmt_writer_sequence();
	kmt_clock_start();
}

u32 kmt_writer_sequence(void)
{
	return atomic_read(&kmt_sequence.next);
}

u32 kmt_writer_events(void)
{
	return kmt_writer_sequence() - READ_ONCE(first);
}

u64 kmt_writer_nested(void)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(nested, cpu));
	return sum;
}
