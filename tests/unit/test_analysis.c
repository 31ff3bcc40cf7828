// SPDX-License-Identifier: GPL-2.0-only
#include "analysis.h"
#include "unit.h"

#define PAGE 4096ull

static struct analysis a;

static void start(void)
{
	ck_assert(analysis_init(&a, BY_SITE, PAGE));
}

static void add(struct kmt_event ev, uint32_t cpu)
{
	ck_assert(analysis_add(&a, &ev, cpu));
}

/* Sums of a class, as they are now. */
static const struct analysis_class_sums *sums(enum analysis_class class)
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

START_TEST(what_is_freed_is_gone)
{
	start();
	add(unit_alloc(1, 0, 0x1000, 100), 0);
	add(unit_alloc(2, 0, 0x2000, 50), 0);
	add(unit_free(3, 0, 0x1000), 1);
	ck_assert_uint_eq(sums(CLASS_SLAB)->live, 50);
	ck_assert_uint_eq(sums(CLASS_SLAB)->objects, 1);
	ck_assert_uint_eq(a.remote_frees, 1);
	ck_assert_uint_eq(a.groups.groups[0].frees, 1);
	add(unit_free(4, 0, 0x3000), 0);
	ck_assert_uint_eq(sums(CLASS_SLAB)->unmatched, 1);
	analysis_exit(&a);
}
END_TEST

START_TEST(an_address_used_again_was_freed)
{
	start();
	add(unit_alloc(1, 0, 0x1000, 100), 0);
	add(unit_alloc(2, 0, 0x1000, 100), 0);
	ck_assert_uint_eq(sums(CLASS_SLAB)->live, 100);
	ck_assert_uint_eq(sums(CLASS_SLAB)->implicit, 1);
	ck_assert_uint_eq(sums(CLASS_SLAB)->uncertain, 100);
	analysis_exit(&a);
}
END_TEST

START_TEST(interfaces_may_be_mixed)
{
	start();
	add(unit_alloc(1, KMEMTRACE_TYPE_CACHE, 0x1000, 100), 0);
	add(unit_free(2, KMEMTRACE_TYPE_KMALLOC, 0x1000), 0);
	ck_assert_uint_eq(sums(CLASS_SLAB)->live, 0);
	ck_assert_uint_eq(a.cross_frees, 1);
	ck_assert_uint_eq(sums(CLASS_SLAB)->unmatched, 0);
	analysis_exit(&a);
}
END_TEST

START_TEST(a_block_is_freed_in_pieces)
{
	int i;

	start();
	add(unit_alloc(1, KMEMTRACE_TYPE_PAGES, 0x100000, PAGE << 3), 0);
	ck_assert_uint_eq(sums(CLASS_PAGES)->live, PAGE << 3);
	for (i = 7; i > 0; i--) {
		page_free(0x100000 + i * PAGE, 0);
		ck_assert_uint_eq(sums(CLASS_PAGES)->live, i * PAGE);
		ck_assert_uint_eq(sums(CLASS_PAGES)->objects, 1);
	}
	page_free(0x100000, 0);
	ck_assert_uint_eq(sums(CLASS_PAGES)->live, 0);
	ck_assert_uint_eq(sums(CLASS_PAGES)->objects, 0);
	ck_assert_uint_eq(sums(CLASS_PAGES)->unmatched, 0);
	ck_assert_uint_eq(a.live[CLASS_PAGES].map.used, 0);
	analysis_exit(&a);
}
END_TEST

START_TEST(pieces_are_freed_as_a_block)
{
	start();
	add(unit_alloc(1, KMEMTRACE_TYPE_PAGES, 0x100000, PAGE), 0);
	add(unit_alloc(2, KMEMTRACE_TYPE_PAGES, 0x101000, PAGE), 0);
	page_free(0x100000, 1);
	ck_assert_uint_eq(sums(CLASS_PAGES)->live, 0);
	analysis_exit(&a);
}
END_TEST

START_TEST(a_block_over_what_was_live)
{
	start();
	add(unit_alloc(1, KMEMTRACE_TYPE_PAGES, 0x100000, PAGE << 2), 0);
	/* a page of it is allocated again: that one was freed unseen */
	add(unit_alloc(2, KMEMTRACE_TYPE_PAGES, 0x102000, PAGE), 0);
	ck_assert_uint_eq(sums(CLASS_PAGES)->live, PAGE * 4);
	ck_assert_uint_eq(sums(CLASS_PAGES)->implicit, 1);
	/* and then a block over all of it */
	add(unit_alloc(3, KMEMTRACE_TYPE_PAGES, 0x100000, PAGE << 3), 0);
	ck_assert_uint_eq(sums(CLASS_PAGES)->live, PAGE * 8);
	analysis_exit(&a);
}
END_TEST

/* No kernel has pages there; a damaged recording may. */
START_TEST(pages_at_the_end_of_all_addresses)
{
	uint64_t last = -(64 * PAGE);

	start();
	add(unit_alloc(1, KMEMTRACE_TYPE_PAGES, last, PAGE << 5), 0);
	add(unit_alloc(2, KMEMTRACE_TYPE_PAGES, last, PAGE << 5), 0);
	ck_assert_uint_eq(sums(CLASS_PAGES)->live, PAGE << 5);
	ck_assert_uint_eq(sums(CLASS_PAGES)->implicit, 1);
	analysis_exit(&a);
}
END_TEST

START_TEST(failed_allocations_are_not_live)
{
	start();
	add(unit_alloc(1, 0, 0, 1 << 20), 0);
	ck_assert_uint_eq(sums(CLASS_SLAB)->live, 0);
	ck_assert_uint_eq(a.failed[0], 1);
	ck_assert_uint_eq(a.allocs[0], 0);
	analysis_exit(&a);
}
END_TEST

/* A model that is too simple to be wrong, against the hash. */
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
			ck_assert_uint_eq(sums(CLASS_SLAB)->live, live);
	}
	ck_assert_uint_eq(sums(CLASS_SLAB)->live, live);
	ck_assert_uint_eq(sums(CLASS_SLAB)->implicit, 0);
	analysis_exit(&a);
}
END_TEST

/* Blocks of all orders over each other, page by page against an array. */
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
		ck_assert_uint_eq(sums(CLASS_PAGES)->live, live);
	}
	analysis_exit(&a);
}
END_TEST

/* A window at a time is as one by one, whatever the events. */
START_TEST(windows)
{
	static struct merged events[WINDOW_SIZE];
	struct window w = { .events = events };
	struct analysis one;
	unsigned int seed = 9, n, i;

	start();
	ck_assert(analysis_init(&one, BY_SITE, PAGE));
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
			ck_assert(analysis_add(&one, &events[i].ev,
					       events[i].cpu));
		}
		ck_assert(analysis_add_window(&a, &w));
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

UNIT_MAIN("analysis", what_is_freed_is_gone, an_address_used_again_was_freed,
	  interfaces_may_be_mixed, a_block_is_freed_in_pieces,
	  pieces_are_freed_as_a_block, a_block_over_what_was_live,
	  failed_allocations_are_not_live, pages_at_the_end_of_all_addresses,
	  many_objects, blocks_over_blocks, windows)
