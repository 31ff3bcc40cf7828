// SPDX-License-Identifier: GPL-2.0-only
#include "kmt_slot.h"
#include "unit.h"

/* for each distance, each offset that an object can have */
START_TEST(index_is_quotient)
{
	unsigned int distance, offset;

	for (distance = KMT_SLOT_ALIGN; distance < KMT_SLOT_PAGE;
	     distance += KMT_SLOT_ALIGN)
		for (offset = 0; offset < KMT_SLOT_PAGE; offset += KMT_SLOT_ALIGN)
			ck_assert_uint_eq(
				kmt_slot_index(offset, kmt_slot_scale(distance)),
				offset / distance);
}
END_TEST

START_TEST(large_objects_begin_once)
{
	unsigned int offset;

	for (offset = 0; offset < KMT_SLOT_PAGE; offset += KMT_SLOT_ALIGN) {
		ck_assert_uint_eq(kmt_slot_index(offset, kmt_slot_scale(4096)), 0);
		ck_assert_uint_eq(kmt_slot_index(offset, kmt_slot_scale(12288)), 0);
	}
}
END_TEST

START_TEST(count_is_enough)
{
	ck_assert_uint_eq(kmt_slot_count(kmt_slot_scale(8)), 512);
	ck_assert_uint_eq(kmt_slot_count(kmt_slot_scale(64)), 64);
	ck_assert_uint_eq(kmt_slot_count(kmt_slot_scale(96)), 43);
	ck_assert_uint_eq(kmt_slot_count(kmt_slot_scale(2048)), 2);
	ck_assert_uint_eq(kmt_slot_count(kmt_slot_scale(3000)), 2);
	ck_assert_uint_eq(kmt_slot_count(kmt_slot_scale(4096)), 1);
	ck_assert_uint_eq(kmt_slot_count(kmt_slot_scale(8192)), 1);
}
END_TEST

UNIT_MAIN("slot", index_is_quotient, large_objects_begin_once, count_is_enough)
