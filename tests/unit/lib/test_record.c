// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

/* Written by hand from the ABI text of 2008, little endian. */
static const uint8_t alloc_2008[] = {
	0x00,				  /* event id: allocation */
	0x00,				  /* type id: kmalloc */
	0x30, 0x00,			  /* event size: 48 */
	0xfe, 0xff, 0xff, 0xff,		  /* sequence number: -2 */
	0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, /* caller */
	0x80, 0x00, 0x00, 0x04, 0x80, 0x88, 0xff, 0xff, /* pointer */
	0x89, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* requested: 137 */
	0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* allocated: 192 */
	0xc0, 0x0c, 0x00, 0x00,		  /* flags */
	0xff, 0xff, 0xff, 0xff,		  /* target: -1 */
};

static const uint8_t free_2008[] = {
	0x01,				  /* event id: free */
	0x01,				  /* type id: cache */
	0x18, 0x00,			  /* event size: 24 */
	0xff, 0xff, 0xff, 0x7f,		  /* sequence number: 2^31 - 1 */
	0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, /* caller */
	0x80, 0x00, 0x00, 0x04, 0x80, 0x88, 0xff, 0xff, /* pointer */
};

/* A free as in the ABI, big endian, with a time and an unknown feature. */
static const uint8_t free_big_endian[] = {
	0x01, 0x00, 0x00, 0x29, 0x00, 0x00, 0x00, 0x07,
	0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10,
	0xff, 0xff, 0x88, 0x80, 0x04, 0x00, 0x00, 0x80,
	0x00, 0x0b, 0x01, 0, 0, 0, 0, 0, 0, 0x01, 0x02,
	0x00, 0x06, 0xc8, 1, 2, 3,
};

static const struct kmt_event alloc_event = {
	.event_id = KMEMTRACE_EVENT_ALLOC,
	.type_id = KMEMTRACE_TYPE_KMALLOC,
	.seq = -2,
	.call_site = 0xfedcba9876543210ull,
	.ptr = 0xffff888004000080ull,
	.bytes_req = 137,
	.bytes_alloc = 192,
	.gfp_flags = 0xcc0,
	.node = -1,
};

START_TEST(encodes_as_in_2008)
{
	struct kmt_event ev = alloc_event;
	uint8_t rec[64];

	ck_assert_uint_eq(kmt_record_size(&ev, 0), sizeof(alloc_2008));
	kmt_record_encode(rec, sizeof(alloc_2008), &ev, 0);
	ck_assert_mem_eq(rec, alloc_2008, sizeof(alloc_2008));

	ev.event_id = KMEMTRACE_EVENT_FREE;
	ev.type_id = KMEMTRACE_TYPE_CACHE;
	ev.seq = 0x7fffffff;
	ck_assert_uint_eq(kmt_record_size(&ev, 0), sizeof(free_2008));
	kmt_record_encode(rec, sizeof(free_2008), &ev, 0);
	ck_assert_mem_eq(rec, free_2008, sizeof(free_2008));
}
END_TEST

START_TEST(decodes_as_in_2008)
{
	struct kmt_decoded dec;
	struct kmt_event ev;

	ck_assert_int_eq(kmt_record_decode(alloc_2008, sizeof(alloc_2008),
					   false, &ev, &dec),
			 sizeof(alloc_2008));
	ck_assert_uint_eq(dec.bad, 0);
	ck_assert_uint_eq(ev.seq, (uint32_t)-2);
	ck_assert_uint_eq(ev.call_site, alloc_event.call_site);
	ck_assert_uint_eq(ev.ptr, alloc_event.ptr);
	ck_assert_uint_eq(ev.bytes_req, 137);
	ck_assert_uint_eq(ev.bytes_alloc, 192);
	ck_assert_int_eq(ev.node, -1);
	ck_assert_uint_eq(ev.features, 0);
}
END_TEST

