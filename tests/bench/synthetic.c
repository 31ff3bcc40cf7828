// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "kmt_record.h"
#include "random.h"
#include "synthetic.h"
#include "trace/trace_format.h"

#define LIVE_MORE 64536 /* maximum number of live allocations above the minimum */
#define SITES	 1500
#define RUN_MAX	 200 /* maximum number of consecutive records of one CPU */
#define DEPTH	 8

struct object {
	uint64_t ptr;
	uint8_t type;
	uint8_t order;
	uint16_t cache;
};

static struct object *live;
static size_t nr_live, live_min;
static uint64_t *pool; /* free addresses, last in, first out */
static size_t nr_pool;
static uint64_t state = 1;

static uint8_t pieces[SYNTHETIC_CPUS_MAX][TRACE_DATA_MAX];
static size_t used[SYNTHETIC_CPUS_MAX];

static uint32_t rnd(uint32_t below)
{
	return random_below(&state, below);
}

static void make_alloc(struct kmt_event *ev)
{
	uint32_t kind = rnd(100);
	struct object *o = &live[nr_live++];

	ev->event_id = KMEMTRACE_EVENT_ALLOC;
	ev->call_site = 0xffffffff81000000ull + 64 * rnd(SITES) * (1 + rnd(2));
	ev->gfp_flags = 0xcc0;
	ev->node = -1;
	ev->order = 0;
	ev->migratetype = 0;
	ev->ptr = pool[--nr_pool];
	if (kind < 45) {
		ev->type_id = KMEMTRACE_TYPE_KMALLOC;
		ev->bytes_alloc = 8u << rnd(8);
		ev->bytes_req = ev->bytes_alloc - rnd(ev->bytes_alloc / 2);
	} else if (kind < 85) {
		ev->type_id = KMEMTRACE_TYPE_CACHE;
		ev->cache = 1 + rnd(150);
		ev->bytes_req = 40 + ev->cache * 8;
		ev->bytes_alloc = (ev->bytes_req + 63) & ~63;
	} else {
		ev->type_id = KMEMTRACE_TYPE_PAGES;
		ev->order = rnd(10) ? 0 : rnd(4);
		ev->ptr += 1ull << 36;
		ev->bytes_req = ev->bytes_alloc = 4096u << ev->order;
	}
	*o = (struct object){ ev->ptr, ev->type_id, ev->order, ev->cache };
}

static void make_free(struct kmt_event *ev)
{
	/* most allocations live for a short time, some for a long time */
	size_t i = rnd(4) ? nr_live - 1 - rnd(nr_live < 64 ? nr_live : 64) :
			    rnd(nr_live);
	struct object o = live[i];

	live[i] = live[--nr_live];
	ev->event_id = KMEMTRACE_EVENT_FREE;
	ev->type_id = o.type;
	ev->call_site = 0xffffffff81400000ull + 64 * rnd(SITES);
	ev->ptr = o.ptr;
	ev->order = o.order;
	ev->cache = o.cache;
	ev->migratetype = -1;
	if (o.type == KMEMTRACE_TYPE_PAGES)
		o.ptr -= 1ull << 36;
	pool[nr_pool++] = o.ptr;
}

/* The outer a function is, the more paths have it in common. Most use the first path. */
static void make_stack(const struct kmt_event *ev, uint32_t paths,
		       struct kmt_extra *x)
{
	uint32_t path = rnd(4) ? 0 : rnd(paths);
	uint64_t at = (ev->call_site >> 6) * paths + path;
	int i;

	x->depth = DEPTH;
	x->stack[0] = ev->call_site;
	for (i = 1; i < DEPTH; i++, at /= 4)
		x->stack[i] = 0xffffffff81800000ull + 16 * (8 * at + i) % (1 << 20);
}

/* Return: bytes of the record. */
static size_t put_record(uint8_t *to, const struct kmt_event *ev, uint32_t paths)
{
	uint32_t features = KMT_FEATURES_ALL & ~KMT_FEATURES_EXTRA;
	size_t size = kmt_record_size(ev, features), more = 0;
	struct kmt_extra x = { 0 };

	if (paths) {
		features |= KMT_FEATURE_STACK;
		make_stack(ev, paths, &x);
		more = kmt_record_extra_size(&x, features);
	}
	kmt_record_encode(to, size + more, ev, features);
	kmt_record_encode_extra(to + size, &x, features);
	return size + more;
}

static void flush(const struct synthetic *s, uint32_t seq)
{
	unsigned int i;

	for (i = 0; i < s->cpus; i++) {
		s->put(s->arg, i, pieces[i], used[i], seq);
		used[i] = 0;
	}
}

static void make_events(const struct synthetic *s)
{
	unsigned int cpu = 0, run = 0;
	uint64_t n;

	for (n = 0; n < s->events; n++) {
		struct kmt_event ev = { .seq = n, .time = n * 100 };

		if (!run--) {
			cpu = rnd(s->cpus);
			run = rnd(RUN_MAX);
		}
		if (nr_live < live_min ||
		    (nr_live < live_min + LIVE_MORE && rnd(2)))
			make_alloc(&ev);
		else
			make_free(&ev);
		used[cpu] += put_record(pieces[cpu] + used[cpu], &ev, s->paths);
		if (used[cpu] > 512 * 1024 - 200)
			flush(s, n + 1);
	}
	flush(s, n);
}

bool synthetic_make(const struct synthetic *s)
{
	size_t most, i;
	bool ok;

	live_min = s->live;
	most = live_min + LIVE_MORE;
	live = calloc(most, sizeof(*live));
	pool = calloc(most + 1, sizeof(*pool));
	ok = live && pool;
	if (ok) {
		for (i = 0; i <= most; i++)
			pool[nr_pool++] = 0xffff888000000000ull + 32768 * i;
		make_events(s);
	}
	free(live);
	free(pool);
	return ok;
}
