// SPDX-License-Identifier: GPL-2.0-only
/*
 * The actors of the stress test. Each actor is a process that does one random action
 * after another.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kmt_fire.h"
#include "kmt_test.h"
#include "stress.h"

#define KMALLOC	   "events/kmem/kmalloc/"
#define KFREE	   "events/kmem/kfree/"
#define PAGE_ALLOC "events/kmem/mm_page_alloc/"
#define PAGE_FREE  "events/kmem/mm_page_free/"
#define CGROUP	   "/sys/fs/cgroup/stress/"
#define COUNT(a)   ((unsigned int)(sizeof(a) / sizeof((a)[0])))

unsigned int pick(uint64_t *random, unsigned int n)
{
	unsigned long long state = *random;
	unsigned int r = fire_random(&state) % n;

	*random = state;
	return r;
}

static void wait_ms(uint64_t *random, unsigned int most)
{
	usleep(pick(random, most * 1000 + 1));
}

/* Print and count a result that is not allowed. */
static void answer(const char *what, int err, const int *allowed, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (err == -allowed[i])
			return;
	if (!err)
		return;
	test_note("%s: %s", what, strerror(-err));
	__atomic_fetch_add(&shared->unexpected, 1, __ATOMIC_SEQ_CST);
}

#define ANSWER(what, err, ...)                                                 \
	answer(what, err, (const int[]){ __VA_ARGS__ },                        \
	       COUNT(((const int[]){ __VA_ARGS__ })))

/* --- load ---------------------------------------------------------------------- */

/* The client does one of these at a time. */
static void act_storm(uint64_t *random, int when)
{
	static const char *const what[] = { "storm 0", "storm 0", "storm 0",
					    "irq 100", "softirq 100" };

	(void)when;
	ANSWER("storm", client_run("%s %u", what[pick(random, COUNT(what))],
				   pick(random, 2000) + 1),
	       ENOMEM, EINTR);
	wait_ms(random, 10);
}

static void act_kinds(uint64_t *random, int when)
{
	static const char *const what[] = {
		"kmalloc 100", "kmalloc 9000", "cache 0",   "mixed 0",
		"pages 0",     "pages 3",      "split 2",   "percpu 24",
		"rcu 200",     "vmalloc 9000", "exact 20000", "kvmalloc 500",
		"wrapped 64",  "fail 0",       "null 0",    "krealloc 60",
	};
	/* krealloc also frees in the kernel, so its frees cannot be counted */
	unsigned int kinds = COUNT(what) - (when == WHEN_STRICT);

	ANSWER("client", client_run("%s %u", what[pick(random, kinds)],
				    pick(random, 100)),
	       ENOMEM);
	wait_ms(random, 10);
}

static void act_processes(uint64_t *random, int when)
{
	static char *const argv[] = { "true", NULL };
	unsigned int n = pick(random, 4) + 1;
	pid_t pid;

	(void)when;
	while (n--)
		posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ);
	while (wait(NULL) > 0)
		;
}

static void act_files(uint64_t *random, int when)
{
	static char text[1 << 16];
	char path[64];
	int fd;

	(void)when;
	snprintf(path, sizeof(path), "/tmp/stress-%u", pick(random, 100));
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (write(fd, text, pick(random, sizeof(text))) < 0 ||
	    pread(fd, text, sizeof(text), 0) < 0)
		ANSWER("file", -errno, ENOSPC, ENOMEM, EINTR);
	close(fd);
	if (pick(random, 2))
		unlink(path);
}

/* --- steering --------------------------------------------------------------------- */