START_TEST(decodes_the_other_byte_order)
{
	struct kmt_decoded dec;
	struct kmt_event ev;

	ck_assert_int_eq(kmt_record_decode(free_big_endian,
					   sizeof(free_big_endian), true, &ev,
					   &dec),
			 sizeof(free_big_endian));
	ck_assert_uint_eq(dec.bad, 0);
	ck_assert_uint_eq(ev.seq, 7);
	ck_assert_uint_eq(ev.ptr, 0xffff888004000080ull);
	ck_assert_uint_eq(ev.features, KMT_FEATURE_TIME);
	ck_assert_uint_eq(ev.time, 0x102);
	ck_assert_uint_eq(dec.skipped_features, 1);
	ck_assert_uint_eq(dec.skipped_bytes, 6);
}
END_TEST

START_TEST(every_feature_comes_back)
{
	struct kmt_event ev = alloc_event, back;
	struct kmt_decoded dec;
	uint8_t rec[KMT_RECORD_MAX + 1];
	uint32_t features;
	int type;

	ev.time = 0x1122334455667788ull;
	ev.cache = 0xabcd;
	ev.order = 9;
	ev.migratetype = -1;
	for (type = 0; type <= KMEMTRACE_TYPE_PERCPU; type++) {
		for (features = 0; features <= KMT_FEATURES_ALL; features += 2) {
			int size;

			ev.type_id = type;
			size = kmt_record_size(&ev, features);
			rec[size] = 0x5a;
			kmt_record_encode(rec, size, &ev, features);
			ck_assert_uint_eq(rec[size], 0x5a);
			ck_assert_int_eq(kmt_record_decode(rec, size, false,
							   &back, &dec),
					 size);
			ck_assert_uint_eq(dec.bad, 0);
			if (features & KMT_FEATURE_TIME)
				ck_assert_uint_eq(back.time, ev.time);
			if (back.features & KMT_FEATURE_CACHE)
				ck_assert_uint_eq(back.cache, ev.cache);
			if (back.features & KMT_FEATURE_PAGE) {
				ck_assert_uint_eq(back.order, 9);
				ck_assert_int_eq(back.migratetype, -1);
			}
			ck_assert_int_eq(!!(back.features & KMT_FEATURE_CACHE),
					 type == KMEMTRACE_TYPE_CACHE &&
						 (features & KMT_FEATURE_CACHE));
		}
	}
}
END_TEST

/* --- task, cgroup and stack ----------------------------------------------- */

/* A free with all three as in the ABI, little endian. */
static const uint8_t free_extra[] = {
	0x01, 0x00, 0x53, 0x00, 0x07, 0, 0, 0, /* event size: 83 */
	0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe,
	0x80, 0x00, 0x00, 0x04, 0x80, 0x88, 0xff, 0xff,
	0x1d, 0x00, 0x04,			/* task, 29 bytes */
	0x04, 0x03, 0x02, 0x01,			/* pid */
	0xfe, 0xff, 0xff, 0xff,			/* tgid: -2 */
	0x19, 0x0f,				/* context, preempt count */
	'k', 'm', 't', '_', 'w', 'o', 'r', 'k', 'e', 'r', '/', '0', 0, 0, 0, 0,
	0x0b, 0x00, 0x05,			/* cgroup, 11 bytes */
	0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01,
	0x13, 0x00, 0x06,			/* stack, 2 addresses */
	0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
	0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00,
};

/* The same, big endian. */
static const uint8_t free_extra_big_endian[] = {
	0x01, 0x00, 0x00, 0x53, 0, 0, 0, 0x07,
	0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10,
	0xff, 0xff, 0x88, 0x80, 0x04, 0x00, 0x00, 0x80,
	0x00, 0x1d, 0x04,
	0x01, 0x02, 0x03, 0x04,
	0xff, 0xff, 0xff, 0xfe,
	0x19, 0x0f,
	'k', 'm', 't', '_', 'w', 'o', 'r', 'k', 'e', 'r', '/', '0', 0, 0, 0, 0,
	0x00, 0x0b, 0x05,
	0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
	0x00, 0x13, 0x06,
	0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
	0x00, 0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99,
};

/* offsets of the features, and of the command name in the task */
#define TASK_AT		24
#define COMM_AT		(TASK_AT + 13)
#define CGROUP_AT	(TASK_AT + 29)
#define STACK_AT	(CGROUP_AT + 11)

