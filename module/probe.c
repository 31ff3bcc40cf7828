// SPDX-License-Identifier: GPL-2.0-only
/*
 * A probe makes an event of its arguments and records it, unless there is more
 * to it: a filter, a trigger, a feature that is dear (gate.h). It may be called in
 * any context, under any lock, preemptible or not; it allocates nothing, takes
 * no lock and calls nothing that does.
 *
 * With interrupts off, from the number to the last byte of the record, the
 * only thing that can come in between on this CPU is an NMI, or an allocation
 * that the probe itself should not make: the guard `busy` turns both away. So
 * one guard for each CPU is enough for all context levels: an interrupt never
 * finds it set.
 */
#include <linux/atomic.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <trace/events/kmem.h>
#include <trace/events/percpu.h>

#include "cache.h"
#include "callsite.h"
#include "channel.h"
#include "clock.h"
#include "compat.h"
#include "context.h"
#include "event.h"
#include "gate.h"
#include "hook.h"
#include "kmt_record.h"
#include "probe.h"
#include "snapshot.h"
#include "trigger.h"

static uint seq_start;
module_param(seq_start, uint, 0444);
MODULE_PARM_DESC(seq_start, "first sequence number (to test that it wraps)");

/* In a cache line of its own: all CPUs write it. */
static struct {
	atomic_t next;
} sequence ____cacheline_aligned_in_smp;

/* the number at which recording was switched on */
static u32 first;
DEFINE_PER_CPU(bool, kmt_probe_busy);
static DEFINE_PER_CPU(u64, nested);

static __always_inline u32 next_number(void)
{
	return atomic_fetch_inc(&sequence.next);
}

/* Its number stays missing, which is how a reader learns of it. */
static noinline void lose(size_t size)
{
	next_number();
	kmt_channel_lose(size);
	__this_cpu_inc(nested);
}

static __always_inline unsigned int kind_of(const struct kmt_event *ev)
{
	return KMT_EVENT_KIND(ev->event_id, ev->type_id);
}

/* @mode: of its gate; the features are cheap ones */
static __always_inline void record(struct kmt_event *ev, struct kmem_cache *s,
				   u32 mode)
{
	size_t size = kmt_gate_size(mode);
	u32 features = mode;
	void *room;

	ev->seq = next_number();
	room = kmt_channel_reserve(size);
	if (unlikely(!room))
		return;
	if (features & KMT_FEATURE_TIME)
		ev->time = kmt_clock_now();
	kmt_record_encode(room, size, ev, features);
	/* a function is called for it: nothing else needs be kept until then */
	if (ev->type_id == KMEMTRACE_TYPE_CACHE &&
	    (features & KMT_FEATURE_CACHE))
		kmt_record_put_cache(room, size, kmt_cache_id(s));
}

/* --- filters, triggers, and features that are dear ------------------------ */

/* What a filter reads; under the guard, as are the contexts. */
static DEFINE_PER_CPU(struct kmt_event[KMT_EVENT_KINDS], spilled);
static DEFINE_PER_CPU(struct kmt_context, contexts);

/* Others never ask for a node: -1. */
static __always_inline bool has_node(u8 type_id)
{
	return type_id == KMEMTRACE_TYPE_KMALLOC ||
	       type_id == KMEMTRACE_TYPE_CACHE;
}

static void __init preset_events(void)
{
	unsigned int kind;
	int cpu;

	for_each_possible_cpu(cpu) {
		for (kind = 0; kind < KMT_EVENT_KINDS; kind++) {
			struct kmt_event *ev = &per_cpu(spilled, cpu)[kind];

			ev->event_id = kind % 2;
			ev->type_id = kind / 2;
			ev->node = NUMA_NO_NODE;
		}
	}
}

static noinline void record_extra(struct kmt_context *c, u32 features)
{
	struct kmt_event *ev = c->ev;
	struct kmt_extra *x = &c->x;
	size_t size, core = kmt_record_size(ev, features);
	void *room;

	kmt_context_fetch(x, ev, features & KMT_FEATURES_EXTRA & ~x->have);
	features &= x->have | ~KMT_FEATURES_EXTRA;
	size = core + kmt_record_extra_size(x, features);
	ev->seq = next_number();
	room = kmt_channel_reserve(size);
	if (!room)
		return;
	if (features & KMT_FEATURE_TIME)
		ev->time = kmt_clock_now();
	if (ev->type_id == KMEMTRACE_TYPE_CACHE &&
	    (features & KMT_FEATURE_CACHE))
		ev->cache = kmt_cache_id(c->s);
	kmt_record_encode(room, size, ev, features);
	kmt_record_encode_extra(room + core, x, features);
}

