// SPDX-License-Identifier: GPL-2.0-only
#include "base/map.h"
#include "random.h"
#include "unit.h"

#define BASE 0xffff888000000000ull

/* Compare the map with an array of flags, one for each key. */
START_TEST(like_an_array)
{
	static bool there[5000];
	uint64_t random = 3;
	size_t i, used = 0, n, wrong = 0;
	struct map m;

	map_init(&m, false);
	for (n = 0; n < 60000; n++) {
		struct map_slot *slot;

		i = random_below(&random, 5000);
		slot = map_find(&m, BASE + i * 8);
		wrong += (slot != NULL) != there[i];
		if (slot) {
			wrong += slot->value != i;
			map_remove(&m, slot);
			used--;
		} else {
			slot = map_slot(&m, BASE + i * 8);
			wrong += slot->key != 0;
			*slot = (struct map_slot){ BASE + i * 8, i };
			used++;
		}
		there[i] = !there[i];
		wrong += m.used != used;
	}
	for (i = 0; i < 5000; i++)
		wrong += (map_find(&m, BASE + i * 8) != NULL) != there[i];
	ck_assert_uint_eq(wrong, 0);
	map_exit(&m);
}
END_TEST

START_TEST(grows)
{
	size_t i, wrong = 0;
	struct map m;

	map_init(&m, false);
	for (i = 1; i < 100000; i++)
		*map_slot(&m, i * 64) = (struct map_slot){ i * 64, i & 1 };
	ck_assert_uint_eq(m.used, 99999);
	for (i = 1; i < 100000; i++)
		wrong += map_slot(&m, i * 64)->value != (i & 1);
	ck_assert_uint_eq(wrong, 0);
	ck_assert_uint_eq(m.used, 99999);
	map_exit(&m);
}
END_TEST

/* A sparse map drops keys whose value is 0 instead of growing. */
START_TEST(sparse_maps_stay_small)
{
	size_t i, wrong = 0, mask;
	struct map m;

	map_init(&m, true);
	mask = m.mask;
	for (i = 1; i < 1000000; i++) {
		*map_slot(&m, i * 64) = (struct map_slot){ i * 64, i };
		if (i > 100)
			map_find(&m, (i - 100) * 64)->value = 0;
	}
	ck_assert_uint_eq(m.mask, mask);
	for (i = 1000000 - 100; i < 1000000; i++)
		wrong += map_find(&m, i * 64)->value != i;
	ck_assert_uint_eq(wrong, 0);
	map_exit(&m);
}
END_TEST

UNIT_MAIN("map", like_an_array, grows, sparse_maps_stay_small)
