// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "account/trust.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/die.h"
#include "base/msg.h"
#include "base/progress.h"
#include "base/textfile.h"
#include "control/control.h"
#include "control/system.h"
#include "leaks/observe.h"

/* samples, if the duration allows it: the time of the statistics grows with the square */
#define SAMPLES 100
/* the growth must exceed VERDICT_Z standard deviations; n equal steps have sqrt(n) */
#define SAMPLES_MIN 16
/* a sample that is late by more of a tick moves, which a busy machine may need to try again */
#define LATE	    0.5
#define TRIES	    8

static double tick(const struct observation *w)
{
	return w->ages.head.tick_ns / 1e9;
}

double observe_age(const struct observation *w, size_t level)
{
	return tick(w) * (1ull << (w->bits + level));
}

/*
 * The pages of this process are live memory as well. So that they do not grow during the
 * samples, they are all allocated at the first one.
 */
static void hold_memory(void)
{
	mallopt(M_TOP_PAD, 8 << 20);
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mlockall(MCL_CURRENT | MCL_FUTURE);
}

/* A recording (@within) has no old memory at first: its first quarter shows no growth. */
static size_t least_samples(const struct observation *w, bool within)
{
	size_t ages = (within ? 4 : 2) * w->step;

	return ages > SAMPLES_MIN ? ages : SAMPLES_MIN;
}

double observe_short(const struct observation *w)
{
	size_t enough = 2 * least_samples(w, false);
	double distance = w->n > 1 ? (w->time[w->n - 1] - w->time[0]) / (w->n - 1) : 0;

	/* a busy machine leaves out samples */
	return w->n < enough ? enough * fmax(distance, tick(w) * w->interval) : 0;
}

/* A level must begin during the samples; the last level is half as good. */
static void choose_levels(struct observation *w)
{
	for (w->levels = 2; w->levels < VERDICT_LEVELS &&
			    w->step << (w->levels - 1) < w->n; w->levels++)
		;
}

double observe_plan(struct observation *w, double seconds, double settle, double finest,
		    bool within)
{
	double check;

	while (tick(w) * (1ull << w->shift) * SAMPLES < seconds ||
	       tick(w) * (1ull << w->shift) < finest)
		w->shift++;
	w->interval = 1ull << w->shift;
	for (w->bits = w->shift; observe_age(w, 0) < settle; w->bits++)
		;
	check = within ? observe_age(w, 0) : 0;
	w->n = seconds > check ? (seconds - check) / (tick(w) * w->interval) + 1 : 0;
	w->step = 1ull << (w->bits - w->shift);
	w->room = w->n + 1;
	if (w->n < least_samples(w, within))
		return least_samples(w, within) * tick(w) * w->interval + check;
	choose_levels(w);
	for (w->births = 1; w->births < OBSERVE_BIRTHS && 1ull << w->births < w->n; w->births++)
		;
	w->time = xcalloc(w->room, sizeof(*w->time));
	return 0;
}

static int observe_choose(struct observation *w, double seconds, double settle)
{
	double least = observe_plan(w, seconds, settle, 0.2, false);

	if (least > 0)
		msg_error("%g s are too short: observe for at least %.0f s", seconds,
			  ceil(least));
	return least ? -1 : 0;
}

int observe_check(void)
{
	const char *why;
	int dir = control_open(&why), ret = EXIT_DONE;
	uint64_t on = 0;
	char *stats;

	if (dir < 0)
		return msg_error("%s", why);
	stats = control_read(dir, "stats", NULL);
	if (!stats)
		ret = control_cannot_read("stats", errno);
	else if (!textfile_number(stats, "accounting", &on) || !on)
		ret = msg_error("accounting is off, so that no growth can be seen: " TRUST_SWITCH_ON);
	free(stats);
	close(dir);
	return ret;
}

/* --- the rows --------------------------------------------------------------------- */

