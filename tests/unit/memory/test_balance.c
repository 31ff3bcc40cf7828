// SPDX-License-Identifier: GPL-2.0-only
#include "memory/balance.h"
#include "unit.h"

#define PAGE 4096ull

/* all numbers in pages */
static struct tally tally = {
	.kind = {
		[KIND_HOLE] = 1000,  [KIND_POISONED] = 1, [KIND_OFFLINE] = 50,
		[KIND_FREE] = 500,   [KIND_RESERVED] = 70, [KIND_SLAB] = 40,
		[KIND_PGTABLE] = 2,  [KIND_HUGETLB] = 512, [KIND_ZERO] = 512,
		[KIND_ANON] = 30,    [KIND_SHMEM] = 20,	  [KIND_FILE] = 10,
		[KIND_STACK] = 4,    [KIND_PERCPU] = 6,	  [KIND_MODULE] = 8,
		[KIND_VMALLOC] = 9,  [KIND_LARGE] = 16,	  [KIND_MOVABLE] = 3,
		[KIND_KERNEL] = 11,  [KIND_VMAP] = 5,	  [KIND_UNKNOWN] = 100,
	},
	.idle = 60,
	.compound = 24,
};

/* 1789 frames are neither hole nor offline nor reserved */
#define TOTAL "MemTotal: 7156 kB\n"
#define SLAB  "Slab: 288 kB\n" /* 72 pages: slab, large, and 16 more */

static struct balance_input input(const char *meminfo)
{
	return (struct balance_input){
		.tally = &tally,
		.knows_vmalloc = true,
		.before = meminfo,
		.after = meminfo,
		.page_size = PAGE,
		.per_cpu_pages = 45,
	};
}

static uint64_t pages(const struct balance *b, enum balance_id id)
{
	return b->line[id].bytes / PAGE;
}

static void check_sums(const struct balance *b)
{
	uint64_t all = 0;
	int i;

	for (i = 0; i < LINES; i++)
		if (i != LINE_TOTAL && i != LINE_USED)
			all += b->line[i].bytes;
	ck_assert_uint_eq(all, b->line[LINE_TOTAL].bytes);
	ck_assert_uint_eq(b->line[LINE_USED].bytes +
				  b->line[LINE_FREE].bytes +
				  b->line[LINE_CPU_LISTS].bytes +
				  b->line[LINE_UNACCEPTED].bytes +
				  b->line[LINE_OFFLINE].bytes,
			  b->line[LINE_TOTAL].bytes);
}

START_TEST(lines_add_up)
{
	struct balance_input in = input(TOTAL SLAB);
	struct balance b;

	balance_make(&b, &in);
	check_sums(&b);
	ck_assert_uint_eq(pages(&b, LINE_TOTAL), 1789);
	ck_assert_int_eq(b.difference, 0);
	ck_assert_uint_eq(b.reserved, 70 * PAGE);
	ck_assert_uint_eq(b.offline, 50 * PAGE);
	ck_assert_uint_eq(pages(&b, LINE_CPU_LISTS), 45);
	ck_assert_uint_eq(pages(&b, LINE_LARGE_BEFORE), 16);
	ck_assert_uint_eq(pages(&b, LINE_UNEXPLAINED), 100 - 45 - 16);
	ck_assert_uint_eq(pages(&b, LINE_USED), 1789 - 500 - 45);
	ck_assert_double_eq_tol(balance_explained(&b), 100 - 3900.0 / 1244, 1e-9);
}
END_TEST

START_TEST(counts_take_no_more_than_there_is)
{
	struct balance_input in = input("Slab: 999999 kB\n");
	struct balance b;

	in.per_cpu_pages = 1000;
	in.ftrace_pages = 10;
	in.dma_pool_bytes = 1 << 20;
	in.hash_bytes = 1 << 20;
	balance_make(&b, &in);
	check_sums(&b);
	ck_assert_uint_eq(pages(&b, LINE_CPU_LISTS), 60); /* idle */
	ck_assert_uint_eq(pages(&b, LINE_LARGE_BEFORE), 24); /* compound */
	ck_assert_uint_eq(pages(&b, LINE_FTRACE), 10);
	ck_assert_uint_eq(pages(&b, LINE_DMA_POOLS), 6);
	ck_assert_uint_eq(pages(&b, LINE_INTEGRITY_POOL), 0);
	ck_assert_uint_eq(pages(&b, LINE_HASHES), 0);
	ck_assert_uint_eq(pages(&b, LINE_UNEXPLAINED), 0);
	ck_assert_double_eq(balance_explained(&b), 100);
	/* Slab in meminfo is less than the known slab and large pages */
	in = input("Slab: 4 kB\n");
	in.integrity_pool_bytes = 7 * PAGE;
	balance_make(&b, &in);
	ck_assert_uint_eq(pages(&b, LINE_INTEGRITY_POOL), 7);
	ck_assert_uint_eq(pages(&b, LINE_LARGE_BEFORE), 0);
	check_sums(&b);
}
END_TEST

