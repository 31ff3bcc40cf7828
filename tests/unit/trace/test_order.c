// SPDX-License-Identifier: GPL-2.0-only
/*
 * A model of CPUs whose clocks differ. An object is passed from CPU to CPU in a message,
 * which takes time. The kernel trusts the clocks if no message arrives at a time that is
 * or before its start, on the clocks of the two CPUs. So the clocks differ by nearly as much
 * as a message takes. The events of an object must then come out as they were made.
 */
#include "kmt_compact.h"
#include "random.h"
#include "trace/order.h"
#include "trace/plain.h"
#include "trace/trace_format.h"
#include "unit.h"

#define CPUS	8
#define OBJECTS 40
#define EVENTS	20000
#define LATENCY 30 /* the shortest time of a message */

/**
 * struct cpu - a CPU of the model, and what came out
 * @offset: difference of its clock
 * @next: number of its next event
 * @made: records that were made, and not yet read
 * @size: bytes of @made
 * @mark: all records that come out later have at least this number
 */
static struct cpu {
	uint64_t offset;
	uint32_t next;
	uint8_t made[EVENTS * 64];
	size_t size;
	uint32_t mark;
} cpus[CPUS];

/**
 * struct object - an object that is allocated and freed in turn
 * @cpu: CPU of its last event
 * @time: real time of that event
 * @last: number of that event in the model
 */
static struct object {
	unsigned int cpu;
	uint64_t time;
	uint32_t last;
} objects[OBJECTS];

static struct order *o;
static uint64_t seed, now;
static uint32_t events, lost, came, inverted, taken[EVENTS + 1];
static bool swap;

static uint64_t clock_of(unsigned int cpu)
{
	return 1000000 + now + cpus[cpu].offset;
}

/* --- what comes out -------------------------------------------------------- */

static uint32_t last_seen[OBJECTS], seen[EVENTS * 2], nr_seen;

static void note(const struct kmt_event *ev, uint32_t cpu)
{
	uint32_t event = ev->call_site, object = ev->ptr / 64 - 1;

	ck_assert_uint_lt(object, OBJECTS);
	/* all streams together are in the order of their numbers only at the end */
	seen[ev->seq] = event + 1;
	ck_assert_uint_ge(ev->seq, cpus[cpu].mark);
	if (ev->seq >= nr_seen)
		nr_seen = ev->seq + 1;
	came++;
}

static void take(void *arg, uint32_t cpu, const void *data, size_t size,
		 uint32_t mark)
{
	const uint8_t *at = data;
	struct kmt_decoded dec;
	struct kmt_event ev;

	ck_assert_ptr_eq(arg, &seed);
	ck_assert_uint_le(size, ORDER_PUT_MAX);
	while (size) {
		int used = kmt_record_decode(at, size, false, &ev, &dec);

		ck_assert_int_gt(used, 0);
		ck_assert(!dec.unknown_id && !dec.bad && !dec.skipped_bytes);
		ck_assert_uint_lt(ev.seq, mark);
		note(&ev, cpu);
		at += used;
		size -= used;
	}
	if (cpu != TRACE_CPU_ABSENT)
		cpus[cpu].mark = mark;
}

/* Counts events that came out before an earlier event of the same object. */
static void count_inverted(void)
{
	uint32_t i;

	memset(last_seen, 0, sizeof(last_seen));
	for (i = 0; i < nr_seen; i++) {
		uint32_t event = seen[i], object;

		if (!event)
			continue;
		object = taken[event - 1];
		inverted += event < last_seen[object];
		last_seen[object] = event;
	}
}

/* --- the model ------------------------------------------------------------- */

static void swap_bytes(uint8_t *rec, const struct kmt_event *ev)
{
	static const uint8_t widths[] = { 1, 1, 2, 4, 8, 8, 8, 4, 4, 4, 2, 2 };
	size_t size = kmt_compact_size(ev->event_id, ev->type_id), at = 0, i, k;

	for (i = 0; at < size; i++) {
		for (k = 0; k < widths[i] / 2u; k++) {
			uint8_t byte = rec[at + k];

			rec[at + k] = rec[at + widths[i] - 1 - k];
			rec[at + widths[i] - 1 - k] = byte;
		}
		at += widths[i];
	}
}

