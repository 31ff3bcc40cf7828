// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "trace/merge.h"
#include "packing.h"
#include "trace/stacks.h"
#include "unit.h"

#define CPUS 5

/* --- records, one at a time ----------------------------------------------- */

/* codec of pieces that are not empty */
static enum trace_codec codec;

static void add(struct merge *m, uint32_t cpu, const uint8_t *data, size_t size,
		uint32_t mark, bool complete)
{
	static uint8_t stored[1 << 20];
	struct merge_piece piece = { .cpu = cpu,
				     .data = data,
				     .size = size,
				     .raw_size = size,
				     .mark = mark,
				     .complete = complete };
	static struct packing *pack;
	static ZSTD_CCtx *zstd;
	const struct columns *columns;

	if (!pack) {
		pack = packing_create();
		zstd = ZSTD_createCCtx();
	}
	if (size >= sizeof(struct kmemtrace_event))
		piece.first = ((const struct kmemtrace_event *)data)->seq_num;
	if (size && codec != TRACE_CODEC_NONE) {
		piece.codec = codec;
		piece.data = stored;
	}
	if (size && codec == TRACE_CODEC_ZSTD) {
		piece.size = ZSTD_compressCCtx(zstd, stored, sizeof(stored),
					       data, size, 1);
	} else if (size && codec == TRACE_CODEC_COLUMNS) {
		columns = packing_records(pack, data, size);
		ck_assert_ptr_nonnull(columns);
		piece.size = packing_store(columns, zstd, stored,
					   sizeof(stored));
	}
	merge_add(m, &piece);
}

static struct window window;
static struct stackdefs defs;
static size_t at;

/* adds a piece; returns false if there are no more */
static int (*give_more)(void *arg, struct merge *m);
static void *give_arg;

static struct merge *start_as(int (*fill)(void *arg, struct merge *m), void *arg,
			      struct merge_setup setup)
{
	free(window.events);
	free(window.records);
	window = (struct window){
		.events = malloc(2 * WINDOW_SIZE * sizeof(*window.events)),
		.records = malloc(2 * WINDOW_SIZE * KMT_RECORD_MAX),
	};
	at = 0;
	if (!defs.stacks.count)
		stackdefs_init(&defs);
	give_more = fill;
	give_arg = arg;
	setup.want = WANT_RECORDS;
	setup.defs = &defs;
	return merge_create(&setup);
}

static struct merge *start(int (*fill)(void *arg, struct merge *m), void *arg)
{
	return start_as(fill, arg, (struct merge_setup){ 0 });
}

static const struct merged *next(struct merge *m)
{
	int ret;

	if (at < window.count)
		return &window.events[at++];
	at = 0;
	while ((ret = merge_next(m, &window)) == -EAGAIN)
		if (!give_more(give_arg, m))
			merge_end(m);
	return ret ? &window.events[at++] : NULL;
}

/* Check that the bytes of the record are still valid. */
static void check_record(const struct kmt_event *ev)
{
	const struct kmemtrace_event *head = ev->rec;

	ck_assert_uint_eq((uint32_t)head->seq_num, ev->seq);
	ck_assert_uint_eq(head->ptr, ev->ptr);
}

/* --- order ---------------------------------------------------------------- */

/* Events of random CPUs. give() passes them to the merge in pieces. */
struct deal {
	uint32_t start;
	uint32_t count;
	uint32_t given; /* numbers before this have been passed */
	uint32_t step;
	int lose_every; /* one in so many is lost; 0: none */
	unsigned int seed;
	bool marks;
};

static bool lost(const struct deal *d, uint32_t i)
{
	return d->lose_every && i % d->lose_every == 3;
}

static int give(void *arg, struct merge *m)
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

		cpu = rand_r(&d->seed) % (CPUS - 1); /* the last CPU has no events */
		if (!lost(d, i))
			end[cpu] = unit_put(end[cpu], &ev, KMT_FEATURE_TIME);
	}
	first = rand_r(&d->seed) % CPUS;
	for (cpu = 0; cpu < CPUS; cpu++) {
		int c = (cpu + first) % CPUS;

		add(m, c, buf[c], end[c] - buf[c], d->start + to, d->marks);
	}
	d->given = to;
	return true;
}

