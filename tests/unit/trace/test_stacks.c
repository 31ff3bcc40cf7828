// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks get one number each, are defined once in a recording, and are found again from
 * any starting point.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/msg.h"
#include "random.h"
#include "trace/input.h"
#include "packing.h"
#include "trace/columns.h"
#include "trace/writer.h"
#include "unit.h"

static const uint64_t addresses[] = { 0xffffffff81000010ull,
				      0xffffffff81000020ull, 0, UINT64_MAX };

static size_t random_stack(uint64_t *random, uint64_t *callers)
{
	size_t depth = random_below(random, 9), i;

	for (i = 0; i < depth; i++)
		callers[i] = addresses[random_below(random, 4)];
	return depth;
}

#define STACKS 6000

/* Compares with a list that is searched from the start. */
START_TEST(same_numbers_as_a_list)
{
	static uint64_t list[STACKS][8];
	static size_t depths[STACKS];
	uint64_t random = 1, callers[8];
	size_t count = 0, depth, i, k;
	struct stacks s;

	stacks_init(&s);
	for (i = 0; i < STACKS; i++) {
		depth = random_stack(&random, callers);
		for (k = 0; k < count; k++)
			if (depths[k] == depth &&
			    !memcmp(list[k], callers, depth * sizeof(*callers)))
				break;
		if (k == count) {
			memcpy(list[k], callers, sizeof(callers));
			depths[count++] = depth;
		}
		ck_assert_uint_eq(stacks_get(&s, callers, depth), k + 1);
	}
	ck_assert_uint_gt(count, 2000); /* the hash has grown */
	for (k = 0; k < count; k++) {
		const uint64_t *at = stacks_at(&s, k + 1, &depth);

		ck_assert_uint_eq(depth, depths[k]);
		ck_assert_int_eq(memcmp(at, list[k], depth * sizeof(*at)), 0);
	}
	stacks_at(&s, STACKS_NONE, &depth);
	ck_assert_uint_eq(depth, 0);
	stacks_clear(&s);
	ck_assert_uint_eq(stacks_get(&s, addresses, 2), 1);
	stacks_exit(&s);
}
END_TEST

/* The inverse of the factor of the hash, modulo 2^64. */
static uint64_t inverse(uint64_t factor)
{
	uint64_t x = factor;
	int i;

	for (i = 0; i < 6; i++)
		x *= 2 - factor * x;
	return x;
}

/* One step of the hash of stacks.c. */
static uint64_t step(uint64_t hash, uint64_t caller)
{
	return ((hash ^ caller) * 0x9e3779b97f4a7c15ull) ^ hash >> 32;
}

/* Makes stacks of two addresses that all have the same hash. */
START_TEST(equal_hashes_are_compared)
{
	const uint64_t back = inverse(0x9e3779b97f4a7c15ull);
	const uint64_t hash = step(step(2, 7), 8);
	uint64_t callers[2], first;
	struct stacks s;
	uint32_t i;

	stacks_init(&s);
	for (i = 0; i < 3000; i++) {
		callers[0] = 7 + i;
		first = step(2, callers[0]);
		callers[1] = (hash ^ first >> 32) * back ^ first;
		ck_assert_uint_eq(step(first, callers[1]), hash);
		ck_assert_uint_eq(stacks_get(&s, callers, 2), i + 1);
		ck_assert_uint_eq(stacks_get(&s, callers, 2), i + 1);
		ck_assert(stacks_is(&s, i + 1, callers, 2));
		ck_assert(!stacks_is(&s, i + 1, callers, 1));
		ck_assert(!i || !stacks_is(&s, i, callers, 2));
	}
	stacks_exit(&s);
}
END_TEST

/* --- definitions ---------------------------------------------------------- */

START_TEST(definitions_come_back)
{
	uint64_t random = 5, callers[8];
	uint8_t data[4096], *end;
	struct stackdefs d;
	uint32_t number;
	size_t depth;

	stackdefs_init(&d);
	ck_assert_uint_eq(stackdefs_find(&d, 0), STACKS_NONE);
	/* a reader may start at any number; the numbers may wrap */
	for (number = UINT32_MAX - 50; number != 50; number++) {
		depth = random_stack(&random, callers);
		end = stackdefs_put(data, callers, depth);
		ck_assert_int_eq(stackdefs_add(&d, number, data, end - data), 0);
		ck_assert(stacks_is(&d.stacks, stackdefs_find(&d, number),
				    callers, depth));
	}
	ck_assert_uint_eq(stackdefs_find(&d, number), STACKS_NONE);
	/* a chunk is missing */
	ck_assert_int_eq(stackdefs_add(&d, number + 9, data, end - data), 0);
	ck_assert_uint_eq(stackdefs_find(&d, number + 8), STACKS_NONE);
	ck_assert(stacks_is(&d.stacks, stackdefs_find(&d, number + 9), callers,
			    depth));
	stackdefs_exit(&d);
}
END_TEST