static const struct kmt_extra extra = {
	.pid = 0x01020304,
	.tgid = -2,
	.context = 0x19,
	.preempt_count = 15,
	.comm = "kmt_worker/0",
	.cgroup = 0x0102030405060708ull,
	.depth = 2,
	.stack = { 0x8877665544332211ull, 0x00ffeeddccbbaa99ull },
};

static void check_extra(const struct kmt_extra *x)
{
	size_t i;

	if (x->have & KMT_FEATURE_TASK) {
		ck_assert_int_eq(x->pid, extra.pid);
		ck_assert_int_eq(x->tgid, extra.tgid);
		ck_assert_uint_eq(x->context, extra.context);
		ck_assert_uint_eq(x->preempt_count, extra.preempt_count);
		ck_assert_mem_eq(x->comm, extra.comm, KMT_COMM_LEN);
	}
	if (x->have & KMT_FEATURE_CGROUP)
		ck_assert_uint_eq(x->cgroup, extra.cgroup);
	ck_assert_uint_eq(x->depth,
			  x->have & KMT_FEATURE_STACK ? extra.depth : 0);
	for (i = 0; i < x->depth; i++)
		ck_assert_uint_eq(x->stack[i], extra.stack[i]);
}

/* Decode a copy of exactly @size bytes, so that ASan reports reads behind its end. */
static struct kmt_decoded decode(const uint8_t *rec, size_t size, bool swap,
				 struct kmt_event *ev, struct kmt_extra *x)
{
	uint8_t *copy = malloc(size);
	struct kmt_decoded dec;

	memcpy(copy, rec, size);
	memset(x, 0xa5, sizeof(*x));
	ck_assert_int_eq(kmt_record_decode(copy, size, swap, ev, &dec), size);
	kmt_record_decode_extra(ev, swap, x);
	free(copy);
	return dec;
}

START_TEST(encodes_extra_data)
{
	struct kmt_event ev = alloc_event;
	uint8_t rec[sizeof(free_extra) + 1];

	ev.event_id = KMEMTRACE_EVENT_FREE;
	ev.seq = 7;
	ck_assert_uint_eq(kmt_record_size(&ev, KMT_FEATURES_EXTRA), TASK_AT);
	ck_assert_uint_eq(kmt_record_extra_size(&extra, KMT_FEATURES_EXTRA),
			  sizeof(free_extra) - TASK_AT);
	rec[sizeof(free_extra)] = 0x5a;
	kmt_record_encode(rec, sizeof(free_extra), &ev, KMT_FEATURES_EXTRA);
	kmt_record_encode_extra(rec + TASK_AT, &extra, KMT_FEATURES_EXTRA);
	ck_assert_mem_eq(rec, free_extra, sizeof(free_extra));
	ck_assert_uint_eq(rec[sizeof(free_extra)], 0x5a);
}
END_TEST

START_TEST(decodes_extra_data_in_both_byte_orders)
{
	struct kmt_decoded dec;
	struct kmt_event ev;
	struct kmt_extra x;
	int swap;

	for (swap = 0; swap < 2; swap++) {
		dec = decode(swap ? free_extra_big_endian : free_extra,
			     sizeof(free_extra), swap, &ev, &x);
		ck_assert_uint_eq(dec.bad, 0);
		ck_assert_uint_eq(dec.skipped_bytes, 0);
		ck_assert_uint_eq(ev.features, KMT_FEATURES_EXTRA);
		ck_assert_uint_eq(ev.ptr, alloc_event.ptr);
		ck_assert_uint_eq(x.have, KMT_FEATURES_EXTRA | KMT_GROUP_SEQ);
		check_extra(&x);
	}
}
END_TEST

