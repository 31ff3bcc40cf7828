// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <linux/magic.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/vfs.h>

#include "base/array.h"
#include "base/die.h"
#include "base/textfile.h"
#include "leaks/held.h"

/* 1 of so many objects may differ; fewer may agree by chance */
#define TOLERANCE 16
/* a node of a tree has entries of so many files, at most and at least */
#define SHARED_MAX 16
#define SHARED_MIN 4
/* a task has at most so many objects of a site, and so many tasks share one */
#define TASKS_MAX 32
/* the least correlation of the swings of tasks with those of a site */
#define AGREE 0.3

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

/* In mountinfo, characters such as spaces are octal numbers. */
static void unescape(char *path)
{
	char *to = path;

	for (; *path; to++)
		if (*path == '\\' && strspn(path + 1, "01234567") >= 3) {
			*to = (path[1] - '0') << 6 | (path[2] - '0') << 3 | (path[3] - '0');
			path += 4;
		} else {
			*to = *path++;
		}
	*to = '\0';
}

/* Other file systems are not asked, because their servers may not answer. */
static bool is_tmpfs(const char *line)
{
	const char *type = strstr(line, " - ");

	return type && (!strncmp(type, " - tmpfs ", 9) || !strncmp(type, " - devtmpfs ", 12) ||
			!strncmp(type, " - rootfs ", 10));
}

static void sample_files(struct helds *h, size_t i, size_t room)
{
	char *mounts = textfile_read_proc("self/mountinfo", NULL), path[PATH_MAX];
	struct held what = { .kind = HELD_FILES, .where = path };
	const char *line;
	struct statfs s;

	for (line = mounts; line; line = textfile_next_line(line)) {
		if (!is_tmpfs(line) || textfile_scan(line, "%*s %*s %*s %*s %4095s", path) != 1)
			continue;
		unescape(path);
		if (statfs(path, &s) || s.f_type != TMPFS_MAGIC)
			continue;
		memcpy(&what.id, &s.f_fsid, sizeof(what.id));
		held_set(h, &what, s.f_files - s.f_ffree, i, room);
	}
	free(mounts);
}

/* The file has for example "0.20 0.18 0.12 1/80 11206": 80 tasks exist. */
static void sample_tasks(struct helds *h, size_t i, size_t room)
{
	const struct held tasks = { .kind = HELD_TASKS };
	char *load = textfile_read_proc("loadavg", NULL);
	double count;

	if (load && textfile_scan(load, "%*s %*s %*s %*[0-9]/%lf", &count) == 1)
		held_set(h, &tasks, count, i, room);
	free(load);
}

/* A line is for example "    0:   122 121/121 108/1000000 1345/25000000": user 0 has 121 keys. */
static void sample_keys(struct helds *h, size_t i, size_t room)
{
	const struct held keys = { .kind = HELD_KEYS };
	char *users = textfile_read_proc("key-users", NULL);
	const char *line;
	double count, sum = 0;

	for (line = users; line; line = textfile_next_line(line))
		if (textfile_scan(line, "%*s %*s %lf", &count) == 1)
			sum += count;
	if (users)
		held_set(h, &keys, sum, i, room);
	free(users);
}

/* System V IPC */
static void sample_ipc(struct helds *h, size_t i, size_t room)
{
	static const struct held queues = { .kind = HELD_QUEUES },
				 messages = { .kind = HELD_MESSAGES },
				 semaphores = { .kind = HELD_SEMAPHORES },
				 segments = { .kind = HELD_SEGMENTS };
	struct msginfo msg = { 0 };
	struct seminfo sem = { 0 };
	struct shm_info shm = { 0 };

	if (msgctl(0, MSG_INFO, (struct msqid_ds *)&msg) >= 0) {
		held_set(h, &queues, msg.msgpool, i, room);
		held_set(h, &messages, msg.msgmap, i, room);
	}
	if (semctl(0, 0, SEM_INFO, &sem) >= 0)
		held_set(h, &semaphores, sem.semusz, i, room);
	if (shmctl(0, SHM_INFO, (struct shmid_ds *)&shm) >= 0)
		held_set(h, &segments, shm.used_ids, i, room);
}

