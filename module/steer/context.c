// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cgroup.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "account/account.h"
#include "account/frame.h"
#include "account/object.h"
#include "account/tag.h"
#include "base/cache.h"
#include "base/callsite.h"
#include "base/clock.h"
#include "kmt_record.h"
#include "record/mode.h"
#include "record/number.h"
#include "steer/context.h"
#include "steer/event.h"

static uint stack_depth = 16;
module_param(stack_depth, uint, 0644);
MODULE_PARM_DESC(stack_depth, "number of return addresses in the feature stack: 1 to 64 (default 16)");

/*
 * The tracepoint or kmt_probe_pin() has disabled preemption once more. Without
 * CONFIG_PREEMPT_COUNT, nothing counts.
 */
static unsigned int preempt_depth(void)
{
	unsigned int depth = preempt_count() & PREEMPT_MASK;

	return depth ? depth - 1 : 0;
}

static void fetch_task(struct kmt_context *c)
{
	struct kmt_extra *x = &c->x;
	unsigned long pc = preempt_count();

	x->pid = current->pid;
	x->tgid = current->tgid;
	memcpy(x->comm, current->comm, sizeof(x->comm));
	x->comm[sizeof(x->comm) - 1] = '\0';
	x->preempt_count = min(preempt_depth(), 15u);
	x->context =
		(c->irqs_off ? KMEMTRACE_CONTEXT_IRQS_OFF : 0) |
		(need_resched() ? KMEMTRACE_CONTEXT_NEED_RESCHED : 0) |
		(pc & HARDIRQ_MASK ? KMEMTRACE_CONTEXT_HARDIRQ : 0) |
		(in_serving_softirq() ? KMEMTRACE_CONTEXT_SOFTIRQ : 0) |
		(pc & NMI_MASK ? KMEMTRACE_CONTEXT_NMI : 0) |
		(softirq_count() >= SOFTIRQ_DISABLE_OFFSET ?
			 KMEMTRACE_CONTEXT_BH_OFF : 0);
}

static bool fetch_cgroup(struct kmt_extra *x)
{
#ifdef CONFIG_CGROUPS
	x->cgroup = cgroup_id(task_dfl_cgroup(current));
	return true;
#else
	return false;
#endif
}

/*
 * Return: index of the call site in the stack, which begins with frames of the module;
 * @n if it is not there.
 */
static unsigned int first_frame(const unsigned long *stack, unsigned int n,
				unsigned long site)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (stack[i] == site)
			return i;
	return n;
}

/*
 * Fetch the stack from the call site on; if that is not on the stack, from the
 * tracepoint on, without functions of the module.
 */
static void fetch_stack(struct kmt_context *c, const struct kmt_event *ev)
{
	unsigned int depth = clamp(READ_ONCE(stack_depth), 1u, KMT_STACK_MAX);
	unsigned long *stack = c->stack;
	unsigned int n, from, i;

	n = kmt_callsite_stack(c->ip, c->sp, stack, depth + KMT_STACK_ABOVE);
	from = first_frame(stack, n, ev->call_site);
	if (from == n)
		from = first_frame(stack, n, c->ip);
	if (from == n)
		from = 0;
	while (from < n && within_module(stack[from], THIS_MODULE))
		from++;
	c->x.depth = min(n - from, depth);
	for (i = 0; i < c->x.depth; i++)
		c->x.stack[i] = stack[from + i];
}

static u64 age_of(u32 born, u32 now)
{
	return (u64)(now - born) * (NSEC_PER_SEC / HZ << KMT_TICK_SHIFT);
}

/* A free is recorded before it is accounted, so its object is still in the tables. */
static bool fetch_age(struct kmt_extra *x, const struct kmt_event *ev)
{
	u64 value = kmt_object_find(ev->ptr);
	struct kmt_frame frame;
	unsigned long pfn;

	if (value) {
		x->age = age_of(kmt_account_born(value), kmt_tick_now());
		return true;
	}
	if (ev->type_id != KMEMTRACE_TYPE_PAGES || !kmt_frame_keeps_birth())
		return false;
	pfn = __pa(ev->ptr) >> PAGE_SHIFT;
	frame = kmt_frame_get(pfn);
	if (kmt_frame_class(frame) <= KMT_CLASS_UNSEEN)
		return false;
	x->age = age_of(kmt_slots_born(pfn, frame), kmt_tick_now());
	return true;
}

/* counters that are added up with interrupts off: 2,000 instructions */
#define COUNTERS_MAX 64

/* Whether a term has the same result for all numbers that are at most @off away. */
static bool decides(const struct kmt_filter_term *t, s64 number, u64 off)
{
	s64 from = number - (s64)off;

	return kmt_filter_decides(t, max(from, 0ll), max(number, 0ll) + off);
}

