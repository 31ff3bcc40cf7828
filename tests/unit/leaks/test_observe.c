// SPDX-License-Identifier: GPL-2.0-only
/*
 * Observes a directory with files that do not change: the plan of the samples, the sums
 * of tags and sites, and findings on them. No time passes but that for which it waits, and
 * waits are over at once: the load of the machine does not matter.
 */
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <unistd.h>

#include "leaks/ages.h"
#include "leaks/findings.h"
#include "leaks/observe.h"
#include "unit.h"

#define TICK_NS 1000000ull

static double now, late_at, late;
/* the module's clock runs, and is so many ticks ahead at the next sample */
static bool runs;
static int ahead;

static void set_tick(int more)
{
	uint32_t tick = (1 << 30) + (uint32_t)floor(now / (TICK_NS / 1e9) + 0.5) + more;
	int fd;

	if (!runs)
		return;
	fd = open(tempdir_path("ages"), O_WRONLY);
	ck_assert_int_eq(pwrite(fd, &tick, sizeof(tick), offsetof(struct kmemtrace_ages, now)),
			 sizeof(tick));
	close(fd);
}

double __wrap_clock_now(void);
double __wrap_clock_now(void)
{
	return now;
}

void __wrap_clock_wait_until(double when);
void __wrap_clock_wait_until(double when)
{
	now = fmax(now, when);
	set_tick(0);
}

bool __wrap_clock_wait_for_signal(double when, int signal);
bool __wrap_clock_wait_for_signal(double when, int signal)
{
	(void)signal;
	now = fmax(now, when);
	if (late && now >= late_at) {
		now += late;
		late = 0;
	}
	set_tick(ahead);
	ahead = 0;
	return false;
}

static const char tags_text[] =
	"kmemtrace tags - version: 1\n"
	"# kind bytes objects requested allocs frees peak oldest_ms address id location\n"
	"slab 300 3 300 100 97 300 9 ffffffff81000010 3 a.c:1 func:a\n"
	"page 4096 1 4096 5 4 9000 9 ffffffff81000020 5 a.c:1 func:a\n"
	"page 8192 2 8192 5 3 8192 9 ffffffff81000030 6 mm/slub.c:9 func:new_slab\n"
	"slab 64 1 64 1 0 64 9 ffffffff81000040 7 b.c:2 func:b\n";

static void make_files(void)
{
	static const struct kmemtrace_ages_tag t[] = {
		{ .tag = 3, .age = { [0] = { 1, 100 }, [9] = { 1, 100 }, [12] = { 1, 100 } } },
		{ .tag = 5, .age = { [11] = { 1, 4096 } } },
		{ .tag = 6, .flags = KMEMTRACE_AGES_BACKING, .age = { [20] = { 2, 8192 } } },
		{ .tag = 7, .age = { [10] = { 1, 64 } }, .reclaimable = { 1, 64 } },
	};

	tempdir_begin();
	ages_write(t, 4, 1 << 30, TICK_NS);
	tempdir_put_text("tags", tags_text);
	tempdir_put_text("stats", "accounting 1\naccounting_since_ns 5\nclock_ns 9\n");
}

static const struct observed *row_of(const struct observation *w, uint32_t id)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		if (w->row[i].id == id)
			return &w->row[i];
	return NULL;
}

START_TEST(samples)
{
	struct observation w;
	const struct observed *row;

	make_files();
	ck_assert_int_eq(observe_run(&w, 4.6, 0.4), 0);
	/* 256 ticks are the first power of two above 0.2 s; 512 ticks above 0.4 s */
	ck_assert_uint_eq(w.interval, 256);
	ck_assert_uint_eq(w.n, 18);
	ck_assert_uint_eq(w.step, 2);
	ck_assert(fabs(observe_age(&w, 0) - 0.512) < 1e-9);
	ck_assert(fabs(w.time[17] - w.time[0] - 17 * 0.256) < 1e-9);
	ck_assert_uint_eq(w.count, 4);
	row = row_of(&w, 3);
	ck_assert(row->live.bytes[0] == 300 && row->live.objects[17] == 3);
	/* at least 512 ticks: bucket 10 and above */
	ck_assert(row->level[0].bytes[5] == 100 && row->level[0].objects[5] == 1);
	ck_assert(row->older[0] == 2 && row->older[1] == 1);
	ck_assert(row->allocs[0] == 100 && row->allocs[1] == 100);
	ck_assert(!row->slab && row_of(&w, 6)->slab);
	ck_assert(!row->reclaimable[1] && row_of(&w, 7)->reclaimable[1] == 1);
	observe_free(&w);
	tempdir_end();
}
END_TEST

/* The machine is busy for a second: no two samples are closer than planned. */
START_TEST(late_samples)
{
	struct observation w;
	double ticks;
	size_t i;

	make_files();
	late_at = now + 1;
	late = 1.0003;
	ck_assert_int_eq(observe_run(&w, 4.6, 0.4), 0);
	ck_assert_uint_eq(w.n, 18);
	for (i = 1; i < w.n; i++) {
		ticks = (w.time[i] - w.time[i - 1]) / (TICK_NS / 1e9);
		ck_assert(ticks > w.interval - 1e-6);
		ck_assert(fabs(ticks - round(ticks)) < 1e-6);
	}
	ck_assert(fabs(w.time[17] - w.time[0] - 17 * 0.256 - 1.001) < 1e-9);
	observe_free(&w);
	tempdir_end();
}
END_TEST