START_TEST(definitions_are_not_trusted)
{
	uint8_t data[4096], *end = data, *bad;
	uint64_t random = 5, callers[8];
	struct stackdefs d;
	size_t i, n;

	for (i = 0; i < 20; i++)
		end = stackdefs_put(end, callers,
				    random_stack(&random, callers));
	for (i = 0; i < 3000; i++) {
		n = random_below(&random, end - data) + 1;
		bad = malloc(n); /* ASan reports reads behind its end */
		memcpy(bad, data, n);
		bad[random_below(&random, n)] = random_below(&random, 256);
		stackdefs_init(&d);
		ck_assert_int_ne(stackdefs_add(&d, 1, bad, n), -ENOMEM);
		stackdefs_exit(&d);
		free(bad);
	}
	stackdefs_init(&d);
	data[0] = KMT_STACK_MAX + 1;
	ck_assert_int_eq(stackdefs_add(&d, 7, data, sizeof(data)), -EBADMSG);
	/* numbers that go back, or are far away, take no memory */
	ck_assert_int_eq(stackdefs_add(&d, 6, data, 0), -EBADMSG);
	ck_assert_int_eq(stackdefs_add(&d, 1u << 30, data, 0), -EBADMSG);
	ck_assert_uint_eq(d.count, 0);
	stackdefs_exit(&d);
}
END_TEST

/* --- generations ---------------------------------------------------------- */

/* Makes a chunk of frees, each with another stack than all before. */
static size_t make_new_stacks(uint8_t *to, size_t count, uint64_t first)
{
	uint8_t *end = to;
	size_t i;

	for (i = 0; i < count; i++) {
		struct kmt_event ev = unit_free(i, 0, 4096);
		struct kmt_extra x = { .depth = 1, .stack = { first + i } };

		end = unit_put_extra(end, &ev, &x, KMT_FEATURE_STACK);
	}
	return end - to;
}

/*
 * The packer forgets its stacks when there are too many. A stack that returns is defined
 * again, and numbers are never used twice.
 */
START_TEST(generations)
{
	const size_t count = 20000, rounds = 40;
	uint8_t *data = malloc(TRACE_DATA_MAX);
	struct packing *p = packing_create();
	const struct numbered *stacks = &p->stacks;
	uint32_t generation = 0, generations = 0, next = 0;
	size_t i, size;

	ck_assert(data && p);
	for (i = 0; i < rounds; i++) {
		size = make_new_stacks(data, count, i * count * 16);
		ck_assert_uint_le(size, TRACE_DATA_MAX);
		ck_assert_ptr_nonnull(packing_records(p, data, size));
		ck_assert_uint_gt(stacks->size, 0);
		ck_assert_uint_le(stacks->size, TRACE_STACKS_MAX);
		ck_assert_uint_eq(stacks->first, next);
		generations += stacks->generation != generation;
		generation = stacks->generation;
		ck_assert_uint_le(next - generation, NUMBERING_STACKS_MAX);
		next += count;
		/* the same records again: nothing new */
		ck_assert_ptr_nonnull(packing_records(p, data, size));
		/* unless a generation began in between */
		ck_assert_int_eq(stacks->size != 0,
				 stacks->generation != generation);
		generations += stacks->generation != generation;
		generation = stacks->generation;
		next += stacks->size ? count : 0;
	}
	ck_assert_uint_ge(generations, 2);
	packing_destroy(p);
	free(data);
}
END_TEST

/* --- recordings ----------------------------------------------------------- */

#define RECORDS	 100000
#define DISTINCT 300

static char path[64];

/* The stack of record @i is one of DISTINCT, of 1 to 13 addresses. */
static size_t stack_of(uint32_t i, uint64_t *callers)
{
	uint64_t random = i + 1;
	uint32_t number = random_below(&random, DISTINCT), k;

	/* some are new in each part of the file */
	if (!random_below(&random, 50))
		number = DISTINCT + i / 10000;
	for (k = 0; k < 1 + number % 13; k++)
		callers[k] = 0xffffffff81000000ull + number * 256 + k;
	return k;
}

