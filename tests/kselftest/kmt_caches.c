// SPDX-License-Identifier: GPL-2.0-only
/*
 * Caches that have come and gone leave room for others. Then it compares with the kernel's
 * own count. While files, sockets, pipes, mappings and
 * processes are created, and again when they are removed, the live objects of each slab
 * cache change by the same number as /sys/kernel/slab/CACHE/objects.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kmt_test.h"

#define CACHES	512
#define BUSY	30
#define FILES	4000
#define SOCKETS 600
#define PIPES	400
#define TASKS	64
#define MAPS	3000
#define ROUNDS	6
#define MOST_ROUNDS 24
#define SLAB	"/sys/kernel/slab/"

static struct cache {
	char name[64];
	int shrink; /* file, kept open because open() allocates */
	int objects; /* likewise */
	long kernel[3];
	long tracked[3][2]; /* read before and after the kernel's count */
	long now[2];
} caches[CACHES];
static int count;

static int open_attribute(const char *cache, const char *name, int mode)
{
	char path[160];

	snprintf(path, sizeof(path), SLAB "%.64s/%s", cache, name);
	return open(path, mode);
}

/* Opens the files of all names, including those of merged caches. */
static void open_all(void)
{
	DIR *dir = opendir(SLAB);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) && count < CACHES) {
		struct cache *cache = &caches[count];

		/* a write to shrink allocates an object of kmalloc-8 */
		if (entry->d_name[0] == '.' ||
		    !strcmp(entry->d_name, "kmalloc-8"))
			continue;
		snprintf(cache->name, sizeof(cache->name), "%.63s",
			 entry->d_name);
		cache->shrink = open_attribute(cache->name, "shrink", O_WRONLY);
		cache->objects = open_attribute(cache->name, "objects",
						O_RDONLY);
		count += cache->objects >= 0;
	}
	if (dir)
		closedir(dir);
}

/*
 * The kernel counts all objects of a CPU's current slab as used. Shrinking a cache takes
 * these slabs away from the CPUs. So shrink each cache just before reading its count, and
 * repeat, because another task may allocate in between.
 */
static long counted(const struct cache *cache)
{
	long least = LONG_MAX, objects;
	char text[64];
	int tries = 3;
	ssize_t n;

	while (tries--) {
		if (write(cache->shrink, "1", 1) != 1)
			test_note("cannot shrink %s", cache->name);
		n = pread(cache->objects, text, sizeof(text) - 1, 0);
		text[n > 0 ? n : 0] = '\0';
		objects = atol(text);
		if (objects < least)
			least = objects;
	}
	return least;
}

static void set_tracked(const char *name, int second, long objects)
{
	int i;

	for (i = 0; i < count; i++)
		if (!strcmp(caches[i].name, name))
			caches[i].now[second] = objects;
}

static void read_tracked(int second)
{
	const char *line;
	char name[64];
	long objects;
	int i;

	for (i = 0; i < count; i++)
		caches[i].now[second] = 0;
	for (line = control_text("caches_live"); line && *line;
	     line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%63s %ld", name, &objects) == 2)
			set_tracked(name, second, objects);
	}
}

/*
 * The kernel's count is higher than the tracked one by the objects from before
 * accounting. Sometimes the difference is larger, if another CPU has just allocated from
 * the cache, but it is never smaller. So the round with the smallest difference is kept.
 */
static void keep_best(struct cache *c, int when, int round, long kernel)
{
	long besides = kernel - c->now[0];
	long best = c->kernel[when] - c->tracked[when][0];

	if (round && besides >= best)
		return;
	c->kernel[when] = kernel;
	c->tracked[when][0] = c->now[0];
	c->tracked[when][1] = c->now[1];
}

static int from, to;

static long lesser(const long *pair)
{
	return pair[0] < pair[1] ? pair[0] : pair[1];
}

static long greater(const long *pair)
{
	return pair[0] > pair[1] ? pair[0] : pair[1];
}

/* The change of tracked objects: the value within bounds that is closest to @kernel. */
static long tracked_change(const struct cache *c, long kernel)
{
	long low = lesser(c->tracked[to]) - greater(c->tracked[from]);
	long high = greater(c->tracked[to]) - lesser(c->tracked[from]);

	return kernel < low ? low : kernel > high ? high : kernel;
}