/* What is known of every event of the kind, and kept in struct kmt_event. */
static __always_inline u32 groups_of(const struct kmt_event *ev)
{
	return (ev->event_id == KMEMTRACE_EVENT_ALLOC ? KMT_GROUP_ALLOC : 0) |
	       (ev->type_id == KMEMTRACE_TYPE_PAGES ? KMT_FEATURE_PAGE : 0);
}

/* Whether an event that is not paused gets by. */
static bool is_let_through(struct kmt_context *c, unsigned int kind, u32 mode)
{
	if (mode & KMT_GATE_OFF)
		return false;
	return !(mode & KMT_GATE_FILTER) ||
	       kmt_filter_match(rcu_dereference_sched(kmt_gates[kind].filter),
				c->ev, &c->x, kmt_context_fetch);
}

/*
 * The long way, as event tracing goes it: triggers fire whether or not the
 * event is enabled, recorded or let through by its filter. An event that
 * switches recording, either way, is still recorded; one that enables or
 * disables its own kind is the first that this holds for. A stack that a
 * trigger asks for is recorded, if anything is. A snapshot has the event in it.
 */
static noinline void record_steered(struct kmt_context *c, u32 mode)
{
	unsigned int kind = kind_of(c->ev), fired = 0;
	bool paused = mode & KMT_GATE_PAUSED;

	c->x.have = groups_of(c->ev);
	if (mode & KMT_GATE_TRIGGERS) {
		fired = kmt_trigger_fire(kind, c);
		mode = kmt_gate_mode(kind);
		paused &= !!(mode & KMT_GATE_PAUSED);
	}
	if (fired & KMT_FIRED_STACK)
		mode |= KMT_FEATURE_STACK;
	if (!paused &&
	    ((fired & KMT_FIRED_STACK) || is_let_through(c, kind, mode))) {
		if (mode & KMT_FEATURES_EXTRA)
			record_extra(c, mode & KMT_FEATURES_ALL);
		else
			record(c->ev, c->s, mode);
	}
	if (fired & KMT_FIRED_SNAPSHOT)
		kmt_snapshot_take(KMT_SNAPSHOT_TRIGGER);
}

/*
 * Put an event where a filter can read it. What all events of a kind have in
 * common is there already.
 */
static __always_inline void spill(struct kmt_event *to,
				  const struct kmt_event *ev)
{
	to->call_site = ev->call_site;
	to->ptr = ev->ptr;
	if (ev->event_id == KMEMTRACE_EVENT_ALLOC) {
		to->bytes_req = ev->bytes_req;
		to->bytes_alloc = ev->bytes_alloc;
		to->gfp_flags = ev->gfp_flags;
	}
	if (ev->event_id == KMEMTRACE_EVENT_ALLOC && has_node(ev->type_id))
		to->node = ev->node;
	if (ev->type_id == KMEMTRACE_TYPE_PAGES) {
		to->order = ev->order;
		to->migratetype = ev->migratetype;
	}
}

/*
 * If there is nothing to it but a filter that compares numbers, that is done
 * here. Return: whether to record the event; else that was seen to.
 */
static __always_inline bool steer(const struct kmt_event *ev,
				  struct kmem_cache *s, unsigned long flags,
				  u32 mode)
{
	struct kmt_event *copy = this_cpu_ptr(&spilled[kind_of(ev)]);
	enum kmt_filter_result result = KMT_FILTER_UNDECIDED;
	struct kmt_context *c;

	spill(copy, ev);
	if ((mode & KMT_GATE_SLOW) == KMT_GATE_FILTER)
		result = kmt_filter_match_numbers(
			rcu_dereference_sched(kmt_gates[kind_of(ev)].filter),
			copy, groups_of(ev));
	if (likely(result != KMT_FILTER_UNDECIDED))
		return result == KMT_FILTER_MATCH;
	c = this_cpu_ptr(&contexts);
	c->ev = copy;
	c->s = s;
	c->ip = _RET_IP_;
	c->sp = (unsigned long)__builtin_dwarf_cfa();
	c->irqs_off = irqs_disabled_flags(flags);
	record_steered(c, mode);
	return false;
}

/* -------------------------------------------------------------------------- */

/* Where a probe was called from, for a walk up the stack. */
struct origin {
	unsigned long ip;
	unsigned long sp;
};

#define HERE                                                                   \
	((struct origin){ _RET_IP_, (unsigned long)__builtin_dwarf_cfa() })
/* for an event whose call site is known */
#define NOWHERE ((struct origin){ 0, 0 })

/* Return: false for a page that the hook on bulk allocations will tell of. */
static __always_inline bool find_call_site(struct kmt_event *ev,
					   struct origin origin)
{
	struct kmt_callsite caller =
		kmt_callsite_of_stack(origin.ip, origin.sp);

