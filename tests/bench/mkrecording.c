// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a recording of any length, to measure the command report:
 *
 *   mkrecording FILE EVENTS [CPUS [LIVE [PATHS]]]
 *
 * The recording is similar to one of a busy machine, and is deterministic. LIVE is the
 * minimum number of live allocations, once this number of allocations has been made.
 * With PATHS, each record has a stack of eight addresses, one of PATHS for its call site.
 */
#include <stdio.h>
#include <stdlib.h>

#include "kmt_record.h"
#include "random.h"
#include "trace/writer.h"

#define LIVE_MIN 1000
#define LIVE_MORE 64536 /* maximum number of live allocations above the minimum */
#define CPUS_MAX 64
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
static size_t nr_live, live_min = LIVE_MIN;
static uint64_t *pool; /* free addresses, last in, first out */
static size_t nr_pool;
static uint64_t state = 1;

static uint8_t pieces[CPUS_MAX][TRACE_DATA_MAX];
static size_t used[CPUS_MAX];

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

static void flush(struct trace_writer *w, unsigned int cpus, uint32_t seq)
{
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		trace_writer_data(w, i, pieces[i], used[i], seq, true);
		used[i] = 0;
	}
	/* there are no other CPUs */
	trace_writer_data(w, TRACE_CPU_ABSENT, NULL, 0, seq, true);
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

static void make_events(struct trace_writer *w, uint64_t events,
			unsigned int cpus, uint32_t paths)
{
	unsigned int cpu = 0, run = 0;
	uint64_t n;

	for (n = 0; n < events; n++) {
		struct kmt_event ev = { .seq = n, .time = n * 100 };

		if (!run--) {
			cpu = rnd(cpus);
			run = rnd(RUN_MAX);
		}
		if (nr_live < live_min ||
		    (nr_live < live_min + LIVE_MORE && rnd(2)))
			make_alloc(&ev);
		else
			make_free(&ev);
		used[cpu] += put_record(pieces[cpu] + used[cpu], &ev, paths);
		if (used[cpu] > 512 * 1024 - 200)
			flush(w, cpus, n + 1);
	}
	flush(w, cpus, n);
}

int main(int argc, char **argv)
{
	unsigned int cpus = argc > 3 ? atoi(argv[3]) : 4;
	uint64_t events = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
	uint32_t paths = 0;
	size_t most;
	struct trace_writer *w;
	char text[200];
	uint64_t i;
	int n;

	if (argc > 4)
		live_min = strtoul(argv[4], NULL, 0);
	if (argc > 5)
		paths = strtoul(argv[5], NULL, 0);
	if (!events || !cpus || cpus > CPUS_MAX || !live_min ||
	    trace_writer_create(argv[1], true, &w)) {
		fputs("usage: mkrecording FILE EVENTS [CPUS [LIVE [PATHS]]]\n", stderr);
		return 2;
	}
	most = live_min + LIVE_MORE;
	live = calloc(most, sizeof(*live));
	pool = calloc(most + 1, sizeof(*pool));
	if (!live || !pool)
		return 1;
	for (i = 0; i <= most; i++)
		pool[nr_pool++] = 0xffff888000000000ull + 32768 * i;
	n = snprintf(text, sizeof(text),
		     "release=synthetic\npage_size=4096\nseq_start=0\n");
	trace_writer_text(w, TRACE_META, text, n);
	make_events(w, events, cpus, paths);
	n = snprintf(text, sizeof(text),
		     "seq_end=%u\nevents=%llu\nlost_events=0\n",
		     (uint32_t)events, (unsigned long long)events);
	trace_writer_text(w, TRACE_END, text, n);
	free(live);
	free(pool);
	return trace_writer_destroy(w, true) ? 1 : 0;
}
