// SPDX-License-Identifier: GPL-2.0-only
#include "kmt_compact.h"
#include "random.h"
#include "unit.h"

/* Written by hand from the text of ABI 4, little endian. */
static const uint8_t alloc_little[] = {
	0x02, 0x01, 0x30, 0x00,		/* a compact allocation; cache; 48 bytes */
	0xfe, 0xff, 0xff, 0xff,		/* number: -2 */
	0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, /* time */
	0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, /* caller */
	0x80, 0x00, 0x00, 0x04, 0x80, 0x88, 0xff, 0xff, /* pointer */
	0x89, 0x00, 0x00, 0x00,		/* requested: 137 */
	0xc0, 0x00, 0x00, 0x00,		/* allocated: 192 */
	0xc0, 0x0c, 0x00, 0x00,		/* flags */
	0xff, 0xff, 0x07, 0x01,		/* node -1; cache 263 */
};

/* The same, big endian, with a feature that is not known. */
static const uint8_t alloc_big[] = {
	0x02, 0x01, 0x00, 0x34, 0xff, 0xff, 0xff, 0xfe,
	0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
	0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10,
	0xff, 0xff, 0x88, 0x80, 0x04, 0x00, 0x00, 0x80,
	0x00, 0x00, 0x00, 0x89, 0x00, 0x00, 0x00, 0xc0,
	0x00, 0x00, 0x0c, 0xc0, 0xff, 0xff, 0x01, 0x07,
	0x00, 0x04, 0xc8, 0x01,
};

static const uint8_t free_little[] = {
	0x03, 0x02, 0x28, 0x00,		/* a compact free; pages; 40 bytes */
	0x07, 0x00, 0x00, 0x00,		/* number */
	0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* time */
	0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, /* caller */
	0x80, 0x00, 0x00, 0x04, 0x80, 0x88, 0xff, 0xff, /* pointer */
	0x09, 0xff, 0, 0, 0, 0, 0, 0,	/* order 9, migratetype -1 */
};

static const struct kmt_event alloc_event = {
	.event_id = KMEMTRACE_EVENT_ALLOC,
	.type_id = KMEMTRACE_TYPE_CACHE,
	.seq = -2,
	.time = 0x1122334455667788ull,
	.call_site = 0xfedcba9876543210ull,
	.ptr = 0xffff888004000080ull,
	.bytes_req = 137,
	.bytes_alloc = 192,
	.gfp_flags = 0xcc0,
	.node = -1,
};

START_TEST(encodes_as_in_the_abi)
{
	struct kmt_event ev = alloc_event;
	uint8_t rec[64];

	ck_assert_uint_eq(kmt_compact_size(ev.event_id, ev.type_id),
			  sizeof(alloc_little));
	kmt_compact_encode(rec, sizeof(alloc_little), &ev);
	kmt_compact_put_cache(rec, ev.event_id, 0x107);
	ck_assert_mem_eq(rec, alloc_little, sizeof(alloc_little));

	ev.event_id = KMEMTRACE_EVENT_FREE;
	ev.type_id = KMEMTRACE_TYPE_PAGES;
	ev.seq = 7;
	ev.time = 1;
	ev.order = 9;
	ev.migratetype = -1;
	ck_assert_uint_eq(kmt_compact_size(ev.event_id, ev.type_id),
			  sizeof(free_little));
	kmt_compact_encode(rec, sizeof(free_little), &ev);
	ck_assert_mem_eq(rec, free_little, sizeof(free_little));
}
END_TEST

static void check_alloc(const uint8_t *rec, size_t size, bool swap)
{
	struct kmt_decoded dec;
	struct kmt_event ev;

	ck_assert_int_eq(kmt_record_decode_any(rec, size, swap, &ev, &dec),
			 size);
	ck_assert_uint_eq(dec.bad, 0);
	ck_assert(!dec.unknown_id);
	ck_assert_uint_eq(ev.event_id, KMEMTRACE_EVENT_ALLOC);
	ck_assert_uint_eq(ev.type_id, KMEMTRACE_TYPE_CACHE);
	ck_assert_uint_eq(ev.seq, alloc_event.seq);
	ck_assert_uint_eq(ev.time, alloc_event.time);
	ck_assert_uint_eq(ev.call_site, alloc_event.call_site);
	ck_assert_uint_eq(ev.ptr, alloc_event.ptr);
	ck_assert_uint_eq(ev.bytes_req, 137);
	ck_assert_uint_eq(ev.bytes_alloc, 192);
	ck_assert_uint_eq(ev.gfp_flags, 0xcc0);
	ck_assert_int_eq(ev.node, -1);
	ck_assert_uint_eq(ev.cache, 0x107);
	ck_assert_uint_eq(ev.features, KMT_FEATURE_TIME | KMT_FEATURE_CACHE);
	ck_assert_uint_eq(dec.skipped_features, size > sizeof(alloc_little));
}