START_TEST(extra_data_comes_back)
{
	struct kmt_event ev = alloc_event, back;
	uint8_t rec[KMT_RECORD_MAX + 1];
	struct kmt_extra x;
	uint32_t features;
	int type;

	for (type = 0; type <= KMEMTRACE_TYPE_PERCPU; type++) {
		for (features = 0; features <= KMT_FEATURES_ALL; features += 2) {
			size_t base, size;

			ev.type_id = type;
			base = kmt_record_size(&ev, features);
			size = base + kmt_record_extra_size(&extra, features);
			rec[size] = 0x5a;
			kmt_record_encode(rec, size, &ev, features);
			kmt_record_encode_extra(rec + base, &extra, features);
			ck_assert_uint_eq(rec[size], 0x5a);
			ck_assert_uint_eq(decode(rec, size, false, &back, &x).bad,
					  0);
			ck_assert_uint_eq(back.features & ~features, 0);
			ck_assert_uint_eq(back.features & KMT_FEATURES_EXTRA,
					  features & KMT_FEATURES_EXTRA);
			ck_assert_uint_eq(x.have, back.features |
							  KMT_GROUP_ALLOC |
							  KMT_GROUP_SEQ);
			check_extra(&x);
		}
	}
}
END_TEST

START_TEST(stacks_of_every_depth)
{
	struct kmt_event ev = alloc_event, back;
	struct kmt_extra x, deep = { .depth = 0 };
	uint8_t rec[KMT_RECORD_MAX];
	size_t size;

	for (; deep.depth <= KMT_STACK_MAX; deep.depth++) {
		size = KMT_ALLOC_SIZE +
		       kmt_record_extra_size(&deep, KMT_FEATURE_STACK);
		ck_assert_uint_eq(size, KMT_ALLOC_SIZE + 3 + deep.depth * 8);
		kmt_record_encode(rec, size, &ev, KMT_FEATURE_STACK);
		kmt_record_encode_extra(rec + KMT_ALLOC_SIZE, &deep,
					KMT_FEATURE_STACK);
		ck_assert_uint_eq(decode(rec, size, false, &back, &x).bad, 0);
		ck_assert_uint_eq(x.depth, deep.depth);
		ck_assert_mem_eq(x.stack, deep.stack, deep.depth * 8);
		if (deep.depth < KMT_STACK_MAX)
			deep.stack[deep.depth] = ~0ull / (deep.depth + 1);
	}
}
END_TEST

START_TEST(the_longest_record)
{
	struct kmt_event ev = alloc_event;
	struct kmt_extra x = { .depth = KMT_STACK_MAX };
	int type;

	for (type = 0; type <= KMEMTRACE_TYPE_PERCPU; type++) {
		ev.type_id = type;
		ck_assert_uint_le(kmt_record_size(&ev, KMT_FEATURES_ALL) +
					  kmt_record_extra_size(
						  &x, KMT_FEATURES_ALL),
				  KMT_RECORD_MAX);
	}
}
END_TEST

/* Another version may record deeper stacks than struct kmt_extra has room for. */
START_TEST(a_stack_that_is_too_deep_is_cut)
{
	uint8_t rec[24 + 3 + (KMT_STACK_MAX + 6) * 8 + 5] = {};
	uint16_t size = sizeof(rec), stack_size = size - 24;
	struct kmt_decoded dec;
	struct kmt_event ev;
	struct kmt_extra x;
	size_t i;

	memcpy(rec, free_extra, 24);
	memcpy(rec + 2, &size, 2);
	memcpy(rec + 24, &stack_size, 2);
	rec[26] = KMEMTRACE_FEATURE_STACK;
	for (i = 27; i < sizeof(rec); i++)
		rec[i] = (i - 27) / 8 + 1;
	dec = decode(rec, sizeof(rec), false, &ev, &x);
	ck_assert_uint_eq(dec.bad, 0);
	ck_assert_uint_eq(dec.skipped_bytes, 6 * 8 + 5);
	ck_assert_uint_eq(x.depth, KMT_STACK_MAX);
	ck_assert_uint_eq(x.stack[0], 0x0101010101010101ull);
	ck_assert_uint_eq(x.stack[KMT_STACK_MAX - 1],
			  KMT_STACK_MAX * 0x0101010101010101ull);
}
END_TEST

/* Copy free_extra with the size of the feature at @at changed by @by. */
static size_t resize(uint8_t *to, size_t at, int by)
{
	size_t end = at + free_extra[at], size = sizeof(free_extra) + by;

	memset(to, 0x77, size);
	memcpy(to, free_extra, by < 0 ? end + by : end);
	memcpy(to + end + by, free_extra + end, sizeof(free_extra) - end);
	to[2] = size;
	to[at] += by;
	return size;
}

