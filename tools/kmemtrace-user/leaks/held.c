// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "base/table.h"
#include "base/textfile.h"
#include "control/counts.h"
#include "control/system.h"
#include "leaks/held.h"

/* 1 of so many objects may differ; fewer may agree by chance */
#define TOLERANCE 16
/* a node of a tree has entries of so many files at most, and at least */
#define SHARED_MAX 16
#define SHARED_MIN 4
/* a node has the shrinkers of 64 mounts; a few nodes may seem to have more */
#define SHRINKERS_MAX 96
/* the fewest such nodes, which are those of known functions */
#define NODES_MIN 8
/* a task has at most so many objects of a site, and so many tasks share one */
#define TASKS_MAX 32
/* a file may have any number of them */
#define HELDS_MAX 10000
/* the least correlation of the swings of tasks with those of a site */
#define AGREE 0.3
/* the fewest objects if there are only two counts, which may agree by chance */
#define ENDS_MIN 64
/* the fewest samples that swing */
#define SWINGS_MIN 3

static void held_set(struct helds *h, const struct held *what, double count, size_t i,
		     size_t room)
{
	struct held *at = NULL;
	size_t k;

	/* in each sample, the counts are found in the same order */
	for (k = 0; k < h->count && !at; k++) {
		at = &h->held[h->next++ % h->count];
		if (at->kind != what->kind || at->id != what->id)
			at = NULL;
	}
	if (!at) {
		at = array_add(h->held, h->count);
		*at = *what;
		at->where = what->where ? xstrdup(what->where) : NULL;
		at->count = xcalloc(room, sizeof(*at->count));
	}
	at->count[i] = count;
}

/* Return: whether the line, after its prefix, is a count: @what and @count are set. */
static bool parse(const char *line, struct held *what, double *count, char path[PATH_MAX])
{
	size_t n = strcspn(line, "=\n");
	enum counts_kind kind = 0;

	while (kind < COUNTS_KINDS && (strlen(counts_names[kind]) != n || strncmp(line, counts_names[kind], n)))
		kind++;
	if (kind == COUNTS_KINDS || line[n] != '=')
		return false;
	line += n + 1;
	*what = (struct held){ .kind = kind };
	if (kind != COUNTS_FILES && kind != COUNTS_BACKLOGS)
		return textfile_scan(line, "%lf", count) == 1;
	if (textfile_scan(line, "%" SCNx64 " %lf %4095s", &what->id, count, path) != 3)
		return false;
	mounts_unescape(path);
	table_clean(path);
	what->where = path;
	return true;
}

void held_take(struct helds *h, const char *text, const char *prefix, size_t i, size_t room)
{
	char path[PATH_MAX];
	struct held what;
	const char *line;
	double count;

	for (line = text; line; line = textfile_next_line(line))
		if (!strncmp(line, prefix, strlen(prefix)) &&
		    parse(line + strlen(prefix), &what, &count, path) && isfinite(count) &&
		    count >= 0 && h->count < HELDS_MAX)
			held_set(h, &what, count, i, room);
}

void held_sample(struct helds *h, size_t i, size_t room)
{
	char *counts = counts_text(COUNTS_NOW);

	held_take(h, counts, COUNTS_NOW, i, room);
	free(counts);
}

void held_begin(struct helds *h, size_t i, size_t room)
{
	if (!h->tasks)
		h->tasks = xcalloc(room, sizeof(*h->tasks));
	h->tasks[i] = counts_tasks();
}

double held_grew(const struct held *held, size_t i)
{
	return held->count[i] - held->count[0];
}

double held_kind_grew(const struct helds *h, enum counts_kind kind, size_t i)
{
	double sum = 0;
	size_t k;

	for (k = 0; k < h->count; k++)
		if (h->held[k].kind == kind)
			sum += held_grew(&h->held[k], i);
	return sum;
}

/* Nodes have an entry for each file that has a name: the root of a tmpfs has none. */
static double entries_grew(const struct helds *h, enum counts_kind kind, enum counts_kind shared,
			   size_t i)
{
	double grew = held_kind_grew(h, kind, i);
	size_t k;

	for (k = 0; kind == COUNTS_FILES && shared == kind && k < h->count; k++)
		if (h->held[k].kind == kind)
			grew -= (h->held[k].count[i] > 0) - (h->held[k].count[0] > 0);
	return grew;
}

