// SPDX-License-Identifier: GPL-2.0-only
#include "trace/index.h"
#include "unit.h"

/* The index of records from 10 to 59 ns. The third sync has no records before it. */
static void make_index(struct trace_index *x)
{
	static const struct trace_sync syncs[] = {
		{ 1000, 90, 100, 10, 19 },   { 2000, 190, 200, 20, 29 },
		{ 3000, 190, 200, 0, 0 },    { 4000, 290, 300, 30, 39 },
		{ 5000, 310, 400, 40, 49 },  { 6000, 450, 500, 45, 59 },
	};
	size_t i;

	memset(x, 0, sizeof(*x));
	trace_index_add_text(x, 16);
	trace_index_add_text(x, 6000);
	trace_index_add_start(x, 0, 7);
	trace_index_add_start(x, 3, 9);
	trace_index_add_start(x, 0, 8); /* ignored: CPU 0 has a start */
	for (i = 0; i < 6; i++)
		trace_index_add_sync(x, &syncs[i]);
}

START_TEST(comes_back)
{
	struct trace_index x, y = { 0 };
	size_t size;
	char *text;

	make_index(&x);
	text = trace_index_print(&x, &size);
	ck_assert_uint_eq(size, strlen(text));
	ck_assert(trace_index_parse(&y, text));
	ck_assert_uint_eq(y.nr_texts, 2);
	ck_assert_uint_eq(y.texts[1], 6000);
	ck_assert_uint_eq(y.nr_starts, 2);
	ck_assert_uint_eq(y.starts[0].seq, 7);
	ck_assert_uint_eq(y.starts[1].cpu, 3);
	ck_assert_uint_eq(y.nr_syncs, x.nr_syncs);
	ck_assert_int_eq(memcmp(x.syncs, y.syncs, 6 * sizeof(*x.syncs)), 0);
	free(text);
	trace_index_exit(&x);
	trace_index_exit(&y);
}
END_TEST

START_TEST(is_not_trusted)
{
	static const char *const bad[] = {
		"sync=1 2 3 4\n",  "sync=1 2 3 4 5 6\n", "text=\n",
		"cpu=1 x\n",	   "sync=-1 2 3 4 5\n",	 "text=12a\n",
		"cpu=1 2 3\ntext", "sync=9 0 0 0 0\nsync=8 0 0 0 0\n",
	};
	struct trace_index x = { 0 };
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_msg(!trace_index_parse(&x, bad[i]), "%s", bad[i]);
		trace_index_exit(&x);
	}
	ck_assert(trace_index_parse(&x, "later=1 2\n\ntext=5"));
	ck_assert_uint_eq(x.nr_texts, 1);
	ck_assert_uint_eq(x.texts[0], 5);
	trace_index_exit(&x);
}
END_TEST

static uint64_t before(const struct trace_index *x, uint64_t time)
{
	const struct trace_sync *sync = trace_index_before(x, time);

	return sync ? sync->offset : 0;
}

static uint64_t behind(const struct trace_index *x, uint64_t time)
{
	const struct trace_sync *sync = trace_index_behind(x, time);

	return sync ? sync->offset : 0;
}

/*
 * Reading begins at a sync. Behind it are the records of the time, and all records whose
 * numbers can lie between theirs. The latter takes one more sync.
 */
START_TEST(where_to_begin)
{
	struct trace_index x;

	make_index(&x);
	ck_assert_uint_eq(before(&x, 0), 0);
	ck_assert_uint_eq(before(&x, 19), 0);
	ck_assert_uint_eq(before(&x, 20), 0);
	/* behind 3000 are numbers from 190 on; behind 1000 all from 100 on */
	ck_assert_uint_eq(before(&x, 30), 1000);
	ck_assert_uint_eq(before(&x, 40), 3000);
	/* behind 5000 are numbers from 310 on */
	ck_assert_uint_eq(before(&x, 50), 4000);
	ck_assert_uint_eq(before(&x, 99), 5000);
	trace_index_exit(&x);
}
END_TEST

START_TEST(where_to_stop)
{
	struct trace_index x;

	make_index(&x);
	ck_assert_uint_eq(behind(&x, 0), 1000);
	/* times before 1000 have numbers up to 99, the last of these before 2000 */
	ck_assert_uint_eq(behind(&x, 10), 2000);
	ck_assert_uint_eq(behind(&x, 25), 4000);
	ck_assert_uint_eq(behind(&x, 30), 5000);
	ck_assert_uint_eq(behind(&x, 42), 6000);
	ck_assert_uint_eq(behind(&x, 45), 0);
	ck_assert_uint_eq(behind(&x, UINT64_MAX), 0);
	trace_index_exit(&x);
	ck_assert_uint_eq(behind(&x, 5), 0);
	ck_assert_uint_eq(before(&x, 5), 0);
}
END_TEST

START_TEST(span)
{
	struct trace_index x;
	uint64_t first, last;

	make_index(&x);
	ck_assert(trace_index_span(&x, &first, &last));
	ck_assert_uint_eq(first, 10);
	ck_assert_uint_eq(last, 59);
	trace_index_exit(&x);
	ck_assert(!trace_index_span(&x, &first, &last));
}
END_TEST

UNIT_MAIN("trace_index", comes_back, is_not_trusted, where_to_begin,
	  where_to_stop, span)
