// SPDX-License-Identifier: GPL-2.0-only
#include <sched.h>

#include "trace/buffers.h"
#include "unit.h"

static struct buffers b;

static void init(size_t max)
{
	buffers_init(&b, 64, max);
	ck_assert_int_eq(buffers_start(&b), 0);
}

START_TEST(a_holder_without_a_buffer_never_waits)
{
	struct holder one = { 0 }, two = { 0 };
	struct buffer *first, *second, *other;

	init(3);
	buffers_add_holder(&b, &one);
	buffers_add_holder(&b, &two);
	ck_assert_uint_eq(buffers_left(&b), 1);
	first = buffers_get_held(&b, &one);
	second = buffers_get_held(&b, &one);
	ck_assert_uint_eq(buffers_left(&b), 0);
	other = buffers_get_held(&b, &two);
	ck_assert(first && second && other);
	ck_assert_uint_eq(b.count, 3);
	buffers_put(&b, other);
	/* it is for the same holder */
	ck_assert_uint_eq(buffers_left(&b), 0);
	buffers_put(&b, first);
	ck_assert_uint_eq(buffers_left(&b), 1);
	buffers_put(&b, second);
	ck_assert_uint_eq(buffers_left(&b), 1);
	buffers_exit(&b);
}
END_TEST

START_TEST(trying_does_not_wait)
{
	struct buffer *first;

	buffers_init(&b, 64, 1);
	first = buffers_try(&b);
	ck_assert_ptr_nonnull(first);
	ck_assert_ptr_null(buffers_try(&b));
	buffers_put(&b, first);
	ck_assert_ptr_eq(buffers_try(&b), first);
	buffers_put(&b, first);
	buffers_exit(&b);
}
END_TEST

/* For example of CPUs that were plugged in after the start. */
START_TEST(more_holders_than_buffers)
{
	struct holder holders[5] = { 0 };
	struct buffer *taken[5];
	int i;

	init(2);
	for (i = 0; i < 5; i++)
		buffers_add_holder(&b, &holders[i]);
	for (i = 0; i < 5; i++)
		ck_assert_ptr_nonnull(taken[i] = buffers_get_held(&b, &holders[i]));
	ck_assert_uint_eq(buffers_left(&b), 0);
	for (i = 0; i < 5; i++)
		buffers_put(&b, taken[i]);
	buffers_exit(&b);
}
END_TEST

static struct holder waiting;

static void *get_second(void *arg)
{
	return buffers_get_held(arg, &waiting);
}

static void wait_in_thread(struct buffer *to_put)
{
	pthread_t thread;
	void *got;

	ck_assert_int_eq(pthread_create(&thread, NULL, get_second, &b), 0);
	while (!buffers_holder_waits(&waiting))
		sched_yield();
	buffers_put(&b, to_put);
	/* even if the thread does not run */
	while (buffers_holder_waits(&waiting))
		sched_yield();
	ck_assert_int_eq(pthread_join(thread, &got), 0);
	ck_assert_ptr_nonnull(got);
	buffers_put(&b, got);
}

START_TEST(a_holder_waits_for_its_own_buffer_or_one_of_many)
{
	struct holder other = { 0 };
	struct buffer *kept, *first, *second;

	init(3);
	buffers_add_holder(&b, &waiting);
	buffers_add_holder(&b, &other);
	kept = buffers_get_held(&b, &waiting);
	first = buffers_get_held(&b, &waiting);
	wait_in_thread(first);
	first = buffers_get_held(&b, &other);
	second = buffers_get_held(&b, &other);
	wait_in_thread(second);
	buffers_put(&b, first);
	buffers_put(&b, kept);
	ck_assert_uint_eq(b.taken, 0);
	ck_assert_uint_le(b.count, 3);
	buffers_exit(&b);
}
END_TEST

UNIT_MAIN("buffers", a_holder_without_a_buffer_never_waits, more_holders_than_buffers, trying_does_not_wait,
	  a_holder_waits_for_its_own_buffer_or_one_of_many)