START_TEST(decodes_both_byte_orders)
{
	check_alloc(alloc_little, sizeof(alloc_little), false);
	check_alloc(alloc_big, sizeof(alloc_big), true);
}
END_TEST

/* Recordings have no such records: to their readers, the ids are unknown. */
START_TEST(is_unknown_in_a_recording)
{
	struct kmt_decoded dec;
	struct kmt_event ev;

	ck_assert_int_eq(kmt_record_decode(alloc_little, sizeof(alloc_little),
					   false, &ev, &dec),
			 sizeof(alloc_little));
	ck_assert(dec.unknown_id);
	ck_assert_uint_eq(ev.seq, (uint32_t)-2);
}
END_TEST

static struct kmt_event random_event(uint64_t *random)
{
	struct kmt_event ev = {
		.event_id = random_below(random, 2),
		.type_id = random_below(random, 4),
		.seq = next_random(random) >> 32,
		.time = next_random(random),
		.call_site = next_random(random),
		.ptr = next_random(random) | 8,
		.order = random_below(random, 11),
		.migratetype = (int)random_below(random, 8) - 1,
		.cache = random_below(random, 2048),
	};

	if (ev.event_id == KMEMTRACE_EVENT_FREE)
		return ev;
	ev.bytes_req = 1 + random_below(random, 1u << 30);
	ev.bytes_alloc = ev.bytes_req + random_below(random, 1u << 30);
	ev.gfp_flags = next_random(random) >> 32;
	ev.node = (int)random_below(random, 1025) - 1;
	return ev;
}

START_TEST(every_event_comes_back)
{
	struct kmt_extra x = { .pid = 5, .tgid = -6, .comm = "name",
			       .cgroup = 77, .depth = 3, .stack = { 1, 2, 3 } };
	uint8_t rec[KMT_RECORD_MAX + 1];
	uint64_t random = 1;
	int i;

	for (i = 0; i < 20000; i++) {
		struct kmt_event ev = random_event(&random), back;
		u32 extra = next_random(&random) >> 32 & KMT_FEATURES_EXTRA;
		size_t core = kmt_compact_size(ev.event_id, ev.type_id);
		size_t size = core + kmt_record_extra_size(&x, extra);
		bool off = !random_below(&random, 4);
		struct kmt_decoded dec;
		struct kmt_extra got;

		ck_assert(kmt_compact_fits(&ev));
		rec[size] = 0x5a;
		kmt_compact_encode(rec, size, &ev);
		if (ev.type_id == KMEMTRACE_TYPE_CACHE)
			kmt_compact_put_cache(rec, ev.event_id,
					      off ? KMEMTRACE_CACHE_OFF :
						    ev.cache);
		kmt_record_encode_extra(rec + core, &x, extra);
		ck_assert_uint_eq(rec[size], 0x5a);
		ck_assert_int_eq(kmt_record_decode_any(rec, size, false, &back,
						       &dec), size);
		ck_assert(!dec.bad && !dec.skipped_bytes);
		ck_assert_uint_eq(back.event_id, ev.event_id);
		ck_assert_uint_eq(back.type_id, ev.type_id);
		ck_assert_uint_eq(back.seq, ev.seq);
		ck_assert_uint_eq(back.time, ev.time);
		ck_assert_uint_eq(back.call_site, ev.call_site);
		ck_assert_uint_eq(back.ptr, ev.ptr);
		ck_assert_uint_eq(back.bytes_req, ev.bytes_req);
		ck_assert_uint_eq(back.bytes_alloc, ev.bytes_alloc);
		ck_assert_uint_eq(back.gfp_flags, ev.gfp_flags);
		ck_assert_int_eq(back.node, ev.node);
		ck_assert_int_eq(!!(back.features & KMT_FEATURE_CACHE),
				 ev.type_id == KMEMTRACE_TYPE_CACHE && !off);
		if (back.features & KMT_FEATURE_CACHE)
			ck_assert_uint_eq(back.cache, ev.cache);
		if (ev.type_id == KMEMTRACE_TYPE_PAGES) {
			ck_assert(back.features & KMT_FEATURE_PAGE);
			ck_assert_uint_eq(back.order, ev.order);
			ck_assert_int_eq(back.migratetype, ev.migratetype);
		}
		ck_assert_uint_eq(back.features & KMT_FEATURES_EXTRA, extra);
		kmt_record_decode_extra(&back, false, &got);
		if (extra & KMT_FEATURE_TASK)
			ck_assert_str_eq(got.comm, "name");
		if (extra & KMT_FEATURE_CGROUP)
			ck_assert_uint_eq(got.cgroup, 77);
		if (extra & KMT_FEATURE_STACK)
			ck_assert_uint_eq(got.depth, 3);
	}
}
END_TEST

