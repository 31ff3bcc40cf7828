// SPDX-License-Identifier: GPL-2.0-only
#include "html/html.h"
#include "unit.h"

static void check_order(const struct ranked *items, size_t count,
			const uint32_t *wanted)
{
	uint32_t *order = ranking_make(items, count);

	ck_assert_ptr_nonnull(order);
	if (count)
		ck_assert_mem_eq(order, wanted, count * sizeof(*order));
	free(order);
}

START_TEST(peaks_and_allocations_in_turn)
{
	static const struct ranked items[] = {
		{ 1, 50 }, { 9, 10 }, { 8, 20 }, { 2, 40 }, { 0, 30 },
	};
	static const uint32_t wanted[] = { 1, 0, 2, 3, 4 };

	check_order(items, 5, wanted);
}
END_TEST

START_TEST(equal_items_stay_in_order)
{
	static const struct ranked items[] = { { 0, 5 }, { 0, 5 }, { 0, 5 } };
	static const uint32_t wanted[] = { 0, 1, 2 };

	check_order(items, 3, wanted);
	check_order(items, 0, NULL);
}
END_TEST

UNIT_MAIN("ranking", peaks_and_allocations_in_turn, equal_items_stay_in_order)
