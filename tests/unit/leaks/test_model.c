// SPDX-License-Identifier: GPL-2.0-only
/*
 * Synthetic sites, sampled as the command does, and judged by the same code.
 *
 * In each seed, a site leaks 1 MB/h, in objects of 64 to 512 bytes, under a load of
 * 100 MB/s at the same site, whose rate and lifetimes oscillate. Other sites fill a cache,
 * free by kfree_rcu(), hold 64 MB, grow and shrink, or replace the objects of a pool. The
 * naive rule "last minus first" is applied to the same samples.
 *
 * The environment variable LEAKS_SEEDS is the number of seeds (1000).
 */
#include <math.h>
#include <stdio.h>

#include "leaks/verdict.h"
#include "random.h"
#include "unit.h"

#define SAMPLES 60
#define LEVELS	4	 /* of 8, 16, 32 and 64 samples */
#define STEP	8	 /* samples in the age of the first level */
#define END	(SAMPLES + STEP) /* samples, with the second check */
#define BEFORE	100	 /* samples before the first one */
#define SECOND	1.024	 /* seconds between samples */
#define MB	1e6

enum site { LEAK, LOAD, CACHE, RCU, HOLD, GROW, POOL, SITES };

static const char *const names[SITES] = { "leak", "load", "cache", "rcu",
					  "hold", "grow", "pool" };

/* live memory by sample: first as differences to the sample before */
struct memory {
	double live[END + 1];
	double bytes[LEVELS][END + 1];
	double objects[LEVELS][END + 1];
	double peak;
};

static double uniform(uint64_t *random)
{
	return (random_below(random, 1 << 30) + 0.5) / (1 << 30);
}

static double between(uint64_t *random, double low, double high)
{
	return low + (high - low) * uniform(random);
}

static double exponential(uint64_t *random, double mean)
{
	return -mean * log(uniform(random));
}

/* The first sample at or after a time. */
static int sample_at(double time)
{
	return time <= 0 ? 0 : time > END - 1 ? END : (int)ceil(time);
}

/* Add objects that live from @born to @dies. Times are in samples, 0 is the first one. */
static void add(struct memory *m, double born, double dies, double size, double count)
{
	int from = sample_at(born), to = sample_at(dies), level;

	m->live[from] += size * count;
	m->live[to] -= size * count;
	for (level = 0; level < LEVELS; level++) {
		from = sample_at(born + (STEP << level));
		if (from >= to)
			return;
		m->bytes[level][from] += size * count;
		m->bytes[level][to] -= size * count;
		m->objects[level][from] += count;
		m->objects[level][to] -= count;
	}
}

static void add_up(struct memory *m)
{
	int i, level;

	for (i = 0; i < END; i++) {
		if (i) {
			m->live[i] += m->live[i - 1];
			for (level = 0; level < LEVELS; level++) {
				m->bytes[level][i] += m->bytes[level][i - 1];
				m->objects[level][i] += m->objects[level][i - 1];
			}
		}
		if (i < SAMPLES)
			m->peak = fmax(m->peak, m->live[i]);
	}
}

/* --- the sites -------------------------------------------------------------------- */

/* 100 MB/s on the average: the rate swings, and so does the mean lifetime. */
static void add_load(struct memory *m, uint64_t *random)
{
	double period = between(random, 3, 40), swing = between(random, 0.2, 1);
	double size = between(random, 65536, 524288), phase = uniform(random) * 2 * M_PI;
	double life = between(random, 0.05, 1.2), t = -20, wave;

	while (t < END) {
		wave = 1 + swing * sin(t * 2 * M_PI / period + phase);
		add(m, t, t + exponential(random, life * (0.2 + wave)), size, 1);
		t += exponential(random, size / (100 * MB * SECOND * (0.02 + wave)));
	}
}

static void add_leak(struct memory *m, uint64_t *random)
{
	double size = 64 << random_below(random, 4), t = -BEFORE;
	double every = size / (MB / 3600) / SECOND;

	for (; t < END; t += exponential(random, every))
		add(m, t, INFINITY, size, 1);
}

/* It fills exponentially, and is filled by more than nine tenths in the first half. */
static void add_cache(struct memory *m, uint64_t *random)
{
	double start = between(random, -40, 5), tau = between(random, 1, 12);
	double size = between(random, 64, 4096);
	double count = between(random, 200, 8000), i;

	for (i = 0; i < count; i++)
		add(m, start + exponential(random, tau), INFINITY, size, 1);
}

/* kfree_rcu() frees all objects of five seconds together, a grace period later. */
static void add_rcu(struct memory *m, uint64_t *random)
{
	double size = between(random, 32, 1024), rate = between(random, 100, 1000);
	double t = -20, drain = 5 / SECOND;

	for (; t < END; t += exponential(random, 1 / rate))
		add(m, t, (floor(t / drain) + 1) * drain + between(random, 0.02, 1),
		    size, 1);
}

static void add_hold(struct memory *m)
{
	add(m, -BEFORE, INFINITY, 4096, 16384);
}

/* A swing of @objects. The @kept oldest were not freed when it was at its lowest. */
struct swing {
	double period;
	double size;
	int objects;
	bool sine;
	double born[3000];
	int kept;
};

/* When object @i is allocated in a period; those before it are allocated already. */
static double rise(const struct swing *s, int i)
{
	double at = (i + 0.5) / s->objects;

	return (s->sine ? acos(1 - 2 * at) / M_PI : at) * s->period / 2;
}

/* The newest are freed first. The lowest point is seldom exactly 0. */
static void swing_newest(struct memory *m, struct swing *s, double begin, int kept)
{
	int i;

	for (i = s->kept; i < s->objects; i++)
		s->born[i] = begin + rise(s, i);
	for (i = kept; i < s->objects; i++)
		add(m, s->born[i], begin + s->period - rise(s, i), s->size, 1);
	s->kept = kept;
}

