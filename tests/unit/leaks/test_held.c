// SPDX-License-Identifier: GPL-2.0-only
/* Sites that grow as the files of tmpfs, or as something else that is held, and sites that do not. */
#include <linux/magic.h>
#include <math.h>
#include <stdarg.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/vfs.h>

#include "leaks/held.h"
#include "tempdir.h"
#include "unit.h"

#define N 20

static struct helds h;
static double objects[N];

/* what each mount point has in use; the number in its path is the file system */
static unsigned int used[40];
static unsigned int asked;

int __wrap_statfs(const char *path, struct statfs *s);
int __wrap_statfs(const char *path, struct statfs *s)
{
	unsigned int id = strtoul(path + strcspn(path, "0123456789"), NULL, 10);

	ck_assert_uint_lt(id, sizeof(used) / sizeof(*used));
	asked++;
	*s = (struct statfs){ .f_type = TMPFS_MAGIC, .f_files = 1000,
			      .f_ffree = 1000 - used[id], .f_fsid = { { (int)id, 7 } } };
	return 0;
}

/* objects of System V IPC; negative: the kernel has none */
static int queues = -1, messages, sets = -1, segments = -1;

int __wrap_msgctl(int id, int cmd, struct msqid_ds *to);
int __wrap_msgctl(int id, int cmd, struct msqid_ds *to)
{
	ck_assert(!id && cmd == MSG_INFO);
	*(struct msginfo *)to = (struct msginfo){ .msgpool = queues, .msgmap = messages };
	return queues < 0 ? -1 : 0;
}

int __wrap_semctl(int id, int number, int cmd, ...);
int __wrap_semctl(int id, int number, int cmd, ...)
{
	va_list args;

	ck_assert(!id && !number && cmd == SEM_INFO);
	va_start(args, cmd);
	*va_arg(args, struct seminfo *) = (struct seminfo){ .semusz = sets };
	va_end(args);
	return sets < 0 ? -1 : 0;
}

int __wrap_shmctl(int id, int cmd, struct shmid_ds *to);
int __wrap_shmctl(int id, int cmd, struct shmid_ds *to)
{
	ck_assert(!id && cmd == SHM_INFO);
	*(struct shm_info *)to = (struct shm_info){ .used_ids = segments };
	return segments < 0 ? -1 : 0;
}

static const char mounts[] =
	"22 1 0:20 / /proc rw - proc proc rw\n"
	"23 1 0:21 / /tm\\040p1 rw,nosuid - tmpfs tmpfs rw\n"
	"24 1 0:22 / /run/2 rw shared:3 - tmpfs tmpfs rw\n"
	"25 1 0:21 / /again1 rw - tmpfs tmpfs rw\n"
	"26 1 0:23 / /net3 rw - nfs server:/ rw\n";

/* Row by row: files of file systems 1 and 2, connections, objects of the site. */
static void sample(size_t i, unsigned int files, unsigned int more, unsigned int connections,
		   double site)
{
	char text[16];

	used[1] = files;
	used[2] = more;
	snprintf(text, sizeof(text), "%u\n", connections);
	tempdir_put_text("sys/net/netfilter/nf_conntrack_count", text);
	held_sample(&h, i, N);
	objects[i] = site;
}

/* Only a file of /proc or /sys changes, and the site. */
__attribute__((format(printf, 4, 5)))
static void sample_file(size_t i, double site, const char *file, const char *format, ...)
{
	char text[128];
	va_list args;

	va_start(args, format);
	ck_assert_int_lt(vsnprintf(text, sizeof(text), format, args), (int)sizeof(text));
	va_end(args);
	tempdir_put_text(file, text);
	sample(i, 0, 0, 0, site);
}

static void begin(void)
{
	tempdir_begin();
	tempdir_put_text("self/mountinfo", mounts);
	asked = 0;
}

static void end(void)
{
	held_free(&h);
	h = (struct helds){ 0 };
	tempdir_end();
}