static bool is_decided(const struct kmt_filter_term *t, const struct kmt_estimate *e)
{
	if (!t)
		return false;
	return t->offset == offsetof(struct kmt_extra, live_bytes) ?
		       decides(t, e->bytes, e->bytes_off) :
		       decides(t, e->objects, e->objects_off);
}

/*
 * What CPUs have reported decides a term, unless its limit is close. Only then, the counters
 * of all CPUs and sizes are added up, if there are at most COUNTERS_MAX. Beyond that, what they
 * have reported decides, which differs from the true number by kmt_estimate.bytes_off at most.
 */
static void fetch_live(struct kmt_extra *x, u32 tag)
{
	struct kmt_estimate e;
	struct kmt_sum sum;
	bool near;

	kmt_tag_estimate(tag, &e);
	near = is_decided(x->term, &e);
	if (!near && e.counters <= COUNTERS_MAX) {
		kmt_tag_sum(tag, &sum);
		e.bytes = sum.bytes;
		e.objects = sum.objects;
	}
	x->near |= near ? KMT_GROUP_TAG : 0;
	x->live_bytes = max(e.bytes, 0ll);
	x->live_objects = max(e.objects, 0ll);
}

/* An allocation is accounted before it is recorded, so it is in the tables already. */
static bool fetch_tag(struct kmt_extra *x, const struct kmt_event *ev)
{
	u64 value = kmt_object_find(ev->ptr);
	u32 class = kmt_account_class(value);

	if (!value && ev->type_id == KMEMTRACE_TYPE_PAGES && ev->ptr)
		class = kmt_frame_class(kmt_frame_get(
			__pa(ev->ptr) >> PAGE_SHIFT));
	if (class <= KMT_CLASS_UNSEEN)
		return false;
	fetch_live(x, kmt_tag_of_class(class));
	return true;
}

static bool fetch_cache_name(struct kmt_context *c)
{
	const struct kmt_cache_key *key = kmt_cache_key(c->s);

	c->x.cache_name = kmt_cache_name(key);
	return key->id;
}

static bool fetch_nid(struct kmt_extra *x, const struct kmt_event *ev)
{
	const void *p = (const void *)(unsigned long)ev->ptr;

	/* not if the allocation failed, or is of 0 bytes */
	if (!virt_addr_valid(p))
		return false;
	x->nid = page_to_nid(virt_to_page(p));
	return true;
}

/* The size does not include a stack that a trigger adds. */
static void fetch_size(struct kmt_extra *x, struct kmt_event *ev)
{
	u32 features = kmt_mode_features();

	kmt_context_fetch(x, ev, features & KMT_FEATURES_EXTRA & ~x->have);
	features &= x->have | ~KMT_FEATURES_EXTRA;
	x->size = kmt_record_size(ev, features) +
		  kmt_record_extra_size(x, features);
}

void kmt_context_fetch(struct kmt_extra *x, struct kmt_event *ev, u32 need)
{
	struct kmt_context *c = container_of(x, struct kmt_context, x);
	bool accounted = kmt_event_accounting();

	if (need & KMT_FEATURE_TASK) {
		fetch_task(c);
		x->have |= KMT_FEATURE_TASK;
	}
	if (need & KMT_GROUP_CPU) {
		x->cpu = smp_processor_id();
		x->have |= KMT_GROUP_CPU;
	}
	if (need & KMT_FEATURE_TIME) {
		ev->time = kmt_clock_now();
		x->have |= KMT_FEATURE_TIME;
	}
	if ((need & KMT_FEATURE_CACHE) && c->s) {
		ev->cache = kmt_cache_id(c->s);
		x->have |= KMT_FEATURE_CACHE;
	}
	if ((need & KMT_GROUP_CACHE_NAME) && c->s && fetch_cache_name(c))
		x->have |= KMT_GROUP_CACHE_NAME;
	if ((need & KMT_GROUP_PFN) && ev->ptr) {
		x->pfn = __pa(ev->ptr) >> PAGE_SHIFT;
		x->have |= KMT_GROUP_PFN;
	}
	if ((need & KMT_GROUP_NID) && fetch_nid(x, ev))
		x->have |= KMT_GROUP_NID;
	if ((need & KMT_FEATURE_CGROUP) && fetch_cgroup(x))
		x->have |= KMT_FEATURE_CGROUP;
	if ((need & KMT_GROUP_AGE) && accounted && fetch_age(x, ev))
		x->have |= KMT_GROUP_AGE;
	if ((need & KMT_GROUP_TAG) && accounted && fetch_tag(x, ev))
		x->have |= KMT_GROUP_TAG;
	if (need & KMT_FEATURE_STACK) {
		fetch_stack(c, ev);
		x->have |= KMT_FEATURE_STACK;
	}
	if (need & KMT_GROUP_SEQ) {
		ev->seq = kmt_number_next();
		x->have |= KMT_GROUP_SEQ;
	}
	if (need & KMT_GROUP_SIZE) {
		fetch_size(x, ev);
		x->have |= KMT_GROUP_SIZE;
	}
}