/* Return: whether a count of the kernel is still higher than the tracked one in the same way. */
static int excess_remains(void)
{
	int i, remains = 0;

	for (i = 0; to && i < count; i++) {
		long kernel = caches[i].kernel[to] - caches[i].kernel[from];

		if (caches[i].tracked[to][0])
			remains += kernel > tracked_change(&caches[i], kernel);
	}
	return remains;
}

static long kernel_now[CACHES];
static long unmatched[3]; /* frees of objects from before accounting */

/*
 * Wait until kfree_rcu() and grace periods have ended. Objects that are allocated for
 * reading the counts are in both counts. On a busy machine, another CPU allocates from a
 * cache between its shrinking and its count again and again; more rounds find a moment
 * without.
 */
static void count_all(int when)
{
	int i, round;

	to = when;
	from = when ? when - 1 : 0;
	sleep(8);
	for (i = 0; i < count; i++)
		counted(&caches[i]); /* allocate what reading needs, in advance */
	for (round = 0; round < ROUNDS || (round < MOST_ROUNDS && excess_remains());
	     round++) {
		read_tracked(0);
		for (i = 0; i < count; i++)
			kernel_now[i] = counted(&caches[i]);
		read_tracked(1);
		for (i = 0; i < count; i++)
			keep_best(&caches[i], when, round, kernel_now[i]);
		usleep(300000);
	}
	test_note("counted %d times", round);
	unmatched[when] = stat_get("unmatched_frees");
}

/* Drop caches that accounting does not know by this name: merged ones. */
static void drop_untracked(void)
{
	int i, kept = 0;

	for (i = 0; i < count; i++)
		if (caches[i].tracked[0][0] || caches[i].tracked[1][0] ||
		    caches[i].tracked[2][0])
			caches[kept++] = caches[i];
	count = kept;
}

static void make_files(void)
{
	char path[64];
	int i, fd;

	mkdir("/tmp/kmt", 0700);
	mount("none", "/tmp/kmt", "tmpfs", 0, NULL);
	for (i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "/tmp/kmt/%d-with-a-name-that-is-too-long-to-be-inline", i);
		fd = open(path, O_CREAT | O_RDWR, 0600);
		if (fd >= 0 && i % 2)
			close(fd);
	}
}

static void make_sockets(void)
{
	int i, fd[2], watch = inotify_init(), epoll = epoll_create1(0);
	struct epoll_event event = { .events = EPOLLIN };

	for (i = 0; i < SOCKETS; i++) {
		if (socketpair(AF_UNIX, i % 2 ? SOCK_STREAM : SOCK_DGRAM, 0,
			       fd))
			return;
		if (write(fd[0], "some data", 9) != 9)
			return;
		epoll_ctl(epoll, EPOLL_CTL_ADD, fd[1], &event);
		socket(AF_INET, i % 2 ? SOCK_STREAM : SOCK_DGRAM, 0);
	}
	for (i = 0; i < PIPES; i++) {
		if (pipe(fd) || write(fd[1], "some data", 9) != 9)
			return;
		eventfd(0, 0);
		timerfd_create(CLOCK_MONOTONIC, 0);
	}
	inotify_add_watch(watch, "/tmp/kmt", IN_CREATE);
	inotify_add_watch(watch, "/", IN_CREATE);
}

static void make_tasks(void)
{
	int i;

	for (i = 0; i < TASKS; i++)
		if (!fork())
			for (;;)
				pause();
}

static char *maps;

