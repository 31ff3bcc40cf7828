// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records are stored in columns and read back. Their bytes are then the same, or the
 * records are refused.
 */
#include <stdio.h>

#include "random.h"
#include "packing.h"
#include "trace/unpack.h"
#include "unit.h"

#define RECORDS 3000
#define ROOM	(RECORDS * KMT_RECORD_MAX)
/* sequence numbers wrap around during the tests */
#define FIRST 0xfffffc00u

static struct packing *pack;
static struct unpack with, without; /* bytes of records */
static struct stackdefs defs;
static ZSTD_CCtx *cctx;
static struct unzstd unzstd;

static void setup(void)
{
	pack = packing_create();
	cctx = ZSTD_createCCtx();
	ck_assert(pack && cctx);
	stackdefs_init(&defs);
	unpack_init(&with, WANT_RECORDS, &defs);
	unpack_init(&without, WANT_EVENTS, NULL);
}

static void teardown(void)
{
	packing_destroy(pack);
	unpack_exit(&with);
	unpack_exit(&without);
	stackdefs_exit(&defs);
	ZSTD_freeCCtx(cctx);
	unzstd_exit(&unzstd);
}

static uint64_t random_ptr(uint64_t *random)
{
	static const uint64_t odd[] = { 0, 1, 0x1003, UINT64_MAX, 1ull << 63 };

	if (!random_below(random, 20))
		return odd[random_below(random, 5)];
	return 0xffff888000000000ull + 64 * random_below(random, 300);
}

static struct kmt_event random_event(uint64_t *random)
{
	struct kmt_event ev = {
		.event_id = random_below(random, 2),
		.type_id = random_below(random, 4),
		.call_site = 0xffffffff81000000ull + random_below(random, 400),
		.ptr = random_ptr(random),
	};

	if (!random_below(random, 50))
		ev.call_site = random_below(random, 2) ? 0 : 0x1234567890;
	if (ev.event_id == KMEMTRACE_EVENT_ALLOC) {
		ev.bytes_req = 1 + random_below(random, 5);
		ev.bytes_alloc = ev.bytes_req << random_below(random, 40);
		ev.gfp_flags = random_below(random, 3) * 0x7ffff000u;
		ev.node = (int)random_below(random, 3) - 1;
	} else if (!ev.ptr) {
		ev.ptr = 8; /* a free of NULL is a violation */
	}
	if (ev.type_id == KMEMTRACE_TYPE_CACHE)
		ev.cache = random_below(random, 65536);
	if (ev.type_id == KMEMTRACE_TYPE_PAGES) {
		ev.order = random_below(random, 256);
		ev.migratetype = (int)random_below(random, 256) - 128;
	}
	return ev;
}

static void random_extra(uint64_t *random, struct kmt_extra *x)
{
	static const uint64_t callers[] = { 0, UINT64_MAX, 1ull << 40,
					    0xffffffff81000010ull };
	unsigned int i;

	if (random_below(random, 2))
		return; /* same as in the previous record */
	x->pid = random_below(random, 5) - 1;
	x->tgid = random_below(random, 2) ? x->pid : INT32_MIN;
	x->context = random_below(random, 256);
	x->preempt_count = random_below(random, 16);
	snprintf(x->comm, sizeof(x->comm), "task%u", random_below(random, 9));
	x->comm[14] = random_below(random, 2); /* behind the terminating 0 */
	x->cgroup = random_below(random, 3) * (UINT64_MAX / 3);
	x->depth = random_below(random, 8) ? random_below(random, 5) :
					    KMT_STACK_MAX;
	for (i = 0; i < x->depth; i++)
		x->stack[i] = callers[random_below(random, 4)];
}

/* Return: @features, or random ones if 0, without those that @ev cannot have. */
static uint32_t random_features(uint64_t *random, uint32_t features,
				const struct kmt_event *ev)
{
	if (!features)
		features = random_below(random, 64) << 1;
	if (ev->type_id != KMEMTRACE_TYPE_CACHE)
		features &= ~KMT_FEATURE_CACHE;
	if (ev->type_id != KMEMTRACE_TYPE_PAGES)
		features &= ~KMT_FEATURE_PAGE;
	return features;
}

static size_t make_records(uint64_t random, uint8_t *to, uint32_t count,
			   uint32_t features)
{
	uint32_t i, seq = FIRST;
	uint64_t time = 1ull << 40;
	struct kmt_extra x = { 0 };
	uint8_t *end = to;

	for (i = 0; i < count; i++) {
		struct kmt_event ev = random_event(&random);

		ev.seq = seq;
		ev.time = time;
		random_extra(&random, &x);
		end = unit_put_extra(end, &ev, &x,
				     random_features(&random, features, &ev));
		seq += 1 + (random_below(&random, 9) ? 0 :
						      random_below(&random, 999));
		time += random_below(&random, 99) ?
				random_below(&random, 3000) :
				-(uint64_t)random_below(&random, 99) * 99999;
	}
	return end - to;
}

