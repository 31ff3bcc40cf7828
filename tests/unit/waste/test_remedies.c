// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"
#include "waste/wastes.h"

static struct wastes w;
static struct slab_rules rules = { .cpus = 4, .page_size = 4096 };

static void begin(void)
{
	wastes_init(&w);
}

static const struct waste *finish(void)
{
	wastes_finish(&w);
	remedies_find(&w, &rules);
	ck_assert_uint_ge(w.count, 1);
	return w.row;
}

/* Objects that are just too large for a cache, as in the guide. */
START_TEST(slightly_too_large)
{
	const struct waste *row;

	begin();
	wastes_add(&w, 7, WASTE_KMALLOC, 2048, 1040, 20000);
	row = finish();
	ck_assert_uint_eq(waste_bytes(row), 20000 * (2048 - 1040));
	ck_assert_int_eq(row->nr_remedies, 2);
	ck_assert_int_eq(row->remedy[0].remedy, REMEDY_LESS);
	ck_assert_uint_eq(row->remedy[0].size, 1024);
	ck_assert_uint_eq(row->remedy[0].saved, 20000 * 1024);
	ck_assert_int_eq(row->remedy[1].remedy, REMEDY_CACHE);
	ck_assert_uint_eq(row->remedy[1].slab_objects, 31);
	/* 646 slabs of 31 objects, instead of 1250 of 16 */
	ck_assert_uint_eq(row->remedy[1].saved, (1250 - 646) * 32768);
	wastes_exit(&w);
}
END_TEST

START_TEST(a_kmem_cache_needs_whole_slabs)
{
	const struct waste *row;

	begin();
	wastes_add(&w, 1, WASTE_KMALLOC, 2048, 1200, 3);
	row = finish();
	ck_assert_int_eq(row->nr_remedies, 0);
	wastes_exit(&w);
}
END_TEST

START_TEST(sizes_that_vary_get_no_kmem_cache)
{
	const struct waste *row;
	unsigned int i;

	begin();
	for (i = 0; i <= REMEDY_SIZES; i++)
		wastes_add(&w, 1, WASTE_KMALLOC, 2048, 1500 + i, 1000);
	ck_assert_int_eq(finish()->nr_remedies, 0);
	wastes_exit(&w);
	begin();
	for (i = 0; i < REMEDY_SIZES; i++)
		wastes_add(&w, 1, WASTE_KMALLOC, 2048, 1500 + i, 1000);
	row = finish();
	ck_assert_int_eq(row->nr_remedies, 1);
	ck_assert_uint_eq(row->remedy[0].size, 1500 + REMEDY_SIZES - 1);
	wastes_exit(&w);
}
END_TEST

START_TEST(only_objects_that_can_shrink_count)
{
	const struct waste *row;

	begin();
	wastes_add(&w, 1, WASTE_KMALLOC, 128, 98, 100);
	wastes_add(&w, 1, WASTE_KMALLOC, 128, 110, 10);
	wastes_add(&w, 1, WASTE_KMALLOC, 128, 109, 1);
	row = finish();
	ck_assert_int_eq(row->remedy[row->nr_remedies - 1].remedy, REMEDY_LESS);
	/* 14 bytes are more than an eighth of 110, 13 are not more than that of 109 */
	ck_assert_uint_eq(row->remedy[row->nr_remedies - 1].objects, 100 + 1);
	wastes_exit(&w);
}
END_TEST

START_TEST(whole_pages)
{
	const struct waste *row;

	begin();
	wastes_add(&w, 1, WASTE_LARGE, 16384, 9000, 5);
	row = finish();
	ck_assert_int_eq(row->remedy[0].remedy, REMEDY_EXACT);
	ck_assert_uint_eq(row->remedy[0].saved, 5 * 4096);
	ck_assert(!row->remedy[0].at_least);
	wastes_exit(&w);
	begin();
	wastes_add_sum(&w, 1, WASTE_LARGE, 5 * 16384, 5 * 9000, 5);
	row = finish();
	ck_assert(row->remedy[0].at_least);
	ck_assert_uint_eq(row->remedy[0].saved, 5 * (16384 - 9000 - 4095));
	ck_assert_uint_eq(row->nr_sizes, 0);
	wastes_exit(&w);
}
END_TEST

START_TEST(alignment)
{
	const struct waste *row;

	begin();
	wastes_add(&w, 1, WASTE_CACHE, 192, 136, 1000);
	row = finish();
	ck_assert_int_eq(row->remedy[0].remedy, REMEDY_ALIGN);
	ck_assert_uint_eq(row->remedy[0].slab_objects, 4096 / 136);
	wastes_exit(&w);
	begin();
	wastes_add(&w, 1, WASTE_PERCPU, 192, 136, 1000);
	ck_assert_int_eq(finish()->nr_remedies, 0);
	wastes_exit(&w);
}
END_TEST

/* With KASAN, an object of 1040 bytes takes 4096: no cache of kmalloc-4k is meant. */
START_TEST(padded_objects_get_no_remedy_for_slabs)
{
	size_t i;

	rules.padded = true;
	begin();
	wastes_add(&w, 1, WASTE_KMALLOC, 4096, 2049, 1000);
	wastes_add(&w, 2, WASTE_CACHE, 192, 136, 1000);
	wastes_add(&w, 3, WASTE_LARGE, 16384, 9000, 5);
	finish();
	for (i = 0; i < w.count; i++)
		ck_assert_int_eq(w.row[i].nr_remedies,
				 w.row[i].kind == WASTE_LARGE);
	wastes_exit(&w);
}
END_TEST

START_TEST(sizes_are_counted)
{
	const struct waste *row;
	char name[32];

	begin();
	wastes_add(&w, 1, WASTE_KMALLOC, 64, 40, 2);
	wastes_add(&w, 2, WASTE_KMALLOC, 64, 40, 1);
	wastes_add(&w, 1, WASTE_KMALLOC, 64, 50, 5);
	wastes_add(&w, 1, WASTE_KMALLOC, 64, 40, 1);
	wastes_add(&w, 1, WASTE_CACHE, 64, 60, 1);
	row = finish();
	ck_assert_uint_eq(w.count, 3);
	ck_assert_uint_eq(row->nr_sizes, 2);
	ck_assert_uint_eq(row->sizes[0].requested, 50);
	ck_assert_uint_eq(row->sizes[1].objects, 3);
	ck_assert_uint_eq(row->objects, 8);
	ck_assert_uint_eq(row->requested, 5 * 50 + 3 * 40);
	ck_assert_str_eq(waste_bucket(row, name, sizeof(name)), "kmalloc-64");
	ck_assert_str_eq(waste_bucket(&w.row[2], name, sizeof(name)), "cache-64");
	wastes_exit(&w);
}
END_TEST

UNIT_MAIN("remedies", slightly_too_large, a_kmem_cache_needs_whole_slabs,
	  sizes_that_vary_get_no_kmem_cache, only_objects_that_can_shrink_count,
	  whole_pages, alignment, padded_objects_get_no_remedy_for_slabs,
	  sizes_are_counted)