	ev->call_site = caller.site;
	return likely(!caller.in_pages_bulk) ||
	       ev->event_id == KMEMTRACE_EVENT_FREE ||
	       !kmt_hook_attached(KMT_HOOK_PAGES_BULK);
}

static __always_inline void trace(struct kmt_event *ev, struct kmem_cache *s,
				  struct origin origin)
{
	bool walk = (ev->type_id == KMEMTRACE_TYPE_PAGES && origin.ip) ||
		    (ev->type_id == KMEMTRACE_TYPE_PERCPU && !ev->call_site);
	unsigned long flags;
	u32 mode;

	local_irq_save(flags);
	mode = kmt_gate_mode(kind_of(ev));
	if (unlikely(!kmt_probe_enter())) {
		if (!(mode & (KMT_GATE_OFF | KMT_GATE_PAUSED)))
			lose(kmt_gate_size(mode));
		goto out;
	}
	if (walk && !find_call_site(ev, origin))
		goto leave;
	if (likely(!(mode & KMT_GATE_SLOW)) ||
	    steer(ev, s, flags, mode))
		record(ev, s, mode);
leave:
	kmt_probe_leave();
out:
	local_irq_restore(flags);
}

void kmt_probe_kmalloc(void *data, unsigned long call_site, const void *ptr,
		       size_t bytes_req, size_t bytes_alloc, gfp_t gfp_flags,
		       int node)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_ALLOC,
		.type_id = KMEMTRACE_TYPE_KMALLOC,
		.call_site = call_site,
		.ptr = (unsigned long)ptr,
		.bytes_req = bytes_req,
		.bytes_alloc = bytes_alloc,
		.gfp_flags = (__force u32)gfp_flags,
		.node = node,
	};

	/* a large one may be told twice: the second time by its caller */
	if (unlikely(bytes_req > KMALLOC_MAX_CACHE_SIZE) &&
	    kmt_callsite_is_kmalloc(call_site))
		return;
	trace(&ev, NULL, HERE);
}

static __always_inline void
__trace_cache_alloc(unsigned long call_site, const void *ptr,
		    struct kmem_cache *s, gfp_t gfp_flags, int node)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_ALLOC,
		.type_id = KMEMTRACE_TYPE_CACHE,
		.call_site = call_site,
		.ptr = (unsigned long)ptr,
		.bytes_req = kmt_cache_object_size(s),
		.bytes_alloc = kmt_cache_size(s),
		.gfp_flags = (__force u32)gfp_flags,
		.node = node,
	};

	trace(&ev, s, NOWHERE);
}

/* The allocator is asked for sizes, for which all must be kept elsewhere. */
static noinline void trace_cache_alloc_asking(unsigned long call_site,
					      const void *ptr,
					      struct kmem_cache *s,
					      gfp_t gfp_flags, int node)
{
	__trace_cache_alloc(call_site, ptr, s, gfp_flags, node);
}

static __always_inline void trace_cache_alloc(unsigned long call_site,
					      const void *ptr,
					      struct kmem_cache *s,
					      gfp_t gfp_flags, int node)
{
	if (unlikely(!kmt_cache_layout.known)) {
		trace_cache_alloc_asking(call_site, ptr, s, gfp_flags, node);
		return;
	}
	__trace_cache_alloc(call_site, ptr, s, gfp_flags, node);
}

void kmt_probe_kmem_cache_alloc(void *data, unsigned long call_site,
				const void *ptr, struct kmem_cache *s,
				gfp_t gfp_flags, int node)
{
	trace_cache_alloc(call_site, ptr, s, gfp_flags, node);
}

void kmt_probe_kfree(void *data, unsigned long call_site, const void *ptr)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_FREE,
		.type_id = KMEMTRACE_TYPE_KMALLOC,
		.call_site = call_site,
		.ptr = (unsigned long)ptr,
	};

	/* three in four are kfree(NULL), which frees nothing */
	if (ZERO_OR_NULL_PTR(ptr))
		return;
	trace(&ev, NULL, HERE);
}

void kmt_probe_kmem_cache_free(void *data, unsigned long call_site,
			       const void *ptr, const struct kmem_cache *s)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_FREE,
		.type_id = KMEMTRACE_TYPE_CACHE,
		.call_site = call_site,
		.ptr = (unsigned long)ptr,
	};

	trace(&ev, (struct kmem_cache *)s, HERE);
}

void kmt_probe_mm_page_alloc(void *data, struct page *page, unsigned int order,
			     gfp_t gfp_flags, int migratetype)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_ALLOC,
		.type_id = KMEMTRACE_TYPE_PAGES,
		.ptr = page ? (unsigned long)page_to_virt(page) : 0,
		.bytes_req = PAGE_SIZE << order,
		.bytes_alloc = PAGE_SIZE << order,
		.gfp_flags = (__force u32)gfp_flags,
		.node = NUMA_NO_NODE,
		.order = order,
		.migratetype = migratetype,
	};

	trace(&ev, NULL, HERE);
}

