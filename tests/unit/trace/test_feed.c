// SPDX-License-Identifier: GPL-2.0-only
#include <pthread.h>
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
	struct feed *f = feed_start(make, &r, SLOTS, 1);
	unsigned int n = 0, wrong = 0;
	int slot;

	ck_assert_ptr_nonnull(f);
	for (; (slot = feed_next(f, 0)) >= 0; n++) {
		if (n % 5000 == 0)
			usleep(10000);
		wrong += r.slot[slot] != n;
	}
	ck_assert_uint_eq(wrong, 0);
	ck_assert_uint_eq(n, THINGS);
	ck_assert_int_eq(feed_next(f, 0), -1);
	feed_stop(f);
}
END_TEST

struct second {
	struct feed *f;
	const struct row *r;
	unsigned int got;
	unsigned int wrong;
};

static void *read_too(void *arg)
{
	struct second *s = arg;
	int slot;

	for (; (slot = feed_next(s->f, 1)) >= 0; s->got++) {
		if (s->got % 3000 == 1000)
			usleep(10000);
		s->wrong += s->r->slot[slot] != s->got;
	}
	return NULL;
}

/* Each is sometimes ahead of the other. The end comes when neither uses a slot. */
START_TEST(brings_all_to_two_readers)
{
	struct row r = { 0 };
	struct feed *f = feed_start(make, &r, SLOTS, 2);
	struct second s = { .f = f, .r = &r };
	unsigned int n = 0, wrong = 0;
	pthread_t thread;
	int slot;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(pthread_create(&thread, NULL, read_too, &s), 0);
	for (; (slot = feed_next(f, 0)) >= 0; n++) {
		if (n % 5000 == 0)
			usleep(10000);
		wrong += r.slot[slot] != n;
	}
	memset(r.slot, 0xff, sizeof(r.slot));
	pthread_join(thread, NULL);
	feed_stop(f);
	ck_assert_uint_eq(n, THINGS);
	ck_assert_uint_eq(s.got, THINGS);
	ck_assert_uint_eq(wrong + s.wrong, 0);
}
END_TEST

START_TEST(can_be_stopped_anywhere)
{
	unsigned int stop, i;

	for (stop = 0; stop < 60; stop++) {
		struct row r = { 0 };
		struct feed *f = feed_start(make, &r, SLOTS, 1);

		for (i = 0; i < stop; i++)
			ck_assert_int_eq(feed_next(f, 0), i % SLOTS);
		feed_stop(f);
		ck_assert_uint_le(r.made, stop + SLOTS);
	}
	feed_stop(NULL);
}
END_TEST

UNIT_MAIN("feed", brings_all_in_order, brings_all_to_two_readers,
	  can_be_stopped_anywhere)
