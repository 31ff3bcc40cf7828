// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"
#include "watch/watch.h"

#define SLOT(n) ((n) * HISTORY_SLOT_NS)

static struct history_clock clock_at(uint64_t start)
{
	return (struct history_clock){ .start_ns = start };
}

START_TEST(the_clock_counts_slots)
{
	struct history_clock c = clock_at(100);

	ck_assert_uint_eq(history_advance(&c, 100), 0);
	ck_assert_uint_eq(history_known(&c), 1);
	ck_assert_uint_eq(history_advance(&c, 100 + SLOT(1) - 1), 0);
	ck_assert_uint_eq(history_advance(&c, 100 + SLOT(1)), 1);
	ck_assert_uint_eq(history_advance(&c, 100 + SLOT(4)), 3);
	ck_assert_uint_eq(history_known(&c), 5);
	ck_assert_uint_eq(history_advance(&c, 100 + SLOT(1000)), HISTORY_SLOTS);
	ck_assert_uint_eq(history_known(&c), HISTORY_SLOTS);
	ck_assert_uint_eq(c.slot, 1000);
}
END_TEST

START_TEST(slots_without_a_value_get_the_one_before)
{
	struct history_clock c = clock_at(0);
	struct history h = { { 0 } };
	int64_t value[HISTORY_SLOTS] = { 0 };

	history_put(&h, &c, 0, 0, 10);
	history_put(&h, &c, 0, 10, 11); /* the last value of a slot counts */
	history_put(&h, &c, history_advance(&c, SLOT(3)), 11, 20);
	history_add(value, &h, &c);
	ck_assert_int_eq(value[0], 11);
	ck_assert_int_eq(value[1], 11);
	ck_assert_int_eq(value[2], 11);
	ck_assert_int_eq(value[3], 20);
	history_add(value, &h, &c);
	ck_assert_int_eq(value[3], 40);
}
END_TEST

/* A list of all values is the reference. */
START_TEST(the_ring_keeps_the_newest_slots)
{
	static int64_t all[5000];
	struct history_clock c = clock_at(0);
	struct history h = { { 0 } };
	int64_t value[HISTORY_SLOTS], before = 0;
	unsigned int began, round, seed = 1;
	size_t known, i;

	history_put(&h, &c, 0, 0, 0);
	for (round = 1; round < 400; round++) {
		uint64_t slot = c.slot + rand_r(&seed) % 4 +
				(round % 50 ? 0 : HISTORY_SLOTS + 7);
		int64_t now = rand_r(&seed) % 1000;

		for (i = c.slot + 1; i < slot; i++)
			all[i] = before;
		began = history_advance(&c, SLOT(slot) + 5);
		history_put(&h, &c, began, before, now);
		all[slot] = before = now;
		memset(value, 0, sizeof(value));
		history_add(value, &h, &c);
		known = history_known(&c);
		for (i = 0; i < known; i++)
			ck_assert_int_eq(value[i], all[slot + 1 - known + i]);
	}
	ck_assert_uint_ge(c.slot, 3 * HISTORY_SLOTS);
}
END_TEST

UNIT_MAIN("history", the_clock_counts_slots, slots_without_a_value_get_the_one_before,
	  the_ring_keeps_the_newest_slots)
