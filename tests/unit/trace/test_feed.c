// SPDX-License-Identifier: GPL-2.0-only
#include <unistd.h>

#include "trace/feed.h"
#include "unit.h"

#define THINGS 20000
#define SLOTS  8

/* Slots with numbers. @made: how many numbers were made */
struct row {
	unsigned int made;
	unsigned int slot[SLOTS];
};

static bool make(void *arg, unsigned int slot)
{
	struct row *r = arg;

	if (r->made == THINGS)
		return false;
	if (r->made % 5000 == 2000)
		usleep(10000);
	r->slot[slot] = r->made++;
	return true;
}

/* The slot in use does not change, however far the thread is ahead. */
START_TEST(brings_all_in_order)
{
	struct row r = { 0 };
	struct feed *f = feed_start(make, &r, SLOTS);
	unsigned int n = 0, wrong = 0;
	int slot;

	ck_assert_ptr_nonnull(f);
	for (; (slot = feed_next(f)) >= 0; n++) {
		if (n % 5000 == 0)
			usleep(10000);
		wrong += r.slot[slot] != n;
	}
	ck_assert_uint_eq(wrong, 0);
	ck_assert_uint_eq(n, THINGS);
	ck_assert_int_eq(feed_next(f), -1);
	feed_stop(f);
}
END_TEST

START_TEST(can_be_stopped_anywhere)
{
	unsigned int stop, i;

	for (stop = 0; stop < 60; stop++) {
		struct row r = { 0 };
		struct feed *f = feed_start(make, &r, SLOTS);

		for (i = 0; i < stop; i++)
			ck_assert_int_eq(feed_next(f), i % SLOTS);
		feed_stop(f);
		ck_assert_uint_le(r.made, stop + SLOTS);
	}
	feed_stop(NULL);
}
END_TEST

UNIT_MAIN("feed", brings_all_in_order, can_be_stopped_anywhere)
