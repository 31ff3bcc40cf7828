// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <linux/percpu.h>

#include "base/errlog.h"
#include "record/writer.h"

static bool order_time;
module_param(order_time, bool, 0444);
MODULE_PARM_DESC(order_time, "order events by time instead of one counter for all CPUs, if the kernel trusts the time stamp counter");

#ifdef KMT_DEBUG
bool kmt_writer_both_orders;
module_param_named(both_orders, kmt_writer_both_orders, bool, 0444);
MODULE_PARM_DESC(both_orders, "in the order time, the upper half of a call site is a number of the counter of all CPUs");
#endif

/* the number of the first event since recording was switched on */
static u64 first;
static unsigned int breaks; /* kmt_clock_breaks() at that moment */
static DEFINE_PER_CPU(u64, nested);

static bool has_cache(const struct kmt_event *ev, u32 features)
{
	return ev->type_id == KMEMTRACE_TYPE_CACHE &&
	       (features & KMT_FEATURE_CACHE);
}

/* A long record; its features are TIME, and those in @x. */
static void put_long(struct kmt_event *ev, const struct kmt_extra *x,
		     u32 features)
{
	u32 extra = features & KMT_FEATURES_EXTRA;
	size_t core = kmt_record_size(ev, KMT_FEATURE_TIME);
	size_t size = core + kmt_record_extra_size(x, extra);
	void *room = kmt_writer_start_timed(ev, size);

	if (!room)
		return;
	kmt_record_encode(room, size, ev, KMT_FEATURE_TIME);
	kmt_record_encode_extra(room + core, x, extra);
}

noinline void kmt_writer_put_long(u8 type_id, u64 call_site, u64 ptr,
				  u64 bytes_req, u64 bytes_alloc,
				  u32 gfp_flags, s32 node)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_ALLOC,
		.type_id = type_id,
		.call_site = call_site,
		.ptr = ptr,
		.bytes_req = bytes_req,
		.bytes_alloc = bytes_alloc,
		.gfp_flags = gfp_flags,
		.node = node,
	};

	put_long(&ev, NULL, 0);
}

static void put_extra_timed(struct kmt_event *ev, struct kmt_extra *x,
			    struct kmem_cache *s, u32 features)
{
	u32 extra = features & KMT_FEATURES_EXTRA;
	size_t core = kmt_compact_size(ev->event_id, ev->type_id);
	size_t size = core + kmt_record_extra_size(x, extra);
	void *room;

	if (!kmt_compact_fits(ev)) {
		put_long(ev, x, features);
		return;
	}
	room = kmt_writer_start_timed(ev, size);
	if (!room)
		return;
	kmt_writer_encode_compact(room, size, ev, s, features);
	kmt_record_encode_extra(room + core, x, extra);
}

static void put_extra_numbered(struct kmt_event *ev, struct kmt_extra *x,
			       struct kmem_cache *s, u32 features)
{
	size_t core = kmt_record_size(ev, features);
	size_t size = core + kmt_record_extra_size(x, features);
	void *room;

	ev->seq = kmt_number_take();
	room = kmt_channel_reserve(size);
	if (!room)
		return;
	if (features & KMT_FEATURE_TIME)
		ev->time = kmt_clock_now();
	if (has_cache(ev, features))
		ev->cache = kmt_cache_id(s);
	kmt_record_encode(room, size, ev, features);
	kmt_record_encode_extra(room + core, x, features);
}

void kmt_writer_put_extra(struct kmt_event *ev, struct kmt_extra *x,
			  struct kmem_cache *s, u32 features)
{
	if (kmt_mode_timed())
		put_extra_timed(ev, x, s, features);
	else
		put_extra_numbered(ev, x, s, features);
}

void kmt_writer_lose(u32 mode)
{
	if (mode & KMT_MODE_TIMED) {
		this_cpu_inc(kmt_numbers);
		kmt_writer_add_number(0);
	} else {
		kmt_number_take();
	}
	kmt_channel_lose(kmt_mode_size(mode));
	__this_cpu_inc(nested);
}

int __init kmt_writer_init(void)
{
	if (order_time && kmt_writer_set_timed(true))
		pr_warn("order_time=1: the kernel does not trust the time stamp counter; the order is \"sequence\"\n");
	first = kmt_number_sum();
	return 0;
}

int kmt_writer_set_timed(bool on)
{
	if (on && !kmt_clock_trusted())
		return -ENODEV;
	kmt_mode_set_timed(on);
	first = kmt_number_sum();
	return 0;
}

int kmt_writer_check(void)
{
	if (!kmt_mode_timed() || kmt_clock_trusted())
		return 0;
	kmt_errlog_add("order", "The kernel does not trust the time stamp counter any more: write sequence",
		       "time", 0);
	return -ENODEV;
}

bool kmt_writer_doubtful(void)
{
	return kmt_mode_timed() && (READ_ONCE(breaks) != kmt_clock_breaks() ||
				    !kmt_clock_trusted());
}

static void start_clock(void)
{
	WRITE_ONCE(breaks, kmt_clock_breaks());
	kmt_clock_start();
	kmt_mode_set_clock(kmt_clock_runs());
}

void kmt_writer_start(void)
{
	WRITE_ONCE(first, kmt_number_sum());
	start_clock();
}

void kmt_writer_prepare(void)
{
	if (kmt_mode_paused() && !kmt_clock_runs())
		start_clock();
}

u64 kmt_writer_place(void)
{
	u64 stamp;

	if (!kmt_mode_timed())
		return kmt_number_sum();
	preempt_disable(); /* as in a probe, the clock is not restarted meanwhile */
	stamp = kmt_clock_stamp();
	preempt_enable();
	return stamp;
}

u64 kmt_writer_events(void)
{
	return kmt_number_sum() - READ_ONCE(first);
}

u64 kmt_writer_nested(void)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(nested, cpu));
	return sum;
}