void held_sample(struct helds *h, size_t i, size_t room)
{
	const struct held connections = { .kind = HELD_CONNECTIONS };
	char *count = textfile_read_proc("sys/net/netfilter/nf_conntrack_count", NULL);

	if (count)
		held_set(h, &connections, strtod(count, NULL), i, room);
	free(count);
	sample_keys(h, i, room);
	sample_ipc(h, i, room);
	sample_tasks(h, i, room);
	sample_files(h, i, room);
}

double held_grew(const struct held *held, size_t i)
{
	return held->count[i] - held->count[0];
}

static double kind_grew(const struct helds *h, enum held_kind kind, size_t i)
{
	double sum = 0;
	size_t k;

	for (k = 0; k < h->count; k++)
		if (h->held[k].kind == kind)
			sum += held_grew(&h->held[k], i);
	return sum;
}

/* Return: how many objects of the site there are for each that is held; 0: these are none. */
static double share_of(enum held_kind kind, double share, bool shared)
{
	if (kind == HELD_TASKS)
		return share >= 1.0 / TASKS_MAX && share <= TASKS_MAX ? share : 0;
	if (!shared || kind != HELD_FILES)
		return 1;
	return share >= 1.0 / SHARED_MAX && share <= 1.0 / SHARED_MIN ? share : 0;
}

/*
 * How many objects a task has is not known, so that each steady leak would follow tasks that
 * grow steadily. If both swing, they have to swing together.
 */
static bool swings_agree(const struct helds *h, enum held_kind kind, const double *objects,
			 size_t n)
{
	double own, theirs, both = 0, of_own = 0, of_theirs = 0;
	size_t i;

	for (i = 1; i < n; i++) {
		own = objects[i] - objects[i - 1] - (objects[n - 1] - objects[0]) / (n - 1);
		theirs = kind_grew(h, kind, i) - kind_grew(h, kind, i - 1) -
			 kind_grew(h, kind, n - 1) / (n - 1);
		both += own * theirs;
		of_own += own * own;
		of_theirs += theirs * theirs;
	}
	return of_own < 1 || of_theirs < 1 || both >= AGREE * sqrt(of_own * of_theirs);
}

static bool is_followed(const struct helds *h, enum held_kind kind, const double *objects,
			size_t n, bool shared)
{
	double grew = objects[n - 1] - objects[0], theirs, share;
	size_t i;

	if (grew < TOLERANCE)
		return false;
	theirs = kind_grew(h, kind, n - 1);
	if (theirs < TOLERANCE)
		return false;
	share = share_of(kind, grew / theirs, shared);
	for (i = 1; i < n; i++)
		if (fabs(objects[i] - objects[0] - share * kind_grew(h, kind, i)) >
		    fmax(sqrt(grew), grew / TOLERANCE))
			return false;
	return kind != HELD_TASKS || swings_agree(h, kind, objects, n);
}

const struct held *held_explains(const struct helds *h, const double *objects, size_t n,
				 size_t late, bool shared)
{
	const struct held *most = NULL, *at;
	enum held_kind kind;

	objects += late;
	n -= late;
	for (kind = 0; kind < HELD_KINDS && !is_followed(h, kind, objects, n, shared); kind++)
		;
	for (at = h->held; at < h->held + h->count; at++)
		if (at->kind == kind &&
		    (!most || held_grew(at, n - 1) > held_grew(most, n - 1)))
			most = at;
	return most;
}

const char *held_name(const struct held *held)
{
	static const char *const names[HELD_KINDS] = {
		[HELD_CONNECTIONS] = "/proc/sys/net/netfilter/nf_conntrack_count",
		[HELD_KEYS] = "/proc/key-users",
		[HELD_MESSAGES] = "/proc/sysvipc/msg",
		[HELD_QUEUES] = "/proc/sysvipc/msg",
		[HELD_SEMAPHORES] = "/proc/sysvipc/sem",
		[HELD_SEGMENTS] = "/proc/sysvipc/shm",
		[HELD_TASKS] = "/proc/loadavg",
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
}
