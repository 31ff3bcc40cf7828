// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

/* Written by hand from the text of 2008, little endian. */
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

/* A free by the ABI, big endian, with a time and an unknown feature. */
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

START_TEST(a_record_cut_short_is_told)
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

START_TEST(violations_are_told)
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
	/* a feature that says it is longer than the record */
	memcpy(rec, free_2008, sizeof(free_2008));
	rec[2] = 28;
	memcpy(rec + 24, "\x05\0\x01\0", 4);
	kmt_record_decode(rec, 28, false, &ev, &dec);
	ck_assert_uint_eq(dec.bad, KMT_BAD_FEATURE_SIZE);
	/* one that is too short for what it is */
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
	  a_record_cut_short_is_told, violations_are_told,
	  unknown_ids_are_skipped)
