// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "account/sites.h"
#include "account/tags.h"
#include "account/trust.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/die.h"
#include "base/figures.h"
#include "base/json.h"
#include "base/listing.h"
#include "base/msg.h"
#include "base/plural.h"
#include "base/progress.h"
#include "base/table.h"
#include "base/textfile.h"
#include "leaks/findings.h"
#include "leaks/observe.h"
#include "leaks/rounds.h"
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

/* --- memory that modules had not freed when they were unloaded ------------------------- */

/* what a site has left */
struct unload {
	char *location;		/* the site */
	uint64_t bytes;		/* bytes of all unloadings */
	uint64_t objects;	/* objects */
	uint64_t times;		/* number of unloadings */
};

/* what all sites have left */
struct unloads {
	struct unload *row;	/* the sites */
	size_t count;		/* number of sites */
	/* number of further leaks that the module has counted, but does not list */
	uint64_t unlisted;
};

/* The module counts what is left after 10 s, and looks once a second. */
#define WAIT_TRIES 26
#define WAIT_STEP  0.5

/*
 * Wait until the module has counted what modules left that are unloaded; @count: set to the
 * number of leaks that it has found so far. If modules are unloaded all the time, wait for no
 * longer than the module needs for one. Return: 0; -1, with a message.
 */
static int unloads_wait(uint64_t *count)
{
	struct progress progress;
	uint64_t pending = 1;
	struct tags tags;
	int tries, err = 0;

	progress_start(&progress, "s until modules that were unloaded are judged", 0);
	for (tries = 0; !err && pending && tries < WAIT_TRIES; tries++) {
		if (tries)
			clock_wait_until(clock_now() + WAIT_STEP);
		progress_step(&progress, tries * WAIT_STEP);
		err = tags_read_quick(&tags, NULL);
		pending = err ? 0 : trust_counter(&tags, "unloads_pending");
		if (count)
			*count = err ? 0 : trust_counter(&tags, "unload_leaks");
		tags_free(&tags);
	}
	progress_end(&progress);
	return err ? -1 : 0;
}

static int by_unloaded(const void *a, const void *b)
{
	const struct unload *x = a, *y = b;

	return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

/* @location: from xmalloc(); it is the row's afterwards */
static void add_leak(struct unloads *u, char *location, uint64_t bytes, uint64_t objects)
{
	size_t i;

	array_reserve(u->row, u->count);
	for (i = 0; i < u->count && strcmp(u->row[i].location, location); i++)
		;
	if (i == u->count)
		u->row[u->count++] = (struct unload){ .location = location };
	else
		free(location);
	u->row[i].bytes += bytes;
	u->row[i].objects += objects;
	u->row[i].times++;
}

/* Return: where the location of a leak begins in the line; 0 if it is not such a line. */
static int parse_leak(const char *line, uint64_t *bytes, uint64_t *objects)
{
	int at = 0;

	textfile_scan(line, "unload_leak %" SCNu64 " bytes %" SCNu64 " objects oldest_s %*u %n",
		      bytes, objects, &at);
	return at;
}

/* Add up, by site, the leaks since unloads_wait(). The module lists the newest leaks. */
static void unloads_read(struct unloads *u, const char *stats, uint64_t before)
{
	uint64_t all = 0, number, bytes, objects;
	const char *line;
	char *text, *location;
	int at;

	*u = (struct unloads){ 0 };
	textfile_number(stats, "unload_leaks", &all);
	number = all;
	for (line = stats; line; line = textfile_next_line(line))
		number -= number && parse_leak(line, &bytes, &objects);
	u->unlisted = number > before ? number - before : 0;
	for (line = stats; line; line = textfile_next_line(line)) {
		at = parse_leak(line, &bytes, &objects);
		if (!at || number++ < before)
			continue;
		text = xstrndup(line + at, strcspn(line + at, "\n"));
		location = tags_location(text);
		free(text);
		add_leak(u, location, bytes, objects);
	}
	if (u->count)
		qsort(u->row, u->count, sizeof(*u->row), by_unloaded);
}

static void unloads_print(const struct unloads *u)
{
	char b[20];
	size_t i;

	if (u->count || u->unlisted)
		puts("modules left memory when they were unloaded:");
	for (i = 0; i < u->count; i++)
		printf("  %s in %" PRIu64 " object%s, %" PRIu64 " time%s: %s\n",
		       table_human(b, sizeof(b), u->row[i].bytes, 1), u->row[i].objects,
		       plural(u->row[i].objects), u->row[i].times, plural(u->row[i].times),
		       u->row[i].location);
	if (u->unlisted)
		printf("  and %" PRIu64 " time%s that the module does not list\n", u->unlisted,
		       plural(u->unlisted));
}

static void unloads_json(json_t *to, const struct unloads *u)
{
	json_t *rows = json_array();
	size_t i;

	for (i = 0; i < u->count; i++)
		json_array_append_new(rows, json_pack("{s:I,s:I,s:I,s:s}", "live",
						      (json_int_t)u->row[i].bytes, "objects",
						      (json_int_t)u->row[i].objects, "times",
						      (json_int_t)u->row[i].times, "site",
						      u->row[i].location));
	json_object_set_new(to, "unload_leaks", rows);
	json_object_set_new(to, "unload_leaks_unlisted", json_integer(u->unlisted));
}

static void unloads_free(struct unloads *u)
{
	size_t i;

	for (i = 0; i < u->count; i++)
		free(u->row[i].location);
	free(u->row);
}

/* --- running -------------------------------------------------------------------------- */

/* the rounds */
struct running {
	const struct rounds_wanted *wanted;	/* the options */
	size_t done;				/* rounds that are done */
	size_t failed;				/* number of these in which the command failed */
	int code;				/* exit status of the last of these */
	double seconds;				/* time that the command took in all of them */
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

/* a site that grew in each round that counts */
struct row {
	const char *location;		/* its location */
	struct rounds_left left;	/* what it keeps */
	double idle;			/* growth in the round without the command */
	double live;			/* live bytes at the end */
	bool cache;			/* the kernel can reclaim it; see findings_fills() */
};

/* all rows */
struct result {
	const struct rounds_wanted *wanted; /* the options */
	const struct running *running; /* the rounds */
	const struct sites *sites; /* the sites */
	struct unloads unloads;	/* memory that modules left when they were unloaded */
	struct row *row;	/* the rows */
	size_t count;		/* number of rows */
	size_t others;		/* number of sites that grew in each round, see rounds_keep() */
	size_t lazy;		/* number of sites that grew in each round, see findings_waits() */
	size_t caches;		/* number of rows of caches */
	double cgroups;		/* growth of the number of removed cgroups that still exist */
	double closed;		/* growth of the number of connections in TIME_WAIT */
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
	if (r->closed > 0)
		printf("%.0f more TCP connections are in the state TIME_WAIT: the kernel frees them after 60 s\n",
		       r->closed);
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
			    .cgroups = held_kind_grew(&w->helds, COUNTS_CGROUPS, w->n - 1),
			    .closed = held_kind_grew(&w->helds, COUNTS_CLOSED, w->n - 1) };
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