static void run_once(struct deal *d)
{
	struct merge *m = start(give, d);
	const struct merge_stats *s = merge_stats(m);
	uint32_t cpu, expected = 0, n = 0, losses = 0, before = 0;
	const struct merged *r;

	merge_start(m, d->start);
	for (cpu = 0; cpu < CPUS; cpu++)
		merge_expect(m, cpu, d->start);
	while ((r = next(m))) {
		for (before = 0; lost(d, expected); expected++)
			before++;
		ck_assert_uint_eq(r->lost, before);
		losses += before;
		ck_assert_uint_eq(r->ev.seq, d->start + expected);
		ck_assert_uint_eq(r->ev.ptr, 0x1000 + expected);
		check_record(&r->ev);
		/* one pass: the first record comes out before all pieces are read */
		if (d->marks && n == 0)
			ck_assert_uint_le(d->given, d->step * 2);
		expected++;
		n++;
	}
	losses += d->count - expected;
	merge_finish(m, d->start + d->count);
	ck_assert_uint_eq(s->events, n);
	ck_assert_uint_eq(s->missing, losses);
	ck_assert_uint_eq(s->backwards, 0);
	ck_assert_uint_eq(n + losses, d->count);
	merge_destroy(m);
}

static void run(const struct deal *d)
{
	struct deal again;

	static const enum trace_codec codecs[] = {
		TRACE_CODEC_NONE, TRACE_CODEC_ZSTD, TRACE_CODEC_COLUMNS
	};
	size_t i;

	for (i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++) {
		codec = codecs[i];
		again = *d;
		run_once(&again);
	}
	codec = TRACE_CODEC_NONE;
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

static int nothing(void *arg, struct merge *m)
{
	(void)arg;
	(void)m;
	return false;
}

START_TEST(disorder_is_reported)
{
	struct merge *m = start(nothing, NULL);
	static const uint32_t numbers[] = { 1, 2, 5, 4, 6, 6 };
	uint8_t buf[512], *end = buf;
	struct kmt_event ev;
	const struct merged *r;
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		ev = unit_free(numbers[i], 0, 1);
		end = unit_put(end, &ev, 0);
	}
	add(m, 0, buf, end - buf, 0, false);
	for (i = 0; (r = next(m)); i++)
		ck_assert_uint_eq(r->ev.seq, numbers[i]);
	ck_assert_uint_eq(i, 6);
	ck_assert_uint_eq(merge_stats(m)->backwards, 2);
	ck_assert_uint_eq(merge_stats(m)->gaps, 1);
	ck_assert_uint_eq(merge_stats(m)->missing, 2);
	merge_destroy(m);
}
END_TEST

START_TEST(a_broken_piece_is_left)
{
	struct merge *m = start(nothing, NULL);
	uint8_t buf[64] = { 0 }, *end;
	struct kmt_event ev = unit_free(1, 0, 1);
	const struct merged *r;

	end = unit_put(buf, &ev, 0);
	add(m, 0, buf, end + 30 - buf, 0, false);
	ev = unit_free(2, 0, 1);
	end = unit_put(buf, &ev, 0);
	add(m, 0, buf, end - buf, 0, false);
	ck_assert((r = next(m)) && r->ev.seq == 1);
	ck_assert((r = next(m)) && r->ev.seq == 2);
	ck_assert(!next(m));
	ck_assert_uint_eq(merge_stats(m)->broken, 1);
	merge_destroy(m);
}
END_TEST

/* @numbers: ends with a 0 */
static void add_numbers(struct merge *m, uint32_t cpu, uint32_t from,
			const uint32_t *numbers)
{
	uint8_t buf[512], *end = buf;
	struct kmt_event ev;

	for (; *numbers; numbers++) {
		ev = unit_free(from + *numbers, 0, *numbers);
		end = unit_put(end, &ev, 0);
	}
	add(m, cpu, buf, end - buf, 0, false);
	merge_close(m, cpu);
}

static int give_kept(void *arg, struct merge *m)
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

