// SPDX-License-Identifier: GPL-2.0-only
#include "leaks/paths.h"
#include "unit.h"

#define SITE  0xffffffff81000010ull
#define OTHER 0xffffffff81000020ull
#define FREER 0xffffffff81000030ull
#define MS    1000000ull

static struct paths p;
static uint64_t now;
static uint8_t context;

static void alloc(uint64_t site, uint64_t path, uint64_t ptr, uint64_t bytes, int tgid)
{
	struct kmt_event ev = { .event_id = KMEMTRACE_EVENT_ALLOC, .call_site = site,
				.ptr = ptr, .bytes_req = bytes - 1, .bytes_alloc = bytes,
				.time = now };
	struct kmt_extra x = { .have = KMT_FEATURE_STACK | KMT_FEATURE_TASK, .depth = 2,
			       .stack = { site, path }, .tgid = tgid, .context = context,
			       .comm = "task" };

	paths_alloc(&p, &ev, &x);
}

static void release(uint64_t ptr, uint64_t site)
{
	struct kmt_event ev = { .event_id = KMEMTRACE_EVENT_FREE, .call_site = site,
				.ptr = ptr, .time = now };

	paths_release(&p, &ev);
}

/* Two paths through a site: one frees after 20 ms, the other never. */
START_TEST(balanced_and_leaking)
{
	int i;

	paths_init(&p);
	for (i = 0; i < 1000; i++) {
		now = (1 + i) * 10 * MS;
		alloc(SITE, 0x100, 0x10000 + i * 64, 64, 7);
		if (i >= 2)
			release(0x10000 + (i - 2) * 64, FREER);
		if (i % 100 == 0)
			alloc(SITE, 0x200, 0x800000 + i * 64, 32, 8);
		release(0x999, FREER); /* not from here */
	}
	paths_end(&p);
	ck_assert_uint_eq(p.count, 2);
	ck_assert_uint_eq(p.path[0].stack[1], 0x200);
	ck_assert_uint_eq(p.path[0].allocs, 10);
	ck_assert_uint_eq(p.path[0].frees, 0);
	ck_assert(p.path[0].kept == 1);
	ck_assert_uint_eq(p.path[0].size_min, 31);
	ck_assert_uint_eq(p.kept_age, 999 * 10 * MS / 2);
	ck_assert_uint_eq(p.path[1].allocs, 1000);
	ck_assert_uint_eq(p.path[1].frees, 998);
	/* places of freed objects are used again */
	ck_assert_uint_lt(p.nr_objects, 20);
	ck_assert(p.path[1].kept < 0.01);
	ck_assert_uint_eq(p.nr_freed, 1);
	ck_assert_uint_eq(p.freed[0].addr, FREER);
	ck_assert_uint_eq(p.freed[0].site, SITE);
	ck_assert_uint_eq(p.freed[0].count, 998);
	paths_free(&p);
}
END_TEST

/* An address that is allocated again without a free counts once as live. */
START_TEST(reuse)
{
	paths_init(&p);
	now = MS;
	alloc(SITE, 0x100, 0x1000, 64, 1);
	now = 2 * MS;
	release(0x1000, FREER);
	alloc(OTHER, 0x100, 0x1000, 64, 1);
	now = 3 * MS;
	release(0x1000, OTHER);
	release(0x1000, OTHER);
	release(0, OTHER);
	paths_end(&p);
	ck_assert_uint_eq(p.count, 2);
	ck_assert_uint_eq(p.path[0].frees, 1);
	ck_assert_uint_eq(p.path[1].frees, 1);
	ck_assert_uint_eq(p.nr_freed, 2);
	paths_free(&p);
}
END_TEST