/* Return: the size in a file, in bytes; 0: refused. */
static size_t store(const uint8_t *data, size_t size, uint8_t *to)
{
	const struct columns *c = packing_records(pack, data, size);
	const struct numbered *stacks = &pack->stacks;

	if (stacks->size)
		ck_assert_int_eq(stackdefs_add(&defs, stacks->first,
					       stacks->definitions, stacks->size),
				 0);
	return c ? packing_store(c, cctx, to, ROOM) : 0;
}

/* Without the bytes of records, events are the same. The 64-bit numbers do not wrap. */
static void check_events(const uint8_t *stored, size_t n, const uint8_t *data,
			 size_t size)
{
	uint64_t first = (1ull << 32) + FIRST, last = first;
	struct kmt_event ev, expected;
	struct kmt_decoded dec;
	size_t pos = 0;
	bool same = true;

	ck_assert(unpack_open(&without, &unzstd, stored, n, size, first));
	while (pos < size) {
		pos += kmt_record_decode(data + pos, size - pos, false,
					 &expected, &dec);
		expected.rec = NULL;
		memset(&ev, 0, sizeof(ev)); /* the padding, too */
		last += expected.seq - (uint32_t)last;
		expected.wraps = last >> 32;
		same = same && unpack_left(&without) && without.now.seq == last &&
		       unpack_next(&without, &ev);
		same = same && !memcmp(&ev, &expected, sizeof(ev));
	}
	ck_assert(same);
	ck_assert_uint_eq(unpack_left(&without), 0);
	ck_assert_uint_eq(without.last, last);
}

static void check_records(const uint8_t *data, size_t size)
{
	uint8_t *stored = malloc(ROOM), *back = malloc(size + KMT_RECORD_MAX);
	size_t n = store(data, size, stored);

	ck_assert_uint_gt(n, 0);
	ck_assert(unpack_open(&with, &unzstd, stored, n, size, FIRST));
	ck_assert(unpack_all(&with, back, size + KMT_RECORD_MAX));
	ck_assert_int_eq(memcmp(back, data, size), 0);
	check_events(stored, n, data, size);
	ck_assert_uint_eq(defs.undefined, 0);
	free(stored);
	free(back);
}

START_TEST(comes_back)
{
	static const uint32_t counts[] = { 1, 2, 3, 700, RECORDS, 5 };
	static const uint32_t features[] = {
		0, KMT_FEATURE_TIME, KMT_FEATURES_ALL & ~KMT_FEATURES_EXTRA,
		KMT_FEATURES_ALL
	};
	uint8_t *data = malloc(ROOM);
	size_t i, k;

	setup();
	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		for (k = 0; k < 4; k++)
			check_records(data,
				      make_records(i, data, counts[i],
						   features[k]));
	teardown();
	free(data);
}
END_TEST

/* A chunk has its maximum number of records, each with another call site and address. */
START_TEST(as_many_as_there_can_be)
{
	uint8_t *data = malloc(TRACE_DATA_MAX), *end = data;
	uint32_t i;

	setup();
	for (i = 0; end + KMT_FREE_SIZE <= data + TRACE_DATA_MAX; i++) {
		struct kmt_event ev = unit_free(FIRST + i, i % 4, i * 8 + 8);

		ev.call_site = i * 0x123456789;
		end = unit_put(end, &ev, 0);
	}
	ck_assert_uint_eq(i, COLUMNS_RECORDS_MAX);
	check_records(data, end - data);
	teardown();
	free(data);
}
END_TEST

/* An index that is not cleared must not find entries of the previous chunk. */
START_TEST(chunks_are_independent)
{
	uint8_t data[2][4096], stored[2][4096];
	size_t size[2], n, i;

	setup();
	for (i = 0; i < 2; i++)
		size[i] = make_records(i, data[i], 40, KMT_FEATURE_TIME);
	n = store(data[1], size[1], stored[0]);
	/* stacks have been defined from now on */
	n = store(data[1], size[1], stored[0]);
	for (i = 0; i < 100; i++) {
		store(data[0], size[0], stored[1]);
		ck_assert_uint_eq(store(data[1], size[1], stored[1]), n);
		ck_assert_int_eq(memcmp(stored[0], stored[1], n), 0);
	}
	teardown();
}
END_TEST