/* Numbers that are missing before 17 are not counted as lost; later ones are. */
static void check_kept(uint32_t from)
{
	static const uint32_t all[] = { 5, 9, 17, 18, 19, 20, 23 };
	uint32_t arguments[] = { from, 0 };
	struct merge *m = start(give_kept, arguments);
	const struct merged *r;
	size_t i;

	merge_start_within(m, from + 17);
	merge_expect(m, 0, from + 17);
	merge_expect(m, 1, from + 5);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		r = next(m);
		ck_assert_ptr_nonnull(r);
		ck_assert_uint_eq(r->ev.ptr, all[i]);
	}
	ck_assert(!next(m));
	merge_finish(m, from + 25);
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

static int give_late(void *arg, struct merge *m)
{
	int *calls = arg;
	struct kmt_event ev = unit_free(2, 0, 1);
	uint8_t buf[64];

	if ((*calls)++)
		return false;
	add(m, 9, buf, unit_put(buf, &ev, 0) - buf, 0, false);
	return 1;
}

/* The merge waits for an announced CPU, but only from the first number of that CPU. */
START_TEST(announced_cpus_are_waited_for)
{
	int calls = 0;
	struct merge *m = start(give_late, &calls);
	uint8_t buf[128], *end;
	struct kmt_event ev = unit_free(1, 0, 1);
	const struct merged *r;
	uint32_t i;

	merge_start(m, 1);
	merge_expect(m, 9, 2);
	merge_expect(m, 0, 1);
	end = unit_put(buf, &ev, 0);
	ev.seq = 3;
	end = unit_put(end, &ev, 0);
	add(m, 0, buf, end - buf, 0, false);
	for (i = 1; i <= 3; i++) {
		ck_assert_ptr_nonnull((r = next(m)));
		ck_assert_uint_eq(r->ev.seq, i);
		ck_assert_uint_eq(r->cpu, i == 2 ? 9 : 0);
		ck_assert_int_eq(calls > 0, i > 1);
	}
	ck_assert_uint_eq(merge_stats(m)->backwards, 0);
	ck_assert_uint_eq(merge_stats(m)->missing, 0);
	merge_destroy(m);
}
END_TEST

static int give_one(void *arg, struct merge *m)
{
	uint32_t *seq = arg;
	struct kmt_event ev = unit_free(*seq, 0, 0x1000 + *seq);
	uint8_t buf[64], *end = unit_put(buf, &ev, 0);

	if (*seq == 100)
		return false;
	if (*seq % 3 == 1)
		buf[0] = 77; /* unknown id: the record is skipped */
	++*seq;
	add(m, *seq % 2, buf, end - buf, *seq, true);
	return 1;
}

/* The bytes of a record stay valid even if the merge has finished its piece. */
START_TEST(the_record_stays)
{
	uint32_t seq = 0, n = 0;
	struct merge *m = start(give_one, &seq);
	const struct merged *r;

	merge_expect(m, 0, 0);
	merge_expect(m, 1, 0);
	while ((r = next(m))) {
		check_record(&r->ev);
		n++;
	}
	ck_assert_uint_eq(n, 67);
	ck_assert_uint_eq(merge_stats(m)->unknown, 33);
	merge_destroy(m);
}
END_TEST

/* Records with the same number come in the order of their CPUs. */
START_TEST(twins_come_behind)
{
	struct merge *m = start(nothing, NULL);
	static uint8_t buf[CPUS][1 << 15];
	const struct merged *r;
	uint32_t i, cpu, n = 0;

	for (cpu = 0; cpu < CPUS; cpu++) {
		uint8_t *end = buf[cpu];

		for (i = 0; i < 1000; i++) {
			struct kmt_event ev = unit_free(i, 0, cpu);

			if (cpu == 0 || i % 100 == cpu)
				end = unit_put(end, &ev, 0);
		}
		add(m, cpu, buf[cpu], end - buf[cpu], 0, false);
	}
	for (i = 0; i < 1000; i++) {
		for (cpu = 0; cpu < CPUS; cpu++) {
			if (cpu && i % 100 != cpu)
				continue;
			ck_assert_ptr_nonnull((r = next(m)));
			ck_assert_uint_eq(r->ev.seq, i);
			ck_assert_uint_eq(r->ev.ptr, cpu);
			ck_assert_uint_eq(r->cpu, cpu);
			check_record(&r->ev);
			n += cpu != 0;
		}
	}
	ck_assert(!next(m));
	ck_assert_uint_eq(merge_stats(m)->backwards, n);
	ck_assert_uint_eq(merge_stats(m)->missing, 0);
	merge_destroy(m);
}
END_TEST