/* MemFree includes memory that is not accepted; its frames have no flag. */
START_TEST(memory_that_is_not_accepted_is_free)
{
	struct balance_input in =
		input("MemFree: 2040 kB\nUnaccepted: 40 kB\n");
	struct balance b;

	in.unaccepted_pages = 10;
	balance_make(&b, &in);
	check_sums(&b);
	ck_assert_uint_eq(pages(&b, LINE_CPU_LISTS), 45);
	ck_assert_uint_eq(pages(&b, LINE_UNACCEPTED), 10);
	ck_assert_uint_eq(pages(&b, LINE_UNEXPLAINED), 100 - 45 - 10);
	ck_assert_str_eq(b.line[LINE_FREE].figure, "MemFree - Unaccepted");
	ck_assert(!balance_differs(&b.line[LINE_FREE]));
	ck_assert(!balance_differs(&b.line[LINE_UNACCEPTED]));
	/* no more than there are frames without flags */
	in.unaccepted_pages = 1000;
	balance_make(&b, &in);
	check_sums(&b);
	ck_assert_uint_eq(pages(&b, LINE_UNACCEPTED), 60 - 45);
	/* the guest has accepted all memory */
	in = input("MemFree: 2000 kB\nUnaccepted: 0 kB\n");
	balance_make(&b, &in);
	ck_assert_str_eq(b.line[LINE_FREE].figure, "MemFree");
	ck_assert(!balance_differs(&b.line[LINE_FREE]));
}
END_TEST

START_TEST(tagged_frames_are_not_unknown)
{
	struct site_row rows[] = {
		{ .kind = SITE_PAGE,
		  .f.bytes = 4 * PAGE,
		  .location = "a.c:1 func:ftrace_process_locs" },
		{ .kind = SITE_SLAB,
		  .f.bytes = 50 * PAGE,
		  .location = "a.c:2 func:ftrace_process_locs" },
		{ .kind = SITE_PAGE,
		  .f.bytes = 3 * PAGE,
		  .location = "b.c:1 func:atomic_pool_expand" },
		{ .kind = SITE_PAGE,
		  .f.bytes = 50 * PAGE,
		  .location = "ftrace_x:1 func:other" },
	};
	struct tags tags = { .rows = { rows, 4 } };
	struct balance_input in = input(TOTAL SLAB);
	struct balance b;

	in.tags = &tags;
	in.ftrace_pages = 10;
	in.dma_pool_bytes = 8 * PAGE;
	balance_make(&b, &in);
	ck_assert_uint_eq(pages(&b, LINE_FTRACE), 6);
	ck_assert_uint_eq(pages(&b, LINE_DMA_POOLS), 5);
	rows[0].f.bytes = 11 * PAGE;
	balance_make(&b, &in);
	ck_assert_uint_eq(pages(&b, LINE_FTRACE), 0);
	check_sums(&b);
}
END_TEST

START_TEST(meminfo_replaces_unknown_areas)
{
	struct balance_input in = input("VmallocUsed: 40 kB\nKernelStack: 8 kB\n");
	struct balance b;

	in.knows_vmalloc = false;
	balance_make(&b, &in);
	ck_assert_uint_eq(pages(&b, LINE_VMALLOC_USED), 10);
	ck_assert(!b.line[LINE_STACK].has_figure);
	ck_assert(!b.line[LINE_VMALLOC].has_figure);
	in.knows_vmalloc = true;
	balance_make(&b, &in);
	ck_assert_uint_eq(pages(&b, LINE_VMALLOC_USED), 0);
	ck_assert(b.line[LINE_STACK].has_figure);
}
END_TEST

START_TEST(balloons_are_where_the_total_fits)
{
	/* 50 pages more */
	struct balance_input in = input("MemTotal: 7356 kB\n");
	struct balance b;

	balance_make(&b, &in);
	check_sums(&b);
	ck_assert_uint_eq(pages(&b, LINE_OFFLINE), 50);
	ck_assert_uint_eq(b.offline, 0);
	ck_assert_int_eq(b.difference, 0);
	in = input("MemTotal: 7160 kB\n");
	balance_make(&b, &in);
	ck_assert_uint_eq(pages(&b, LINE_OFFLINE), 0);
	ck_assert_int_eq(b.difference, -4096);
}
END_TEST

START_TEST(a_line_differs_if_outside_both_readings)
{
	struct balance_input in = input("MemFree: 1996 kB\n");
	struct balance b;

	in.after = "MemFree: 2004 kB\n";
	balance_make(&b, &in);
	ck_assert_int_eq(b.line[LINE_FREE].before, 1996 * 1024);
	ck_assert_int_eq(b.line[LINE_FREE].after, 2004 * 1024);
	ck_assert(!balance_differs(&b.line[LINE_FREE]));
	in.before = "MemFree: 2004 kB\n";
	balance_make(&b, &in);
	ck_assert(balance_differs(&b.line[LINE_FREE]));
	ck_assert(!balance_differs(&b.line[LINE_SHMEM]));
}
END_TEST

UNIT_MAIN("balance", lines_add_up, counts_take_no_more_than_there_is,
	  memory_that_is_not_accepted_is_free, tagged_frames_are_not_unknown,
	  meminfo_replaces_unknown_areas,
	  balloons_are_where_the_total_fits, a_line_differs_if_outside_both_readings)