/* Those that are not loose do not affect the client's frees or switch recording off. */
static const struct {
	const char *file, *text;
	bool loose;
} rewrites[] = {
	{ KMALLOC "filter", "bytes_req > 100", false },
	{ KMALLOC "filter", "comm ~ \"kmt_storm*\" && call_site != 0", false },
	{ KMALLOC "filter", "call_site.function == vfree || cpu != 1", false },
	{ KMALLOC "filter", "live_objects > 10 || bytes_alloc & 64", false },
	{ KMALLOC "filter", "nosuch == 1", false },
	{ KMALLOC "filter", "0", false },
	{ KMALLOC "trigger", "stacktrace:5 if bytes_req > 400", false },
	{ KMALLOC "trigger", "stacktrace", false },
	{ KMALLOC "trigger", "!stacktrace", false },
	{ KMALLOC "trigger", "traceoff if nosuch == 1", false },
	{ PAGE_FREE "trigger", "enable_event:kmem:kmalloc:3", false },
	{ PAGE_FREE "trigger", "!enable_event:kmem:kmalloc", false },
	{ PAGE_ALLOC "trigger", "disable_event:kmem:kmalloc:2 if order == 0", false },
	{ PAGE_ALLOC "trigger", "!disable_event:kmem:kmalloc", false },
	{ "events/kmem/filter", "bytes_req & 1 || (bytes_alloc > 64 && node == -1)", false },
	{ KMALLOC "enable", "0", false },
	{ KMALLOC "enable", "1", false },
	{ PAGE_ALLOC "enable", "0", false },
	{ "set_event", "!kmem:mm_page_free", false },
	{ "set_event", "kmem:mm_page_alloc kmem:mm_page_free", false },
	{ "events/percpu/enable", "0", false },
	{ "events/percpu/enable", "1", false },
	{ "features", "all", false },
	{ "features", "none", false },
	{ "features", "+stack", false },
	{ "features", "time cache page", false },
	{ "wrappers", "client_wrapper", false },
	{ "wrappers", "!client_wrapper", false },
	{ "codetags", "0xffffffff81000010 mm/some.c:1 some", false },
	{ "error_log", "", false },
	{ "buffer_size_kb", "512", false },
	{ "overwrite", "1", false },
	{ KFREE "filter", "age > 1000 || call_site != 0", true },
	{ KFREE "filter", "0", true },
	{ KFREE "enable", "0", true },
	{ KFREE "enable", "1", true },
	{ KFREE "trigger", "traceoff:3 if call_site != 0", true },
	{ KFREE "trigger", "!traceoff", true },
	{ PAGE_ALLOC "trigger", "traceon:3", true },
	{ PAGE_ALLOC "trigger", "!traceon", true },
	{ "events/kmem/filter", "ptr != 7", true },
	{ "events/kmem/filter", "0", true },
	{ "events/enable", "0", true },
	{ "events/enable", "1", true },
	{ "set_event", "!*:*", true },
	{ "set_event", "*:*", true },
	{ "/proc/sys/vm/mem_profiling", "0", true },
	{ "/proc/sys/vm/mem_profiling", "1", true },
};

static void act_steer(uint64_t *random, int when)
{
	unsigned int i = pick(random, COUNT(rewrites));
	const char *file = rewrites[i].file;
	int err;

	if (rewrites[i].loose && (when & (WHEN_STRICT | WHEN_RECORDER)))
		return;
	err = *file == '/' ? file_set(file, rewrites[i].text) :
			     control_set(file, rewrites[i].text);
	/* the module was just unloaded, or is being unloaded */
	if (when == WHEN_UNLOADING &&
	    (err == -ENOENT || err == -EIO || err == -ENXIO))
		err = 0;
	ANSWER(rewrites[i].text, err, EINVAL, EEXIST, EBUSY, ENOMEM, ENOENT,
	       EINTR);
	wait_ms(random, 20);
}

static void act_snapshot(uint64_t *random, int when)
{
	static char bytes[1 << 16];
	int cpu = pick(random, sysconf(_SC_NPROCESSORS_CONF));
	int fd, n = pick(random, 16);
	char path[128];

	(void)when;
	ANSWER("snapshot", control_set("snapshot", pick(random, 3) ? "1" : "0"),
	       EBUSY, EAGAIN, EINTR);
	snprintf(path, sizeof(path), KMT_DIR "snapshot_cpu%d", cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		/* ENODEV: the CPU has been offline since the buffers were resized */
		ANSWER(path, -errno, EBUSY, ENODATA, ENODEV);
	} else {
		while (n-- && read(fd, bytes, pick(random, sizeof(bytes)) + 1) >= 0)
			;
		close(fd);
	}
	wait_ms(random, 50);
}

/* --- reading ------------------------------------------------------------------------ */