/* All CPUs have the same numbers. No record is lost. */
START_TEST(all_are_twins)
{
	struct merge *m = start(nothing, NULL);
	static uint8_t buf[1 << 17], *end = buf;
	uint32_t i, cpu;

	for (i = 0; i < 3000; i++) {
		struct kmt_event ev = unit_free(i, 0, 1);

		end = unit_put(end, &ev, 0);
	}
	for (cpu = 0; cpu < CPUS; cpu++)
		add(m, cpu, buf, end - buf, 0, false);
	while (next(m))
		;
	ck_assert_uint_eq(merge_stats(m)->events, CPUS * 3000);
	ck_assert_uint_eq(merge_stats(m)->backwards, (CPUS - 1) * 3000);
	merge_destroy(m);
}
END_TEST

/* Any number may follow a record with a repeated number. */
START_TEST(behind_a_twin_it_goes_back)
{
	static const uint32_t seqs[2][3] = { { 5, 6, 7 }, { 6, 2, 8 } };
	static const uint32_t order[] = { 5, 6, 6, 2, 7, 8 };
	struct merge *m = start(nothing, NULL);
	uint8_t buf[2][256], *end;
	const struct merged *r;
	uint32_t cpu, i;

	for (cpu = 0; cpu < 2; cpu++) {
		for (i = 0, end = buf[cpu]; i < 3; i++) {
			struct kmt_event ev = unit_free(seqs[cpu][i], 0, 1);

			end = unit_put(end, &ev, 0);
		}
		add(m, cpu, buf[cpu], end - buf[cpu], 0, false);
	}
	for (i = 0; i < 6; i++) {
		ck_assert_ptr_nonnull((r = next(m)));
		ck_assert_uint_eq(r->ev.seq, order[i]);
	}
	ck_assert(!next(m));
	ck_assert_uint_eq(merge_stats(m)->backwards, 2);
	merge_destroy(m);
}
END_TEST

/* The numbers of one CPU go back several times, by up to 2^31. */
START_TEST(it_goes_back_again_and_again)
{
	static const uint32_t seqs[] = { 0, 1u << 31, 0, -1u, 0, 1 };
	struct merge *m = start(nothing, NULL);
	uint8_t buf[6 * 64], *end = buf;
	const struct merged *r;
	uint32_t i;

	for (i = 0; i < 6; i++) {
		struct kmt_event ev = unit_free(seqs[i], 0, 1 + i);

		end = unit_put(end, &ev, 0);
	}
	add(m, 0, buf, end - buf, 0, false);
	for (i = 0; i < 6; i++) {
		ck_assert_ptr_nonnull((r = next(m)));
		ck_assert_uint_eq(r->ev.ptr, 1 + i);
	}
	ck_assert(!next(m));
	merge_destroy(m);
}
END_TEST

/* Ten records of two CPUs in turns; those at 103 to 108 ns are selected. */
START_TEST(only_between_times)
{
	struct merge *m = start_as(nothing, NULL, (struct merge_setup){
					.timed = true, .first = 103, .last = 108 });
	uint8_t buf[2][512], *end[2] = { buf[0], buf[1] };
	const struct merged *r;
	uint32_t i;

	for (i = 0; i < 10; i++) {
		struct kmt_event ev = unit_free(i, 0, i);

		ev.time = 100 + i;
		/* 1 and 5 were lost, 6 has no time */
		if (i % 4 != 1 || i == 9)
			end[i % 2] = unit_put(end[i % 2], &ev,
					      i == 6 ? 0 : KMT_FEATURE_TIME);
	}
	add(m, 0, buf[0], end[0] - buf[0], 0, false);
	add(m, 1, buf[1], end[1] - buf[1], 0, false);
	merge_start(m, 0);
	for (i = 3; i <= 8; i++) {
		if (i == 5 || i == 6)
			continue;
		ck_assert_ptr_nonnull((r = next(m)));
		ck_assert_uint_eq(r->ev.seq, i);
		ck_assert_uint_eq(r->lost, 0);
	}
	ck_assert(!next(m));
	ck_assert_uint_eq(merge_stats(m)->events, 4);
	/* the losses are before records that are not selected */
	ck_assert_uint_eq(merge_stats(m)->missing, 0);
	merge_destroy(m);
}
END_TEST

