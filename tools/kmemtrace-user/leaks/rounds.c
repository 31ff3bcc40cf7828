// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "account/sites.h"
#include "account/trust.h"
#include "base/clock.h"
#include "base/die.h"
#include "base/figures.h"
#include "base/json.h"
#include "base/listing.h"
#include "base/msg.h"
#include "base/plural.h"
#include "leaks/findings.h"
#include "leaks/observe.h"
#include "leaks/rounds.h"
#include "leaks/unloads.h"
#include "record/child.h"

size_t rounds_ignored(size_t rounds)
{
	return (rounds + 2) / 3;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Set the changes of all rounds that count, ascending. Return: their number. */
static size_t sort_changes(double *changes, const double *values, size_t rounds)
{
	size_t first = rounds_ignored(rounds), i;

	for (i = first; i < rounds; i++)
		changes[i - first] = values[i + 1] - values[i];
	qsort(changes, rounds - first, sizeof(*changes), by_value);
	return rounds - first;
}

static double middle(const double *sorted, size_t n)
{
	return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

void rounds_of(struct rounds_left *left, const double *bytes, const double *objects,
	       size_t rounds)
{
	double *changes = xcalloc(rounds, sizeof(*changes));
	size_t n;

	n = sort_changes(changes, bytes, rounds);
	left->least = changes[0];
	left->median = middle(changes, n);
	left->most = changes[n - 1];
	n = sort_changes(changes, objects, rounds);
	left->objects = middle(changes, n);
	free(changes);
}

bool rounds_keep(const struct rounds_left *left, double idle, size_t rounds)
{
	double kept = left->least * (rounds - rounds_ignored(rounds));

	return left->least > 0 && idle < left->least && -idle < kept / 2;
}

/* --- running -------------------------------------------------------------------------- */

/**
 * struct running - the rounds
 * @wanted: the options
 * @done: rounds that are done
 * @failed: number of these in which the command failed
 * @code: exit status of the last of these
 * @seconds: time that the command took in all of them
 */
struct running {
	const struct rounds_wanted *wanted;
	size_t done;
	size_t failed;
	int code;
	double seconds;
};

/* A command that fails is of interest: leaks are often in the paths of errors. */
static int run_command(struct running *r)
{
	const struct rounds_wanted *wanted = r->wanted;
	struct child child = { 0 };
	int ret = child_start(&child, wanted->command, wanted->json);

	if (ret)
		return ret;
	while (waitpid(child.pid, &child.status, 0) < 0 && errno == EINTR)
		;
	if (child_exit_code(&child)) {
		r->failed++;
		r->code = child_exit_code(&child);
	}
	return EXIT_DONE;
}

/* The last round waits for as long as the command usually takes: what grows anyway? */
static int do_round(void *arg)
{
	struct running *r = arg;
	double start = clock_now();
	int ret;

	if (r->done++ == r->wanted->rounds) {
		clock_wait_until(start + r->seconds / r->wanted->rounds);
		return EXIT_DONE;
	}
	ret = run_command(r);
	r->seconds += clock_now() - start;
	return ret;
}

/* --- the table ---------------------------------------------------------------------- */

/**
 * struct row - a site that grew in each round that counts
 * @location: its location
 * @left: what it keeps
 * @idle: growth in the round without the command
 * @live: live bytes at the end
 * @cache: the kernel can reclaim it; see findings_fills()
 */
struct row {
	const char *location;
	struct rounds_left left;
	double idle;
	double live;
	bool cache;
};

/**
 * struct result - all rows
 * @wanted: the options
 * @running: the rounds
 * @sites: the sites
 * @unloads: memory that modules left when they were unloaded
 * @row: the rows
 * @count: number of rows
 * @others: number of sites that grew in each round, see rounds_keep()
 * @lazy: number of sites that grew in each round, see findings_waits()
 * @caches: number of rows of caches
 * @cgroups: growth of the number of removed cgroups that still exist
 */
struct result {
	const struct rounds_wanted *wanted;
	const struct running *running;
	const struct sites *sites;
	struct unloads unloads;
	struct row *row;
	size_t count;
	size_t others;
	size_t lazy;
	size_t caches;
	double cgroups;
};

static const struct table_column columns[] = {
	FIGURE_LEFT, FIGURE_LEFT_LEAST, FIGURE_LEFT_MOST, FIGURE_LEFT_IDLE,
	FIGURE_LEFT_OBJECTS, FIGURE_LIVE, FIGURE_VERDICT, FIGURE_SITE,
};

static void rounds_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct row *r = &((const struct result *)arg)->row[i];

	row_number(cell, llround(r->left.median));
	row_number(cell, llround(r->left.least));
	row_number(cell, llround(r->left.most));
	row_number(cell, llround(r->idle));
	row_number(cell, llround(r->left.objects));
	row_number(cell, llround(r->live));
	row_text(cell, r->cache ? "cache" : "stays");
	row_text(cell, r->location);
}

static void rounds_print_text(const struct result *r, const struct listing *l)
{
	size_t ignored = rounds_ignored(r->wanted->rounds);

	printf("%zu rounds of %s; the first %zu do not count; measured %g s after each\n",
	       r->wanted->rounds, r->wanted->command[0], ignored, r->wanted->settle);
	if (r->running->failed)
		printf("%s failed in %zu of %zu rounds, last with exit status %d\n",
		       r->wanted->command[0], r->running->failed, r->wanted->rounds,
		       r->running->code);
	putchar('\n');
	if (l->nr_rows)
		listing_print(l, TABLE_TEXT);
	else
		puts("no site keeps memory of each round");
	putchar('\n');
	if (r->caches)
		puts("cache: SReclaimable, freed by drop_caches; --reclaim frees such memory after each round, and what depends on it");
	if (r->others)
		printf("%zu site%s grew in each round, but grew as much or shrank again in a round without the command\n",
		       r->others, plural(r->others));
	if (r->lazy)
		puts("alloc_vmap_area() is left out: the kernel frees areas of vmalloc() in groups");
	if (r->cgroups > 0)
		printf("%.0f more removed cgroups are still there: kmemtrace-user pages --by cgroup shows the pages that keep them\n",
		       r->cgroups);
	unloads_print(&r->unloads);
	trust_print(&r->sites->tags, false);
}

static int rounds_print_json(const struct result *r, const struct listing *l)
{
	json_t *root = json_pack("{s:I,s:I,s:I,s:I,s:I,s:I}", "rounds",
				 (json_int_t)r->wanted->rounds, "ignored",
				 (json_int_t)rounds_ignored(r->wanted->rounds),
				 "failed", (json_int_t)r->running->failed,
				 "settle_ms",
				 (json_int_t)llround(1000 * r->wanted->settle),
				 "idle_sites", (json_int_t)r->others,
				 "lazy_sites", (json_int_t)r->lazy);

	json_object_set_new(root, "sites", listing_json(l));
	unloads_json(root, &r->unloads);
	json_object_set_new(root, "error", trust_json(&r->sites->tags));
	return json_print(root);
}

static int rounds_print(const struct result *r)
{
	struct listing l = LISTING(columns, r->count, rounds_cell, r);
	int ret = EXIT_DONE;

	listing_sort_by(&l, "least_bytes", r->wanted->top);
	if (r->wanted->json)
		ret = rounds_print_json(r, &l);
	else
		rounds_print_text(r, &l);
	listing_free(&l);
	return ret;
}

/* @unloads: from unloads_wait(), before the rounds */
static int rounds_judge(const struct running *running, const struct observation *w,
			const struct sites *sites, uint64_t unloads)
{
	const struct rounds_wanted *wanted = running->wanted;
	struct result r = { .wanted = wanted, .running = running, .sites = sites,
			    .row = xcalloc(w->count + 1, sizeof(*r.row)),
			    .cgroups = held_kind_grew(&w->helds, COUNTS_CGROUPS, w->n - 1) };
	size_t i;
	int ret;

	for (i = 0; i < w->count; i++) {
		const struct observed *o = &w->row[i];
		double grew = fmax(0, o->live.objects[wanted->rounds] - o->live.objects[0]);
		struct row *to = &r.row[r.count];

		rounds_of(&to->left, o->live.bytes, o->live.objects,
			  wanted->rounds);
		to->location = sites->location[o->id];
		to->live = o->live.bytes[w->n - 1];
		to->idle = to->live - o->live.bytes[wanted->rounds];
		/* the memory of an allocator is that of the objects */
		if (to->left.least <= 0 || o->slab || findings_is_left_out(to->location))
			continue;
		to->cache = !w->reclaimed && findings_fills(grew, o, w);
		if (findings_waits(to->location, grew, w)) {
			r.lazy++;
		} else if (rounds_keep(&to->left, to->idle, wanted->rounds)) {
			r.count++;
			r.caches += to->cache;
		} else {
			r.others++;
		}
	}
	unloads_read(&r.unloads, sites->tags.stats, unloads);
	ret = rounds_print(&r);
	unloads_free(&r.unloads);
	free(r.row);
	return ret;
}

int rounds_run(const struct rounds_wanted *wanted)
{
	struct running running = { .wanted = wanted };
	struct observation w;
	struct sites sites = { 0 };
	uint64_t unloads;
	int ret;

	if (unloads_wait(&unloads))
		return EXIT_FAILED;
	ret = observe_rounds(&w, wanted->rounds + 1, wanted->settle, wanted->reclaim,
			     do_round, &running);
	if (!ret) {
		ret = EXIT_FAILED;
		if (!unloads_wait(NULL) && !sites_read(&sites)) {
			observe_merge(&w, &sites);
			ret = rounds_judge(&running, &w, &sites, unloads);
		}
		sites_free(&sites);
	}
	observe_free(&w);
	return ret;
}