START_TEST(a_feature_that_is_too_short_is_not_known)
{
	static const struct {
		size_t at;
		uint32_t feature;
	} features[] = { { TASK_AT, KMT_FEATURE_TASK },
			 { CGROUP_AT, KMT_FEATURE_CGROUP } };
	uint8_t rec[sizeof(free_extra)];
	struct kmt_decoded dec;
	struct kmt_event ev;
	struct kmt_extra x;
	size_t i, by, full;

	for (i = 0; i < 2; i++) {
		full = free_extra[features[i].at];
		for (by = 1; by <= full - 3; by++) {
			dec = decode(rec, resize(rec, features[i].at, -by),
				     false, &ev, &x);
			ck_assert_uint_eq(dec.bad, KMT_BAD_FEATURE_SHORT);
			ck_assert_uint_eq(dec.skipped_bytes, full - by);
			ck_assert_uint_eq(x.have,
					  KMT_GROUP_SEQ |
						  (KMT_FEATURES_EXTRA &
						   ~features[i].feature));
			check_extra(&x);
		}
		/* too short to be a feature: the features behind it are unknown */
		dec = decode(rec, resize(rec, features[i].at, 2 - (int)full),
			     false, &ev, &x);
		ck_assert_uint_eq(dec.bad, KMT_BAD_FEATURE_SIZE);
		ck_assert_uint_eq(x.have & ~KMT_GROUP_SEQ,
				  i ? KMT_FEATURE_TASK : 0);
		check_extra(&x);
	}
}
END_TEST

START_TEST(a_feature_that_has_grown_is_known)
{
	static const size_t at[] = { TASK_AT, CGROUP_AT, STACK_AT };
	uint8_t rec[sizeof(free_extra) + 7];
	struct kmt_decoded dec;
	struct kmt_event ev;
	struct kmt_extra x;
	int i, by;

	for (i = 0; i < 3; i++) {
		for (by = 1; by <= 7; by++) {
			dec = decode(rec, resize(rec, at[i], by), false, &ev,
				     &x);
			ck_assert_uint_eq(dec.bad, 0);
			ck_assert_uint_eq(dec.skipped_bytes, by);
			ck_assert_uint_eq(x.have & ~KMT_GROUP_SEQ,
					  KMT_FEATURES_EXTRA);
			check_extra(&x);
		}
	}
}
END_TEST

/* An incomplete address is skipped. */
START_TEST(a_stack_that_is_too_short_is_shorter)
{
	uint8_t rec[sizeof(free_extra)];
	struct kmt_decoded dec;
	struct kmt_event ev;
	struct kmt_extra x;
	unsigned int by;

	for (by = 0; by <= 16; by++) {
		dec = decode(rec, resize(rec, STACK_AT, -by), false, &ev, &x);
		ck_assert_uint_eq(dec.bad, 0);
		ck_assert_uint_eq(x.depth, (16 - by) / 8);
		ck_assert_uint_eq(dec.skipped_bytes, (16 - by) % 8);
		if (x.depth)
			ck_assert_uint_eq(x.stack[0], extra.stack[0]);
	}
}
END_TEST

START_TEST(a_truncated_record_with_features_is_reported)
{
	struct kmt_decoded dec;
	struct kmt_event ev;
	size_t n;

	for (n = 0; n < sizeof(free_extra); n++) {
		uint8_t *cut = malloc(n ? n : 1);

		memcpy(cut, free_extra, n);
		ck_assert_int_eq(kmt_record_decode(cut, n, false, &ev, &dec),
				 KMT_RECORD_CUT);
		free(cut);
	}
}
END_TEST

START_TEST(a_feature_past_the_record_is_left_alone)
{
	uint8_t rec[sizeof(free_extra)];
	struct kmt_decoded dec;
	struct kmt_event ev;
	struct kmt_extra x;

	memcpy(rec, free_extra, sizeof(rec));
	rec[STACK_AT] += 8;
	dec = decode(rec, sizeof(rec), false, &ev, &x);
	ck_assert_uint_eq(dec.bad, KMT_BAD_FEATURE_SIZE);
	ck_assert_uint_eq(x.have & ~KMT_GROUP_SEQ,
			  KMT_FEATURE_TASK | KMT_FEATURE_CGROUP);
	check_extra(&x);
}
END_TEST

