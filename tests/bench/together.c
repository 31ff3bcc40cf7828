// SPDX-License-Identifier: GPL-2.0-only
/*
 * There is a thread on each of two CPUs. In each round, the threads wait for each other, and
 * those that are measured run the function RUNS times. A round counts if they ran at the
 * same time for more than half of it: one may be faster. The row is the median of the
 * rounds.
 *
 * The threads have a real-time priority if they may. Both CPUs have a thread even if one is
 * measured, so that no other process disturbs it.
 *
 * The cycles are those of the TSC, which has the nominal frequency of the CPU.
 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "hotpath.h"

#define ROUNDS	    201
#define RUNS	    4
#define THREADS 2

/**
 * struct sample - one round of a thread
 * @start: TSC before it
 * @end: TSC after it
 * @ns: its nanoseconds
 */
struct sample {
	uint64_t start, end, ns;
};

/**
 * struct worker - a thread
 * @thread: the thread
 * @number: its number, and the number of its CPU
 * @instructions: in its last round
 * @samples: its rounds
 */
struct worker {
	pthread_t thread;
	unsigned int number;
	uint64_t instructions;
	struct sample samples[ROUNDS];
};

static struct worker workers[THREADS];
static unsigned int measured; /* threads, from 0 */
static void (*function)(unsigned int thread);
static pthread_barrier_t started;
static unsigned int arrived; /* sum over all rounds */

static void get_cpu(unsigned int cpu)
{
	struct sched_param param = { .sched_priority = 1 };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set)) {
		fprintf(stderr, "hotpath: CPU %u cannot be used\n", cpu);
		exit(1);
	}
	/* before that, a thread with priority could keep another one from its CPU */
	pthread_barrier_wait(&started);
	pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
}

static void wait_for_all(unsigned int round)
{
	__atomic_fetch_add(&arrived, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) <
	       (round + 1) * THREADS)
		__builtin_ia32_pause();
}

static void run_round(struct worker *w, struct sample *s)
{
	int i;

	s->ns = now();
	s->start = __builtin_ia32_rdtsc();
	for (i = 0; i < RUNS; i++)
		function(w->number);
	s->end = __builtin_ia32_rdtsc();
	s->ns = now() - s->ns;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	uint64_t ran;
	int n, i;

	get_cpu(w->number);
	n = counter(PERF_COUNT_HW_INSTRUCTIONS);
	for (i = 0; i < ROUNDS; i++) {
		wait_for_all(i);
		if (w->number >= measured)
			continue;
		ran = count(n);
		run_round(w, &w->samples[i]);
		w->instructions = count(n) - ran;
	}
	close(n);
	return NULL;
}

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static bool ran_together(const struct sample *a, const struct sample *b)
{
	uint64_t first = min(a->start, b->start), last = max(a->end, b->end);
	uint64_t from = max(a->start, b->start), to = min(a->end, b->end);

	return to > from && to - from > (last - first) / 2;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, unsigned int n)
{
	qsort(values, n, sizeof(*values), compare);
	return values[n / 2];
}

static void print_row(const char *name)
{
	const struct worker *a = &workers[0], *b = &workers[measured - 1];
	double ns[ROUNDS], cycles[ROUNDS];
	unsigned int i, n = 0;

	for (i = 0; i < ROUNDS; i++) {
		const struct sample *x = &a->samples[i], *y = &b->samples[i];

		if (!ran_together(x, y))
			continue;
		ns[n] = (x->ns + y->ns) / 2.0 / (RUNS * EVENTS);
		cycles[n++] = (x->end - x->start + y->end - y->start) / 2.0 /
			      (RUNS * EVENTS);
	}
	printf("%-36s", name);
	if (n)
		printf(" %6.1f %7.1f", median(ns, n), median(cycles, n));
	else
		printf("      -       -");
	if (a->instructions)
		printf(" %7.1f\n", (double)a->instructions / (RUNS * EVENTS));
	else
		printf("       -\n");
	if (n < ROUNDS / 2)
		fprintf(stderr, "hotpath: %s: only %u of %u rounds count\n",
			name, n, ROUNDS);
}

void measure_together(const char *name, unsigned int threads,
		      void (*run)(unsigned int thread))
{
	unsigned int i;

	measured = threads;
	function = run;
	arrived = 0;
	pthread_barrier_init(&started, NULL, THREADS);
	for (i = 0; i < THREADS; i++) {
		workers[i].number = i;
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			exit(1);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	pthread_barrier_destroy(&started);
	print_row(name);
}