static void put_event(unsigned int cpu, struct kmt_event *ev)
{
	struct cpu *c = &cpus[cpu];
	uint8_t *to = c->made + c->size;
	size_t size = kmt_compact_size(ev->event_id, ev->type_id);

	ev->seq = c->next++;
	ev->time = clock_of(cpu);
	if (!random_below(&seed, 50)) {
		lost++;
		return;
	}
	/* a value that does not fit makes a long record */
	if (!swap && !random_below(&seed, 10)) {
		if (ev->event_id == KMEMTRACE_EVENT_ALLOC)
			ev->bytes_alloc = 1ull << 40;
		c->size = unit_put(to, ev, KMT_FEATURE_TIME) - c->made;
		return;
	}
	kmt_compact_encode(to, size, ev);
	if (swap)
		swap_bytes(to, ev);
	c->size += size;
}

/* One step of an object, on a CPU that knows of the step before. */
static void make_event(void)
{
	uint32_t number = random_below(&seed, OBJECTS);
	unsigned int cpu = random_below(&seed, CPUS);
	struct object *object = &objects[number];
	struct kmt_event ev;

	if (cpu != object->cpu && now < object->time + LATENCY)
		return;
	ev = object->last % 2 ?
		     unit_free(0, KMEMTRACE_TYPE_KMALLOC, 64 * (number + 1)) :
		     unit_alloc(0, KMEMTRACE_TYPE_KMALLOC, 64 * (number + 1), 8);
	ev.call_site = events;
	taken[events++] = number;
	object->last++;
	object->cpu = cpu;
	object->time = now;
	put_event(cpu, &ev);
}

/* A CPU reads its clock, and then its records, all or some. */
static void read_cpu(unsigned int cpu, bool all)
{
	struct cpu *c = &cpus[cpu];
	struct kmt_decoded dec;
	struct kmt_event ev;
	size_t size = 0;

	while (size < c->size && (all || random_below(&seed, 8))) {
		int used = kmt_record_decode_any(c->made + size, c->size - size,
						 swap, &ev, &dec);

		ck_assert_int_gt(used, 0);
		size += used;
	}
	order_add(o, cpu, c->made, size);
	memmove(c->made, c->made + size, c->size - size);
	c->size -= size;
	if (!c->size)
		order_mark(o, cpu, clock_of(cpu));
	order_run(o);
}

/* A CPU is absent until its first record. */
static void mark_absent(void)
{
	unsigned int i;

	for (i = 0; i < CPUS; i++)
		if (cpus[i].size)
			order_mark(o, i, 0);
	order_mark(o, TRACE_CPU_ABSENT, 1000000 + now);
}

static void begin(uint64_t number, uint32_t difference)
{
	unsigned int i;

	seed = number;
	now = events = lost = came = inverted = nr_seen = 0;
	memset(seen, 0, sizeof(seen));
	memset(objects, 0, sizeof(objects));
	o = order_create(&(struct order_setup){
		.put = take,
		.arg = &seed,
		.features = KMT_FEATURES_COMPACT,
		.swap = swap,
	});
	ck_assert_ptr_nonnull(o);
	for (i = 0; i < CPUS; i++) {
		cpus[i].offset = random_below(&seed, difference + 1);
		/* numbers wrap */
		cpus[i].next = random_below(&seed, 1000) - 500;
		cpus[i].size = cpus[i].mark = 0;
		order_start(o, i, cpus[i].next);
	}
}