START_TEST(a_name_without_an_end_gets_one)
{
	uint8_t rec[sizeof(free_extra)];
	struct kmt_event ev;
	struct kmt_extra x;

	memcpy(rec, free_extra, sizeof(rec));
	memset(rec + COMM_AT, 'x', KMT_COMM_LEN);
	decode(rec, sizeof(rec), false, &ev, &x);
	ck_assert_str_eq(x.comm, "xxxxxxxxxxxxxxx");
}
END_TEST

START_TEST(features_out_of_order_are_reported_and_decoded)
{
	uint8_t rec[sizeof(free_extra)];
	struct kmt_decoded dec;
	struct kmt_event ev;
	struct kmt_extra x;

	memcpy(rec, free_extra, TASK_AT);
	memcpy(rec + TASK_AT, free_extra + STACK_AT, 19);
	memcpy(rec + TASK_AT + 19, free_extra + TASK_AT, 29 + 11);
	dec = decode(rec, sizeof(rec), false, &ev, &x);
	ck_assert_uint_eq(dec.bad, KMT_BAD_FEATURE_ORDER);
	ck_assert_uint_eq(x.have & ~KMT_GROUP_SEQ, KMT_FEATURES_EXTRA);
	check_extra(&x);
}
END_TEST

START_TEST(a_duplicate_feature_is_reported)
{
	uint8_t rec[sizeof(free_extra) + 11];
	struct kmt_decoded dec;
	struct kmt_event ev;
	struct kmt_extra x;

	memcpy(rec, free_extra, STACK_AT);
	memcpy(rec + STACK_AT, free_extra + CGROUP_AT, 11);
	memcpy(rec + STACK_AT + 11, free_extra + STACK_AT, 19);
	rec[2] = sizeof(rec);
	dec = decode(rec, sizeof(rec), false, &ev, &x);
	ck_assert_uint_eq(dec.bad, KMT_BAD_FEATURE_ORDER);
	check_extra(&x);
}
END_TEST

/* An allocation with several violations at once. */
START_TEST(several_violations_are_reported)
{
	uint8_t rec[sizeof(alloc_2008) + 15] = {};
	struct kmt_decoded dec;
	struct kmt_event ev;

	memcpy(rec, alloc_2008, sizeof(alloc_2008));
	rec[2] = sizeof(rec);
	rec[24] = 193; /* requested, of 192 allocated */
	memcpy(rec + 48, "\x05\0\x05\0\0", 5);
	memcpy(rec + 53, "\x06\0\x02\0\0\0", 6);
	memcpy(rec + 59, "\x05\0\x06\0", 4);
	ck_assert_int_eq(kmt_record_decode(rec, sizeof(rec), false, &ev, &dec),
			 sizeof(rec));
	ck_assert_uint_eq(dec.bad, KMT_BAD_BYTES_ALLOC | KMT_BAD_FEATURE_SHORT |
					   KMT_BAD_FEATURE_ORDER |
					   KMT_BAD_FEATURE_SIZE);
	ck_assert_uint_eq(dec.skipped_bytes, 5 + 1 + 4);
	ck_assert_uint_eq(ev.features, KMT_FEATURE_CACHE);

	/* requested may equal allocated */
	rec[24] = 192;
	rec[2] = 48;
	kmt_record_decode(rec, 48, false, &ev, &dec);
	ck_assert_uint_eq(dec.bad, 0);
}
END_TEST

START_TEST(records_of_2008_have_no_extra_data)
{
	struct kmt_event ev;
	struct kmt_extra x;

	decode(alloc_2008, sizeof(alloc_2008), false, &ev, &x);
	ck_assert_uint_eq(x.have, KMT_GROUP_SEQ | KMT_GROUP_ALLOC);
	ck_assert_uint_eq(x.depth, 0);
	decode(free_2008, sizeof(free_2008), false, &ev, &x);
	ck_assert_uint_eq(x.have, KMT_GROUP_SEQ);
	decode(free_big_endian, sizeof(free_big_endian), true, &ev, &x);
	ck_assert_uint_eq(x.have, KMT_GROUP_SEQ | KMT_FEATURE_TIME);
}
END_TEST

