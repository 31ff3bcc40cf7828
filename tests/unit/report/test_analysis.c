// SPDX-License-Identifier: GPL-2.0-only
#include "report/analysis.h"
#include "unit.h"

#define PAGE 4096ull

static struct analysis a;

static void start(void)
{
	analysis_init(&a, BY_SITE, PAGE);
}

static void add(struct kmt_event ev, uint32_t cpu)
{
	analysis_add(&a, &ev, cpu);
}

/* Return: the current sums of a class. */
static const struct analysis_class_sums *sums(enum site_kind class)
{
	analysis_finish(&a);
	return &a.sums[class];
}

static void page_free(uint64_t ptr, unsigned int order)
{
	struct kmt_event ev = unit_free(0, KMEMTRACE_TYPE_PAGES, ptr);

	ev.features = KMT_FEATURE_PAGE;
	ev.order = order;
	add(ev, 0);
}

START_TEST(freed_objects_are_not_live)
{
	start();
	add(unit_alloc(1, 0, 0x1000, 100), 0);
	add(unit_alloc(2, 0, 0x2000, 50), 0);
	add(unit_free(3, 0, 0x1000), 1);
	ck_assert_uint_eq(sums(SITE_SLAB)->live, 50);
	ck_assert_uint_eq(sums(SITE_SLAB)->objects, 1);
	ck_assert_uint_eq(a.remote_frees, 1);
	ck_assert_uint_eq(a.groups.groups[0].frees, 1);
	add(unit_free(4, 0, 0x3000), 0);
	ck_assert_uint_eq(sums(SITE_SLAB)->unmatched, 1);
	analysis_exit(&a);
}
END_TEST

static void check_bounds(size_t group, uint64_t low, uint64_t high,
			 uint64_t objects_low, uint64_t objects_high)
{
	struct analysis_bounds b;

	analysis_finish(&a);
	analysis_narrow(&a);
	analysis_bounds(&a, &a.groups.groups[group], &b);
	ck_assert_uint_eq(b.low, low);
	ck_assert_uint_eq(b.high, high);
	ck_assert_uint_eq(b.objects_low, objects_low);
	ck_assert_uint_eq(b.objects_high, objects_high);
}

static void add_at(uint64_t site, struct kmt_event ev)
{
	ev.call_site = site;
	add(ev, 0);
}

/* A lost record can be the free of an older allocation, but not of a newer one. */
START_TEST(a_loss_makes_live_objects_uncertain)
{
	start();
	add_at(1, unit_alloc(1, 0, 0x1000, 100));
	add_at(1, unit_alloc(2, 0, 0x2000, 40));
	add_at(1, unit_alloc(3, 0, 0x3000, 40));
	check_bounds(0, 180, 180, 3, 3);
	analysis_add_gap(&a, 2);
	add_at(2, unit_alloc(6, 0, 0x4000, 30));
	add_at(1, unit_alloc(7, 0, 0x5000, 500));
	/*
	 * Two records were lost. As frees, they freed at most two older objects, of 100
	 * and 40 bytes. As allocations, they added at most two objects and 2 * 500 bytes.
	 */
	check_bounds(0, 680 - 140, 680 + 1000, 4 - 2, 4 + 2);
	check_bounds(1, 30, 30 + 60, 1, 3);
	add_at(3, unit_free(8, 0, 0x1000));
	check_bounds(0, 580 - 80, 580 + 1000, 3 - 2, 3 + 2);
	add_at(3, unit_free(9, 0, 0x2000));
	check_bounds(0, 540 - 40, 540 + 1000, 2 - 1, 2 + 2);
	/* a second loss */
	analysis_add_gap(&a, 1);
	check_bounds(1, 0, 30 + 90, 0, 4);
	analysis_exit(&a);
}
END_TEST

/* One free may free all parts of a block. */
START_TEST(a_lost_free_of_a_block_in_parts)
{
	start();
	add(unit_alloc(1, KMEMTRACE_TYPE_PAGES, 0x100000, PAGE << 2), 0);
	page_free(0x100000, 0);
	analysis_add_gap(&a, 1);
	check_bounds(0, 0, 3 * PAGE + (PAGE << 2), 0, 1);
	analysis_exit(&a);
}
END_TEST