START_TEST(files_of_all_file_systems)
{
	const struct held *held;
	size_t i;

	begin();
	for (i = 0; i < N; i++)
		sample(i, 10 + i, 100 + 2 * i, 5, 70 + 3 * i);
	ck_assert_uint_eq(asked, 3 * N);
	ck_assert_uint_eq(h.count, 4);
	held = held_explains(&h, objects, N, 0, COUNTS_KINDS);
	ck_assert_ptr_nonnull(held);
	ck_assert_int_eq(held->kind, COUNTS_FILES);
	ck_assert_str_eq(held->where, "/run/2");
	ck_assert(held->count[N - 1] == 138 && held_grew(held, N - 1) == 38);
	/* the first is named as it is mounted first */
	ck_assert_str_eq(h.held[1].where, "/tm p1");
	end();
}
END_TEST

START_TEST(connections)
{
	const struct held *held;
	size_t i;

	begin();
	for (i = 0; i < N; i++)
		sample(i, 10, 100 + i % 2, 5 + 3 * i, 3 * i);
	held = held_explains(&h, objects, N, 0, COUNTS_KINDS);
	ck_assert_ptr_nonnull(held);
	ck_assert_int_eq(held->kind, COUNTS_CONNECTIONS);
	ck_assert_ptr_null(held->where);
	end();
}
END_TEST

/* 16 objects are enough; of 100, 10 may differ at each sample. */
START_TEST(one_for_one)
{
	size_t i;

	begin();
	for (i = 0; i < N; i++)
		sample(i, 5 * i, 0, 0, 5 * i);
	ck_assert_ptr_nonnull(held_explains(&h, objects, N, 0, COUNTS_KINDS));
	objects[N - 1] += 5;
	objects[7] += 10;
	ck_assert_ptr_nonnull(held_explains(&h, objects, N, 0, COUNTS_KINDS));
	objects[7] += 1;
	ck_assert_ptr_null(held_explains(&h, objects, N, 0, COUNTS_KINDS));
	/* two for each file; half as many; none */
	for (i = 0; i < N; i++)
		objects[i] = 10 * i;
	ck_assert_ptr_null(held_explains(&h, objects, N, 0, COUNTS_KINDS));
	for (i = 0; i < N; i++)
		objects[i] = 2 * i;
	ck_assert_ptr_null(held_explains(&h, objects, N, 0, COUNTS_KINDS));
	for (i = 0; i < N; i++)
		objects[i] = 3;
	ck_assert_ptr_null(held_explains(&h, objects, N, 0, COUNTS_KINDS));
	end();
}
END_TEST

/* Objects that are four samples old. */
START_TEST(late)
{
	size_t i;

	begin();
	for (i = 0; i < N; i++)
		sample(i, i * i, 0, 0, i < 4 ? 0 : (i - 4) * (i - 4));
	ck_assert_ptr_nonnull(held_explains(&h, objects, N, 4, COUNTS_KINDS));
	ck_assert_ptr_null(held_explains(&h, objects, N, 0, COUNTS_KINDS));
	ck_assert_ptr_null(held_explains(&h, objects, N, 2, COUNTS_KINDS));
	end();
}
END_TEST

/* Nodes of a tree have at least 4 and at most 16 entries. */
START_TEST(shared)
{
	size_t i, k;

	begin();
	for (i = 0; i < N; i++)
		sample(i, 1 + 32 * i, 0, 0, 0);
	for (k = 1; k <= 10; k++) {
		for (i = 0; i < N; i++)
			objects[i] = k * i;
		ck_assert(!held_explains(&h, objects, N, 0, COUNTS_FILES) == (k < 2 || k > 8));
		ck_assert_ptr_null(held_explains(&h, objects, N, 0, COUNTS_KINDS));
	}
	end();
}
END_TEST

static void sample_tasks(size_t i, size_t tasks)
{
	sample_file(i, i, "loadavg", "0.20 0.18 0.12 1/%zu 11206\n", tasks);
}