/* --- violations in the fixed part ----------------------------------------- */

START_TEST(a_truncated_record_is_reported)
{
	struct kmt_decoded dec;
	struct kmt_event ev;
	size_t n;

	for (n = 0; n < sizeof(alloc_2008); n++)
		ck_assert_int_eq(kmt_record_decode(alloc_2008, n, false, &ev,
						   &dec),
				 KMT_RECORD_CUT);
}
END_TEST

START_TEST(violations_are_reported)
{
	uint8_t rec[64];
	struct kmt_decoded dec;
	struct kmt_event ev;

	memcpy(rec, alloc_2008, sizeof(alloc_2008));
	rec[2] = 23;
	ck_assert_int_eq(kmt_record_decode(rec, 48, false, &ev, &dec),
			 KMT_RECORD_BROKEN);
	rec[2] = 47; /* an allocation needs 48 */
	ck_assert_int_eq(kmt_record_decode(rec, 48, false, &ev, &dec),
			 KMT_RECORD_BROKEN);
	rec[2] = 48;
	rec[24] = 0;
	kmt_record_decode(rec, 48, false, &ev, &dec);
	ck_assert_uint_eq(dec.bad, KMT_BAD_BYTES_REQ);
	rec[24] = 200;
	kmt_record_decode(rec, 48, false, &ev, &dec);
	ck_assert_uint_eq(dec.bad, KMT_BAD_BYTES_ALLOC);
	memcpy(rec, free_2008, sizeof(free_2008));
	memset(rec + 16, 0, 8);
	kmt_record_decode(rec, 24, false, &ev, &dec);
	ck_assert_uint_eq(dec.bad, KMT_BAD_FREE_NULL);
	/* a feature whose size exceeds the record */
	memcpy(rec, free_2008, sizeof(free_2008));
	rec[2] = 28;
	memcpy(rec + 24, "\x05\0\x01\0", 4);
	kmt_record_decode(rec, 28, false, &ev, &dec);
	ck_assert_uint_eq(dec.bad, KMT_BAD_FEATURE_SIZE);
	/* a feature that is too short for its id */
	memcpy(rec + 24, "\x04\0\x01\0", 4);
	kmt_record_decode(rec, 28, false, &ev, &dec);
	ck_assert_uint_eq(dec.bad, KMT_BAD_FEATURE_SHORT);
}
END_TEST

START_TEST(unknown_ids_are_skipped)
{
	uint8_t rec[24];
	struct kmt_decoded dec;
	struct kmt_event ev;

	memcpy(rec, free_2008, sizeof(rec));
	rec[0] = 9;
	ck_assert_int_eq(kmt_record_decode(rec, 24, false, &ev, &dec), 24);
	ck_assert(dec.unknown_id);
	rec[0] = 1;
	rec[1] = 77;
	ck_assert_int_eq(kmt_record_decode(rec, 24, false, &ev, &dec), 24);
	ck_assert(dec.unknown_id);
	ck_assert_uint_eq(ev.seq, 0x7fffffff);
}
END_TEST

UNIT_MAIN("record", encodes_as_in_2008, decodes_as_in_2008,
	  decodes_the_other_byte_order, every_feature_comes_back,
	  encodes_extra_data, decodes_extra_data_in_both_byte_orders,
	  extra_data_comes_back, stacks_of_every_depth, the_longest_record,
	  a_stack_that_is_too_deep_is_cut,
	  a_feature_that_is_too_short_is_not_known,
	  a_feature_that_has_grown_is_known,
	  a_stack_that_is_too_short_is_shorter,
	  a_truncated_record_with_features_is_reported,
	  a_feature_past_the_record_is_left_alone,
	  a_name_without_an_end_gets_one,
	  features_out_of_order_are_reported_and_decoded,
	  a_duplicate_feature_is_reported, several_violations_are_reported,
	  records_of_2008_have_no_extra_data,
	  a_truncated_record_is_reported, violations_are_reported,
	  unknown_ids_are_skipped)