static void swing_oldest(struct memory *m, const struct swing *s, double begin)
{
	int i;

	for (i = 0; i < s->objects; i++)
		add(m, begin + rise(s, i), begin + s->period / 2 + rise(s, i), s->size, 1);
}

/* Memory rises and falls, by a triangle or a sine. The oldest or newest are freed first. */
static void add_grow(struct memory *m, uint64_t *random)
{
	static struct swing s;
	bool newest = random_below(random, 2);
	double begin, rest = random_below(random, 2) ? 0.08 : 0;
	int i;

	s = (struct swing){ .period = between(random, 4, 45),
			    .size = between(random, 256, 8192),
			    .objects = between(random, 100, 3000),
			    .sine = random_below(random, 2) };
	for (begin = uniform(random) * s.period - 70 - s.period; begin < END;
	     begin += s.period) {
		if (newest)
			swing_newest(m, &s, begin, rest * uniform(random) * s.objects);
		else
			swing_oldest(m, &s, begin);
	}
	for (i = 0; i < s.kept; i++)
		add(m, s.born[i], INFINITY, s.size, 1);
}

/* A pool in balance: old objects are replaced at random, long since. */
static void add_pool(struct memory *m, uint64_t *random)
{
	double life = between(random, 5, 60), size = between(random, 64, 4096);
	double every = life / between(random, 50, 5000), t = -8 * life;

	for (; t < END; t += exponential(random, every))
		add(m, t, t + exponential(random, life), size, 1);
}

static void fill(struct memory m[SITES], uint64_t seed)
{
	uint64_t random = seed * 7919 + 1;
	int i;

	memset(m, 0, SITES * sizeof(*m));
	add_leak(&m[LEAK], &random);
	add_load(&m[LEAK], &random);
	add_load(&m[LOAD], &random);
	add_cache(&m[CACHE], &random);
	add_rcu(&m[RCU], &random);
	add_hold(&m[HOLD]);
	add_grow(&m[GROW], &random);
	add_pool(&m[POOL], &random);
	for (i = 0; i < SITES; i++)
		add_up(&m[i]);
}

/* --- judging them ------------------------------------------------------------------- */

static struct verdict judge(const struct memory *m, bool *named)
{
	struct verdict_series s = { .n = SAMPLES, .levels = LEVELS, .step = STEP,
				    .live = m->live[SAMPLES - 1], .peak = m->peak };
	double time[SAMPLES], survivors;
	struct verdict v;
	int i;

	for (i = 0; i < SAMPLES; i++)
		time[i] = i * SECOND;
	s.time = time;
	for (i = 0; i < LEVELS; i++)
		s.old[i] = (struct old_memory){ m->bytes[i], m->objects[i] };
	verdict_of(&v, &s);
	survivors = v.level ? -1 : m->bytes[1][END - 1];
	*named = v.kind == VERDICT_LEAKS &&
		 verdict_confirms(&v, m->bytes[v.level][END - 1], survivors);
	return v;
}

struct tally {
	int first;
	int named[SITES];
	int naive_first;
	int naive_named[SITES];
	int kinds[SITES][VERDICT_KINDS];
};

/* Is the site that leaks before all others? */
static void rank(struct tally *tally, const struct memory m[SITES])
{
	struct verdict v[SITES];
	bool named[SITES], first = true, naive = true;
	double growth[SITES];
	int i;

	for (i = 0; i < SITES; i++) {
		v[i] = judge(&m[i], &named[i]);
		growth[i] = m[i].live[SAMPLES - 1] - m[i].live[0];
		tally->named[i] += named[i];
		tally->naive_named[i] += growth[i] > 0;
		tally->kinds[i][v[i].kind]++;
		if (i == LEAK)
			continue;
		first &= !named[i] || verdict_compare(&v[LEAK], &v[i]) < 0;
		naive &= growth[LEAK] > growth[i];
	}
	tally->first += first && named[LEAK];
	tally->naive_first += naive && growth[LEAK] > 0;
}

static int seeds(void)
{
	const char *text = getenv("LEAKS_SEEDS");

	return text ? atoi(text) : 1000;
}

static void print(const struct tally *t, int n)
{
	int i, k;

	printf("# %d seeds; named as a leak, in percent, by leaks and by \"last minus first\"\n", n);
	for (i = 0; i < SITES; i++) {
		printf("# %-6s %6.1f %6.1f  ", names[i], 100.0 * t->named[i] / n,
		       100.0 * t->naive_named[i] / n);
		for (k = 0; k < VERDICT_KINDS; k++)
			printf(" %s %d", verdict_name(k), t->kinds[i][k]);
		putchar('\n');
	}
	printf("# first  %6.1f %6.1f\n", 100.0 * t->first / n,
	       100.0 * t->naive_first / n);
}

START_TEST(model)
{
	static struct memory m[SITES];
	static struct tally tally;
	int i, n = seeds();

	for (i = 1; i <= n; i++) {
		fill(m, i);
		rank(&tally, m);
	}
	print(&tally, n);
	ck_assert_int_ge(tally.first, n - n / 100);
	ck_assert_int_eq(tally.named[CACHE], 0);
	ck_assert_int_eq(tally.named[RCU], 0);
	ck_assert_int_eq(tally.named[HOLD], 0);
	ck_assert_int_eq(tally.named[GROW], 0);
	ck_assert_int_le(tally.named[LOAD], n / 200);
	ck_assert_int_le(tally.named[POOL], n / 200);
}
END_TEST

UNIT_MAIN("model", model)