/* Each process has one object, or five. */
START_TEST(tasks)
{
	const struct held *held;
	size_t i, k;

	begin();
	for (i = 0; i < N; i++)
		sample_tasks(i, 80 + 5 * i);
	for (k = 5; k <= 25; k += 20) {
		for (i = 0; i < N; i++)
			objects[i] = k * i;
		held = held_explains(&h, objects, N, 0, COUNTS_KINDS);
		ck_assert_ptr_nonnull(held);
		ck_assert_int_eq(held->kind, COUNTS_TASKS);
		ck_assert(held->count[N - 1] == 175);
		ck_assert_str_eq(held_name(held), "/proc/loadavg");
	}
	for (i = 0; i < N; i++)
		objects[i] = i < N / 2 ? 0 : 100;
	ck_assert_ptr_null(held_explains(&h, objects, N, 0, COUNTS_KINDS));
	for (i = 0; i < N; i++)
		objects[i] = 200 * i;
	ck_assert_ptr_null(held_explains(&h, objects, N, 0, COUNTS_KINDS));
	/* a leak that has nothing to do with them: 1.4 objects, and 0.6, for each process */
	for (k = 3; k <= 7; k += 4) {
		for (i = 0; i < N; i++)
			objects[i] = k * i;
		ck_assert_ptr_null(held_explains(&h, objects, N, 0, COUNTS_KINDS));
	}
	end();
}
END_TEST

/* A leak and tasks that swing have to swing together. */
START_TEST(tasks_by_chance)
{
	size_t i;

	begin();
	for (i = 0; i < N; i++)
		sample_tasks(i, 80 + 5 * i + 2 * (i % 2));
	for (i = 0; i < N; i++)
		objects[i] = 5 * i + 2 * (i % 2);
	ck_assert_ptr_nonnull(held_explains(&h, objects, N, 0, COUNTS_KINDS));
	for (i = 0; i < N; i++)
		objects[i] = 5 * i - 2.0 * (i % 2);
	ck_assert_ptr_null(held_explains(&h, objects, N, 0, COUNTS_KINDS));
	end();
}
END_TEST

#define MANY 100

/**
 * struct beat - things that begin, one in each period
 * @period: in ms
 * @first: when the first begins
 * @jitter: by how much each may be late
 * @seed: of what is random
 */
struct beat {
	double period;
	double first;
	double jitter;
	unsigned int seed;
};

/* Return: how many began until a time. */
static size_t began(const struct beat *b, double until)
{
	unsigned int seed = b->seed;
	size_t i, n = 0;

	for (i = 0; i < 2 * MANY; i++) {
		seed = seed * 1103515245 + 12345;
		n += b->period * i + b->first + b->jitter * (seed >> 16 & 255) / 255 <= until;
	}
	return n;
}

static void put_tasks(size_t tasks)
{
	char text[32];

	snprintf(text, sizeof(text), "0.20 0.18 0.12 1/%zu 11206\n", tasks);
	tempdir_put_text("loadavg", text);
}

/*
 * The file of ages is read in 11 ms, and has the objects of 3 ms after it is opened.
 * Return: whether the tasks explain the objects.
 */
static bool explains(const struct beat *forks, const struct beat *site)
{
	double live[MANY], at;
	bool explained;
	size_t i;

	for (i = 0; i < MANY; i++) {
		at = 512.0 * i + 1000;
		put_tasks(80 + began(forks, at - 3));
		held_begin(&h, i, MANY);
		live[i] = began(site, at);
		put_tasks(80 + began(forks, at + 8));
		held_sample(&h, i, MANY);
	}
	explained = held_explains(&h, live, MANY, 0, COUNTS_KINDS);
	held_free(&h);
	h = (struct helds){ 0 };
	return explained;
}

/* About one process begins between two samples, so that their number seldom swings. */
START_TEST(tasks_begin_while_ages_are_read)
{
	struct beat forks = { .first = 200, .jitter = 5, .seed = 1 };

	begin();
	for (forks.period = 500; forks.period <= 504; forks.period += 2)
		ck_assert_msg(explains(&forks, &forks), "%g ms", forks.period);
	end();
}
END_TEST

/* A leak is as frequent as processes, but at other times. */
START_TEST(tasks_begin_at_other_times)
{
	static const struct beat rows[][2] = {
		{ { 500, 0, 0, 1 }, { 500, 200, 0, 1 } },
		{ { 490, 0, 12, 1 }, { 490, 250, 12, 2 } },
		{ { 490, 0, 3, 1 }, { 480, 100, 3, 2 } },
		{ { 300, 0, 300, 1 }, { 300, 100, 300, 2 } },
	};
	size_t i;

	begin();
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		ck_assert_msg(!explains(&rows[i][0], &rows[i][1]), "row %zu", i);
	end();
}
END_TEST