static void act_look(uint64_t *random, int when)
{
	static const char *const names[] = {
		"tags", "tags_quick", "pages", "objects", "vmalloc", "vmalloc_starts",
		"stats", "caches_live", "caches", "wrappers", "codetags",
		"error_log", "set_event", "snapshot", KMALLOC "filter",
		KMALLOC "trigger", KMALLOC "format", "/proc/allocinfo",
	};
	static char bytes[1 << 16];
	const char *name = names[pick(random, COUNT(names))];
	int fd, n = pick(random, 32);
	char path[128];

	snprintf(path, sizeof(path), "%s%s", *name == '/' ? "" : KMT_DIR, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		if (when != WHEN_UNLOADING)
			ANSWER(name, -errno, ENOMEM, EINTR);
		wait_ms(random, 20);
		return;
	}
	if (!strcmp(name, "pages") || !strcmp(name, "objects"))
		lseek(fd, (off_t)pick(random, 1 << 15) * 4096, SEEK_SET);
	if (!strcmp(name, "vmalloc"))
		lseek(fd, 0xffffc90000000000ull / 4096 * 8, SEEK_SET);
	while (n-- && read(fd, bytes, (pick(random, 4096) + 1) * 16) > 0)
		;
	close(fd);
	wait_ms(random, 20);
}

/* --- modules, CPUs, memory ---------------------------------------------------------- */

static void act_modules(uint64_t *random, int when)
{
	(void)when;
	ANSWER("load kmt_tags", tags_load(), ENOMEM, EINTR);
	tags_run("simple 50");
	wait_ms(random, 50);
	tags_run("nested 20");
	tags_run("free");
	ANSWER("unload kmt_tags", tags_unload(), ENOENT);
	wait_ms(random, 100);
}

static void act_cpus(uint64_t *random, int when)
{
	int cpus = sysconf(_SC_NPROCESSORS_CONF), cpu;

	(void)when;
	if (cpus < 2)
		return;
	cpu = 1 + pick(random, cpus - 1);
	cpu_set_online(cpu, false);
	wait_ms(random, 100);
	ANSWER("a CPU comes back", cpu_set_online(cpu, true), ENOMEM);
	wait_ms(random, 200);
}

/* Allocate memory until the OOM killer kills this process. */
static void hog(uint64_t *random, const char *cgroup)
{
	size_t step = 4 << 20;
	char *p;

	file_set("/proc/self/oom_score_adj", "1000");
	if (cgroup && file_set(cgroup, "0"))
		_exit(1);
	for (;;) {
		p = mmap(NULL, step, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS |
				 (pick(random, 4) ? MAP_POPULATE : 0),
			 -1, 0);
		if (p == MAP_FAILED)
			_exit(1);
		memset(p, 1, pick(random, 1 << 16));
	}
}

/*
 * A hog that is killed counts as gone for the OOM killer before its memory is free
 * (exit_mmap() sets MMF_OOM_SKIP first). If others ask for memory in between, these
 * processes are killed next, and not the script that runs the test.
 */
#define VICTIMS 16

unsigned int victims_refill(void)
{
	static pid_t victims[VICTIMS];
	unsigned int i, killed = 0;

	for (i = 0; i < VICTIMS; i++) {
		if (victims[i] > 0) {
			if (!waitpid(victims[i], NULL, WNOHANG))
				continue;
			killed++;
		}
		victims[i] = fork();
		if (victims[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		file_set("/proc/self/oom_score_adj", "500");
		for (;;)
			pause();
	}
	return killed;
}

static void act_hog(uint64_t *random, int when)
{
	bool alone = pick(random, 4);
	pid_t pid = fork();

	(void)when;
	if (!pid)
		hog(random, alone ? CGROUP "cgroup.procs" : NULL);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	wait_ms(random, 2000);
}

const struct actor actors[] = {
	{ "storm", act_storm, WHEN_ANY, false },
	{ "client", act_kinds, WHEN_ANY, false },
	{ "processes", act_processes, WHEN_ANY, false },
	{ "files", act_files, WHEN_ANY, true },
	{ "steer", act_steer, WHEN_ANY & ~WHEN_RECORDER, false },
	{ "look", act_look, WHEN_ANY, true },
	{ "look more", act_look, WHEN_STRICT | WHEN_LOOSE, true },
	{ "snapshot", act_snapshot, WHEN_OVERWRITE, false },
	{ "modules", act_modules, WHEN_ANY & ~WHEN_UNLOADING, false },
	{ "cpus", act_cpus, WHEN_ANY, false },
	{ "hog", act_hog, WHEN_ANY, false },
};

const int nr_actors = COUNT(actors);
_Static_assert(COUNT(actors) <= STRESS_ACTORS, "room for what they did");

void actor_run(int actor, int when, uint64_t seed)
{
	uint64_t random = seed;

	while (!__atomic_load_n(&shared->stop_actors, __ATOMIC_SEQ_CST)) {
		actors[actor].step(&random, when);
		__atomic_fetch_add(&shared->actions[actor], 1, __ATOMIC_SEQ_CST);
	}
}