static void run_model(uint64_t number, uint32_t difference)
{
	unsigned int i;

	begin(number, difference);
	while (events < EVENTS) {
		now += random_below(&seed, 4);
		make_event();
		if (!random_below(&seed, 20))
			read_cpu(random_below(&seed, CPUS), false);
		if (!random_below(&seed, 500))
			order_flush(o);
		if (!random_below(&seed, 100))
			mark_absent();
	}
	for (i = 0; i < CPUS; i++)
		read_cpu(i, true);
	order_finish(o);
	for (i = 0; i < CPUS; i++)
		order_end(o, i, cpus[i].next);
	count_inverted();
	ck_assert_uint_eq(came + lost, events);
	ck_assert_uint_eq(order_next(o), events);
	ck_assert_uint_eq(order_held(o), 0);
	order_destroy(o);
}

START_TEST(nothing_is_inverted_as_long_as_the_kernel_trusts_the_clocks)
{
	int i;

	for (i = 0; i < 6; i++) {
		run_model(i, LATENCY - 1);
		ck_assert_uint_eq(inverted, 0);
	}
}
END_TEST

START_TEST(clocks_that_differ_more_are_noticed)
{
	uint32_t all = 0;
	int i;

	for (i = 0; i < 5; i++) {
		run_model(i, 4 * LATENCY);
		all += inverted;
	}
	ck_assert_uint_gt(all, 0);
}
END_TEST

START_TEST(the_other_byte_order)
{
	swap = true;
	run_model(7, LATENCY - 1);
	swap = false;
	ck_assert_uint_eq(inverted, 0);
}
END_TEST

/* --- single cases ---------------------------------------------------------- */

static uint32_t order_of[16], nr_order;
static uint32_t features_seen;

static void keep(void *arg, uint32_t cpu, const void *data, size_t size,
		 uint32_t mark)
{
	const uint8_t *at = data;
	struct kmt_decoded dec;
	struct kmt_event ev;
	int used;

	(void)arg;
	(void)cpu;
	(void)mark;
	while (size && (used = kmt_record_decode(at, size, false, &ev, &dec)) > 0) {
		order_of[ev.seq] = ev.call_site;
		features_seen = ev.features;
		if (ev.seq >= nr_order)
			nr_order = ev.seq + 1;
		at += used;
		size -= used;
	}
}

static void start(uint32_t features)
{
	memset(order_of, 0, sizeof(order_of));
	nr_order = 0;
	o = order_create(&(struct order_setup){ .put = keep,
						.features = features });
	ck_assert_ptr_nonnull(o);
}

/* Adds an event of a kmalloc; its name is a number above 0. */
static void add(uint32_t cpu, uint32_t number, uint64_t time, uint32_t name,
		uint8_t event_id)
{
	struct kmt_event ev = event_id ?
				      unit_free(number, KMEMTRACE_TYPE_PAGES, 64) :
				      unit_alloc(number, KMEMTRACE_TYPE_PAGES, 64, 8);
	uint8_t rec[64];
	size_t size = kmt_compact_size(ev.event_id, ev.type_id);

	ev.call_site = name;
	ev.time = time;
	kmt_compact_encode(rec, size, &ev);
	order_add(o, cpu, rec, size);
	order_run(o);
}

static void finish(void)
{
	order_finish(o);
	order_destroy(o);
}

START_TEST(a_free_comes_before_an_allocation_of_the_same_time)
{
	start(0);
	order_mark(o, TRACE_CPU_ABSENT, 0);
	add(0, 0, 50, 2, KMEMTRACE_EVENT_ALLOC);
	add(1, 0, 50, 1, KMEMTRACE_EVENT_FREE);
	finish();
	ck_assert_uint_eq(nr_order, 2);
	ck_assert_uint_eq(order_of[0], 1);
	ck_assert_uint_eq(order_of[1], 2);
}
END_TEST

/* The records of one CPU are in the order of their numbers, whatever the times. */
START_TEST(a_time_that_steps_back_does_not_count)
{
	start(0);
	add(0, 0, 50, 1, KMEMTRACE_EVENT_ALLOC);
	add(0, 1, 40, 2, KMEMTRACE_EVENT_FREE);
	add(1, 0, 45, 3, KMEMTRACE_EVENT_FREE);
	finish();
	ck_assert_uint_eq(order_of[0], 3);
	ck_assert_uint_eq(order_of[1], 1);
	ck_assert_uint_eq(order_of[2], 2);
}
END_TEST