/*
 * A task has a whole number of objects of a site, or a whole number of tasks shares one. A cgroup has
 * some for each node and CPU.
 */
static bool is_whole(double share, double may)
{
	double per = share < 1 ? 1 / share : share;

	return fabs(per - round(per)) <= per * may;
}

/*
 * @may: part of the objects that may differ
 * Return: how many objects of the site there are for each that is held; 0: these are none.
 */
static double share_of(enum counts_kind kind, double share, enum counts_kind shared, double may)
{
	if (kind == COUNTS_TASKS || (kind == COUNTS_CGROUPS && share >= 1))
		return share >= 1.0 / TASKS_MAX && share <= TASKS_MAX && is_whole(share, may) ?
			       share : 0;
	if (kind != shared || kind == COUNTS_KEYS || share > 1.0 / SHARED_MIN)
		return 1;
	return share >= 1.0 / (kind == COUNTS_MOUNTS ? SHRINKERS_MAX : SHARED_MAX) ? share : 0;
}

/* A count of tasks before the ages were read, and one after: the number between that fits. */
static double tasks_at(const struct helds *h, const struct held *tasks, size_t i, double fits)
{
	double after = tasks->count[i], before = after;

	if (h->tasks && h->tasks[i] > 0)
		before = h->tasks[i];
	return fmax(fmin(before, after), fmin(fmax(before, after), fits));
}

/* Set the numbers of tasks that fit best to the objects, of which each task has a share. */
static void fit_tasks(const struct helds *h, const struct held *tasks, const double *objects,
		      size_t n, double *to)
{
	double each = held_grew(tasks, n - 1) / (objects[n - 1] - objects[0]), first = 0;
	size_t i;

	for (i = 0; i < n; i++)
		first += (tasks_at(h, tasks, i, 0) + tasks_at(h, tasks, i, HUGE_VAL)) / 2 -
			 each * objects[i];
	for (i = 0; i < n; i++)
		to[i] = tasks_at(h, tasks, i, first / n + each * objects[i]);
}

static double correlation_of_swings(const double *a, const double *b, size_t n)
{
	double of_a = 0, of_b = 0, both = 0, x, y;
	size_t i;

	for (i = 1; i < n; i++) {
		x = a[i] - a[i - 1] - (a[n - 1] - a[0]) / (n - 1);
		y = b[i] - b[i - 1] - (b[n - 1] - b[0]) / (n - 1);
		both += x * y;
		of_a += x * x;
		of_b += y * y;
	}
	return of_a < 1 || of_b < 1 ? 1 : both / sqrt(of_a * of_b);
}

/*
 * How many objects a task has is not known, so that each steady leak would follow tasks that
 * grow steadily. If both swing, they have to swing together.
 */
static bool swings_agree(const struct helds *h, const double *objects, size_t n)
{
	const struct held *tasks = h->held;
	double *fitting;
	bool agree;

	if (n < SWINGS_MIN)
		return false;
	while (tasks->kind != COUNTS_TASKS)
		tasks++;
	fitting = xcalloc(n, sizeof(*fitting));
	fit_tasks(h, tasks, objects, n, fitting);
	agree = correlation_of_swings(objects, fitting, n) >= AGREE;
	free(fitting);
	return agree;
}

/*
 * Return: the largest difference between the growth of the site and that of what is held, as a
 * share of what may differ; HUGE_VAL: the site does not follow it.
 */