/* Any number of frees may be missing, so no allocation before the gap is certain. */
START_TEST(frees_that_are_not_seen)
{
	start();
	a.gaps_are_losses = false;
	add_at(1, unit_alloc(1, 0, 0x1000, 100));
	add_at(1, unit_alloc(2, 0, 0x2000, 100));
	analysis_add_gap(&a, 1);
	add_at(1, unit_alloc(4, 0, 0x3000, 100));
	check_bounds(0, 100, 300, 1, 3);
	analysis_exit(&a);
	/* records before number 3 may have been overwritten */
	start();
	a.begins = true;
	a.from = 3;
	add_at(1, unit_alloc(2, 0, 0x2000, 100));
	add_at(1, unit_alloc(3, 0, 0x3000, 100));
	add_at(1, unit_alloc(4, 0, 0x4000, 100));
	check_bounds(0, 200, 300, 2, 3);
	analysis_exit(&a);
}
END_TEST

/* Many losses in a row are not processed one by one. */
START_TEST(many_losses)
{
	unsigned int i;

	start();
	for (i = 0; i < 20000; i++)
		add_at(1, unit_alloc(2 * i, 0, 0x1000 + 16ull * i, 10));
	for (i = 0; i < 20000; i++)
		analysis_add_gap(&a, 1);
	check_bounds(0, 0, 400000, 0, 40000);
	for (i = 0; i < 20000; i++)
		add_at(2, unit_alloc(i, 0, 0x10000000 + 16ull * i, 10));
	add_at(2, unit_alloc(i, 0, 0x20000000, 10));
	analysis_finish(&a);
	ck_assert_uint_eq(a.groups.groups[0].unsure, 20000);
	ck_assert(!a.aging);
	analysis_exit(&a);
}
END_TEST

/* With a filter, only frees of matching allocations count. Others are not unmatched. */
START_TEST(frees_of_matching_allocations)
{
	struct kmt_event ev;

	start();
	add(unit_alloc(1, 0, 0x1000, 100), 0);
	ev = unit_free(2, 0, 0x1000);
	analysis_add_free(&a, &ev, 0);
	ev = unit_free(3, 0, 0x2000);
	analysis_add_free(&a, &ev, 0);
	ck_assert_uint_eq(sums(SITE_SLAB)->live, 0);
	ck_assert_uint_eq(sums(SITE_SLAB)->unmatched, 0);
	ck_assert_uint_eq(a.frees[0], 1);
	analysis_exit(&a);
}
END_TEST

/* Two modules had the same call site address, one after the other. */
START_TEST(places_have_groups)
{
	struct names *n = names_create();

	names_add_module_log(n, "module one 1 1 5 0x1000 4096 0x0 0\n"
			     "module two 5 5 - 0x1000 4096 0x0 0\n");
	start();
	a.names = n;
	add_at(0x1010, unit_alloc(1, 0, 0x1000, 100));
	add_at(0x1010, unit_alloc(4, 0, 0x2000, 100));
	add_at(0x1010, unit_alloc(5, 0, 0x3000, 100));
	ck_assert_uint_eq(a.groups.count, 2);
	ck_assert_uint_eq(a.groups.groups[0].allocs, 2);
	ck_assert_uint_eq(a.groups.groups[1].allocs, 1);
	analysis_exit(&a);
	names_destroy(n);
}
END_TEST

START_TEST(an_address_used_again_was_freed)
{
	start();
	add(unit_alloc(1, 0, 0x1000, 100), 0);
	add(unit_alloc(2, 0, 0x1000, 100), 0);
	ck_assert_uint_eq(sums(SITE_SLAB)->live, 100);
	ck_assert_uint_eq(sums(SITE_SLAB)->implicit, 1);
	ck_assert_uint_eq(sums(SITE_SLAB)->uncertain, 100);
	analysis_exit(&a);
}
END_TEST

