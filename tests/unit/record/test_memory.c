// SPDX-License-Identifier: GPL-2.0-only
#include "record/memory.h"
#include "unit.h"

#define MIB (1ull << 20)

/* Bytes of all parts; see Documentation/design.rst. */
static uint64_t sum(const struct memory *m, unsigned int cpus, bool stacks)
{
	return 24 * MIB + cpus * 48 * 1024ull +
	       m->threads * (5 * MIB + 2 * m->buffer) + 8 * m->buffer +
	       m->buffers * m->buffer + (stacks ? m->stack_callers * 12 : 0);
}

static void check(uint64_t bytes, unsigned int cpus, unsigned int threads, bool stacks)
{
	struct memory m;

	memory_divide(bytes, cpus, threads, stacks, &m);
	ck_assert_uint_le(sum(&m, cpus, stacks), bytes);
	ck_assert_uint_ge(m.threads, 1);
	ck_assert_uint_le(m.threads, threads);
	/* each CPU has one that is being filled, and one with gathered records */
	ck_assert_uint_ge(m.buffers, 2 * cpus);
	ck_assert_uint_ge(m.buffer, 16384);
	ck_assert_uint_le(m.buffer, 512 * 1024);
}

START_TEST(the_parts_fit)
{
	unsigned int cpus, threads;
	uint64_t bytes;
	int stacks;

	for (cpus = 1; cpus <= 8192; cpus = cpus < 4 ? cpus + 1 : cpus * 2)
		for (threads = 1; threads <= 16; threads++)
			for (bytes = memory_minimum(cpus); bytes < 5000 * MIB;
			     bytes += bytes / 7)
				for (stacks = 0; stacks < 2; stacks++)
					check(bytes, cpus, threads, stacks);
}
END_TEST

START_TEST(few_cpus_have_large_buffers_and_all_threads)
{
	struct memory m;

	memory_divide(128 * MIB, 2, 2, false, &m);
	ck_assert_uint_eq(m.threads, 2);
	ck_assert_uint_eq(m.buffer, 512 * 1024);
	memory_divide(4096 * MIB, 512, 16, true, &m);
	ck_assert_uint_eq(m.threads, 16);
	ck_assert_uint_eq(m.buffer, 512 * 1024);
	ck_assert_uint_eq(m.stack_callers, 1 << 22);
}
END_TEST

START_TEST(many_cpus_need_more_memory)
{
	ck_assert_uint_eq(memory_minimum(2), 40 * MIB);
	ck_assert_uint_eq(memory_minimum(512), 93 * MIB);
	ck_assert_uint_le(memory_default(512), 128 * MIB);
	ck_assert_uint_ge(memory_default(8192), memory_minimum(8192));
	ck_assert_uint_ge(memory_threads(), 1);
	ck_assert_uint_le(memory_threads(), 16);
}
END_TEST

UNIT_MAIN("memory", the_parts_fit, few_cpus_have_large_buffers_and_all_threads,
	  many_cpus_need_more_memory)
