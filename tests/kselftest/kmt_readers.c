// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads read every file, also through shared open files, while accounting, recording,
 * modules and areas of vmalloc() change. The contents are consistent, and a kernel with
 * KASAN or KCSAN reports nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kmemtrace_pages.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kmt_test.h"
#include "random.h"

#define SYSCTL	    "/proc/sys/vm/mem_profiling"
#define SECONDS	    8
#define ROUNDS_MIN  3
#define OBJECTS_MIN 1000
#define PATIENCE    60 /* seconds to wait for OBJECTS_MIN */
#define READ_SIZE   16384
#define TRIGGERS    300
#define READS_MIN   50
#define WRITES_MAX  1000
#define CHANGES	    50

static bool stop;
static unsigned long reads, writes, objects, mappings, failures, torn;
static int objects_fd;

static bool goes_on(void)
{
	return !__atomic_load_n(&stop, __ATOMIC_RELAXED);
}

static void add(unsigned long *sum, unsigned long n)
{
	__atomic_fetch_add(sum, n, __ATOMIC_RELAXED);
}

static void failed(const char *name)
{
	test_note("%s: %s", name, strerror(errno));
	add(&failures, 1);
}

/* Addresses must be in ascending order, and the members of each object consistent. */
static void check_objects(const struct kmemtrace_object *o, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!o[i].address || o[i].address % 8 || !o[i].bytes ||
		    !o[i].tag || o[i].requested > o[i].bytes ||
		    (i && o[i].address <= o[i - 1].address))
			add(&torn, 1);
	add(&objects, n);
}

/* Several threads read through one open file. */
static void *read_objects(void *arg)
{
	struct kmemtrace_object o[64];
	uint64_t random = (uintptr_t)&o;
	uint32_t frames = sysconf(_SC_PHYS_PAGES);
	uint64_t at = 0;
	ssize_t n;

	(void)arg;
	while (goes_on() && objects_fd >= 0) {
		n = pread(objects_fd, o, sizeof(o), at);
		if (n < 0)
			failed("objects");
		else
			check_objects(o, n / sizeof(*o));
		/* go on from here, mostly: reading all of memory takes long */
		if (n == sizeof(o) && random_below(&random, 20))
			at = o[63].address / 4096 * 4096;
		else
			at = 4096ull * random_below(&random, frames);
		add(&reads, 1);
	}
	return NULL;
}

/* Read the entries of pages at the start of each area. */
static void look_at_areas(int fd, const char *starts)
{
	uint64_t entry[16];
	const char *line;
	ssize_t n;

	for (line = starts; line && *line && goes_on();
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		n = pread(fd, entry, sizeof(entry),
			  strtoull(line, NULL, 16) / 4096 * sizeof(*entry));
		if (n < 0)
			failed("vmalloc");
		while (n > 0 && (n -= sizeof(*entry)) >= 0)
			add(&mappings, entry[n / sizeof(*entry)] >> 63);
		add(&reads, 1);
	}
}

static ssize_t slurp(const char *path, char *to, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 0, done = 0;

	if (fd < 0) {
		failed(path);
		sleep(1);
		return 0;
	}
	while (goes_on() && (size_t)done < room &&
	       (n = read(fd, to + done, room - done)) > 0)
		done += n;
	if (n < 0)
		failed(path);
	close(fd);
	add(&reads, 1);
	return done;
}

static void *read_areas(void *arg)
{
	int fd = open(KMT_DIR "vmalloc", O_RDONLY | O_CLOEXEC);
	char *starts = malloc(READ_SIZE);

	(void)arg;
	while (starts && fd >= 0 && goes_on()) {
		starts[slurp(KMT_DIR "vmalloc_starts", starts, READ_SIZE - 1)] =
			'\0';
		look_at_areas(fd, starts);
	}
	close(fd);
	free(starts);
	return NULL;
}

static void *read_texts(void *arg)
{
	static const char *const paths[] = {
		KMT_DIR "tags",	   KMT_DIR "stats",	  KMT_DIR "caches_live",
		KMT_DIR "caches",  "/proc/allocinfo",	  KMT_DIR "pages",
		KMT_DIR "enabled", KMT_DIR "total_overruns", KMT_DIR "tags_quick",
	};
	char *to = malloc(READ_SIZE);
	size_t i;

	(void)arg;
	while (to && goes_on())
		for (i = 0; i < sizeof(paths) / sizeof(*paths); i++)
			slurp(paths[i], to, READ_SIZE);
	free(to);
	return NULL;
}

static unsigned int change(void)
{
	unsigned int errors = 0;

	errors += !!client_load();
	errors += !!client_run("hold kmalloc 100 3000");
	errors += !!control_set("enabled", "1");
	errors += !!control_set("enabled", "0");
	errors += !!client_run("drop kmalloc 100 0");
	errors += !!client_run("hold vmalloc 40000 20");
	errors += !!file_set(SYSCTL, "0");
	errors += !!client_run("drop vmalloc 40000 0");
	errors += !!file_set(SYSCTL, "1");
	errors += !!client_unload();
	return errors;
}

/* As fast as possible, so that triggers fire in the middle of it. */
static void *read_snapshot(void *arg)
{
	int fd = open(KMT_DIR "snapshot", O_RDONLY | O_CLOEXEC);
	char to[512];

	(void)arg;
	if (fd < 0)
		failed("snapshot");
	while (fd >= 0 && goes_on())
		if (pread(fd, to, sizeof(to), 0) <= 0)
			failed("snapshot");
	close(fd);
	return NULL;
}