static void ck_held(enum counts_kind kind, const char *name, double grew)
{
	const struct held *held = held_explains(&h, objects, N, 0, COUNTS_KINDS);

	ck_assert_ptr_nonnull(held);
	ck_assert_int_eq(held->kind, kind);
	ck_assert_str_eq(held_name(held), name);
	ck_assert(held_grew(held, N - 1) == grew);
}

START_TEST(keys)
{
	size_t i;

	begin();
	for (i = 0; i < N; i++)
		sample_file(i, 3 * i, "key-users",
			    "    0:   22 %zu/21 18/1000000 345/25000000\n"
			    "123456: 90 %zu/3 3/200 10/20000\n", 20 + 2 * i, 5 + i);
	ck_held(COUNTS_KEYS, "/proc/key-users", 3 * (N - 1));
	end();
}
END_TEST

/* The four numbers add up to the pages that KSM scans. */
START_TEST(pages_of_ksm)
{
	static const char *const names[] = { "shared", "sharing", "unshared", "volatile" };
	char path[64], text[16];
	size_t i, k;

	begin();
	for (i = 0; i < N; i++) {
		for (k = 0; k < 4; k++) {
			snprintf(path, sizeof(path), "kernel/mm/ksm/pages_%s", names[k]);
			snprintf(text, sizeof(text), "%zu\n", 10 * k + (k == 3 ? 200 - 7 * i : 5 * i));
			tempdir_put_text(path, text);
		}
		sample(i, 0, 0, 0, 8 * i);
	}
	ck_held(COUNTS_KSM, "/sys/kernel/mm/ksm", 8 * (N - 1));
	end();
}
END_TEST

/* Merged pages that are equal have a list: two pages each. */
START_TEST(merged_pages_of_ksm)
{
	char text[16];
	size_t i;

	begin();
	for (i = 0; i < N; i++) {
		snprintf(text, sizeof(text), "%zu\n", 4 * i);
		tempdir_put_text("kernel/mm/ksm/pages_shared", text);
		snprintf(text, sizeof(text), "%zu\n", 100 * i);
		tempdir_put_text("kernel/mm/ksm/pages_sharing", text);
		sample_file(i, 6 * i, "kernel/mm/ksm/stable_node_chains", "%zu\n", 2 * i);
	}
	ck_held(COUNTS_KSM_MERGED, "/sys/kernel/mm/ksm/pages_shared", 6 * (N - 1));
	for (i = 0; i < N; i++)
		objects[i] = 104 * i;
	ck_held(COUNTS_KSM, "/sys/kernel/mm/ksm", 104 * (N - 1));
	end();
}
END_TEST

/* A removed cgroup has three objects, for example one for each node. */
START_TEST(removed_cgroups)
{
	char text[128];
	size_t i, k;

	begin();
	snprintf(text, sizeof(text), "24 1 0:22 / %s/cgroups rw - cgroup2 none rw\n", tempdir);
	tempdir_put_text("self/mountinfo", text);
	tempdir_put_text("cgroups/cgroup.controllers", "memory\n");
	for (i = 0; i < N; i++)
		sample_file(i, 12 * i, "cgroups/cgroup.stat",
			    "nr_descendants 50\nnr_dying_descendants %zu\n", 5 + 4 * i);
	ck_held(COUNTS_CGROUPS, "nr_dying_descendants in cgroup.stat", 4 * (N - 1));
	for (k = 3; k <= 6; k += 3) {
		for (i = 0; i < N; i++)
			objects[i] = k * i; /* 0.75, 1.5 */
		ck_assert_ptr_null(held_explains(&h, objects, N, 0, COUNTS_KINDS));
	}
	end();
}
END_TEST