#define HELD 1000

/* Records 2 to 1999 of CPU 0, then record 1 of CPU 9. */
static int give_without_end(void *arg, struct merge *m)
{
	uint32_t *seq = arg;
	struct kmt_event ev = unit_free(++*seq, 0, 1);
	uint8_t buf[64];

	if (*seq > 2000)
		return false;
	if (*seq == 2000)
		ev.seq = 1;
	add(m, *seq == 2000 ? 9 : 0, buf, unit_put(buf, &ev, 0) - buf, 0,
		   false);
	return 1;
}

/* The buffer of a CPU that was quiet keeps records from before 2^32 other events. */
static void check_quiet_cpu(enum trace_codec with)
{
	static const uint32_t busy[] = { 1, 2, 4, 0 }, quiet[] = { 100, 200, 1u << 30, 0 };
	const uint64_t base = (9ull << 30) - 1;
	struct merge *m = start(nothing, NULL);
	const struct merged *r;
	size_t i;

	codec = with;
	merge_start_within(m, base + 1);
	merge_start_cpu(m, 0, base + 1);
	merge_start_cpu(m, 1, 100);
	/* the index has the low halves of these numbers */
	merge_expect(m, 0, (uint32_t)base + 1);
	merge_expect(m, 1, 100);
	add_numbers(m, 0, (uint32_t)base, busy);
	add_numbers(m, 1, 0, quiet);
	for (i = 0; i < 6; i++) {
		r = next(m);
		ck_assert_ptr_nonnull(r);
		ck_assert_uint_eq(r->cpu, i < 3);
		ck_assert_uint_eq(kmt_event_number(&r->ev),
				  i < 3 ? quiet[i] : base + busy[i - 3]);
	}
	ck_assert(!next(m));
	ck_assert_uint_eq(merge_stats(m)->missing, 1);
	ck_assert_uint_eq(merge_stats(m)->backwards, 0);
	merge_destroy(m);
	codec = TRACE_CODEC_NONE;
}

START_TEST(a_quiet_cpu_is_much_older)
{
	check_quiet_cpu(TRACE_CODEC_NONE);
	check_quiet_cpu(TRACE_CODEC_COLUMNS);
}
END_TEST

/* A chunk by columns has less than 2^31 numbers. Others are stored as they are. */
START_TEST(numbers_of_a_chunk_are_limited)
{
	struct packing *pack = packing_create();
	uint8_t buf[512], *end = buf;
	struct kmt_event ev = unit_free(1, 0, 1);

	end = unit_put(end, &ev, 0);
	ev.seq += INT32_MAX;
	end = unit_put(end, &ev, 0);
	ck_assert_ptr_nonnull(packing_records(pack, buf, end - buf));
	ev.seq++;
	end = unit_put(end, &ev, 0);
	ck_assert_ptr_null(packing_records(pack, buf, end - buf));
	packing_destroy(pack);
}
END_TEST

/* Without a limit, the merge could need memory for a whole file. */
START_TEST(memory_is_bounded)
{
	uint32_t seq = 1, n = 0;
	struct merge *m = start_as(give_without_end, &seq,
				   (struct merge_setup){ .held_max = HELD });
	const struct merged *r;

	merge_start(m, 1);
	merge_expect(m, 9, 1);
	merge_expect(m, 0, 2);
	for (; (r = next(m)); n++)
		if (seq < 2000)
			ck_assert_uint_le(seq - r->ev.seq,
					  HELD / KMT_FREE_SIZE + 2);
	ck_assert_uint_eq(n, 1999);
	ck_assert_uint_eq(merge_stats(m)->backwards, 1);
	merge_destroy(m);
}
END_TEST

UNIT_MAIN("merge", orders_cpus, orders_without_marks, numbers_wrap,
	  losses_are_exact, disorder_is_reported, a_broken_piece_is_left,
	  announced_cpus_are_waited_for, the_record_stays,
	  overwritten_is_no_loss, twins_come_behind, all_are_twins,
	  behind_a_twin_it_goes_back, it_goes_back_again_and_again,
	  only_between_times, memory_is_bounded,
	  a_quiet_cpu_is_much_older, numbers_of_a_chunk_are_limited)