/* @plain: a record in each chunk cannot be stored in columns */
static void write_recording(bool plain)
{
	static const char meta[] = "release=1\nseq_start=0\npage_size=4096\n";
	char end[64];
	static uint8_t data[65536];
	uint8_t *end_at = data;
	struct trace_writer *w;
	struct kmt_extra x = { 0 };
	uint32_t i, cpu = 0;

	snprintf(path, sizeof(path), "%s/kmt_test_stacks.%d",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", getpid());
	ck_assert_int_eq(trace_writer_create(path, &w), 0);
	trace_writer_text(w, TRACE_META, meta, strlen(meta));
	trace_writer_data(w, TRACE_CPU_ABSENT, NULL, 0, 0, true);
	for (i = 0; i < RECORDS; i++) {
		struct kmt_event ev = plain && i % 100 == 0 ?
					      unit_free(i, 0, 0) :
					      unit_alloc(i, 0, 64 * (i + 1), 64);

		ev.time = 1000 + i;
		x.depth = stack_of(i, x.stack);
		end_at = unit_put_extra(end_at, &ev, &x,
					KMT_FEATURE_TIME | KMT_FEATURE_STACK);
		if (i % 100 < 99)
			continue;
		trace_writer_data(w, cpu, data, end_at - data, i + 1, true);
		trace_writer_data(w, !cpu, NULL, 0, i + 1, true);
		trace_writer_data(w, TRACE_CPU_ABSENT, NULL, 0, i + 1, true);
		cpu = !cpu;
		end_at = data;
	}
	snprintf(end, sizeof(end), "seq_end=%u\nlost_events=0\n", RECORDS);
	trace_writer_text(w, TRACE_END, end, strlen(end));
	ck_assert_int_eq(trace_writer_destroy(w, true), 0);
}

/**
 * struct way - how a recording is read
 * @records: with the bytes of the records
 * @thread: a thread reads ahead
 * @since: the first wanted time; 0: all
 * @lenient: stacks may be missing, because a chunk is damaged
 */
struct way {
	bool records;
	bool thread;
	uint64_t since;
	bool lenient;
};

/* Return: number of records that were read, all with the right stack. */
static uint64_t read_back(const struct way *way)
{
	char *paths[] = { path };
	uint64_t n = 0, wrong = 0, none = 0, callers[KMT_STACK_MAX];
	const struct window *w;
	struct kmt_extra x;
	struct input in;
	size_t i, depth;

	ck_assert_int_eq(input_open(&in, paths, 1), EXIT_DONE);
	in.threads = way->thread ? INPUT_THREADS_ALWAYS : INPUT_THREADS_NONE;
	in.stacks = true;
	if (way->since)
		input_limit(&in, way->since, UINT64_MAX);
	ck_assert_int_eq(input_begin(&in, way->records), EXIT_DONE);
	while ((w = input_next(&in))) {
		for (i = 0; i < w->count; i++) {
			const struct kmt_event *ev = &w->events[i].ev;

			depth = stack_of(ev->seq, callers);
			n++;
			none += ev->stack == STACKS_NONE;
			wrong += ev->stack != STACKS_NONE &&
				 !stacks_is(&in.defs.stacks, ev->stack, callers,
					    depth);
			if (!way->records || ev->stack == STACKS_NONE)
				continue;
			kmt_record_decode_extra(ev, false, &x);
			wrong += x.depth != depth ||
				 memcmp(x.stack, callers, depth * 8);
		}
	}
	ck_assert_int_eq(in.err, 0);
	ck_assert_uint_eq(wrong, 0);
	if (way->lenient) {
		ck_assert(!none == !in.defs.undefined);
		ck_assert_ptr_nonnull(input_ending(&in));
	} else {
		ck_assert_uint_eq(none, 0);
		ck_assert_uint_le(in.defs.stacks.count,
				  DISTINCT + RECORDS / 10000 + 1);
	}
	input_close(&in);
	return n;
}

/* Return: number of definitions in the file. @at: set to the offsets of the chunks */
static uint64_t count_definitions(uint64_t *at, size_t *chunks)
{
	struct stackdefs defs;
	struct trace_chunk chunk;
	struct trace_reader *r;
	const uint8_t *data;
	const char *why;
	uint64_t count;

	stackdefs_init(&defs);
	r = trace_reader_open(path, &why);
	ck_assert_ptr_nonnull(r);
	*chunks = 0;
	while (trace_reader_next(r, &chunk)) {
		if (chunk.type != TRACE_STACKS)
			continue;
		at[(*chunks)++] = trace_reader_offset(r);
		data = trace_reader_content(r);
		ck_assert_int_eq(stackdefs_add(&defs, chunk.first_seq, data,
					       chunk.raw_size), 0);
	}
	trace_reader_close(r);
	count = defs.count;
	stackdefs_exit(&defs);
	return count;
}

static void flip_byte(uint64_t offset)
{
	FILE *f = fopen(path, "r+");
	int byte;

	ck_assert_ptr_nonnull(f);
	fseek(f, offset, SEEK_SET);
	byte = fgetc(f);
	fseek(f, offset, SEEK_SET);
	fputc(byte ^ 1, f);
	fclose(f);
}

START_TEST(from_any_starting_point)
{
	uint64_t since, at[1000];
	size_t chunks, i;

	write_recording(false);
	/* each stack is stored once, in several chunks */
	ck_assert_uint_eq(count_definitions(at, &chunks),
			  DISTINCT + RECORDS / 10000);
	ck_assert_uint_gt(chunks, 3);
	for (i = 0; i < 4; i++)
		ck_assert_uint_eq(read_back(&(struct way){ .records = i & 1,
							   .thread = i & 2 }),
				  RECORDS);
	for (since = 1000; since < 1000 + RECORDS; since += 7919)
		for (i = 0; i < 4; i++)
			ck_assert_uint_eq(
				read_back(&(struct way){ .records = i & 1,
							 .thread = i & 2,
							 .since = since }),
				1000 + RECORDS - since);
	unlink(path);
}
END_TEST

/* Without its index, a recording is read from its start. */
START_TEST(cut_short)
{
	uint64_t at[1000], n, last = 0;
	size_t chunks, i;

	write_recording(false);
	count_definitions(at, &chunks);
	unlink(path);
	for (i = 0; i < chunks; i++) {
		write_recording(false);
		ck_assert_int_eq(truncate(path, at[i] + i), 0);
		n = read_back(&(struct way){ .records = i % 2 });
		ck_assert_uint_ge(n, last);
		ck_assert_uint_eq(read_back(&(struct way){ .since = 1500 }),
				  n > 500 ? n - 500 : 0);
		last = n;
		unlink(path);
	}
	ck_assert_uint_gt(last, RECORDS / 2);
}
END_TEST

/* Only the stacks of a damaged chunk are missing. The damage is reported. */
START_TEST(damaged_definitions)
{
	uint64_t at[1000];
	size_t chunks, i, k;

	write_recording(false);
	count_definitions(at, &chunks);
	for (i = 0; i < chunks; i += 2) {
		flip_byte(at[i] + sizeof(struct trace_chunk) + 2);
		for (k = 0; k < 4; k++)
			ck_assert_uint_eq(
				read_back(&(struct way){ .records = k & 1,
							 .thread = k & 2,
							 .lenient = true }),
				RECORDS);
		flip_byte(at[i] + sizeof(struct trace_chunk) + 2);
	}
	unlink(path);
}
END_TEST

/* Return: number of stacks that reading the records has numbered. */
static size_t numbered(bool records, bool stacks)
{
	char *paths[] = { path };
	struct input in;
	size_t count;

	ck_assert_int_eq(input_open(&in, paths, 1), EXIT_DONE);
	in.stacks = stacks;
	ck_assert_int_eq(input_begin(&in, records), EXIT_DONE);
	while (input_next(&in))
		;
	ck_assert_int_eq(in.err, 0);
	ck_assert_uint_eq(merge_stats(in.merge)->events, RECORDS);
	count = in.defs.stacks.count;
	input_close(&in);
	return count;
}

/* A stack costs more than all the rest of a record: it is not decoded unless needed. */
START_TEST(only_if_needed)
{
	write_recording(true);
	ck_assert_uint_eq(numbered(true, false), 1); /* STACKS_NONE */
	ck_assert_uint_gt(numbered(true, true), DISTINCT);
	ck_assert_uint_gt(numbered(false, true), DISTINCT);
	ck_assert_uint_eq(read_back(&(struct way){ .records = true }), RECORDS);
	unlink(path);
}
END_TEST

UNIT_MAIN("stacks", same_numbers_as_a_list, equal_hashes_are_compared,
	  definitions_come_back, definitions_are_not_trusted, generations,
	  from_any_starting_point, cut_short, damaged_definitions,
	  only_if_needed)