START_TEST(waits_for_cpus_that_may_have_earlier_records)
{
	start(0);
	order_mark(o, 1, 10);
	add(0, 0, 20, 1, KMEMTRACE_EVENT_ALLOC);
	order_flush(o);
	ck_assert_uint_eq(nr_order, 0); /* CPU 1, and absent ones */
	order_mark(o, TRACE_CPU_ABSENT, 30);
	order_run(o);
	order_flush(o);
	ck_assert_uint_eq(nr_order, 0); /* CPU 1 */
	order_mark(o, 1, 20);
	order_run(o);
	order_flush(o);
	ck_assert_uint_eq(nr_order, 0); /* a free at the same time */
	ck_assert(order_needs(o, 1) && !order_needs(o, 0));
	add(1, 0, 20, 2, KMEMTRACE_EVENT_FREE);
	order_flush(o);
	ck_assert_uint_eq(order_of[0], 2);
	ck_assert_uint_eq(nr_order, 1); /* CPU 1 may have another free */
	order_close(o, 1);
	ck_assert(!order_needs(o, 1));
	order_run(o);
	order_flush(o);
	ck_assert_uint_eq(nr_order, 2);
	finish();
}
END_TEST

/* They come just before the next record of the same CPU, or at the end. */
START_TEST(missing_numbers_stay_missing)
{
	uint64_t first;

	start(0);
	order_start(o, 0, 0xfffffffe);
	order_start(o, 2, 5);
	add(0, 0, 10, 1, KMEMTRACE_EVENT_ALLOC); /* 2 are missing */
	add(1, 7, 5, 2, KMEMTRACE_EVENT_ALLOC); /* its start is not known */
	add(1, 9, 15, 3, KMEMTRACE_EVENT_ALLOC);
	order_finish(o);
	ck_assert_uint_eq(order_of[0], 2);
	ck_assert_uint_eq(order_of[3], 1);
	ck_assert_uint_eq(order_of[5], 3);
	ck_assert(order_first(o, 0, &first) && first == 3);
	ck_assert(!order_first(o, 2, &first));
	ck_assert_uint_eq(order_next(o), 6);
	order_end(o, 0, 1);
	order_end(o, 1, 12);
	order_end(o, 2, 8); /* all its records are missing */
	ck_assert_uint_eq(order_next(o), 11);
	order_destroy(o);
}
END_TEST

START_TEST(features_that_nobody_wants_are_left_out)
{
	start(KMT_FEATURES_COMPACT);
	add(0, 0, 10, 1, KMEMTRACE_EVENT_ALLOC);
	finish();
	ck_assert_uint_eq(features_seen, KMT_FEATURE_TIME | KMT_FEATURE_PAGE);
	start(KMT_FEATURE_TIME);
	add(0, 0, 10, 1, KMEMTRACE_EVENT_ALLOC);
	finish();
	ck_assert_uint_eq(features_seen, KMT_FEATURE_TIME);
}
END_TEST

static uint8_t came_out[128];
static size_t came_size;

static void keep_bytes(void *arg, uint32_t cpu, const void *data, size_t size,
		       uint32_t mark)
{
	(void)arg;
	(void)cpu;
	(void)mark;
	if (size)
		memcpy(came_out + came_size, data, size);
	came_size += size;
}

/* Puts one compact record through; @tail: bytes of an unknown feature behind it. */
static void put_through(const struct kmt_event *ev, uint16_t cache, uint32_t features,
			size_t tail)
{
	size_t core = kmt_compact_size(ev->event_id, ev->type_id);
	uint8_t rec[64];

	came_size = 0;
	o = order_create(&(struct order_setup){ .put = keep_bytes, .features = features });
	kmt_compact_encode(rec, core + tail, ev);
	if (ev->type_id == KMEMTRACE_TYPE_CACHE)
		kmt_compact_put_cache(rec, ev->event_id, cache);
	memcpy(rec + core, "\x08\0\xc8.....", tail);
	order_add(o, 0, rec, core + tail);
	finish();
}