/* The module's clock ticks between the wait and the read of the first sample only. */
START_TEST(samples_near_a_tick)
{
	struct observation w;
	uint32_t first;

	make_files();
	runs = true;
	ahead = 1;
	first = (1 << 30) + (uint32_t)floor(now / (TICK_NS / 1e9) + 0.5) + ahead;
	ck_assert_int_eq(observe_run(&w, 4.6, 0.4), 0);
	runs = false;
	ck_assert_uint_eq(w.n, 18);
	ck_assert_uint_eq(w.ages.head.now - first, 17 * 256);
	ck_assert(fabs(w.time[1] - w.time[0] - 0.256) < 1e-9);
	ck_assert(fabs(w.time[2] - w.time[1] - 0.257) < 1e-9);
	ck_assert(fabs(w.time[17] - w.time[2] - 15 * 0.256) < 1e-9);
	observe_free(&w);
	tempdir_end();
}
END_TEST

START_TEST(sites_and_findings)
{
	struct observation w;
	struct sites sites;
	struct findings f;
	const struct observed *row;

	make_files();
	ck_assert_int_eq(observe_run(&w, 4.6, 0.4), 0);
	ck_assert_int_eq(sites_read(&sites), 0);
	observe_merge(&w, &sites);
	ck_assert_uint_eq(w.count, 3);
	row = row_of(&w, sites_of(&sites, 5));
	ck_assert(row == row_of(&w, sites_of(&sites, 3)));
	ck_assert(row->live.bytes[17] == 4396 && row->live.objects[17] == 4);
	ck_assert(row->level[0].bytes[3] == 4196);
	ck_assert_int_eq(observe_again(&w), 0);
	ck_assert(row->live.bytes[18] == 4396);
	ck_assert(fabs(w.time[18] - w.time[17] - 0.512) < 2e-6);
	findings_make(&f, &w, &sites);
	findings_confirm(&f, &w);
	/* not the slabs; nothing grows */
	ck_assert_uint_eq(f.count, 2);
	ck_assert(!f.suspects && !f.named && !f.slab_growth);
	ck_assert_int_eq(f.finding[0].v.kind, VERDICT_STEADY);
	ck_assert(f.finding[0].survive < 0);
	findings_free(&f);
	observe_free(&w);
	sites_free(&sites);
	tempdir_end();
}
END_TEST

/* findings point to the rows */
START_TEST(rows_stay_during_the_second_check)
{
	static const struct kmemtrace_ages_tag t[] = {
		{ .tag = 3, .age = { [12] = { 1, 100 } } },
		{ .tag = 7, .age = { [12] = { 2, 200 } } },
		{ .tag = 9, .age = { [0] = { 3, 300 } } },
	};
	const struct observed *rows;
	struct observation w;
	struct sites sites;

	make_files();
	tempdir_put_text("tags", "kmemtrace tags - version: 1\n"
			 "slab 100 1 100 9 8 100 9 ffffffff81000010 3 a.c:1 func:a\n"
			 "slab 200 2 200 9 7 200 9 ffffffff81000040 7 b.c:2 func:b\n");
	ages_write(t, 2, 1 << 30, TICK_NS);
	ck_assert_int_eq(observe_run(&w, 4.6, 0.4), 0);
	ck_assert_int_eq(sites_read(&sites), 0);
	observe_merge(&w, &sites);
	ck_assert_uint_eq(w.count, 2);
	rows = w.row;
	ages_write(t, 3, 1 << 30, TICK_NS);
	ck_assert_int_eq(observe_again(&w), 0);
	ck_assert(w.row == rows);
	ck_assert_uint_eq(w.count, 2);
	ck_assert(row_of(&w, sites_of(&sites, 7))->live.bytes[w.n] == 200);
	observe_free(&w);
	sites_free(&sites);
	tempdir_end();
}
END_TEST

/* The peak is that of the beginning: a site that grows is always at its peak. */
START_TEST(peaks_are_from_before)
{
	struct observation w;

	make_files();
	ck_assert_int_eq(observe_run(&w, 4.6, 0.4), 0);
	ck_assert(row_of(&w, 5)->peak == 9000);
	observe_free(&w);
	tempdir_end();
}
END_TEST

START_TEST(too_short)
{
	struct observation w;

	make_files();
	ck_assert_int_eq(observe_run(&w, 0.5, 0.1), -1);
	observe_free(&w);
	ck_assert_int_eq(observe_run(&w, 10, 8), -1);
	observe_free(&w);
	tempdir_end();
}
END_TEST

static int count_round(void *arg)
{
	++*(int *)arg;
	return 0;
}

START_TEST(rounds)
{
	struct observation w;
	int done = 0;

	make_files();
	ck_assert_int_eq(observe_rounds(&w, 5, 0.01, false, count_round, &done), 0);
	ck_assert_int_eq(done, 5);
	ck_assert_uint_eq(w.n, 6);
	ck_assert(row_of(&w, 7)->live.bytes[5] == 64);
	ck_assert(row_of(&w, 7)->reclaimable[0] == 1 && row_of(&w, 7)->reclaimable[1] == 1);
	observe_free(&w);
	tempdir_end();
}
END_TEST

UNIT_MAIN("observe", samples, late_samples, samples_near_a_tick, sites_and_findings,
	  rows_stay_during_the_second_check, peaks_are_from_before, too_short, rounds)
