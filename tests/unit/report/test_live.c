// SPDX-License-Identifier: GPL-2.0-only
#include "report/live.h"
#include "unit.h"

#define PAGE 4096ull
#define BASE 0xffff888000000000ull

static struct live_table t;
static struct sizes sizes;

static void keep(void *arg)
{
	(void)arg;
	live_keep_sizes(&t);
}

static void setup(void)
{
	sizes_init(&sizes, keep, NULL);
	live_init(&t, &sizes, PAGE);
}

static void teardown(void)
{
	live_exit(&t);
	sizes_exit(&sizes);
}

static void add(uint64_t ptr, unsigned int order, uint64_t req)
{
	struct size size = { req, PAGE << order, order };
	struct live l = { .group = 7, .size = sizes_get(&sizes, &size),
			  .cpu = 3 };

	live_add_block(&t, ptr, &l);
}

START_TEST(values)
{
	struct live l = { .group = (1u << LIVE_GROUP_BITS) - 1,
			  .size = (1u << SIZES_BITS) - 2,
			  .cpu = (1u << LIVE_CPU_BITS) - 3,
			  .fresh = true };
	struct map_slot slot = { 1, live_pack(&l) };
	struct live back = live_unpack(&slot);

	ck_assert_uint_eq(back.group, l.group);
	ck_assert_uint_eq(back.size, l.size);
	ck_assert_uint_eq(back.cpu, l.cpu);
	ck_assert(back.fresh);
}
END_TEST

START_TEST(finds_the_block)
{
	uint64_t block = BASE + 16 * PAGE;

	setup();
	ck_assert_ptr_null(live_find_block(&t, block));
	add(block, 3, 1);
	add(BASE, 0, 1);
	ck_assert_uint_eq(live_find_block(&t, block)->key, block);
	ck_assert_uint_eq(live_find_block(&t, block + 7 * PAGE)->key, block);
	ck_assert_ptr_null(live_find_block(&t, block + 8 * PAGE));
	ck_assert_ptr_null(live_find_block(&t, block - PAGE));
	ck_assert_uint_eq(live_find_block(&t, BASE)->key, BASE);
	ck_assert_ptr_null(live_find_block(&t, BASE + PAGE));
	live_remove_block(&t, live_find_block(&t, block));
	ck_assert_ptr_null(live_find_block(&t, block));
	teardown();
}
END_TEST

/* Add and remove blocks of all orders. Compare them with an array of pages. */
START_TEST(knows_which_pages_there_are)
{
	static uint64_t head[1024]; /* first page of the block plus 1; 0: none */
	unsigned int seed = 5, n, i, order, first, size, wrong = 0;
	bool covered;

	setup();
	for (n = 0; n < 30000; n++) {
		order = rand_r(&seed) % 9;
		size = 1u << order;
		first = rand_r(&seed) % 1024 / size * size;
		for (covered = false, i = first; i < first + size; i++)
			covered = covered || head[i];
		wrong += live_is_covered(&t, BASE + first * PAGE, order) !=
			 covered;
		i = first;
		if (!covered) {
			add(BASE + first * PAGE, order, 1);
			while (i < first + size)
				head[i++] = first + 1;
		} else if (head[first]) {
			struct map_slot *slot =
				live_find_block(&t, BASE + first * PAGE);
			uint64_t was = head[first];

			wrong += !slot || slot->key != BASE + (was - 1) * PAGE;
			live_remove_block(&t, slot);
			for (i = was - 1; i < 1024 && head[i] == was; i++)
				head[i] = 0;
		}
	}
	ck_assert_uint_eq(wrong, 0);
	teardown();
}
END_TEST

static void check_parts(uint64_t req)
{
	uint64_t alloc = 0, sum = 0;
	size_t i, whole = 0;

	for (i = 0; i <= t.map.mask; i++) {
		const struct map_slot *slot = &t.map.slots[i];

		if (!slot->key)
			continue;
		alloc += live_size(&t, slot)->alloc;
		sum += live_size(&t, slot)->req;
		whole += size_is_whole(live_size(&t, slot));
		ck_assert_uint_eq(live_unpack(slot).group, 7);
		ck_assert_uint_eq(live_unpack(slot).cpu, 3);
	}
	ck_assert_uint_eq(alloc, 8 * PAGE);
	ck_assert_uint_eq(sum, req);
	ck_assert_uint_eq(whole, 1);
	for (i = 0; i < 8; i++)
		ck_assert_ptr_nonnull(live_find_block(&t, BASE + i * PAGE));
	ck_assert(live_is_covered(&t, BASE, 3));
}

/* After any split each page is in exactly one part, and no byte is lost. */
START_TEST(splits)
{
	unsigned int page, order;
	struct map_slot *slot;
	uint64_t ptr;

	for (page = 0; page < 8; page++) {
		for (order = 0; order < 3; order++) {
			setup();
			ptr = BASE + page * PAGE;
			add(BASE, 3, 8 * PAGE - 5);
			slot = live_find_block(&t, BASE);
			slot = live_split_block(&t, slot, ptr, order);
			ck_assert_ptr_nonnull(slot);
			ck_assert_uint_eq(size_order(live_size(&t, slot)),
					  order);
			ck_assert_uint_eq(live_size(&t, slot)->alloc,
					  PAGE << order);
			ck_assert_uint_eq(slot->key,
					  ptr & ~((PAGE << order) - 1));
			check_parts(8 * PAGE - 5);
			teardown();
		}
	}
}
END_TEST

UNIT_MAIN("live", values, finds_the_block, knows_which_pages_there_are, splits)
