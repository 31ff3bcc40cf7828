// SPDX-License-Identifier: GPL-2.0-only
/*
 * Peaks and timelines of short streams. tests/reference compares long random streams
 * with an independent implementation.
 */
#include "report/peaks.h"
#include "report/timeline.h"
#include "unit.h"

#define ALL ((1u << SITE_KINDS) - 1)

static struct analysis a;
static struct timeline t;
static struct peaks p;
static uint32_t seq;

static void begin(unsigned int classes)
{
	analysis_init(&a, BY_KIND, 4096);
	p = (struct peaks){ .classes = classes };
	peaks_init(&p, &a);
	t.classes = classes;
	timeline_init(&t, &a);
	seq = 0;
}

static void end(void)
{
	timeline_exit(&t);
	peaks_exit(&p);
	analysis_exit(&a);
}

static void add(struct kmt_event ev, uint64_t time)
{
	ev.time = time;
	ev.features = KMT_FEATURE_TIME | KMT_FEATURE_PAGE;
	p.now = ++seq;
	analysis_add(&a, &ev, 0);
}

static void finish(void)
{
	analysis_finish(&a);
	timeline_finish(&t);
}

START_TEST(peaks_of_rows_and_of_all)
{
	begin(ALL);
	add(unit_alloc(0, 0, 0x1000, 100), 1);
	add(unit_alloc(1, 1, 0x2000, 50), 2);
	add(unit_free(2, 0, 0x1000), 3);
	add(unit_alloc(3, 1, 0x3000, 60), 4);
	finish();
	ck_assert_uint_eq(peaks_of(&p, 0), 100);
	ck_assert_uint_eq(peaks_of(&p, 1), 110);
	ck_assert_uint_eq(peaks_of(&p, 1000), 0);
	ck_assert_uint_eq(p.highest, 150);
	ck_assert_uint_eq(p.at, 2);
	ck_assert_uint_eq(p.time, 2);
	ck_assert(!peaks_mix(&p));
	ck_assert_uint_eq(t.all.peak, 150);
	ck_assert_uint_eq(t.all.peak_time, 2);
	end();
}
END_TEST

START_TEST(one_class_alone)
{
	begin(1 << SITE_PAGE);
	add(unit_alloc(0, 0, 0x1000, 100000), 1);
	add(unit_alloc(1, 2, 0x100000, 4 * 4096), 2);
	/* a part of the block is freed */
	add(unit_free(2, 2, 0x102000), 3);
	finish();
	ck_assert_uint_eq(p.highest, 4 * 4096);
	ck_assert_uint_eq(t.all.live, group_live(&a.groups.groups[1]));
	ck_assert_uint_lt(t.all.live, 4 * 4096);
	end();
}
END_TEST

START_TEST(bounds_after_losses)
{
	uint64_t low, high;

	begin(ALL);
	add(unit_alloc(0, 0, 0x1000, 100), 1);
	add(unit_alloc(1, 0, 0x2000, 100), 2);
	analysis_lose(&a, 1);
	add(unit_alloc(3, 0, 0x3000, 100), 3);
	finish();
	peaks_bounds(&p, 0, &low, &high);
	ck_assert_uint_eq(low, 200);
	ck_assert_uint_eq(high, 400);
	ck_assert_uint_eq(p.lost, 1);
	/* it may have been lost just after the record before */
	ck_assert_uint_eq(t.bucket, 2);
	ck_assert_uint_eq(t.losses[0].lost, 0);
	ck_assert_uint_eq(t.losses[0].low, 100);
	ck_assert_uint_eq(t.losses[0].high, 100);
	ck_assert_uint_eq(t.losses[1].lost, 1);
	ck_assert_uint_eq(t.losses[1].low, 100);
	ck_assert_uint_eq(t.losses[1].high, 300);
	ck_assert_uint_eq(t.losses[2].low, 200);
	ck_assert_uint_eq(t.losses[2].high, 400);
	end();
}
END_TEST

/* An address is allocated again: what is live of this row is doubtful. */
START_TEST(implicit_frees)
{
	uint64_t low, high;

	begin(ALL);
	add(unit_alloc(0, 0, 0x1000, 100), 1);
	add(unit_alloc(1, 0, 0x1000, 100), 2);
	add(unit_alloc(2, 1, 0x2000, 10), 3);
	finish();
	ck_assert_uint_eq(p.highest, 110);
	peaks_bounds(&p, 0, &low, &high);
	ck_assert_uint_eq(low, 0);
	ck_assert_uint_eq(t.all.live, 110);
	ck_assert_uint_eq(t.losses[t.bucket].low, 10);
	end();
}
END_TEST