static double distance_from(const struct helds *h, enum counts_kind kind, const double *objects,
			    size_t n, enum counts_kind shared)
{
	double grew = objects[n - 1] - objects[0], may = grew / TOLERANCE, theirs, share, differ;
	bool ends = n < SWINGS_MIN;
	double distance = 0;
	size_t i;

	if (grew < (ends ? ENDS_MIN : kind == shared && kind != COUNTS_TASKS ? NODES_MIN : TOLERANCE))
		return HUGE_VAL;
	if (!ends)
		may = fmax(sqrt(grew), may);
	theirs = entries_grew(h, kind, shared, n - 1);
	if (theirs < TOLERANCE)
		return HUGE_VAL;
	share = share_of(kind, grew / theirs, shared, may / grew);
	for (i = n - 1; i && distance <= 1; i--) {
		differ = objects[i] - objects[0] - share * entries_grew(h, kind, shared, i);
		/* the nodes of a keyring fill at one time, so that their number grows in steps */
		if (kind == COUNTS_KEYS && kind == shared)
			differ = fmax(0, differ);
		distance = fmax(distance, fabs(differ) / may);
	}
	return distance <= 1 && (kind != COUNTS_TASKS || swings_agree(h, objects, n)) ?
		       distance :
		       HUGE_VAL;
}

/*
 * The nearest count explains a site, and at equal distance, the first one. Each mount of a new tmpfs brings a file, so
 * that mounts come before files.
 */
static const enum counts_kind kinds_in_order[] = {
	COUNTS_MOUNTS,	 COUNTS_FILES,	    COUNTS_CONNECTIONS, COUNTS_KEYS, COUNTS_QUEUES,
	COUNTS_MESSAGES, COUNTS_SEMAPHORES, COUNTS_SEGMENTS,	COUNTS_CGROUPS, COUNTS_BACKLOGS,
	COUNTS_KSM, COUNTS_KSM_MERGED, COUNTS_CLOSED, COUNTS_LOCKS,
};

/* Tasks fit best, because their share is free. So they count only if nothing else fits. */
static enum counts_kind find_kind(const struct helds *h, const double *objects, size_t n,
				  enum counts_kind shared)
{
	enum counts_kind found = COUNTS_KINDS;
	double least = HUGE_VAL, distance;
	size_t i;

	for (i = 0; shared != COUNTS_TASKS && i < sizeof(kinds_in_order) / sizeof(*kinds_in_order); i++) {
		distance = distance_from(h, kinds_in_order[i], objects, n, shared);
		if (distance < least) {
			least = distance;
			found = kinds_in_order[i];
		}
	}
	if (found == COUNTS_KINDS && distance_from(h, COUNTS_TASKS, objects, n, shared) < HUGE_VAL)
		found = COUNTS_TASKS;
	return found;
}

const struct held *held_explains(const struct helds *h, const double *objects, size_t n,
				 size_t late, enum counts_kind shared)
{
	enum counts_kind kind = find_kind(h, objects + late, n - late, shared);
	const struct held *most = NULL, *at;

	for (at = h->held; at < h->held + h->count; at++)
		if (at->kind == kind &&
		    (!most || held_grew(at, n - late - 1) > held_grew(most, n - late - 1)))
			most = at;
	return most;
}

const char *held_name(const struct held *held)
{
	static const char *const names[COUNTS_KINDS] = {
		[COUNTS_CONNECTIONS] = "/proc/sys/net/netfilter/nf_conntrack_count",
		[COUNTS_CLOSED] = "/proc/net/sockstat",
		[COUNTS_LOCKS] = "/proc/locks",
		[COUNTS_KEYS] = "/proc/key-users",
		[COUNTS_MESSAGES] = "/proc/sysvipc/msg",
		[COUNTS_MOUNTS] = "/proc/self/mountinfo",
		[COUNTS_QUEUES] = "/proc/sysvipc/msg",
		[COUNTS_SEMAPHORES] = "/proc/sysvipc/sem",
		[COUNTS_SEGMENTS] = "/proc/sysvipc/shm",
		[COUNTS_TASKS] = "/proc/loadavg",
		[COUNTS_CGROUPS] = "nr_dying_descendants in cgroup.stat",
		[COUNTS_KSM] = "/sys/kernel/mm/ksm",
		[COUNTS_KSM_MERGED] = "/sys/kernel/mm/ksm/pages_shared",
	};

	return held->where ? held->where : names[held->kind];
}

void held_free(struct helds *h)
{
	size_t i;

	for (i = 0; i < h->count; i++) {
		free(h->held[i].where);
		free(h->held[i].count);
	}
	free(h->held);
	free(h->tasks);
}