static void make_maps(void)
{
	int i;

	maps = mmap(NULL, 2L * MAPS * 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (i = 0; i < MAPS; i++) {
		maps[2L * i * 4096] = 1;
		mprotect(maps + 2L * i * 4096, 4096, PROT_READ);
	}
}

static pid_t holder;

/* One process group holds everything; its end frees it. */
static void hold(void)
{
	int ready[2];
	char c;

	if (pipe(ready))
		return;
	holder = fork();
	if (!holder) {
		struct rlimit files = { 60000, 60000 };

		setrlimit(RLIMIT_NOFILE, &files);
		setpgid(0, 0);
		make_files();
		make_tasks();
		make_sockets();
		make_maps();
		c = write(ready[1], "", 1);
		for (;;)
			pause();
	}
	c = read(ready[0], &c, 1);
	close(ready[0]);
	close(ready[1]);
}

static void release(void)
{
	kill(-holder, SIGKILL);
	waitpid(holder, NULL, 0);
	umount2("/tmp/kmt", MNT_DETACH);
}

static int by_change(const void *a, const void *b)
{
	const struct cache *x = a, *y = b;

	return labs(y->kernel[to] - y->kernel[from]) -
	       labs(x->kernel[to] - x->kernel[from]);
}

/* Both must agree to 0.1 %: in all caches together, and in each of the BUSY caches. */
static void compare(int first, int second, const char *what)
{
	long before = unmatched[second] - unmatched[first];
	long changed = 0, wrong = 0;
	int i, differ = 0;

	from = first;
	to = second;
	qsort(caches, count, sizeof(*caches), by_change);
	for (i = 0; i < BUSY && i < count; i++) {
		long kernel = caches[i].kernel[to] - caches[i].kernel[from];
		long ours = tracked_change(&caches[i], kernel);

		changed += labs(kernel);
		/* the kernel's count also drops by objects from before accounting */
		if (ours > kernel && before > 0) {
			long lost = ours - kernel < before ? ours - kernel :
							     before;

			before -= lost;
			ours -= lost;
		}
		if (kernel == ours)
			continue;
		wrong += labs(kernel - ours);
		if (labs(kernel - ours) * 1000 > labs(kernel))
			differ++;
		test_note("%s: %s changed by %ld, tracked %ld", what,
			  caches[i].name, kernel, ours);
	}
	test_note("%s: %ld objects in %d caches, sum of differences %ld; %ld objects from before accounting were freed",
		  what, changed, i, wrong,
		  unmatched[second] - unmatched[first]);
	test_result(i == BUSY && caches[BUSY - 1].kernel[to] !=
					 caches[BUSY - 1].kernel[from],
		    "objects %s: the counts of %d caches changed", what, BUSY);
	test_result(wrong * 1000 <= changed,
		    "objects %s: tracked and kernel's counts agree to 0.1 %%", what);
	test_result(!differ, "objects %s: they do so in each cache", what);
}

/* numbers of caches in the module */
#define NUMBERED 2047
/* each of them has an object of 512 bytes */
#define MANY	 (NUMBERED + 200)

/* Return: objects that caches_live has for caches with names that begin so. */
static long live_objects(const char *prefix)
{
	const char *line;
	char name[64];
	long objects, sum = 0;

	for (line = control_text("caches_live"); line && *line;
	     line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%63s %ld", name, &objects) == 2 &&
		    !strncmp(name, prefix, strlen(prefix)))
			sum += objects;
	}
	return sum;
}

/* More caches than have a number exist at the same time, twice. */
static void check_many(void)
{
	long own, other, client, refused;
	int i, err = 0;

	for (i = 0; i < 2 && !err; i++) {
		err = client_run("hold own 512 %d", MANY);
		own = live_objects("kmt_own_");
		other = live_objects("(other)");
		refused = stat_get("caches_refused");
		test_note("%ld objects in caches with a number, %ld in others; refused %ld times",
			  own, other, refused);
		test_result(!err && own + other >= MANY && own <= NUMBERED && other,
			    "a row has the objects of caches that got no number");
		err = err || client_run("drop own 512");
	}
	test_result(!err && refused, "... which are counted");
	/* until a grace period has ended, other caches may be refused as well */
	for (i = 0; i < 60; i++) {
		sleep(1);
		refused = stat_get("caches_refused");
		client_run("hold cache 0 1000");
		client = live_objects("kmt_client");
		if (client == 1000 && (long)stat_get("caches_refused") == refused)
			break;
		client_run("drop cache 0");
	}
	test_result(client == 1000,
		    "a new cache gets the number of one that was destroyed (%ld objects)",
		    client);
	test_result(i < 60, "... and no cache is refused any more");
	client_run("drop cache 0");
}

int main(void)
{
	int err;

	test_plan(14);
	/*
	 * The rows of the survey are an upper limit on kernels where it cannot see which free
	 * objects a CPU keeps. KASAN keeps free objects as well.
	 */
	err = module_load("");
	if (!err && (!stat_get("survey_cpu_lists") ||
		     !system("grep -q ' kasan_quarantine_put$' /proc/kallsyms"))) {
		module_unload();
		err = module_load("survey=0");
	}
	test_result(!err && !client_load(), "modules load");
	check_many();
	client_unload();
	open_all();
	/* once in advance, so that the allocator sets up its own caches */
	hold();
	release();
	count_all(0);
	hold();
	count_all(1);
	release();
	count_all(2);
	drop_untracked();
	compare(0, 1, "created");
	compare(1, 2, "removed");
	test_result(!stat_get("untracked_objects"), "no object was untracked");
	test_result(!module_unload(), "the module unloads");
	return test_exit();
}