START_TEST(tasks)
{
	uint64_t all = 0;
	int i;

	paths_init(&p);
	now = MS;
	for (i = 0; i < 70; i++)
		alloc(SITE, 0x100, 0x1000 + 64 * i, 64, i < 10 ? 100 : i % 7);
	paths_end(&p);
	for (i = 0; i < PATHS_TASKS; i++)
		all += p.path[0].task[i].count;
	ck_assert_uint_eq(p.path[0].others, 33); /* the last four of seven processes */
	ck_assert_uint_eq(all + p.path[0].others, 70);
	ck_assert_uint_eq(p.path[0].task[PATHS_TASKS - 1].count, 9);
	ck_assert_int_eq(p.path[0].task[0].tgid, 100);
	ck_assert_uint_eq(p.path[0].task[0].count, 10);
	ck_assert_str_eq(p.path[0].task[0].comm, "task");
	paths_free(&p);
}
END_TEST

/* The process that an interrupt has interrupted has not caused it. */
START_TEST(interrupts_are_of_no_process)
{
	int i;

	paths_init(&p);
	now = MS;
	context = KMEMTRACE_CONTEXT_SOFTIRQ;
	for (i = 0; i < 70; i++)
		alloc(SITE, 0x100, 0x1000 + 64 * i, 64, i);
	context = KMEMTRACE_CONTEXT_BH_OFF;
	alloc(SITE, 0x100, 0x10, 64, 7);
	context = 0;
	paths_end(&p);
	ck_assert_int_eq(p.path[0].task[0].tgid, PATHS_INTERRUPT);
	ck_assert_str_eq(p.path[0].task[0].comm, "(interrupts)");
	ck_assert_uint_eq(p.path[0].task[0].count, 70);
	ck_assert_int_eq(p.path[0].task[1].tgid, 7);
	ck_assert_uint_eq(p.path[0].others, 0);
	paths_free(&p);
}
END_TEST

/* A path that keeps much is before one that allocates much, unless it has few objects. */
START_TEST(order)
{
	int i;

	paths_init(&p);
	for (i = 0; i < 100; i++) {
		now = (1 + i) * MS;
		alloc(SITE, 0x100, 0x100000 + i * 4096, 4096, 1);
		if (i % 3)
			release(0x100000 + (i - 1) * 4096, FREER);
		if (i % 10 == 0)
			alloc(SITE, 0x200, 0x900000 + i * 64, 64, 1);
	}
	alloc(SITE, 0x300, 0xa00000, 64, 1);
	paths_end(&p);
	ck_assert_uint_eq(p.count, 3);
	ck_assert_uint_eq(p.path[0].stack[1], 0x200);
	ck_assert_uint_eq(p.path[1].stack[1], 0x100);
	ck_assert_uint_gt(p.path[1].allocs - p.path[1].frees,
			  p.path[0].allocs - p.path[0].frees);
	ck_assert(p.path[2].kept == 1);
	paths_free(&p);
}
END_TEST

/* On a slow machine, few objects of the balanced path are freed in time. */
START_TEST(few_frees)
{
	int i;

	paths_init(&p);
	for (i = 0; i < 44; i++) {
		now = (1 + i) * MS;
		alloc(SITE, 0x100, 0x100000 + i * 4096, 4096, 1);
		if (i >= 20 && i % 6 == 0)
			release(0x100000 + (i - 20) * 4096, FREER);
		if (i % 4 == 0)
			alloc(SITE, 0x200, 0x900000 + i * 64, 64, 1);
	}
	paths_end(&p);
	ck_assert_uint_eq(p.path[0].stack[1], 0x200);
	ck_assert_uint_eq(p.path[0].frees, 0);
	paths_free(&p);
}
END_TEST

START_TEST(nothing)
{
	paths_init(&p);
	release(0x1000, FREER);
	paths_end(&p);
	ck_assert_uint_eq(p.count, 0);
	paths_free(&p);
}
END_TEST

UNIT_MAIN("paths", balanced_and_leaking, reuse, tasks, interrupts_are_of_no_process, order,
	  few_frees, nothing)