START_TEST(large_sizes_do_not_fit)
{
	struct kmt_event ev = alloc_event;

	ev.type_id = KMEMTRACE_TYPE_PERCPU;
	ev.bytes_req = ev.bytes_alloc = UINT32_MAX;
	ck_assert(kmt_compact_fits(&ev));
	ev.bytes_alloc++;
	ck_assert(!kmt_compact_fits(&ev));
	ev.bytes_alloc = 1;
	ev.bytes_req = 1ull << 32;
	ck_assert(!kmt_compact_fits(&ev));
	ev.event_id = KMEMTRACE_EVENT_FREE;
	ck_assert(kmt_compact_fits(&ev));
}
END_TEST

START_TEST(a_truncated_record_is_reported)
{
	uint8_t rec[sizeof(alloc_little)];
	struct kmt_decoded dec;
	struct kmt_event ev;
	size_t n;

	for (n = 0; n < sizeof(alloc_little); n++)
		ck_assert_int_eq(kmt_record_decode_any(alloc_little, n, false,
						       &ev, &dec),
				 KMT_RECORD_CUT);
	memcpy(rec, alloc_little, sizeof(rec));
	for (n = 24; n < sizeof(rec); n++) {
		rec[2] = n;
		ck_assert_int_eq(kmt_record_decode_any(rec, sizeof(rec), false,
						       &ev, &dec),
				 KMT_RECORD_BROKEN);
	}
}
END_TEST

START_TEST(violations_are_reported)
{
	uint8_t rec[sizeof(alloc_little)];
	struct kmt_decoded dec;
	struct kmt_event ev;

	memcpy(rec, alloc_little, sizeof(rec));
	rec[32] = 0;
	kmt_record_decode_any(rec, sizeof(rec), false, &ev, &dec);
	ck_assert_uint_eq(dec.bad, KMT_BAD_BYTES_REQ);
	rec[32] = 0xc1;
	kmt_record_decode_any(rec, sizeof(rec), false, &ev, &dec);
	ck_assert_uint_eq(dec.bad, KMT_BAD_BYTES_ALLOC);
	rec[1] = 4;
	kmt_record_decode_any(rec, sizeof(rec), false, &ev, &dec);
	ck_assert(dec.unknown_id);
	memcpy(rec, free_little, sizeof(free_little));
	memset(rec + 24, 0, 8);
	kmt_record_decode_any(rec, sizeof(free_little), false, &ev, &dec);
	ck_assert_uint_eq(dec.bad, KMT_BAD_FREE_NULL);
	rec[0] = 4;
	kmt_record_decode_any(rec, sizeof(free_little), false, &ev, &dec);
	ck_assert(dec.unknown_id);
}
END_TEST

UNIT_MAIN("compact", encodes_as_in_the_abi, decodes_both_byte_orders,
	  is_unknown_in_a_recording, every_event_comes_back,
	  large_sizes_do_not_fit, a_truncated_record_is_reported,
	  violations_are_reported)