/* One row for all, and one for each site, of the same records. */
static void lose_some(uint64_t lose, uint64_t memory, enum analysis_by by)
{
	uint32_t i, seq = 0;

	analysis_init(&a, by, PAGE);
	a.memory = memory;
	for (i = 0; i < 100; i++) {
		struct kmt_event ev = unit_alloc(seq++, KMEMTRACE_TYPE_KMALLOC, 0x1000 + i * 0x1000,
						 i < 99 ? 8 : 1 << 20);

		ev.call_site = 0x100 + (i == 99);
		analysis_add(&a, &ev, 0);
	}
	analysis_lose(&a, lose);
	analysis_finish(&a);
	analysis_narrow(&a);
}

/* Lost events free the largest objects at most, once each. */
START_TEST(bounds_add_up)
{
	struct analysis_bounds all, small, large;
	uint64_t lose;

	for (lose = 1; lose < 200; lose += 33) {
		lose_some(lose, UINT64_MAX, BY_KIND);
		ck_assert_uint_eq(a.groups.count, 1);
		analysis_bounds(&a, &a.groups.groups[0], &all);
		analysis_exit(&a);
		lose_some(lose, UINT64_MAX, BY_SITE);
		ck_assert_uint_eq(a.groups.count, 2);
		analysis_bounds(&a, &a.groups.groups[0], &small);
		analysis_bounds(&a, &a.groups.groups[1], &large);
		analysis_exit(&a);
		ck_assert_uint_eq(all.low, lose > 100 ? 0 : 8 * (100 - lose));
		ck_assert_uint_eq(small.low, lose > 99 ? 0 : 8 * (99 - lose));
		ck_assert_uint_eq(large.low, 0);
		ck_assert_uint_ge(all.low, small.low + large.low);
		ck_assert_uint_eq(large.high, (1 << 20) + (lose << 20));
	}
}
END_TEST

START_TEST(bounds_are_within_the_memory)
{
	struct analysis_bounds small, large;

	lose_some(10, 2 << 20, BY_SITE);
	analysis_bounds(&a, &a.groups.groups[0], &small);
	analysis_bounds(&a, &a.groups.groups[1], &large);
	ck_assert_uint_eq(small.low, 89 * 8);
	ck_assert_uint_eq(small.high, (99 + 10) * 8);
	ck_assert_uint_eq(large.high, (2 << 20) - 89 * 8);
	ck_assert_uint_eq(large.objects_high, 11);
	analysis_exit(&a);
	/* memory was added after the start: what was seen is true */
	lose_some(10, 1000, BY_SITE);
	analysis_bounds(&a, &a.groups.groups[1], &large);
	ck_assert_uint_eq(large.high, 1 << 20);
	analysis_exit(&a);
}
END_TEST

START_TEST(interfaces_may_be_mixed)
{
	start();
	add(unit_alloc(1, KMEMTRACE_TYPE_CACHE, 0x1000, 100), 0);
	add(unit_free(2, KMEMTRACE_TYPE_KMALLOC, 0x1000), 0);
	ck_assert_uint_eq(sums(SITE_SLAB)->live, 0);
	ck_assert_uint_eq(a.cross_frees, 1);
	ck_assert_uint_eq(sums(SITE_SLAB)->unmatched, 0);
	analysis_exit(&a);
}
END_TEST

START_TEST(a_block_is_freed_in_pieces)
{
	int i;

	start();
	add(unit_alloc(1, KMEMTRACE_TYPE_PAGES, 0x100000, PAGE << 3), 0);
	ck_assert_uint_eq(sums(SITE_PAGE)->live, PAGE << 3);
	for (i = 7; i > 0; i--) {
		page_free(0x100000 + i * PAGE, 0);
		ck_assert_uint_eq(sums(SITE_PAGE)->live, i * PAGE);
		ck_assert_uint_eq(sums(SITE_PAGE)->objects, 1);
	}
	page_free(0x100000, 0);
	ck_assert_uint_eq(sums(SITE_PAGE)->live, 0);
	ck_assert_uint_eq(sums(SITE_PAGE)->objects, 0);
	ck_assert_uint_eq(sums(SITE_PAGE)->unmatched, 0);
	ck_assert_uint_eq(a.live[SITE_PAGE].map.used, 0);
	analysis_exit(&a);
}
END_TEST

