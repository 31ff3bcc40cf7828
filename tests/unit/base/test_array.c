// SPDX-License-Identifier: GPL-2.0-only
#include <malloc.h>
#include <stdlib.h>

#include "base/array.h"
#include "unit.h"

START_TEST(elements_are_appended_in_order)
{
	size_t count = 0, i;
	uint32_t *a = NULL, *new;

	for (i = 0; i < 1000; i++) {
		new = array_add(a, count);
		ck_assert_ptr_eq(new, &a[i]);
		ck_assert_uint_eq(count, i + 1);
		*new = i * 7;
	}
	for (i = 0; i < 1000; i++)
		ck_assert_uint_eq(a[i], i * 7);
	free(a);
}
END_TEST

START_TEST(room_is_reserved_without_an_element)
{
	size_t count = 0;
	uint64_t *a = NULL;

	array_reserve(a, count);
	ck_assert_ptr_nonnull(a);
	a[0] = 5;
	count = 1;
	array_reserve(a, count);
	a[1] = 6; /* ASan reports an error if nothing was reserved */
	ck_assert_uint_eq(a[0], 5);
	free(a);
}
END_TEST

START_TEST(an_index_is_reached_with_zeros)
{
	size_t count = 0, i;
	uint64_t *a = NULL, *before;

	array_reach(a, count, 9);
	ck_assert_uint_eq(count, 10);
	for (i = 0; i < 10; i++)
		ck_assert_uint_eq(a[i], 0);
	a[9] = 1;
	before = a;
	array_reach(a, count, 3);
	ck_assert_ptr_eq(a, before);
	ck_assert_uint_eq(count, 10);
	array_reach(a, count, 10);
	ck_assert_uint_eq(a[9], 1);
	ck_assert_uint_eq(a[10], 0);
	free(a);
}
END_TEST

/* The cost of growing by one element must not depend on the size. */
START_TEST(space_is_a_power_of_two)
{
	size_t count = 0, i, room = 1, index;
	uint64_t *a = NULL;

	for (i = 0; i < 1000; i++) {
		array_reach(a, count, i);
		ck_assert_uint_eq(count, i + 1);
		while (room < count)
			room *= 2;
		/* ASan returns the size that was asked for */
		ck_assert_uint_eq(malloc_usable_size(a), room * sizeof(*a));
		ck_assert_uint_eq(a[i], 0);
		a[i] = i;
	}
	array_reach(a, count, 5000);
	ck_assert_uint_eq(malloc_usable_size(a), 8192 * sizeof(*a));
	for (i = 0; i < count; i++)
		ck_assert_uint_eq(a[i], i < 1000 ? i : 0);
	/* elements that are appended have room */
	for (index = count; index < 9000; index++)
		*array_add(a, count) = index;
	ck_assert_uint_eq(a[8192], 8192);
	free(a);
}
END_TEST

START_TEST(a_buffer_only_grows)
{
	size_t room = 0;
	char *buffer = NULL;

	array_fit(buffer, room, 100);
	ck_assert_uint_eq(room, 100);
	buffer[99] = 'x';
	array_fit(buffer, room, 50);
	ck_assert_uint_eq(room, 100);
	array_fit(buffer, room, 101);
	ck_assert_uint_eq(room, 101);
	ck_assert_int_eq(buffer[99], 'x');
	free(buffer);
}
END_TEST

UNIT_MAIN("array", elements_are_appended_in_order,
	  room_is_reserved_without_an_element, an_index_is_reached_with_zeros,
	  space_is_a_power_of_two, a_buffer_only_grows)
