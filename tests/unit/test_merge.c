// SPDX-License-Identifier: GPL-2.0-only
#include "merge.h"
#include "unit.h"

#define CPUS 5

/* Events dealt to CPUs at random, handed to the merge in pieces. */
struct deal {
	uint32_t start;
	uint32_t count;
	uint32_t given; /* numbers up to here have been given */
	uint32_t step;
	int lose_every; /* this and every so many are not given */
	unsigned int seed;
	bool marks;
};

static bool lost(const struct deal *d, uint32_t i)
{
	return d->lose_every && i % d->lose_every == 3;
}

static bool give(void *arg, struct merge *m)
{
	struct deal *d = arg;
	static uint8_t buf[CPUS][1 << 16];
	uint8_t *end[CPUS];
	uint32_t i, to;
	int cpu, first;

	if (d->given == d->count)
		return false;
	to = d->given + d->step < d->count ? d->given + d->step : d->count;
	for (cpu = 0; cpu < CPUS; cpu++)
		end[cpu] = buf[cpu];
	for (i = d->given; i < to; i++) {
		struct kmt_event ev = unit_free(d->start + i,
						KMEMTRACE_TYPE_KMALLOC,
						0x1000 + i);

		cpu = rand_r(&d->seed) % (CPUS - 1); /* the last is quiet */
		if (!lost(d, i))
			end[cpu] = unit_put(end[cpu], &ev, KMT_FEATURE_TIME);
	}
	first = rand_r(&d->seed) % CPUS;
	for (cpu = 0; cpu < CPUS; cpu++) {
		int c = (cpu + first) % CPUS;

		ck_assert(merge_add(m, c, buf[c], end[c] - buf[c],
				    d->start + to, d->marks));
	}
	merge_absent(m, d->start + to);
	d->given = to;
	return true;
}

/* The record is still there. */
static void check_record(const struct kmt_event *ev)
{
	const struct kmemtrace_event *head = ev->rec;

	ck_assert_uint_eq((uint32_t)head->seq_num, ev->seq);
	ck_assert_uint_eq(head->ptr, ev->ptr);
}

static void run(struct deal *d)
{
	struct merge *m = merge_create(give, d, false);
	const struct merge_stats *s = merge_stats(m);
	uint32_t cpu, expected = 0, n = 0, losses = 0;
	struct kmt_event ev;

	merge_start(m, d->start);
	while (merge_next(m, &ev, &cpu)) {
		while (lost(d, expected)) {
			expected++;
			losses++;
		}
		ck_assert_uint_eq(ev.seq, d->start + expected);
		ck_assert_uint_eq(ev.ptr, 0x1000 + expected);
		check_record(&ev);
		/* one pass: not everything is read before the first comes out */
		if (d->marks && n == 0)
			ck_assert_uint_le(d->given, d->step * 2);
		expected++;
		n++;
	}
	while (expected < d->count) {
		losses++;
		expected++;
	}
	merge_finish(m, d->start + d->count);
	ck_assert_uint_eq(s->events, n);
	ck_assert_uint_eq(s->missing, losses);
	ck_assert_uint_eq(s->backwards, 0);
	ck_assert_uint_eq(n + losses, d->count);
	merge_destroy(m);
}

START_TEST(orders_cpus)
{
	struct deal d = { .count = 20000, .step = 700, .marks = true,
			  .seed = 1 };

	run(&d);
}
END_TEST

START_TEST(orders_without_marks)
{
	struct deal d = { .count = 20000, .step = 700, .seed = 2 };

	run(&d);
}
END_TEST

START_TEST(numbers_wrap)
{
	struct deal d = { .start = UINT32_MAX - 10000, .count = 20000,
			  .step = 100, .marks = true, .seed = 3 };

	run(&d);
}
END_TEST

START_TEST(losses_are_exact)
{
	struct deal d = { .start = 77, .count = 20000, .step = 300,
			  .marks = true, .lose_every = 7, .seed = 4 };

	run(&d);
}
END_TEST

static bool nothing(void *arg, struct merge *m)
{
	(void)arg;
	(void)m;
	return false;
}