static void check_usual(const struct kmt_event *ev, uint16_t cache, uint32_t features)
{
	uint8_t usual[64];
	size_t size;

	put_through(ev, cache, features, 0);
	size = came_size;
	memcpy(usual, came_out, size);
	put_through(ev, cache, features, 8);
	ck_assert_uint_eq(came_size, size + 8);
	((struct kmemtrace_event *)came_out)->event_size -= 8;
	ck_assert_mem_eq(came_out, usual, size);
}

/* A record without a tail is not decoded. It must come out as if it were. */
START_TEST(usual_records_come_out_as_others)
{
	static const uint16_t caches[] = { 0, 7, 65534, KMEMTRACE_CACHE_OFF };
	uint32_t features, type, i;

	for (features = 0; features <= KMT_FEATURES_COMPACT; features++)
		for (type = 0; type <= KMEMTRACE_TYPE_PERCPU; type++)
			for (i = 0; i < 4; i++) {
				struct kmt_event alloc = unit_alloc(3, type, 64, 8);
				struct kmt_event free = unit_free(4, type, 72);

				alloc.time = free.time = 1ull << 40;
				alloc.node = i - 1;
				alloc.gfp_flags = 0x80000cc0;
				alloc.order = free.order = 3;
				alloc.migratetype = free.migratetype = i - 1;
				check_usual(&alloc, caches[i], features);
				check_usual(&free, caches[i], features);
			}
}
END_TEST

#define STREAMS 3
#define MIXED	900

static uint8_t ordered[STREAMS][MIXED * 64];
static size_t ordered_size[STREAMS];

static void keep_ordered(void *arg, uint32_t cpu, const void *data, size_t size,
			 uint32_t mark)
{
	const uint8_t *end = (const uint8_t *)data + size, *at = data;
	struct kmt_decoded dec;
	struct kmt_event ev;
	int used;

	(void)arg;
	ck_assert_uint_le(size, ORDER_PUT_MAX);
	for (; size && at < end; at += used) {
		uint8_t *to = ordered[cpu] + ordered_size[cpu];

		used = kmt_record_decode_any(at, end - at, false, &ev, &dec);
		ck_assert_int_gt(used, 0);
		ck_assert_int_lt((int32_t)(ev.seq - mark), 0);
		if (plain_is_compact(at, &dec)) {
			plain_keep(&ev, KMT_FEATURE_TIME | KMT_FEATURE_CACHE);
			ordered_size[cpu] += plain_put(to, &ev, ev.features, used,
						       plain_tail(&ev, ev.features, used));
		} else {
			memcpy(to, at, used);
			ordered_size[cpu] += used;
		}
	}
}

/* Records of all kinds: usual ones, ones with a further feature, and plain ones. */
static size_t put_mixed(uint8_t *to, uint32_t i)
{
	struct kmt_event ev = i % 3 ? unit_alloc(i / STREAMS, i % 4, 64 * i, 8) :
				      unit_free(i / STREAMS, i % 4, 64 * i + 64);
	size_t tail = i % 5 ? 0 : 8, size = kmt_compact_size(ev.event_id, ev.type_id) + tail;

	ev.time = 1000 + i / 2;
	if (i % 7 == 0) {
		size = kmt_record_size(&ev, KMT_FEATURE_TIME);
		kmt_record_encode(to, size, &ev, KMT_FEATURE_TIME);
	} else {
		kmt_compact_encode(to, size, &ev);
		memcpy(to + size - tail, "\x08\0\xc8.....", tail);
	}
	return size;
}