/* Make a record that columns cannot store. @way: 0 to 8, the reason. */
static size_t spoil(unsigned int way, uint8_t *to)
{
	struct kmt_event ev = unit_alloc(FIRST + 5, 0, 4096, 100);
	struct kmemtrace_event *head = (void *)to;
	uint32_t features = KMT_FEATURE_TIME;
	struct kmt_extra x = { 0 };
	size_t size;

	if (way == 0)
		ev.seq = FIRST; /* repeated number */
	if (way == 1)
		ev.bytes_alloc = 99;
	if (way == 2)
		features |= KMT_FEATURE_TASK;
	size = unit_put_extra(to, &ev, &x, features) - to;
	switch (way) {
	case 2:
		to[size - 1] = 1; /* a comm without a terminating 0 */
		break;
	case 3:
		head->type_id = 9;
		break;
	case 4:
		to[size++] = 0; /* a byte behind the features */
		head->event_size++;
		break;
	case 5:
		to[KMT_ALLOC_SIZE + 2] = 77; /* an unknown feature */
		break;
	case 6:
		head->event_size = 3;
		break;
	case 7:
		size--; /* cut short */
		break;
	case 8: /* a feature of another type of event */
		to[KMT_ALLOC_SIZE] = 5;
		to[KMT_ALLOC_SIZE + 2] = KMEMTRACE_FEATURE_CACHE;
		head->event_size = size = KMT_ALLOC_SIZE + 5;
		break;
	}
	return size;
}

START_TEST(refuses_records_it_would_change)
{
	struct kmt_event ev = unit_free(FIRST, 0, 4096);
	uint8_t data[256], stored[4096], *end;
	unsigned int way;

	setup();
	end = unit_put(data, &ev, KMT_FEATURE_TIME);
	ck_assert_uint_gt(store(data, end - data, stored), 0);
	for (way = 0; way < 9; way++)
		ck_assert_uint_eq(store(data, end - data + spoil(way, end),
					stored),
				  0);
	teardown();
}
END_TEST

START_TEST(a_small_buffer_is_refused)
{
	uint8_t data[4096], stored[4096];
	size_t size, n, room;

	setup();
	size = make_records(1, data, 30, KMT_FEATURE_TIME);
	n = store(data, size, stored);
	for (room = 0; room < n; room++)
		ck_assert_uint_eq(packing_store(packing_records(pack, data, size),
						cctx, stored, room),
				  0);
	teardown();
}
END_TEST

/* Read columns that may be damaged. This must not crash or exceed the buffer. */
static void read_all(const uint8_t *stored, size_t n, size_t raw_size)
{
	uint8_t *back = malloc(raw_size + KMT_RECORD_MAX);
	struct kmt_event ev;

	if (unpack_open(&with, &unzstd, stored, n, raw_size, FIRST))
		unpack_all(&with, back, raw_size + KMT_RECORD_MAX);
	if (unpack_open(&without, &unzstd, stored, n, raw_size, FIRST))
		while (unpack_left(&without) && unpack_next(&without, &ev))
			;
	free(back);
}

START_TEST(survives_mutations)
{
	uint8_t data[8192], good[8192], *bad;
	uint64_t random = 3;
	size_t size, n, i, k;

	setup();
	for (i = 0; i < 20000; i++) {
		/* few records are stored uncompressed */
		size = make_records(i % 7, data, 1 + i % 7 * 3,
				    i % 2 ? 0 : KMT_FEATURES_ALL);
		n = store(data, size, good);
		ck_assert_uint_gt(n, 0);
		bad = malloc(n); /* ASan reports reads behind its end */
		memcpy(bad, good, n);
		for (k = 0; k < 1 + i % 4; k++)
			bad[random_below(&random, n)] = random_below(&random, 256);
		read_all(bad, n - (i % 3 ? 0 : random_below(&random, n)), size);
		free(bad);
	}
	teardown();
}
END_TEST

/* One record, but all columns are empty. */
START_TEST(empty_columns)
{
	const uint8_t stored[1 + COLUMNS] = { 1 };
	struct kmt_event ev;
	struct unpack u;

	unpack_init(&u, WANT_EVENTS, NULL);
	ck_assert(unpack_open(&u, &unzstd, stored, sizeof(stored), KMT_FREE_SIZE, 7));
	ck_assert_uint_eq(unpack_left(&u), 1);
	ck_assert(!unpack_next(&u, &ev));
	unpack_exit(&u);
}
END_TEST

UNIT_MAIN("columns", comes_back, as_many_as_there_can_be,
	  chunks_are_independent, refuses_records_it_would_change,
	  a_small_buffer_is_refused, survives_mutations,
	  empty_columns)