START_TEST(disorder_is_told)
{
	struct merge *m = merge_create(nothing, NULL, false);
	static const uint32_t numbers[] = { 1, 2, 5, 4, 6, 6 };
	uint8_t buf[512], *end = buf;
	struct kmt_event ev;
	uint32_t cpu;
	size_t i;
	int n = 0;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		ev = unit_free(numbers[i], 0, 1);
		end = unit_put(end, &ev, 0);
	}
	merge_add(m, 0, buf, end - buf, 0, false);
	while (merge_next(m, &ev, &cpu))
		n++;
	ck_assert_int_eq(n, 6);
	ck_assert_uint_eq(merge_stats(m)->backwards, 2);
	ck_assert_uint_eq(merge_stats(m)->gaps, 1);
	ck_assert_uint_eq(merge_stats(m)->missing, 2);
	merge_destroy(m);
}
END_TEST

START_TEST(a_broken_piece_is_left)
{
	struct merge *m = merge_create(nothing, NULL, false);
	uint8_t buf[64] = { 0 }, *end;
	struct kmt_event ev = unit_free(1, 0, 1);
	uint32_t cpu;

	end = unit_put(buf, &ev, 0);
	merge_add(m, 0, buf, end + 30 - buf, 0, false);
	ev = unit_free(2, 0, 1);
	end = unit_put(buf, &ev, 0);
	merge_add(m, 0, buf, end - buf, 0, false);
	ck_assert(merge_next(m, &ev, &cpu) && ev.seq == 1);
	ck_assert(merge_next(m, &ev, &cpu) && ev.seq == 2);
	ck_assert(!merge_next(m, &ev, &cpu));
	ck_assert_uint_eq(merge_stats(m)->broken, 1);
	merge_destroy(m);
}
END_TEST

/* @numbers end with a 0. */
static void add_numbers(struct merge *m, uint32_t cpu, uint32_t start,
			const uint32_t *numbers)
{
	uint8_t buf[512], *end = buf;
	struct kmt_event ev;

	for (; *numbers; numbers++) {
		ev = unit_free(start + *numbers, 0, *numbers);
		end = unit_put(end, &ev, 0);
	}
	merge_add(m, cpu, buf, end - buf, 0, false);
	merge_close(m, cpu);
}

static bool give_kept(void *arg, struct merge *m)
{
	static const uint32_t busy[] = { 17, 18, 19, 23, 0 };
	static const uint32_t idle[] = { 5, 9, 20, 0 };
	uint32_t *arguments = arg;

	switch (arguments[1]++) {
	case 0:
		add_numbers(m, 0, arguments[0], busy);
		return true;
	case 1:
		add_numbers(m, 1, arguments[0], idle);
		return true;
	}
	return false;
}

/* What is missing before number 17 is not counted, after it is. */
static void check_kept(uint32_t start)
{
	static const uint32_t all[] = { 5, 9, 17, 18, 19, 20, 23 };
	uint32_t arguments[] = { start, 0 }, cpu;
	struct merge *m = merge_create(give_kept, arguments, false);
	struct kmt_event ev;
	size_t i;

	merge_start_kept(m, start + 17);
	ck_assert(merge_expect(m, 0, start + 17));
	ck_assert(merge_expect(m, 1, start + 5));
	merge_no_more_cpus(m);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		ck_assert(merge_next(m, &ev, &cpu));
		ck_assert_uint_eq(ev.ptr, all[i]);
	}
	ck_assert(!merge_next(m, &ev, &cpu));
	merge_finish(m, start + 25);
	ck_assert_uint_eq(merge_stats(m)->backwards, 0);
	ck_assert_uint_eq(merge_stats(m)->gaps, 2);
	ck_assert_uint_eq(merge_stats(m)->missing, 3);
	merge_destroy(m);
}

START_TEST(overwritten_is_no_loss)
{
	check_kept(100);
	check_kept(UINT32_MAX - 10);
}
END_TEST

