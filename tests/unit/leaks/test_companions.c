// SPDX-License-Identifier: GPL-2.0-only
/* Sites whose objects live and die with those of caches, and sites that only grow as they do. */
#include <math.h>

#include "leaks/companions.h"
#include "random.h"
#include "unit.h"

#define N      60
#define STEP   4
#define LEVELS 2
#define ROWS   4
#define BEFORE 20 /* samples before the first one */

static double times[N], values[ROWS][2 * (LEVELS + 1)][N];
static struct observed rows[ROWS];
static struct observation w = { .n = N, .time = times, .step = STEP, .levels = LEVELS, .row = rows,
				.count = ROWS };

static void start(void)
{
	int i, l;

	memset(values, 0, sizeof(values));
	for (i = 0; i < N; i++)
		times[i] = i;
	for (i = 0; i < ROWS; i++) {
		rows[i] = (struct observed){ .id = 10 + i };
		rows[i].live.bytes = values[i][0];
		rows[i].live.objects = values[i][1];
		for (l = 0; l < LEVELS; l++) {
			rows[i].level[l].bytes = values[i][2 + 2 * l];
			rows[i].level[l].objects = values[i][3 + 2 * l];
		}
	}
}

/* Row @i gets @count objects at sample @born, which are freed before sample @dies. */
static void add(int i, int born, int dies, int count)
{
	int k, l;

	for (k = born < 0 ? 0 : born; k < dies && k < N; k++) {
		rows[i].live.objects[k] += count;
		for (l = 0; l < LEVELS; l++)
			if (k >= born + (STEP << l))
				rows[i].level[l].objects[k] += count;
	}
}

/*
 * Rows get objects at each sample, at a rate that swings by half; of each ten, @freed are
 * freed 18 samples later.
 */
static void grow(const int *to, int count, uint64_t seed, int freed)
{
	int k, n, i;

	for (k = -BEFORE; k < N; k++) {
		n = 10 * (50 + random_below(&seed, 50));
		for (i = 0; i < count; i++) {
			add(to[i], k, k + 18, n / 10 * freed);
			add(to[i], k, N, n / 10 * (10 - freed));
		}
	}
}

static void be_cache(int i)
{
	rows[i].reclaimable[0] = rows[i].live.objects[0];
	rows[i].reclaimable[1] = rows[i].live.objects[N - 1];
}

static struct companions_caches caches;

static int find(int i, uint32_t *with)
{
	int how;

	caches = (struct companions_caches){ 0 };
	how = companions_find(&w, &rows[i], &caches);
	*with = caches.most ? caches.most->id : 0;
	return how;
}

START_TEST(lives_and_dies_with_a_cache)
{
	uint32_t with;

	start();
	grow((int[]){ 0, 1 }, 2, 1, 3);
	grow((int[]){ 2 }, 1, 2, 3);
	be_cache(1);
	be_cache(2);
	ck_assert(companions_is_cache(&w, &rows[1]) && !companions_is_cache(&w, &rows[0]));
	ck_assert_int_eq(find(0, &with), COMPANIONS_DIE);
	ck_assert_uint_eq(with, 11);
}
END_TEST

/* for example what is kept for each file of a tmpfs */
START_TEST(lives_and_dies_with_what_is_held)
{
	const struct held files = { .where = NULL };
	uint32_t with;

	start();
	grow((int[]){ 0, 1 }, 2, 1, 3);
	ck_assert_int_eq(find(0, &with), COMPANIONS_NONE);
	rows[1].held = &files;
	ck_assert_int_eq(find(0, &with), COMPANIONS_DIE);
	ck_assert_uint_eq(with, 11);
	ck_assert(caches.held);
}
END_TEST

/* for example what is kept for the inodes of all filesystems */
START_TEST(lives_and_dies_with_several_caches)
{
	uint32_t with;

	start();
	grow((int[]){ 0, 1 }, 2, 1, 3);
	grow((int[]){ 0, 2 }, 2, 2, 3);
	grow((int[]){ 0, 2 }, 2, 3, 3);
	be_cache(1);
	be_cache(2);
	ck_assert_int_eq(find(0, &with), COMPANIONS_DIE);
	ck_assert_uint_eq(with, 12);
	ck_assert(caches.grew == rows[0].level[0].objects[N - 1] - rows[0].level[0].objects[0]);
	ck_assert(caches.deaths == companions_deaths(&w, &rows[0]) && !caches.held);
}
END_TEST