void kmt_probe_mm_page_free(void *data, struct page *page, unsigned int order)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_FREE,
		.type_id = KMEMTRACE_TYPE_PAGES,
		.ptr = (unsigned long)page_to_virt(page),
		.order = order,
		.migratetype = -1,
	};

	trace(&ev, NULL, HERE);
}

/* bytes_alloc is for all CPUs; so is what is said to be requested. */
void kmt_probe_percpu_alloc(void *data, unsigned long call_site, bool reserved,
			    bool is_atomic, size_t size, size_t align,
			    void *base_addr, int off, void __percpu *ptr,
			    size_t bytes_alloc, gfp_t gfp_flags)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_ALLOC,
		.type_id = KMEMTRACE_TYPE_PERCPU,
		.call_site = call_site,
		.ptr = (__force unsigned long)ptr,
		.bytes_req = size * num_possible_cpus(),
		.bytes_alloc = bytes_alloc,
		.gfp_flags = (__force u32)gfp_flags,
		.node = NUMA_NO_NODE,
	};

	trace(&ev, NULL, HERE);
}

void kmt_probe_percpu_free(void *data, void *base_addr, int off,
			   void __percpu *ptr)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_FREE,
		.type_id = KMEMTRACE_TYPE_PERCPU,
		.ptr = (__force unsigned long)ptr,
	};

	trace(&ev, NULL, HERE);
}

/* --- what has no tracepoint (hook.h) -------------------------------------- */

static void free_of_bulk(unsigned long call_site, struct kmem_cache *s,
			 const void *ptr)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_FREE,
		.type_id = s ? KMEMTRACE_TYPE_CACHE : KMEMTRACE_TYPE_KMALLOC,
		.call_site = call_site,
		.ptr = (unsigned long)ptr,
	};

	if (!ZERO_OR_NULL_PTR(ptr))
		trace(&ev, s, NOWHERE);
}

void kmt_probe_free_bulk(unsigned long call_site, struct kmem_cache *s,
			 size_t count, void **objects)
{
	size_t i;

	for (i = 0; i < count; i++)
		free_of_bulk(call_site, s, objects[i]);
}

void kmt_probe_alloc_bulk(unsigned long call_site, struct kmem_cache *s,
			  gfp_t gfp_flags, int count, void **objects)
{
	int i;

	for (i = 0; i < count; i++)
		trace_cache_alloc(call_site, objects[i], s, gfp_flags,
				  NUMA_NO_NODE);
}

void kmt_probe_page_of_bulk(unsigned long call_site, struct page *page,
			    gfp_t gfp_flags)
{
	struct kmt_event ev = {
		.event_id = KMEMTRACE_EVENT_ALLOC,
		.type_id = KMEMTRACE_TYPE_PAGES,
		.call_site = call_site,
		.ptr = (unsigned long)page_to_virt(page),
		.bytes_req = PAGE_SIZE,
		.bytes_alloc = PAGE_SIZE,
		.gfp_flags = (__force u32)gfp_flags,
		.node = NUMA_NO_NODE,
		.migratetype = -1,
	};

	trace(&ev, NULL, NOWHERE);
}

/* That the probes have the tracepoints' prototypes, or it does not compile. */
static void __maybe_unused check_prototypes(void)
{
	check_trace_callback_type_kmalloc(kmt_probe_kmalloc);
	check_trace_callback_type_kmem_cache_alloc(kmt_probe_kmem_cache_alloc);
	check_trace_callback_type_kfree(kmt_probe_kfree);
	check_trace_callback_type_kmem_cache_free(kmt_probe_kmem_cache_free);
	check_trace_callback_type_mm_page_alloc(kmt_probe_mm_page_alloc);
	check_trace_callback_type_mm_page_free(kmt_probe_mm_page_free);
	check_trace_callback_type_percpu_alloc_percpu(kmt_probe_percpu_alloc);
	check_trace_callback_type_percpu_free_percpu(kmt_probe_percpu_free);
}

int __init kmt_probe_init(void)
{
	kmt_gate_init();
	preset_events();
	atomic_set(&sequence.next, seq_start);
	first = seq_start;
	return 0;
}

void kmt_probe_start(void)
{
	first = kmt_probe_sequence();
	kmt_clock_start();
}

u32 kmt_probe_sequence(void)
{
	return atomic_read(&sequence.next);
}

u32 kmt_probe_events(void)
{
	return kmt_probe_sequence() - READ_ONCE(first);
}

u64 kmt_probe_nested(void)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(nested, cpu));
	return sum;
}