static void make_row(const struct observation *w, struct observed *row, uint32_t id)
{
	size_t each = w->room, i;
	double *at;

	*row = (struct observed){ .id = id };
	row->values = xcalloc(2 * (w->levels + 1) * each, sizeof(*row->values));
	at = row->values;
	row->live.bytes = at;
	row->live.objects = at += each;
	for (i = 0; i < w->levels; i++) {
		row->level[i].bytes = at += each;
		row->level[i].objects = at += each;
	}
}

static struct observed *find_row(const struct observation *w, uint32_t id)
{
	const struct map_slot *slot = map_find(&w->index, id + 1ull);

	return slot ? &w->row[slot->value] : NULL;
}

struct observed *observe_row(struct observation *w, uint32_t id)
{
	struct map_slot *slot = map_slot(&w->index, id + 1ull);

	if (slot->key)
		return &w->row[slot->value];
	array_reserve(w->row, w->count);
	make_row(w, &w->row[w->count], id);
	*slot = (struct map_slot){ id + 1ull, w->count };
	return &w->row[w->count++];
}

/* The rows do not move during the second check. */
static struct observed *sample_row(struct observation *w, size_t i, uint32_t id)
{
	return i < w->n ? observe_row(w, id) : find_row(w, id);
}

/*
 * Read the ages of sample @i. The module's clock counts whole ticks, so of two samples at the
 * planned distance, it may show a tick less: what has not got older then would count as freed.
 * Read again after the missing ticks, and move the later samples.
 */
static int read_sample(struct observation *w, size_t i)
{
	uint32_t before = w->ages.head.now, passed;
	double missing;
	int tries;

	for (tries = 0; tries < TRIES; tries++) {
		if (agefile_read(&w->ages))
			return -1;
		passed = w->ages.head.now - before;
		/* 0: the clock stands still */
		if (!i || i >= w->n || !passed || passed >= w->interval)
			break;
		missing = (w->interval - passed) * tick(w);
		w->start += missing;
		clock_wait_until(clock_now() + missing);
	}
	return 0;
}

static int take_sample(struct observation *w, size_t i)
{
	struct observed *row;
	uint32_t k;
	size_t l;

	w->time[i] = clock_now();
	if (i < w->n)
		held_begin(&w->helds, i, w->room);
	if (read_sample(w, i))
		return -1;
	if (i < w->n) /* findings point to the counts, which then must not move */
		held_sample(&w->helds, i, w->room);
	for (k = 0; k < w->ages.head.tags; k++) {
		const struct kmemtrace_ages_tag *t = agefile_tag(&w->ages, k);
		struct kmemtrace_ages_sum sum = agefile_all(t);

		row = sample_row(w, i, w->sites ? sites_of(w->sites, t->tag) : t->tag);
		if (!row)
			continue;
		row->slab |= t->flags & KMEMTRACE_AGES_BACKING;
		if (i < w->n)
			row->reclaimable[i > 0] = t->reclaimable.objects;
		row->live.bytes[i] += sum.bytes;
		row->live.objects[i] += sum.objects;
		for (l = 0; l < w->levels; l++) {
			sum = agefile_older(t, w->bits + l);
			row->level[l].bytes[i] += sum.bytes;
			row->level[l].objects[i] += sum.objects;
		}
	}
	return 0;
}

/* Set what is known of the last sample only; @w->ages still has it. */
static void take_ages(struct observation *w)
{
	struct observed *row;
	uint32_t k;
	size_t l;

	for (k = 0; k < w->ages.head.tags; k++) {
		const struct kmemtrace_ages_tag *t = agefile_tag(&w->ages, k);

		row = find_row(w, t->tag);
		for (l = 0; row && l < KMEMTRACE_AGES_BUCKETS; l++)
			row->age[l] = t->age[l];
		for (l = 0; row && l <= w->births; l++)
			row->older[l] = agefile_older(t, w->shift + l).objects;
	}
}