/* Each of two caches has too few objects to be a notable part, both together have not. */
START_TEST(small_caches_count_together)
{
	uint32_t with;
	int k;

	start();
	for (k = 0; k < 44; k++) {
		add(0, k, N, 2);
		add(1, k, N, 2);
	}
	for (k = 0; k < 2; k++) {
		add(0, 20 + 10 * k, N, 6);
		add(2 + k, 20 + 10 * k, N, 6);
	}
	be_cache(1);
	be_cache(2);
	be_cache(3);
	ck_assert_int_eq(find(0, &with), COMPANIONS_GROW);
	ck_assert_uint_eq(with, 11);
	/* their objects come when the site gets none */
	for (k = 0; k < 2; k++) {
		add(0, 20 + 10 * k, N, -6);
		add(0, 25 + 10 * k, N, 6);
	}
	ck_assert_int_eq(find(0, &with), COMPANIONS_NONE);
}
END_TEST

/* A leak at a steady rate, which happens to be that of three caches together. */
START_TEST(small_caches_do_not_add_up_to_a_leak)
{
	uint64_t seed = 1;
	uint32_t with;
	int k;

	start();
	for (k = -BEFORE; k < N; k++) {
		add(0, k, N, 100);
		add(1, k, N, 91);
		add(2, k, N, 4 + random_below(&seed, 2));
		add(3, k, N, 4 + random_below(&seed, 2));
	}
	be_cache(1);
	be_cache(2);
	be_cache(3);
	ck_assert_int_eq(find(0, &with), COMPANIONS_NONE);
}
END_TEST

/* It leaks once for each object of the cache. */
START_TEST(a_tiny_cache_counts_once)
{
	uint32_t with = 0;
	int k;

	start();
	for (k = 3; k < N; k += 3) {
		add(0, k, N, 50);
		add(1, k, N, 1);
	}
	be_cache(1);
	ck_assert_int_eq(find(0, &with), COMPANIONS_NONE);
}
END_TEST

START_TEST(stays_when_the_cache_goes)
{
	uint64_t seed = 1;
	uint32_t with;
	int k, n;

	start();
	for (k = -BEFORE; k < N; k++) {
		n = 100 * (5 + random_below(&seed, 5));
		add(0, k, N, n);
		add(1, k, k + 18, n / 100);
		add(1, k, N, n - n / 100);
	}
	be_cache(1);
	ck_assert_int_eq(find(0, &with), COMPANIONS_NONE);
}
END_TEST

START_TEST(nothing_dies)
{
	uint32_t with;

	start();
	grow((int[]){ 0, 1 }, 2, 1, 0);
	be_cache(1);
	ck_assert_int_eq(find(0, &with), COMPANIONS_GROW);
	ck_assert_uint_eq(with, 11);
}
END_TEST

START_TEST(grows_by_itself)
{
	uint32_t with;

	start();
	grow((int[]){ 0 }, 1, 1, 0);
	grow((int[]){ 1 }, 1, 2, 0);
	grow((int[]){ 2, 3 }, 2, 3, 3);
	be_cache(1);
	be_cache(2);
	ck_assert_int_eq(find(0, &with), COMPANIONS_NONE);
	/* the same growth, but that of no cache */
	rows[2].reclaimable[1] = 0;
	ck_assert_int_eq(find(3, &with), COMPANIONS_NONE);
}
END_TEST

/* It leaks at a steady rate, which happens to be that of a cache, or of two together. */
START_TEST(rates_are_equal_by_chance)
{
	uint64_t seed = 1;
	uint32_t with;
	int k, n;

	start();
	for (k = -BEFORE; k < N; k++) {
		n = random_below(&seed, 11);
		add(0, k, N, 100);
		add(1, k, N, 95 + n);
		add(2, k, N, 25 + n);
		add(3, k, N, 65 + n);
	}
	be_cache(1);
	ck_assert_int_eq(find(0, &with), COMPANIONS_NONE);
	rows[1].reclaimable[1] = 0;
	be_cache(2);
	be_cache(3);
	ck_assert_int_eq(find(0, &with), COMPANIONS_NONE);
}
END_TEST