START_TEST(pieces_are_freed_as_a_block)
{
	start();
	add(unit_alloc(1, KMEMTRACE_TYPE_PAGES, 0x100000, PAGE), 0);
	add(unit_alloc(2, KMEMTRACE_TYPE_PAGES, 0x101000, PAGE), 0);
	page_free(0x100000, 1);
	ck_assert_uint_eq(sums(SITE_PAGE)->live, 0);
	analysis_exit(&a);
}
END_TEST

START_TEST(a_block_over_live_pages)
{
	start();
	add(unit_alloc(1, KMEMTRACE_TYPE_PAGES, 0x100000, PAGE << 2), 0);
	/* a page of the block is allocated again: its free was missed */
	add(unit_alloc(2, KMEMTRACE_TYPE_PAGES, 0x102000, PAGE), 0);
	ck_assert_uint_eq(sums(SITE_PAGE)->live, PAGE * 4);
	ck_assert_uint_eq(sums(SITE_PAGE)->implicit, 1);
	/* a larger block over all these pages */
	add(unit_alloc(3, KMEMTRACE_TYPE_PAGES, 0x100000, PAGE << 3), 0);
	ck_assert_uint_eq(sums(SITE_PAGE)->live, PAGE * 8);
	analysis_exit(&a);
}
END_TEST

/* No kernel has pages there, but a damaged recording can contain such addresses. */
START_TEST(pages_at_the_end_of_all_addresses)
{
	uint64_t last = -(64 * PAGE);

	start();
	add(unit_alloc(1, KMEMTRACE_TYPE_PAGES, last, PAGE << 5), 0);
	add(unit_alloc(2, KMEMTRACE_TYPE_PAGES, last, PAGE << 5), 0);
	ck_assert_uint_eq(sums(SITE_PAGE)->live, PAGE << 5);
	ck_assert_uint_eq(sums(SITE_PAGE)->implicit, 1);
	analysis_exit(&a);
}
END_TEST

START_TEST(failed_allocations_are_not_live)
{
	start();
	add(unit_alloc(1, 0, 0, 1 << 20), 0);
	ck_assert_uint_eq(sums(SITE_SLAB)->live, 0);
	ck_assert_uint_eq(a.failed[0], 1);
	ck_assert_uint_eq(a.allocs[0], 0);
	analysis_exit(&a);
}
END_TEST

/* Compare the hash with an array of sizes. */
START_TEST(many_objects)
{
	static uint32_t model[4096];
	unsigned int seed = 42, i;
	uint64_t live = 0;

	start();
	for (i = 0; i < 200000; i++) {
		unsigned int slot = rand_r(&seed) % 4096;
		uint64_t ptr = 0xffff888000000000ull + slot * 64;

		if (model[slot]) {
			live -= model[slot];
			model[slot] = 0;
			add(unit_free(i, 0, ptr), 0);
		} else {
			model[slot] = 1 + rand_r(&seed) % 64;
			live += model[slot];
			add(unit_alloc(i, 0, ptr, model[slot]), 0);
		}
		if (i % 1000 == 0)
			ck_assert_uint_eq(sums(SITE_SLAB)->live, live);
	}
	ck_assert_uint_eq(sums(SITE_SLAB)->live, live);
	ck_assert_uint_eq(sums(SITE_SLAB)->implicit, 0);
	analysis_exit(&a);
}
END_TEST

/* Compare overlapping blocks of all orders with an array of pages. */
START_TEST(blocks_over_blocks)
{
	static bool model[256];
	unsigned int seed = 5, n, i, order, first;
	struct kmt_event ev;
	uint64_t live;

	start();
	for (n = 0; n < 20000; n++) {
		order = rand_r(&seed) % 5;
		first = rand_r(&seed) % 256 >> order << order;
		ev = unit_alloc(n, KMEMTRACE_TYPE_PAGES, 0xffff888000000000ull + first * PAGE,
				PAGE << order);
		if (rand_r(&seed) % 2) {
			add(ev, 0);
			memset(model + first, 1, 1u << order);
		} else {
			page_free(ev.ptr, order);
			memset(model + first, 0, 1u << order);
		}
		for (i = live = 0; i < 256; i++)
			live += model[i] * PAGE;
		ck_assert_uint_eq(sums(SITE_PAGE)->live, live);
	}
	analysis_exit(&a);
}
END_TEST