/* The buckets are merged again and again. Each value stays where it was. */
START_TEST(a_long_time)
{
	uint64_t live = 0, i, parts = 16, n = 1 << 20;
	uint64_t highest[16] = { 0 };

	begin(ALL);
	for (i = 0; i < n; i++) {
		uint64_t before = live;

		/* each 1/16 of the time has another height */
		if (i % (n / 16) == 0) {
			add(unit_alloc(i, 0, 0x1000 + i * 64, 1 + i / 1000), i);
			live += 1 + i / 1000;
		} else if (i % (n / 16) == n / 32) {
			add(unit_free(i, 0, 0x1000 + (i - n / 32) * 64), i);
			live -= 1 + (i - n / 32) / 1000;
		}
		if (before > highest[i * 16 / n])
			highest[i * 16 / n] = before;
		if (live > highest[i * 16 / n])
			highest[i * 16 / n] = live;
	}
	add(unit_free(n, 0, 8), n - 1);
	finish();
	ck_assert_uint_eq(t.bucket, TIMELINE_BUCKETS - 1);
	for (i = 0; i < parts; i++)
		ck_assert_uint_eq(timeline_highest(&t, &t.all, i, parts),
				  highest[i]);
	ck_assert_uint_eq(timeline_part(&t, t.all.peak_time, parts), 15);
	ck_assert_uint_eq(timeline_end(&t, t.bucket), n - 1);
	end();
}
END_TEST

/* Flows are sums, so buckets that become one have the sum of both. */
START_TEST(flows_of_buckets)
{
	struct timeline_flow sum = { 0 };
	uint64_t i;

	t.has_flows = t.has_no_points = true;
	begin(ALL);
	add(unit_alloc(0, 2, 0x100000, 4 * 4096), 0);
	/* a part of the block is not a free, but frees bytes */
	add(unit_free(1, 2, 0x102000), 1);
	add(unit_alloc(2, 0, 0x1000, 100), 1);
	add(unit_free(3, 0, 0x1000), 2 * TIMELINE_BUCKETS);
	analysis_finish(&a);
	ck_assert_uint_eq(t.shift, 2);
	ck_assert_uint_eq(t.groups[0].flows[0].allocs, 1);
	ck_assert_uint_eq(t.groups[0].flows[0].alloc, 4 * 4096);
	ck_assert_uint_eq(t.groups[0].flows[0].freed, 4 * 4096 - t.groups[0].live);
	ck_assert_uint_eq(t.groups[1].nr_flows, t.bucket / TIMELINE_FLOW + 1);
	for (i = 0; i < t.groups[1].nr_flows; i++) {
		sum.allocs += t.groups[1].flows[i].allocs;
		sum.frees += t.groups[1].flows[i].frees;
		sum.freed += t.groups[1].flows[i].freed;
	}
	ck_assert_uint_eq(sum.allocs, 1);
	ck_assert_uint_eq(sum.frees, 1);
	ck_assert_uint_eq(sum.freed, 100);
	ck_assert_uint_eq(t.groups[1].flows[t.bucket / TIMELINE_FLOW].frees, 1);
	ck_assert_uint_eq(t.groups[1].count, 0);
	end();
	t.has_flows = t.has_no_points = false;
}
END_TEST

/* The first records have no time, the others all times that there are. */
START_TEST(times_of_damaged_recordings)
{
	struct kmt_event ev = unit_alloc(0, 0, 0x1000, 1000);

	begin(ALL);
	analysis_add(&a, &ev, 0);
	add(unit_free(1, 0, 0x1000), 500);
	add(unit_alloc(2, 0, 0x1000, 10), 600);
	finish();
	ck_assert_uint_eq(t.all.peak_time, 0);
	ck_assert_uint_eq(timeline_part(&t, t.all.peak_time, 70), 0);
	ck_assert_uint_eq(timeline_part(&t, 600, 70), 69);
	end();

	begin(ALL);
	add(unit_alloc(0, 0, 0x1000, 10), 0);
	add(unit_alloc(1, 0, 0x2000, 10), UINT64_MAX);
	finish();
	ck_assert_uint_eq(timeline_part(&t, 0, 70), 0);
	ck_assert_uint_eq(timeline_part(&t, UINT64_MAX, 70), 69);
	ck_assert_uint_eq(timeline_highest(&t, &t.all, 69, 70), 20);
	end();
}
END_TEST

UNIT_MAIN("timeline", times_of_damaged_recordings, peaks_of_rows_and_of_all, one_class_alone,
	  bounds_after_losses, implicit_frees, a_long_time, flows_of_buckets)