/* Few objects may agree by chance. */
START_TEST(too_few)
{
	uint32_t with;
	int k;

	start();
	for (k = 0; k < 15; k++) {
		add(0, 3 * k, N, 1);
		add(1, 3 * k, N, 1);
	}
	be_cache(1);
	ck_assert_int_eq(find(0, &with), COMPANIONS_NONE);
	add(0, 46, N, 1);
	add(1, 46, N, 1);
	be_cache(1);
	ck_assert_int_eq(find(0, &with), COMPANIONS_GROW);
	/* one of them straddles two ticks, but not two */
	rows[0].level[0].objects[3 + STEP]--;
	ck_assert_int_eq(find(0, &with), COMPANIONS_GROW);
	rows[0].level[0].objects[9 + STEP]--;
	ck_assert_int_eq(find(0, &with), COMPANIONS_NONE);
	/* another leak, which is as slow, at other times */
	for (k = 0; k < 16; k++)
		add(2, 3 * k + 1, N, 1);
	ck_assert_int_eq(find(2, &with), COMPANIONS_NONE);
}
END_TEST

static bool in_step(int i, int other, bool related)
{
	return companions_in_step(&w, &rows[i], &rows[other], related);
}

/* Two sites grow steadily. Both have more at a sample that is late, and this is no reason. */
START_TEST(late_samples_are_no_swings)
{
	int k;

	start();
	for (k = 0; k < N; k++) {
		times[k] = k < N / 2 ? k : k + N;
		rows[0].level[0].objects[k] = 10 * times[k];
		rows[1].level[0].objects[k] = 7 * times[k];
	}
	ck_assert(!in_step(0, 1, false) && !in_step(1, 0, false));
	ck_assert(in_step(0, 1, true));
	/* the samples are in time, and both get many objects there */
	for (k = 0; k < N; k++)
		times[k] = k;
	ck_assert(in_step(0, 1, false));
}
END_TEST

/* Now and then, one cause allocates an object here and three there; row 2 has another cause. */
START_TEST(lock_step)
{
	uint64_t seed = 1;
	int k, n;

	start();
	for (k = -BEFORE; k < N; k++) {
		n = random_below(&seed, 3);
		add(0, k, N, n);
		add(1, k, N, 3 * n);
		add(2, k, N, random_below(&seed, 3));
	}
	ck_assert(in_step(0, 1, false) && in_step(1, 0, false));
	ck_assert(!in_step(0, 2, false) && !in_step(2, 0, false));
	/* also if they are known to belong together */
	ck_assert(!in_step(0, 2, true));
	/* an object straddles two ticks */
	rows[1].level[0].objects[30]++;
	ck_assert(in_step(0, 1, false));
	/* objects without the other site */
	for (k = 30; k < 50; k++)
		add(1, k, N, 1);
	ck_assert(!in_step(0, 1, false));
	/* it does not grow */
	ck_assert(!in_step(0, 3, false) && !in_step(3, 0, false));
}
END_TEST

/*
 * A sample may miss what a cause allocates a moment later. Related sites may differ in this way.
 * Other sites may not, because causes with equal periods would agree.
 */
START_TEST(late)
{
	int k, every;

	for (every = 1; every < 6; every++) {
		start();
		for (k = 0; k < 15; k++) {
			add(0, 3 * k, N, 1);
			add(1, 3 * k + (k % every == 0), N, 2);
		}
		ck_assert_int_eq(in_step(0, 1, true), every > 4);
		ck_assert(!in_step(0, 1, false));
	}
}
END_TEST

/* Two sites that leak at steady rates; that a sample is late moves both. */
START_TEST(steady_growth_proves_nothing)
{
	int k, late;

	start();
	for (k = -BEFORE; k < N; k++) {
		late = k % 7 == 0 ? 2 : k % 7 == 1 ? -2 : 0;
		add(0, k, N, 10 + late);
		add(1, k, N, 20 + 2 * late);
	}
	ck_assert(!in_step(0, 1, false) && !in_step(1, 0, false));
	ck_assert(in_step(0, 1, true));
}
END_TEST

UNIT_MAIN("companions", late_samples_are_no_swings,
	  lock_step, late, steady_growth_proves_nothing, lives_and_dies_with_a_cache, lives_and_dies_with_what_is_held, lives_and_dies_with_several_caches,
	  small_caches_count_together, small_caches_do_not_add_up_to_a_leak,
	  a_tiny_cache_counts_once,
	  stays_when_the_cache_goes, nothing_dies, grows_by_itself,
	  rates_are_equal_by_chance, too_few)