/* What a site holds later than the first sample is no reason to call it an old peak. */
static int take_peaks(struct observation *w)
{
	struct observed *row;
	struct tags tags;
	size_t i;
	int err = tags_read(&tags, NULL);

	for (i = 0; !err && i < tags.rows.count; i++) {
		row = tags.rows.row[i].id ? find_row(w, tags.rows.row[i].id) : NULL;
		if (row)
			row->peak = tags.rows.row[i].f.peak;
	}
	tags_free(&tags);
	return err ? -1 : 0;
}

/* Count the allocations at the older end of interval @births. */
static int count_allocs(struct observation *w, size_t births)
{
	struct observed *row;
	struct tags tags;
	size_t i;
	int err = tags_read(&tags, NULL);

	for (i = 0; !err && i < tags.rows.count; i++) {
		if (!tags.rows.row[i].id)
			continue;
		row = observe_row(w, tags.rows.row[i].id);
		row->allocs[births] = tags.rows.row[i].f.allocs;
	}
	tags_free(&tags);
	return err ? -1 : 0;
}

static int maybe_count_allocs(struct observation *w, size_t i)
{
	size_t k, before = w->n - 1 - i;

	for (k = 0; k <= w->births; k++)
		if (before == (k ? 1ull << (k - 1) : 0))
			return count_allocs(w, k);
	return 0;
}

static void count_unpurged(struct observation *w)
{
	uint64_t n;

	w->unpurged = system_unpurged_areas(&n) ? n : INFINITY;
}

/* Judge the samples that were taken. Return: 0; not 0, with a message. */
static int end_early(struct observation *w, size_t samples)
{
	double interval = tick(w) * w->interval;

	if (samples < least_samples(w, false))
		return msg_error("interrupted after %.0f s, which are too short: interrupt after %.0f s or later, or use a shorter --for, so that samples are taken more often",
				 samples * interval, ceil(least_samples(w, false) * interval));
	msg_note("interrupted after %.0f s: suspects are checked again; interrupt again to end at once",
		 samples * interval);
	w->n = samples;
	w->births = 0;
	choose_levels(w);
	return 0;
}

/*
 * Wait until sample @i. If the machine is so busy that the time has passed, this and all later
 * samples move by whole ticks: of two samples that are closer than planned, what has not got
 * older in between would count as freed.
 *
 * Return: whether SIGINT arrived.
 */
static bool wait_for_sample(struct observation *w, size_t i)
{
	double planned, late;
	int tries;

	for (tries = 0; tries < TRIES; tries++) {
		planned = w->start + i * tick(w) * w->interval;
		if (clock_wait_for_signal(planned, SIGINT))
			return true;
		late = (clock_now() - planned) / tick(w);
		if (late < LATE)
			break;
		w->start += ceil(late) * tick(w);
	}
	return false;
}

/* SIGINT is blocked. */
static int take_samples(struct observation *w)
{
	double step = tick(w) * w->interval;
	struct progress progress;
	size_t i;
	int err = 0;

	w->start = clock_now();
	progress_start(&progress, "s observed", (w->n - 1) * step);
	for (i = 0; !err && i < w->n; i++) {
		if (wait_for_sample(w, i))
			break;
		progress_step(&progress, i * step);
		if (take_sample(w, i) || (!i && take_peaks(w)) || maybe_count_allocs(w, i))
			err = -1;
	}
	progress_end(&progress);
	return err || i == w->n ? err : end_early(w, i);
}

int observe_run(struct observation *w, double seconds, double settle)
{
	sigset_t set, old;
	int err;

	*w = (struct observation){ .ages = { .fd = -1 } };
	if (agefile_open(&w->ages) || agefile_read(&w->ages) || observe_choose(w, seconds, settle))
		return -1;
	map_init(&w->index, false);
	hold_memory();
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, &old);
	err = take_samples(w);
	sigprocmask(SIG_SETMASK, &old, NULL);
	munlockall();
	if (!err) {
		take_ages(w);
		count_unpurged(w);
	}
	return err ? -1 : 0;
}