static void check_triggers(void)
{
	unsigned int errors = 0;
	uint64_t missed;
	pthread_t thread;
	int i;

	errors += !!client_load();
	errors += !!control_set("events/kmem/kmalloc/trigger",
				"snapshot if bytes_req == 1013");
	errors += !!control_set("enabled", "1");
	missed = stat_get("snapshots_missed");
	pthread_create(&thread, NULL, read_snapshot, NULL);
	for (i = 0; i < TRIGGERS; i++) {
		errors += !!client_run("kmalloc 1013 1");
		/* waits until the snapshot can be replaced */
		errors += !!control_set("snapshot", "2");
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	missed = stat_get("snapshots_missed") - missed;
	test_note("%d triggers, %lu snapshots missed", TRIGGERS, missed);
	test_result(!errors && !failures && !missed,
		    "no trigger misses a snapshot because its state is being read");
	errors = !!control_set("enabled", "0");
	errors += !!control_set("events/kmem/kmalloc/trigger", "!snapshot");
	errors += !!client_unload();
	test_result(!errors, "the trigger is removed");
	stop = false;
}

/* Whether the main thread is in a write to a control file, and waits for a grace period. */
static bool is_waiting(int stack)
{
	char text[2048];
	ssize_t n = pread(stack, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return strstr(text, "synchronize_rcu");
}

/* Reads the records of CPU 0. Counts reads that begin and end during one grace period. */
static void *read_cpu0(void *arg)
{
	int stack = open("/proc/self/stack", O_RDONLY | O_CLOEXEC);
	int fd = open(KMT_DIR "cpu0", O_RDONLY | O_CLOEXEC);
	char *to = malloc(READ_SIZE);
	unsigned long number;
	bool waits;

	(void)arg;
	pin_to(0);
	if (fd < 0 || stack < 0)
		failed("cpu0");
	while (to && fd >= 0 && goes_on()) {
		number = __atomic_load_n(&writes, __ATOMIC_SEQ_CST);
		waits = is_waiting(stack);
		if (read(fd, to, READ_SIZE) < 0)
			failed("cpu0");
		if (waits && is_waiting(stack) &&
		    __atomic_load_n(&writes, __ATOMIC_SEQ_CST) == number)
			add(&reads, 1);
	}
	free(to);
	close(fd);
	close(stack);
	return NULL;
}

static void stop_thread(pthread_t thread)
{
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	stop = false;
}

/* A write waits until no CPU uses the old filters. */
static void check_filters(void)
{
	static const char *const filters[] = { "ptr != 1", "ptr != 2" };
	unsigned int errors = !!control_set("enabled", "1");
	pthread_t thread;

	reads = 0;
	pthread_create(&thread, NULL, read_cpu0, NULL);
	while (!errors && !failures && writes < WRITES_MAX &&
	       __atomic_load_n(&reads, __ATOMIC_RELAXED) < READS_MIN) {
		errors += !!control_set("events/kmem/filter", filters[writes % 2]);
		add(&writes, 1);
	}
	stop_thread(thread);
	errors += !!control_set("events/kmem/filter", "0");
	errors += !!control_set("enabled", "0");
	test_note("%lu reads during grace periods of %lu writes", reads, writes);
	test_result(!errors && !failures && reads >= READS_MIN,
		    "a reader of cpu0 does not wait for a write of filters");
}

/* In overwrite mode, cpu0 can be read only while nothing is recorded. */
static void check_quiet(void)
{
	unsigned int errors = !!control_set("overwrite", "1");
	pthread_t thread;
	int i;

	pthread_create(&thread, NULL, read_cpu0, NULL);
	for (i = 0; i < CHANGES; i++) {
		errors += !!control_set("set_event", "!kmem:kmalloc");
		errors += !!control_set("set_event", "*:*");
	}
	stop_thread(thread);
	errors += !!control_set("overwrite", "0");
	test_result(!errors && !failures,
		    "with overwrite=1, cpu0 can be read while settings change");
}

int main(void)
{
	static void *(*const readers[])(void *) = { read_objects, read_objects,
						    read_areas, read_texts };
	const int n = sizeof(readers) / sizeof(*readers);
	unsigned int errors = 0, rounds = 0;
	pthread_t thread[n];
	double end, left;
	int i;

	test_plan(10);
	test_result(!module_load(""), "the module loads");
	check_triggers();
	check_filters();
	check_quiet();
	objects_fd = open(KMT_DIR "objects", O_RDONLY | O_CLOEXEC);
	for (i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, readers[i], NULL);
	end = test_seconds() + SECONDS;
	do {
		errors += change();
		rounds++;
		left = end - test_seconds();
	} while (rounds < ROUNDS_MIN || left > 0 ||
		 (__atomic_load_n(&objects, __ATOMIC_RELAXED) <= OBJECTS_MIN &&
		  left > -PATIENCE));
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	close(objects_fd);
	test_note("%u changes, %lu reads, of %lu objects and %lu pages of vmalloc()",
		  rounds, reads, objects, mappings);
	test_result(!errors, "accounting, recording and modules change all the time");
	test_result(reads > 10 && !failures, "every file can be read meanwhile");
	test_result(objects > OBJECTS_MIN && !torn, "every object is consistent");
	test_result(mappings > 0, "mapped pages of vmalloc() are found");
	test_result(!module_unload(), "the module unloads");
	return test_exit();
}