static bool give_late(void *arg, struct merge *m)
{
	int *calls = arg;
	struct kmt_event ev = unit_free(2, 0, 1);
	uint8_t buf[64];

	if ((*calls)++)
		return false;
	return merge_add(m, 9, buf, unit_put(buf, &ev, 0) - buf, 0, false);
}

/* It waits for a CPU that was announced, but only from its first number on. */
START_TEST(announced_cpus_are_waited_for)
{
	int calls = 0;
	struct merge *m = merge_create(give_late, &calls, false);
	uint8_t buf[128], *end;
	struct kmt_event ev = unit_free(1, 0, 1);
	uint32_t cpu, i;

	merge_start(m, 1);
	ck_assert(merge_expect(m, 9, 2) && merge_expect(m, 0, 1));
	merge_no_more_cpus(m);
	end = unit_put(buf, &ev, 0);
	ev.seq = 3;
	end = unit_put(end, &ev, 0);
	merge_add(m, 0, buf, end - buf, 0, false);
	for (i = 1; i <= 3; i++) {
		ck_assert(merge_next(m, &ev, &cpu));
		ck_assert_uint_eq(ev.seq, i);
		ck_assert_uint_eq(cpu, i == 2 ? 9 : 0);
		ck_assert_int_eq(calls > 0, i > 1);
	}
	ck_assert_uint_eq(merge_stats(m)->backwards, 0);
	ck_assert_uint_eq(merge_stats(m)->missing, 0);
	merge_destroy(m);
}
END_TEST

static bool give_one(void *arg, struct merge *m)
{
	uint32_t *seq = arg;
	struct kmt_event ev = unit_free(*seq, 0, 0x1000 + *seq);
	uint8_t buf[64], *end = unit_put(buf, &ev, 0);

	if (*seq == 100)
		return false;
	if (*seq % 3 == 1)
		buf[0] = 77; /* an id that is not known: it is left out */
	++*seq;
	return merge_add(m, *seq % 2, buf, end - buf, *seq, true);
}

/* Also if the merge is done with the piece that it lies in. */
START_TEST(the_record_stays)
{
	uint32_t seq = 0, cpu, n = 0;
	struct merge *m = merge_create(give_one, &seq, false);
	struct kmt_event ev;

	while (merge_next(m, &ev, &cpu)) {
		check_record(&ev);
		n++;
	}
	ck_assert_uint_eq(n, 67);
	ck_assert_uint_eq(merge_stats(m)->unknown, 33);
	merge_destroy(m);
}
END_TEST

#define HELD 1000

/* Records of CPU 0 without end; those of CPU 9, which come first, last. */
static bool give_without_end(void *arg, struct merge *m)
{
	uint32_t *seq = arg;
	struct kmt_event ev = unit_free(++*seq, 0, 1);
	uint8_t buf[64];

	if (*seq > 2000)
		return false;
	if (*seq == 2000)
		ev.seq = 1;
	return merge_add(m, *seq == 2000 ? 9 : 0, buf,
			 unit_put(buf, &ev, 0) - buf, 0, false);
}

/* Or else all that is in a file could have to be in memory. */
START_TEST(what_is_held_is_bounded)
{
	uint32_t seq = 1, cpu, n = 0;
	struct merge *m = merge_create(give_without_end, &seq, false);
	struct kmt_event ev;

	merge_start(m, 1);
	merge_hold(m, HELD);
	ck_assert(merge_expect(m, 9, 1) && merge_expect(m, 0, 2));
	merge_no_more_cpus(m);
	for (; merge_next(m, &ev, &cpu); n++)
		if (seq < 2000)
			ck_assert_uint_le(seq - ev.seq,
					  HELD / KMT_FREE_SIZE + 2);
	ck_assert_uint_eq(n, 1999);
	ck_assert_uint_eq(merge_stats(m)->backwards, 1);
	merge_destroy(m);
}
END_TEST

UNIT_MAIN("merge", orders_cpus, orders_without_marks, numbers_wrap,
	  losses_are_exact, disorder_is_told, a_broken_piece_is_left,
	  announced_cpus_are_waited_for, the_record_stays,
	  overwritten_is_no_loss, what_is_held_is_bounded)