int observe_reclaim(struct observation *w)
{
	char path[PATH_MAX];
	int fd, err = 0;

	textfile_proc_path(path, sizeof(path), "sys/vm/drop_caches");
	sync();
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, "3\n", 2) != 2)
		err = errno;
	if (fd >= 0)
		close(fd);
	if (err)
		return msg_error("cannot ask the kernel to free its caches: cannot write to %s: %s",
				 path, strerror(err)), -1;
	w->reclaimed = true;
	return 0;
}

int observe_rounds(struct observation *w, size_t rounds, double settle, bool reclaim,
		   int (*work)(void *arg), void *arg)
{
	struct progress progress;
	int ret = EXIT_DONE;
	size_t i;

	*w = (struct observation){ .ages = { .fd = -1 }, .n = rounds + 1,
				   .room = rounds + 2, .levels = 1 };
	w->time = xcalloc(w->room, sizeof(*w->time));
	map_init(&w->index, false);
	if (agefile_open(&w->ages))
		return EXIT_FAILED;
	progress_start(&progress, "rounds", rounds);
	for (i = 0; !ret && i <= rounds; i++) {
		/* the command may print as well */
		progress_end(&progress);
		ret = i ? work(arg) : EXIT_DONE;
		progress_step(&progress, i);
		if (!ret && reclaim && observe_reclaim(w))
			ret = EXIT_FAILED;
		clock_wait_until(clock_now() + settle);
		if (!ret && take_sample(w, i))
			ret = EXIT_FAILED;
	}
	progress_end(&progress);
	count_unpurged(w);
	return ret;
}

int observe_again(struct observation *w)
{
	/* what the kernel was asked to free is freed after a grace period */
	double start = w->reclaimed ? clock_now() : w->time[w->n - 1];
	double seconds = observe_age(w, 0), done;
	struct progress progress;

	progress_start(&progress, "s until suspects are checked again", seconds);
	/* seconds are rounded to ns */
	while ((done = clock_now() - start) < seconds - 1e-6) {
		progress_step(&progress, done);
		clock_wait_until(start + fmin(seconds, done + 1));
	}
	progress_end(&progress);
	return take_sample(w, w->n);
}

/* --- sites ------------------------------------------------------------------------ */

static void observe_add_row(const struct observation *w, struct observed *to,
			    const struct observed *from)
{
	size_t i, count = 2 * (w->levels + 1) * w->room;

	for (i = 0; i < count; i++)
		to->values[i] += from->values[i];
	for (i = 0; i <= OBSERVE_BIRTHS; i++) {
		to->allocs[i] += from->allocs[i];
		to->older[i] += from->older[i];
	}
	for (i = 0; i < KMEMTRACE_AGES_BUCKETS; i++) {
		to->age[i].objects += from->age[i].objects;
		to->age[i].bytes += from->age[i].bytes;
	}
	to->slab |= from->slab;
	to->reclaimable[0] += from->reclaimable[0];
	to->reclaimable[1] += from->reclaimable[1];
	to->peak += from->peak;
}

void observe_merge(struct observation *w, const struct sites *sites)
{
	struct observed *rows = w->row;
	size_t i, count = w->count;

	w->sites = sites;
	w->row = NULL;
	w->count = 0;
	map_exit(&w->index);
	map_init(&w->index, false);
	for (i = 0; i < count; i++) {
		observe_add_row(w, observe_row(w, sites_of(sites, rows[i].id)), &rows[i]);
		free(rows[i].values);
	}
	free(rows);
}

void observe_free(struct observation *w)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		free(w->row[i].values);
	free(w->row);
	free(w->time);
	held_free(&w->helds);
	map_exit(&w->index);
	agefile_close(&w->ages);
}