/* Six keys share a node of a keyring. */
START_TEST(nodes_of_keyrings)
{
	size_t i;

	begin();
	for (i = 0; i < N; i++)
		sample_file(i, 2 * i, "key-users", "    0:   22 %zu/21 18/1000000 345/25000000\n",
			    12 * i);
	ck_assert_ptr_nonnull(held_explains(&h, objects, N, 0, COUNTS_KEYS));
	ck_assert_ptr_null(held_explains(&h, objects, N, 0, COUNTS_FILES));
	/* 15 nodes */
	for (i = 0; i < N; i++)
		objects[i] = 15 * i / (N - 1);
	ck_assert_ptr_nonnull(held_explains(&h, objects, N, 0, COUNTS_KEYS));
	/* at one time, most nodes have no room for another key */
	for (i = 0; i < N; i++)
		objects[i] = i < N / 2 ? i : i + 50;
	ck_assert_ptr_nonnull(held_explains(&h, objects, N, 0, COUNTS_KEYS));
	ck_assert_ptr_null(held_explains(&h, objects, N, 0, COUNTS_KINDS));
	/* more nodes than keys */
	for (i = 0; i < N; i++)
		objects[i] = i < N / 2 ? i : i + 250;
	ck_assert_ptr_null(held_explains(&h, objects, N, 0, COUNTS_KEYS));
	/* many keyrings with few keys */
	for (i = 0; i < N; i++)
		objects[i] = 5 * i;
	ck_assert_ptr_nonnull(held_explains(&h, objects, N, 0, COUNTS_KEYS));
	ck_assert_ptr_null(held_explains(&h, objects, N, 0, COUNTS_KINDS));
	for (i = 0; i < N; i++)
		objects[i] = 13 * i;
	ck_assert_ptr_null(held_explains(&h, objects, N, 0, COUNTS_FILES));
	end();
}
END_TEST

/* Keys come nearly as often as semaphores, but the objects are as many as these. */
START_TEST(the_nearest_count_explains)
{
	size_t i;

	begin();
	for (i = 0; i < N; i++) {
		sets = 10 * i;
		sample_file(i, 10 * i, "key-users",
			    "    0:   22 %zu/21 18/1000000 345/25000000\n", 10 * i + i % 3);
	}
	ck_held(COUNTS_SEMAPHORES, "/proc/sysvipc/sem", 10 * (N - 1));
	sets = 0;
	end();
}
END_TEST

#define TCP_TITLES "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
#define TCP_REST   "00:00000000 00000000     0        0"
#define TCP6_ZEROS "00000000000000000000000000000000:0000"

/*
 * Two servers accept too few connections, a third accepts all. The sockets after those that listen
 * are not read: one has more unread bytes.
 */
START_TEST(connections_wait_for_accept)
{
	char text[1024];
	size_t i;

	begin();
	for (i = 0; i < N; i++) {
		snprintf(text, sizeof(text),
			 TCP_TITLES
			 "   0: 0100007F:1F90 00000000:0000 0A 00000000:%08zX " TCP_REST " 12345 1 0 100 0\n"
			 "   1: 00000000:0016 00000000:0000 0A 00000000:00000000 " TCP_REST " 12346 1 0 100 0\n"
			 "   2: 0100007F:1F90 0100007F:8000 01 00000000:%08zX " TCP_REST " 12347 1 0 20 4\n"
			 "   3: 0100007F:1F91 00000000:0000 0A 00000000:00000063 " TCP_REST " 12348 1 0 100 0\n",
			 1 + i, 900 * i);
		tempdir_put_text("net/tcp", text);
		snprintf(text, sizeof(text),
			 TCP_TITLES
			 "   0: B80D0120000000000000000001000000:0050 " TCP6_ZEROS
			 " 0A 00000000:%08zX " TCP_REST " 12349 1 0 100 0\n", 5 + 3 * i);
		tempdir_put_text("net/tcp6", text);
		sample(i, 0, 0, 0, 4 * i);
	}
	ck_held(COUNTS_BACKLOGS, "tcp/[2001:db8::1]:80", 3 * (N - 1));
	ck_assert_uint_eq(h.count, 6);
	for (i = 0; i < h.count; i++)
		ck_assert(h.held[i].kind != COUNTS_BACKLOGS || h.held[i].id == 12349 ||
			  (h.held[i].id == 12345 && !strcmp(held_name(&h.held[i]), "tcp/127.0.0.1:8080") &&
			   h.held[i].count[N - 1] == N));
	/* of a leak beside them, there are more */
	for (i = 0; i < N; i++)
		objects[i] = 5 * i;
	ck_assert_ptr_null(held_explains(&h, objects, N, 0, COUNTS_KINDS));
	end();
}
END_TEST