static void order_mixed(bool compact)
{
	uint8_t piece[2048];
	uint32_t i, n;
	size_t size;

	o = order_create(&(struct order_setup){
		.put = keep_ordered,
		.features = KMT_FEATURE_TIME | KMT_FEATURE_CACHE,
		.compact = compact,
	});
	memset(ordered_size, 0, sizeof(ordered_size));
	for (i = 0; i < MIXED; i += 30) {
		for (n = size = 0; n < 30; n++)
			size += put_mixed(piece + size, i + n);
		order_add(o, i / 30 % STREAMS, piece, size);
		/* in the middle of a piece */
		order_mark(o, TRACE_CPU_ABSENT, 1000 + i / 2);
		order_run(o);
		if (i % 4)
			order_flush(o);
	}
	finish();
}

/* They have the same numbers, and are the same once they are plain. */
START_TEST(records_can_stay_compact)
{
	static uint8_t plain[STREAMS][MIXED * 64];
	size_t size[STREAMS];
	unsigned int cpu;

	order_mixed(false);
	memcpy(plain, ordered, sizeof(plain));
	memcpy(size, ordered_size, sizeof(size));
	order_mixed(true);
	for (cpu = 0; cpu < STREAMS; cpu++) {
		ck_assert_uint_gt(size[cpu], 0);
		ck_assert_uint_eq(ordered_size[cpu], size[cpu]);
		ck_assert_mem_eq(ordered[cpu], plain[cpu], size[cpu]);
	}
}
END_TEST

static size_t broken_bytes;

static void keep_broken(void *arg, uint32_t cpu, const void *data, size_t size,
			uint32_t mark)
{
	struct kmt_decoded dec;
	struct kmt_event ev;

	(void)arg;
	(void)cpu;
	(void)mark;
	if (size && kmt_record_decode(data, size, false, &ev, &dec) < 0)
		broken_bytes += size;
}

/* Then the reader of the file finds them, and reports them. */
START_TEST(bytes_that_are_no_record_are_kept)
{
	uint8_t rec[64] = { 2, 0, 4, 0 };
	int compact;

	for (compact = 0; compact < 2; compact++) {
		broken_bytes = 0;
		o = order_create(&(struct order_setup){ .put = keep_broken,
							.compact = compact });
		order_add(o, 3, rec, sizeof(rec));
		order_finish(o);
		order_destroy(o);
		ck_assert_uint_eq(broken_bytes, sizeof(rec));
	}
}
END_TEST

static void ignore(void *arg, uint32_t cpu, const void *data, size_t size,
		   uint32_t mark)
{
	(void)arg, (void)cpu, (void)data, (void)size, (void)mark;
}

/* Return: the number after those of two CPUs, which begin with a high number. */
static uint32_t next_after_late_starts(bool kept)
{
	uint32_t cpu, next;

	o = order_create(&(struct order_setup){ .put = ignore, .kept = kept });
	ck_assert_ptr_nonnull(o);
	for (cpu = 0; cpu < 2; cpu++) {
		order_start(o, cpu, 0);
		add(cpu, 1500000000, 10 + cpu, 1, KMEMTRACE_EVENT_FREE);
	}
	order_finish(o);
	next = order_next(o);
	order_destroy(o);
	return next;
}

/* Else numbers that are close in time differ by more than readers allow. */
START_TEST(records_that_were_overwritten_take_few_numbers)
{
	ck_assert_uint_eq(next_after_late_starts(false), 3000000002u);
	ck_assert_uint_eq(next_after_late_starts(true), 2 * ORDER_KEPT_GAP + 2);
}
END_TEST

UNIT_MAIN("order", nothing_is_inverted_as_long_as_the_kernel_trusts_the_clocks,
	  clocks_that_differ_more_are_noticed, the_other_byte_order,
	  a_free_comes_before_an_allocation_of_the_same_time,
	  a_time_that_steps_back_does_not_count,
	  waits_for_cpus_that_may_have_earlier_records,
	  missing_numbers_stay_missing,
	  features_that_nobody_wants_are_left_out,
	  usual_records_come_out_as_others, records_can_stay_compact,
	  bytes_that_are_no_record_are_kept,
	  records_that_were_overwritten_take_few_numbers)