/* A huge page of 1 GiB was allocated without an event. Its free frees what was there before. */
START_TEST(a_huge_page_is_freed)
{
	const uint64_t at = 0xffff888040000000ull;

	start();
	add(unit_alloc(1, KMEMTRACE_TYPE_PAGES, at, PAGE), 0);
	add(unit_alloc(2, KMEMTRACE_TYPE_PAGES, at + PAGE * 100, PAGE << 2), 0);
	add(unit_alloc(3, KMEMTRACE_TYPE_PAGES, at + (PAGE << 17), PAGE << 10), 0);
	add(unit_alloc(4, KMEMTRACE_TYPE_PAGES, at + (PAGE << 18) - PAGE, PAGE), 0);
	add(unit_alloc(5, KMEMTRACE_TYPE_PAGES, at + (PAGE << 18), PAGE), 0);
	add(unit_alloc(6, KMEMTRACE_TYPE_PAGES, at - PAGE, PAGE), 0);
	page_free(at, 18);
	ck_assert_uint_eq(sums(SITE_PAGE)->live, 2 * PAGE);
	ck_assert_uint_eq(sums(SITE_PAGE)->objects, 2);
	ck_assert_uint_eq(sums(SITE_PAGE)->unmatched, 0);
	page_free(at, 18);
	ck_assert_uint_eq(sums(SITE_PAGE)->unmatched, 1);
	ck_assert_uint_eq(sums(SITE_PAGE)->live, 2 * PAGE);
	analysis_exit(&a);
}
END_TEST

/* Adding a window has the same result as adding its events one by one. */
START_TEST(windows)
{
	static struct merged events[WINDOW_SIZE];
	struct window w = { .events = events };
	struct analysis one;
	unsigned int seed = 9, n, i;

	start();
	analysis_init(&one, BY_SITE, PAGE);
	for (n = 0; n < 50; n++) {
		w.count = 1 + rand_r(&seed) % WINDOW_SIZE;
		for (i = 0; i < w.count; i++) {
			uint64_t ptr = 0x100000 + rand_r(&seed) % 300 * PAGE;
			uint8_t type = rand_r(&seed) % 4;

			events[i].ev = rand_r(&seed) % 2 ?
					       unit_alloc(i, type, ptr, PAGE) :
					       unit_free(i, type, ptr);
			events[i].ev.call_site = rand_r(&seed) % 200;
			events[i].cpu = rand_r(&seed) % 3;
			analysis_add(&one, &events[i].ev, events[i].cpu);
		}
		analysis_add_window(&a, &w);
	}
	analysis_finish(&a);
	analysis_finish(&one);
	ck_assert_int_eq(memcmp(a.sums, one.sums, sizeof(a.sums)), 0);
	ck_assert_uint_eq(a.groups.count, one.groups.count);
	for (i = 0; i < a.groups.count; i++)
		ck_assert_int_eq(memcmp(&a.groups.groups[i],
					&one.groups.groups[i],
					offsetof(struct group, size)),
				 0);
	ck_assert_uint_eq(a.remote_frees, one.remote_frees);
	analysis_exit(&one);
	analysis_exit(&a);
}
END_TEST

UNIT_MAIN("analysis", freed_objects_are_not_live, an_address_used_again_was_freed,
	  bounds_add_up, bounds_are_within_the_memory,
	  interfaces_may_be_mixed, a_block_is_freed_in_pieces,
	  pieces_are_freed_as_a_block, a_block_over_live_pages,
	  failed_allocations_are_not_live, pages_at_the_end_of_all_addresses,
	  many_objects, blocks_over_blocks, a_huge_page_is_freed, windows,
	  a_loss_makes_live_objects_uncertain, frees_that_are_not_seen,
	  a_lost_free_of_a_block_in_parts, many_losses, frees_of_matching_allocations,
	  places_have_groups)