/* Each kind of objects of System V IPC grows at another rate. */
START_TEST(ipc)
{
	static const struct {
		enum counts_kind kind;
		const char *name;
	} kinds[] = { { COUNTS_QUEUES, "/proc/sysvipc/msg" }, { COUNTS_MESSAGES, "/proc/sysvipc/msg" },
		      { COUNTS_SEMAPHORES, "/proc/sysvipc/sem" }, { COUNTS_SEGMENTS, "/proc/sysvipc/shm" } };
	size_t i, k;

	begin();
	for (i = 0; i < N; i++) {
		queues = 7 + 3 * i;
		messages = 5 * i;
		sets = 1 + 8 * i;
		segments = 12 * i;
		sample(i, 0, 0, 0, 0);
	}
	for (k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		static const unsigned int rates[] = { 3, 5, 8, 12 };

		for (i = 0; i < N; i++)
			objects[i] = rates[k] * i;
		ck_held(kinds[k].kind, kinds[k].name, rates[k] * (N - 1));
	}
	for (i = 0; i < N; i++)
		objects[i] = 20 * i;
	ck_assert_ptr_null(held_explains(&h, objects, N, 0, COUNTS_KINDS));
	queues = sets = segments = -1;
	end();
}
END_TEST

START_TEST(too_few_tasks)
{
	size_t i;

	begin();
	for (i = 0; i < N; i++)
		sample_tasks(i, 80 + i / 4);
	ck_assert_ptr_null(held_explains(&h, objects, N, 0, COUNTS_KINDS));
	end();
}
END_TEST

START_TEST(too_few)
{
	size_t i, few;

	begin();
	for (few = 15; few <= 16; few++) {
		for (i = 0; i < N; i++)
			sample(i, 10 + fmin(i, few), 0, 0, fmin(i, few));
		ck_assert(!held_explains(&h, objects, N, 0, COUNTS_KINDS) == (few == 15));
	}
	end();
}
END_TEST

/* A file system that is mounted later had no files; one that is gone has none. */
START_TEST(mounted_later)
{
	size_t i;

	begin();
	for (i = 0; i < N; i++) {
		tempdir_put_text("self/mountinfo", i < N / 2 ? "" : mounts);
		sample(i, 50 + i, 0, 0, i < N / 2 ? 7 : 57 + i);
	}
	ck_assert_ptr_nonnull(held_explains(&h, objects, N, 0, COUNTS_KINDS));
	end();
}
END_TEST

/* Mounts of a tmpfs that has 7 files, and of other file systems. */
START_TEST(mounts_grow)
{
	static char text[N * 5 * sizeof("99 1 0:21 / /x1 rw - tmpfs tmpfs rw\n")];
	size_t i, k, n;

	begin();
	used[1] = 7;
	for (i = n = 0; i < N; i++) {
		for (k = 0; k < 5; k++)
			n += sprintf(text + n, "99 1 0:21 / /x1 rw - %s tmpfs rw\n",
				     k % 2 ? "proc" : "tmpfs");
		tempdir_put_text("self/mountinfo", text);
		held_sample(&h, i, N);
		objects[i] = 5 * i;
	}
	ck_held(COUNTS_MOUNTS, "/proc/self/mountinfo", 5 * (N - 1));
	for (i = 0; i < N; i++)
		objects[i] = 10 * i;
	ck_assert_ptr_null(held_explains(&h, objects, N, 0, COUNTS_KINDS));
	end();
}
END_TEST

/* Each mount is of a new tmpfs, whose root is a file. */
START_TEST(new_file_systems)
{
	static char text[2 * N * sizeof("99 1 0:21 / /x10 rw - tmpfs tmpfs rw\n")];
	size_t i, n;

	begin();
	for (i = n = 0; i < 2 * N; i++) {
		used[i] = 1;
		n += sprintf(text + n, "99 1 0:21 / /x%zu rw - tmpfs tmpfs rw\n", i);
		tempdir_put_text("self/mountinfo", text);
		held_sample(&h, i / 2, N);
		objects[i / 2] = i + 1;
	}
	ck_held(COUNTS_MOUNTS, "/proc/self/mountinfo", 2 * (N - 1));
	end();
}
END_TEST

