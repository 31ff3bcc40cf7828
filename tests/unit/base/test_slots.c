// SPDX-License-Identifier: GPL-2.0-only
#include "base/slots.h"
#include "unit.h"

#define BITS   8
#define THINGS 200

static uint64_t thing[THINGS];

static bool find(const struct slots *s, uint64_t hash, uint64_t what,
		 uint32_t *at, uint32_t *number)
{
	return slots_find(s, hash, *at, *number, thing[*number] == what);
}

static void add_all(struct slots *s, uint64_t step)
{
	uint32_t at, number, i;

	for (i = 0; i < THINGS; i++) {
		thing[i] = i * step;
		ck_assert(!find(s, thing[i], thing[i], &at, &number));
		slots_set(s, at, i);
	}
}

static void check_all(const struct slots *s)
{
	uint32_t at, number, i;

	for (i = 0; i < THINGS; i++) {
		ck_assert(find(s, thing[i], thing[i], &at, &number));
		ck_assert_uint_eq(number, i);
	}
}

START_TEST(each_thing_has_its_number)
{
	struct slots s;
	uint32_t at, number;

	slots_init(&s, BITS);
	add_all(&s, 4096);
	check_all(&s);
	ck_assert(!find(&s, 5, 5, &at, &number));
	slots_exit(&s);
}
END_TEST

START_TEST(things_with_the_same_hash_are_distinguished)
{
	uint32_t at, number, i;
	struct slots s;

	slots_init(&s, BITS);
	for (i = 0; i < THINGS; i++) {
		thing[i] = i;
		ck_assert(!find(&s, UINT64_MAX, i, &at, &number));
		slots_set(&s, at, i);
	}
	for (i = 0; i < THINGS; i++) {
		ck_assert(find(&s, UINT64_MAX, i, &at, &number));
		ck_assert_uint_eq(number, i);
	}
	slots_exit(&s);
}
END_TEST

START_TEST(a_number_is_replaced)
{
	uint32_t at, number;
	struct slots s;

	slots_init(&s, BITS);
	add_all(&s, 8);
	thing[1] = thing[0];
	ck_assert(find(&s, thing[0], thing[0], &at, &number));
	slots_set(&s, at, 1);
	ck_assert(find(&s, thing[0], thing[0], &at, &number));
	ck_assert_uint_eq(number, 1);
	slots_exit(&s);
}
END_TEST

/* Repeat until the base has wrapped around twice. */
START_TEST(cleared_numbers_are_not_found)
{
	uint32_t at, number, i, last = 0;
	unsigned int wraps = 0, round;
	struct slots s;

	slots_init(&s, BITS);
	for (round = 0; wraps < 2; round++) {
		add_all(&s, 16 + round);
		check_all(&s);
		slots_clear(&s, BITS, THINGS);
		for (i = 0; i < THINGS; i++)
			ck_assert(!find(&s, thing[i], thing[i], &at, &number));
		wraps += s.base < last;
		/* skip most rounds: move the base close to its maximum */
		if (s.base > 1000 && s.base < UINT32_MAX - 2000)
			s.base = UINT32_MAX - 2000;
		last = s.base;
	}
	ck_assert_uint_gt(round, 10);
	slots_exit(&s);
}
END_TEST

START_TEST(fewer_slots_can_be_used)
{
	uint32_t at, number, i;
	struct slots s;

	slots_init(&s, 12);
	add_all(&s, 64);
	slots_clear(&s, BITS, THINGS);
	add_all(&s, 96);
	check_all(&s);
	for (i = 0; i < THINGS; i++) {
		ck_assert(find(&s, thing[i], thing[i], &at, &number));
		ck_assert_uint_lt(at, 1 << BITS);
	}
	slots_exit(&s);
}
END_TEST

static uint64_t hash_of(const void *arg, uint32_t number)
{
	return ((const uint64_t *)arg)[number];
}

START_TEST(slots_are_replaced)
{
	uint32_t at, number;
	struct slots s;

	slots_init(&s, BITS);
	add_all(&s, 4096);
	slots_clear(&s, BITS, THINGS);
	add_all(&s, 4096);
	slots_rebuild(&s, BITS + 3, 0, THINGS, hash_of, thing);
	ck_assert_uint_eq(s.bits, BITS + 3);
	check_all(&s);
	slots_rebuild(&s, BITS, 1, THINGS - 1, hash_of, thing);
	ck_assert(!find(&s, thing[0], thing[0], &at, &number));
	ck_assert(find(&s, thing[1], thing[1], &at, &number));
	ck_assert(find(&s, thing[THINGS - 2], thing[THINGS - 2], &at, &number));
	ck_assert(!find(&s, thing[THINGS - 1], thing[THINGS - 1], &at, &number));
	slots_exit(&s);
}
END_TEST

UNIT_MAIN("slots", each_thing_has_its_number,
	  things_with_the_same_hash_are_distinguished, a_number_is_replaced,
	  cleared_numbers_are_not_found, fewer_slots_can_be_used,
	  slots_are_replaced)