/* A tmpfs is mounted at each fourth new directory. Its root is a file that is in no tree. */
START_TEST(roots_have_no_entry)
{
	static char text[2 * N * sizeof("99 1 0:21 / /x10 rw - tmpfs tmpfs rw\n")];
	size_t i, n;

	begin();
	for (i = n = 0; i < 2 * N; i++) {
		used[i] = 1;
		used[0] = 1 + 4 * i;
		n += sprintf(text + n, "99 1 0:21 / /x%zu rw - tmpfs tmpfs rw\n", i);
		tempdir_put_text("self/mountinfo", text);
		held_sample(&h, i / 2, N);
		objects[i / 2] = i / 4.0;
	}
	ck_assert_ptr_nonnull(held_explains(&h, objects, N, 0, COUNTS_FILES));
	end();
}
END_TEST

START_TEST(closed_connections)
{
	size_t i;

	begin();
	for (i = 0; i < N; i++)
		sample_file(i, 5 * i, "net/sockstat",
			    "sockets: used 20\nTCP: inuse 5 orphan 0 tw %zu alloc 7 mem 1\n", 3 + 5 * i);
	ck_held(COUNTS_CLOSED, "/proc/net/sockstat", 5 * (N - 1));
	end();
}
END_TEST

START_TEST(locks_of_files)
{
	char text[N * 8 * sizeof("1: POSIX  ADVISORY  WRITE 7 00:1:9 0 0\n")];
	size_t i, k, n;

	begin();
	for (i = 0; i < N; i++) {
		for (k = n = 0; k < 5 * i; k++)
			n += sprintf(text + n, "%zu: POSIX  ADVISORY  WRITE 7 00:1:9 0 0\n", k);
		text[n] = '\0';
		tempdir_put_text("locks", text);
		sample(i, 0, 0, 0, 5 * i);
	}
	ck_held(COUNTS_LOCKS, "/proc/locks", 5 * (N - 1));
	end();
}
END_TEST

START_TEST(nothing_is_known)
{
	size_t i;

	tempdir_begin();
	for (i = 0; i < N; i++)
		objects[i] = 5 * i;
	held_sample(&h, 0, N);
	ck_assert_ptr_null(held_explains(&h, objects, N, 0, COUNTS_KINDS));
	end();
}
END_TEST

/* The start and the end of a recording. Numbers that no count has are none. */
START_TEST(two_counts)
{
	static const struct {
		const char *start, *end;
		double grew;
		bool held;
	} rows[] = {
		{ "x_keys=5\n", "x_keys=69\n", 64, true },
		{ "x_keys=5\n", "x_keys=68\n", 63, false },
		{ "x_keys=5\n", "x_keys=105\n", 107, false },
		{ "x_keys=5\n", "x_keys=105\n", 106, true },
		{ "x_keys=5\n", "x_keys=nan\n", 100, false },
		{ "x_keys=-5\n", "x_keys=95\n", 95, true },
		{ "x_keys=-5\n", "x_keys=95\n", 105, false },
		{ "keys=5\n", "x_other=105\n", 100, false },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const double two[2] = { 1000, 1000 + rows[i].grew };

		h = (struct helds){ 0 };
		held_take(&h, rows[i].start, "x_", 0, 2);
		held_take(&h, rows[i].end, "x_", 1, 2);
		ck_assert_msg(!held_explains(&h, two, 2, 0, COUNTS_KINDS) == !rows[i].held, "row %zu", i);
		held_free(&h);
	}
}
END_TEST

UNIT_MAIN("held", two_counts, files_of_all_file_systems, connections, one_for_one, late, shared, tasks,
	  tasks_by_chance, tasks_begin_while_ages_are_read, tasks_begin_at_other_times,
	  connections_wait_for_accept, keys, pages_of_ksm, merged_pages_of_ksm, removed_cgroups, nodes_of_keyrings, the_nearest_count_explains, ipc, too_few_tasks, too_few, mounted_later, mounts_grow, new_file_systems,
	  roots_have_no_entry, closed_connections, locks_of_files, nothing_is_known)
