// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accounting: for each way to allocate and free memory, the tag has exactly the live
 * bytes and objects, and returns to exactly zero.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kmt_test.h"

/* pages allocated before accounting is switched on */
#define OLD_PAGES 1000

#define SYSCTL "/proc/sys/vm/mem_profiling"

static int possible_cpus(void)
{
	return sysconf(_SC_NPROCESSORS_CONF);
}

static void note_tag(const char *function, struct tag t)
{
	test_note("%s: %lld bytes %lld objects %lld requested %llu allocs %llu frees in %d rows",
		  function, t.bytes, t.objects, t.requested, t.allocs, t.frees,
		  t.rows);
}

/* Wait up to @seconds: kfree_rcu() and the slab pages of some caches are freed later. */
static struct tag settled(const char *function, int seconds)
{
	struct tag t = tag_get(function);

	while (t.objects && seconds-- > 0) {
		sleep(1);
		t = tag_get(function);
	}
	return t;
}

static const struct kind {
	const char *name;
	size_t size;
	int count;
	int objects; /* live objects for each allocation; 0: not checked */
	long requested; /* bytes for each allocation; 0: not checked */
	enum { ANY, SLAB, CACHE, PAGES } takes;
} kinds[] = {
	{ "kmalloc", 100, 5000, 1, 100, SLAB },
	{ "kmalloc", 9000, 200, 1, 9000, SLAB },
	{ "cache", 0, 5000, 1, 329, CACHE },
	{ "mixed", 0, 5000, 1, 329, CACHE },
	{ "bulk", 0, 5000, 1, 329, CACHE },
	{ "tail", 0, 5000, 1, 329, CACHE },
	{ "indirect", 0, 5000, 1, 329, CACHE },
	{ "rcu", 200, 100000, 1, 200, SLAB },
	{ "pages", 0, 2000, 1, 4096, PAGES },
	{ "pages", 3, 200, 1, 32768, PAGES },
	{ "split", 3, 200, 1, 32768, PAGES },
	{ "array", 0, 1000, 1, 4096, PAGES },
	{ "exact", 20000, 200, 1, 20480, PAGES },
	{ "vmalloc", 40000, 50, 0, 0, ANY },
	{ "kvmalloc", 8 << 20, 8, 0, 0, ANY },
	{ "kvmalloc", 500, 1000, 1, 500, SLAB },
	{ "kvmalloc", 65536, 100, 1, 65536, PAGES },
	{ "krealloc", 200, 3000, 1, 400, SLAB },
	{ "percpu", 64, 500, 1, 0, ANY },
};

/* Bytes that one allocation takes, according to the kernel; 0: not checked. */
static long bytes_each(const struct kind *k)
{
	switch (k->takes) {
	case SLAB:
		return kmalloc_bytes(k->requested);
	case CACHE:
		return cache_bytes("kmt_client");
	case PAGES:
		return k->requested;
	default:
		return 0;
	}
}

static bool holds(const struct kind *k, struct tag t, struct tag before)
{
	long long bytes = t.bytes - before.bytes;
	long long requested = t.requested - before.requested;
	long per_cpu = !strcmp(k->name, "percpu") ?
			       64L * possible_cpus() * k->count :
			       0;
	long each = bytes_each(k);

	if (k->objects && t.objects - before.objects != k->count)
		return false;
	/* vmalloc() allocates its pages, and memory to keep track of them */
	if (!k->objects && bytes < (long long)k->size * k->count)
		return false;
	if (k->requested && requested != k->requested * k->count)
		return false;
	if (per_cpu && requested != per_cpu)
		return false;
	return !each || bytes == each * k->count;
}

static void test_kinds(void)
{
	const struct kind *k;
	char function[64];

	for (k = kinds; k < kinds + sizeof(kinds) / sizeof(*kinds); k++) {
		struct tag before, during, after;

		snprintf(function, sizeof(function), "client_%s_alloc",
			 !strcmp(k->name, "mixed") ? "cache" :
			 !strcmp(k->name, "split") ? "pages" :
						     k->name);
		before = tag_get(function);
		if (client_run("hold %s %zu %d", k->name, k->size, k->count))
			test_note("cannot hold");
		during = tag_get(function);
		if (client_run("drop %s %zu 0", k->name, k->size))
			test_note("cannot drop");
		after = settled(function, 60);
		test_result(holds(k, during, before),
			    "%d allocations of %s %zu: live figures are exact",
			    k->count, k->name, k->size);
		if (!holds(k, during, before))
			note_tag(function, during);
		test_result(!after.bytes && !after.objects &&
				    !after.requested &&
				    after.allocs == after.frees,
			    "%s %zu: live figures return to zero", k->name,
			    k->size);
		if (after.bytes || after.objects || after.requested)
			note_tag(function, after);
	}
}

/* An array of more than 512 slots, the last of which is in use before the call. */
static void test_array_cut(void)
{
	uint64_t missed = stat_get("missed_calls");
	struct tag t;

	client_run("hold array 1 1000");
	t = tag_get("client_array_alloc");
	test_result(t.objects == 512,
		    "a long array: the first 512 slots are accounted");
	if (t.objects != 512)
		note_tag("client_array_alloc", t);
	test_result(stat_get("missed_calls") > missed,
		    "... missed_calls counts the call for the other slots");
	client_run("drop array 0 0");
}

static void test_interrupts(void)
{
	struct tag before = tag_get("client_kmalloc_alloc"), t;

	client_run("irq 64 500");
	client_run("softirq 64 500");
	t = tag_get("client_kmalloc_alloc");
	test_result(t.allocs - before.allocs == 1000 && !t.bytes &&
			    t.allocs == t.frees,
		    "allocations in interrupts are accounted");
	client_run("storm 0 20000");
	t = tag_get("client_kmalloc_alloc");
	test_result(t.allocs > 1000 && !t.bytes && t.allocs == t.frees,
		    "frees on other CPUs: live figures return to zero");
	if (t.bytes)
		note_tag("client_kmalloc_alloc", t);
}

static void test_wrappers(void)
{
	struct tag outer, inner;

	test_result(strstr(control_text("wrappers"), "krealloc"),
		    "wrappers are listed");
	client_run("hold wrapped 64 10");
	inner = tag_get("client_wrapper");
	test_result(inner.objects == 10, "a function that is no wrapper is charged");
	client_run("drop wrapped 64 0");
	test_result(!control_set("wrappers", "client_wrapper"),
		    "a function is made a wrapper");
	client_run("hold wrapped 64 10");
	inner = tag_get("client_wrapper");
	outer = tag_get("client_wrapped_alloc");
	test_result(inner.objects == 0 && outer.objects == 10,
		    "... its caller is charged");
	client_run("drop wrapped 64 0");
	test_result(!control_set("wrappers", "!client_wrapper") &&
			    control_set("wrappers", "no_such_function") &&
			    control_set("wrappers", "!client_wrapper"),
		    "... it is removed; unknown functions are refused");
	client_run("hold wrapped 64 10");
	test_result(tag_get("client_wrapper").objects == 10,
		    "... it is charged again");
	client_run("drop wrapped 64 0");
}

static int log_count(const char *text)
{
	static char log[1 << 20];
	int n = klogctl(3, log, sizeof(log) - 1), count = 0;
	const char *at = log;

	log[n > 0 ? n : 0] = '\0';
	while ((at = strstr(at, text))) {
		at += strlen(text);
		count++;
	}
	return count;
}

static bool log_has(const char *text)
{
	return log_count(text);
}

static void test_switch(void)
{
	uint64_t unmatched, since = stat_get("accounting_since_ns");
	struct tag t;

	klogctl(5, NULL, 0); /* clear the log */
	client_run("hold kmalloc 100 1000");
	test_result(!file_set(SYSCTL, "0") &&
			    atoi(file_text(SYSCTL)) == 0,
		    "accounting is switched off");
	test_result(log_has("accounting is off") &&
			    !log_has("accounting starts again") && since &&
			    stat_get("accounting_since_ns") == since,
		    "... the log says so");
	t = tag_get("client_kmalloc_alloc");
	test_result(t.objects == 1000, "... the counters keep their values");
	client_run("drop kmalloc 100 0");
	client_run("hold kmalloc 100 500");
	test_result(tag_get("client_kmalloc_alloc").objects == 1000,
		    "and do not change");
	test_result(!file_set(SYSCTL, "1") &&
			    stat_get("accounting") == 1,
		    "it is switched on again");
	survey_wait();
	test_result(log_has("accounting starts again") &&
			    stat_get("accounting_since_ns") > since &&
			    stat_get("accounting_starts") == 2,
		    "... the log and stats say that it started again");
	t = tag_get("client_kmalloc_alloc");
	test_result(!t.bytes && !t.objects && !t.allocs,
		    "... allocations from before are not counted");
	unmatched = stat_get("unmatched_frees");
	client_run("drop kmalloc 100 0");
	test_result(stat_get("unmatched_frees") - unmatched < 50 &&
			    stat_get("forgotten_objects") >= 1000,
		    "... their site is forgotten, but the survey knows them: their frees match");
	test_note("%lu frees without match, %lu objects forgotten, %lu slabs untracked, %lu unread, %lu pages without slots",
		  (unsigned long)(stat_get("unmatched_frees") - unmatched),
		  (unsigned long)stat_get("forgotten_objects"),
		  (unsigned long)stat_get("survey_untracked_slabs"),
		  (unsigned long)stat_get("survey_unread_slabs"),
		  (unsigned long)stat_get("stock_refused"));
	client_run("hold kmalloc 100 300");
	test_result(tag_get("client_kmalloc_alloc").objects == 300,
		    "... new allocations are counted exactly");
	client_run("drop kmalloc 100 0");
	test_result(tag_get("client_kmalloc_alloc").bytes == 0,
		    "... live bytes return to zero");
	test_result(file_set(SYSCTL, "2") != 0,
		    "mem_profiling refuses a value other than 0 and 1");
}

static void test_peak(void)
{
	double start, age;
	struct tag t;

	client_run("hold exact 8192 100");
	client_run("drop exact 8192 0");
	t = tag_get("client_exact_alloc");
	/* a CPU adds its counters to the tag after each 64 allocations */
	test_result(t.peak >= 64 * 8192 && t.peak <= 400 * 20480,
		    "the peak is within its bounds");
	start = test_seconds();
	client_run("hold kmalloc 72 1");
	sleep(2);
	t = tag_get("client_kmalloc_alloc");
	age = test_seconds() - start;
	/* the module's unit of age may be half a second */
	test_result(t.oldest_ms >= 1500 && t.oldest_ms < age * 1000 + 1000,
		    "the oldest object has the right age");
	test_note("%llu ms of %.0f", t.oldest_ms, age * 1000);
	client_run("drop kmalloc 72 0");
}

/*
 * Number of live objects for each object of the client: kmemleak, if the kernel has it,
 * allocates another one to track it.
 */
static int objects_each(void)
{
	uint64_t before, during;

	module_load("");
	before = stat_get("live_slab_objects");
	client_run("hold kmalloc 64 2000");
	during = stat_get("live_slab_objects");
	client_run("drop kmalloc 64 0");
	module_unload();
	return (during - before + 1000) / 2000;
}

/*
 * With compressed entries of frames, all objects are in the table. Small objects have close
 * addresses; their entries must not fill a part of it.
 */
static void test_dense(void)
{
	static const int sizes[] = { 8, 16, 64, 192 };
	char text[64];
	size_t i;

	snprintf(text, sizeof(text), "mem_profiling=1,compressed max_objects=%d",
		 30000 * objects_each());
	test_result(!module_load(text), "loaded with a table for 30000 objects");
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		client_run("hold kmalloc %d 20000", sizes[i]);
		test_result(!stat_get("untracked_objects"),
			    "... it has room for 20000 objects of %d bytes",
			    sizes[i]);
		client_run("drop kmalloc %d 0", sizes[i]);
	}
	module_unload();
}

/* With full tables, each untracked allocation is counted, and all else is exact. */
static void test_full(void)
{
	struct tag t;
	uint64_t untracked, refused;

	test_result(!module_load("mem_profiling=1,compressed max_objects=1000"),
		    "loaded with a small table");
	untracked = stat_get("untracked_objects");
	refused = stat_get("objects_refused");
	client_run("hold kmalloc 64 20000");
	t = tag_get("client_kmalloc_alloc");
	refused = stat_get("objects_refused") - refused;
	untracked = stat_get("untracked_objects") - untracked;
	test_result(t.objects < 3000 && t.objects + (long long)untracked >= 20000 &&
			    stat_get("untracked_bytes") >= untracked * 8 &&
			    t.objects + (long long)refused >= 20000,
		    "... it is full: untracked objects are counted");
	if (t.objects + (long long)untracked < 20000)
		test_note("%lld and %lu", t.objects, untracked);
	client_run("drop kmalloc 64 0");
	t = tag_get("client_kmalloc_alloc");
	test_result(!t.objects && !t.bytes && !t.requested,
		    "... tracked objects return to zero");
	client_run("hold kmalloc 64 20");
	t = tag_get("client_kmalloc_alloc");
	test_result(t.objects == 20 && t.bytes == 20 * kmalloc_bytes(64),
		    "... new objects are tracked again");
	client_run("drop kmalloc 64 0");
	module_unload();
	test_result(!module_load("max_tags=16"), "loaded with a small table of tags");
	client_run("hold kmalloc 64 100");
	test_result(stat_get("classes_refused") > 0 && stat_get("classes_full") == 1 &&
			    stat_get("untracked_objects") > 0 && !stat_get("objects_refused"),
		    "... it is full: untracked objects are counted");
	test_result(log_count("all 16 classes (call site and size) are in use: allocations") == 1,
		    "... the log says so once");
	client_run("drop kmalloc 64 0");
	module_unload();
}

/* Objects of pages that get no slots are in the table, while it has room. */
static void test_stock(void)
{
	char text[64];
	struct tag t;

	snprintf(text, sizeof(text), "stock_spans=2 max_objects=%d",
		 30000 * objects_each());
	test_result(!module_load_debug(text), "loaded with memory for few slots");
	client_run("hold kmalloc 64 20000");
	t = tag_get("client_kmalloc_alloc");
	test_result(t.objects == 20000 && !stat_get("untracked_objects") &&
			    stat_get("stock_refused") > 0,
		    "... objects without slots are counted");
	test_note("%lld objects, %lu untracked; %lu pages without slots", (long long)t.objects,
		  (unsigned long)stat_get("untracked_objects"),
		  (unsigned long)stat_get("stock_refused"));
	client_run("drop kmalloc 64 0");
	t = tag_get("client_kmalloc_alloc");
	test_result(!t.objects && !t.bytes && !t.requested,
		    "... live figures return to zero");
	client_run("hold kmalloc 64 20000");
	client_run("drop kmalloc 64 0");
	t = tag_get("client_kmalloc_alloc");
	test_result(!t.objects && !stat_get("implicit_frees"),
		    "... and again");
	module_unload();
}

#define SITES_MOST 10 /* attempts */

/*
 * Return: objects that are live at 1,800 of the 2,000 call sites of kmt_sites.ko. The
 * compiler may rename hold_a(), which is called with a constant.
 */
static long long sites_held(void)
{
	static const char *const functions[] = { "hold_b", "hold_c", "hold_d",
						 "hold_e", "hold_f", "hold_g",
						 "hold_h", "hold_i", "hold_j" };
	long long sum = 0;
	unsigned int i;

	for (i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		sum += tag_get(functions[i]).objects;
	return sum;
}

/* The counters get more room while they are in use. */
static void test_growth(void)
{
	unsigned long memory, refused = 0;
	long long held = 0, kept;
	struct tag t;
	int i;

	test_result(!module_load_debug("counter_room=256"), "loaded with few counters");
	memory = stat_get("memory_bytes");
	client_run("hold kmalloc 64 1000");
	kept = tag_get("client_kmalloc_alloc").objects;
	/* a worker makes room: some call sites may come before it */
	for (i = 0; i < SITES_MOST; i++) {
		refused = stat_get("classes_refused");
		if (system("insmod /lib/modules/kmt_sites.ko"))
			break;
		held = sites_held();
		refused = stat_get("classes_refused") - refused;
		if (!refused)
			break;
		system("rmmod kmt_sites");
	}
	test_result(i < SITES_MOST && !refused && held == 1800,
		    "... all of 1,800 new call sites get counters after a while");
	if (held != 1800)
		test_note("attempt %d: %lld, %lu refused", i, held, refused);
	test_result(stat_get("memory_bytes") > memory && !stat_get("classes_full"),
		    "... the counters take more memory");
	t = tag_get("client_kmalloc_alloc");
	test_result(kept == 1000 && t.objects == 1000 &&
			    t.bytes == 1000 * kmalloc_bytes(64),
		    "... the counts from before stay");
	client_run("drop kmalloc 64 0");
	system("rmmod kmt_sites");
	t = tag_get("client_kmalloc_alloc");
	test_result(!t.objects && !t.bytes && !sites_held(),
		    "... live figures return to zero");
	module_unload();
}

/*
 * Allocate objects of the cache until one gets the address of a freed one. KASAN keeps
 * freed objects in quarantine for some time.
 */
static uint64_t hold_again(void)
{
	int tries;

	for (tries = 0; tries < 40; tries++) {
		client_run("hold cache 0 500");
		if (stat_get("implicit_frees"))
			break;
		client_run("drop cache 0 0");
		client_run("hold kmalloc 8192 1000");
		client_run("drop kmalloc 8192 0");
	}
	return stat_get("implicit_frees");
}

/* As if the hook of bulk frees could not be attached. */
static void test_holes(void)
{
	uint64_t implicit, reaped;
	struct tag t;

	/* these slabs are then older than the module */
	client_run("hold bulk 0 2000");
	client_run("drop bulk 0 0");
	test_result(!module_load_debug("open_holes=1"), "loaded with an open hole");
	test_result(strstr(control_text("stats"), "hole free_bulk open"),
		    "... stats say so");
	client_run("hold bulk 0 2000");
	client_run("drop bulk 0 0");
	t = tag_get("client_bulk_alloc");
	reaped = stat_get("reaped_objects"); /* some slab pages may be free already */
	test_result(t.objects <= 2000 && t.objects + reaped >= 2000,
		    "... bulk frees are not seen");
	if (t.objects != 2000)
		test_note("%lld, reaped %lu", t.objects, reaped);
	implicit = hold_again();
	test_result(implicit > 0 && stat_get("implicit_bytes") >= implicit * 329,
		    "... an address allocated again counts an implicit free");
	t = tag_get("client_cache_alloc");
	test_result(t.objects == 500, "... the new objects are counted");
	client_run("drop cache 0 0");
	client_unload(); /* destroys its cache and the slabs in it */
	t = settled("client_bulk_alloc", 60);
	implicit = stat_get("implicit_frees");
	reaped = stat_get("reaped_objects");
	test_result(reaped > 0 && implicit + reaped >= 2000,
		    "... objects in a freed slab are reaped");
	test_result(t.objects == 0 && t.bytes == 0,
		    "... live figures return to zero");
	if (t.objects)
		note_tag("client_bulk_alloc", t);
	module_unload();
}

/* A hook that cannot be attached when accounting is switched on again. */
static void test_late_hole(void)
{
	static const char parameter[] = "/sys/module/kmemtrace/parameters/open_holes";
	bool closed, open;

	module_load_debug("");
	closed = strstr(control_text("stats"), "hole free_bulk closed");
	file_set(SYSCTL, "0");
	file_set(parameter, "1");
	file_set(SYSCTL, "1");
	open = strstr(control_text("stats"), "hole free_bulk open");
	file_set(SYSCTL, "0");
	file_set(parameter, "0");
	file_set(SYSCTL, "1");
	test_result(closed && open &&
			    strstr(control_text("stats"), "hole free_bulk closed"),
		    "stats show a hole that opens later, until it is closed");
	module_unload();
}

/* As if the layout of struct kmem_cache were unknown: kmem_cache_size() is used. */
static void test_layout(void)
{
	struct tag before, during, after;

	test_result(!module_load_debug("hide_layout=1") &&
			    !stat_get("cache_layout_known"),
		    "loaded without knowing the layout of struct kmem_cache");
	before = tag_get("client_cache_alloc");
	client_run("hold cache 0 500");
	during = tag_get("client_cache_alloc");
	client_run("drop cache 0 0");
	after = tag_get("client_cache_alloc");
	test_result(during.objects - before.objects == 500 &&
			    during.bytes - before.bytes == 500 * 329 &&
			    during.requested == during.bytes,
		    "... objects count with their usable size");
	test_result(!after.bytes && !after.objects,
		    "... live figures return to zero");
	module_unload();
}

/* Allocations and frees that cannot be accounted are logged with site and reason. */
static void test_debug(void)
{
	client_run("hold kmalloc 100 10");
	module_load("debug=1 survey=0");
	client_run("drop kmalloc 100 0");
	sleep(1);
	test_result(log_has("free by client_kmalloc_free") &&
			    log_has("is of an object from before accounting"),
		    "debug=1 logs unmatched frees");
	module_unload();
	module_load("debug=1 mem_profiling=1,compressed max_objects=64");
	client_run("hold kmalloc 100 3000");
	sleep(1);
	test_result(log_has("allocation by client_kmalloc_alloc") &&
			    log_has("is untracked: the tables are full"),
		    "debug=1 logs untracked allocations");
	client_run("drop kmalloc 100 0");
	module_unload();
}

static bool stop_load;

static void *load(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&stop_load, __ATOMIC_RELAXED))
		client_run("kmalloc 100 1000");
	return NULL;
}

/*
 * Without the survey, a page from before accounting may have been a slab, so the module
 * searches the table for objects in it. The table is small, so that the load changes all
 * parts of it.
 */
static void test_old_pages(void)
{
	const size_t size = OLD_PAGES * sysconf(_SC_PAGESIZE);
	uint64_t before;
	pthread_t thread[2];
	char *old;
	int i;

	old = mmap(NULL, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (old == MAP_FAILED)
		abort();
	madvise(old, size, MADV_NOHUGEPAGE);
	memset(old, 1, size);
	test_result(!module_load("max_objects=64 survey=0"), "loaded after pages were allocated");
	stop_load = false;
	for (i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, load, NULL);
	before = stat_get("unmatched_pages");
	munmap(old, size);
	before = stat_get("unmatched_pages") - before;
	__atomic_store_n(&stop_load, true, __ATOMIC_RELAXED);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	/* some pages are freed later: each CPU keeps the last ones in a batch */
	test_result(before >= OLD_PAGES * 9 / 10,
		    "... their frees under load are unmatched");
	if (before < OLD_PAGES * 9 / 10)
		test_note("%lu of %d", before, OLD_PAGES);
	module_unload();
}

/* The module loads and records, but accounts nothing. */
static void test_disabled(const char *parameters, const char *what)
{
	bool loads = !module_load(parameters);
	bool recording = !control_set("enabled", "1") && stat_get("recording");

	test_result(loads && recording && !stat_get("accounting") &&
			    !stat_get("memory_bytes") && file_set(SYSCTL, "1") &&
			    log_has("memory profiling is disabled"),
		    "%s: recording works, accounting does not", what);
	/* a row without a tag needs no table */
	test_result(!control_set("codetags", "0xffffffff81000010 mm/never.c:1 never_hit\n") &&
			    strstr(control_text("tags"), "mm/never.c:1"),
		    "... tags can be read");
	module_unload();
}

static void test_compressed_full(void)
{
	double end = test_seconds() + 30;
	bool loads = !module_load("mem_profiling=1,compressed max_tags=16");

	client_run("hold kmalloc 64 100");
	client_run("drop kmalloc 64 0");
	while (stat_get("accounting") && test_seconds() < end)
		usleep(10000);
	test_result(loads && !stat_get("accounting") &&
			    log_has("all 16 classes (call site and size) are in use: memory profiling is disabled"),
		    "compressed tags are used up: accounting ends, the log says so");
	module_unload();
}

static void test_modes(void)
{
	test_result(module_load("mem_profiling=2") && module_load("mem_profiling=1,zipped"),
		    "unknown values of mem_profiling= are refused");
	test_result(!module_load("mem_profiling=never"),
		    "loaded with mem_profiling=never");
	test_result(file_set(SYSCTL, "1") != 0 &&
			    !stat_get("memory_bytes") &&
			    strstr(file_text("/proc/allocinfo"),
				   "allocinfo - version: 1.0\n"),
		    "... accounting takes no memory and cannot be switched on");
	module_unload();
	test_result(module_load("max_tags=2000000") != 0,
		    "max_tags= above its limit is refused");
	test_disabled("mem_profiling=1,compressed max_tags=65536",
		      "max_tags= above the limit of compressed tags");
	test_disabled("max_objects=4000000000",
		      "tables that are larger than memory");
	test_compressed_full();
	test_result(!module_load("mem_profiling=1,compressed"),
		    "loaded with mem_profiling=1,compressed");
	client_run("hold pages 2 100");
	test_result(tag_get("client_pages_alloc").bytes == 100 * 4 * 4096,
		    "... pages are accounted");
	client_run("drop pages 2 0");
	client_run("hold kmalloc 20000 100");
	test_result(tag_get("client_kmalloc_alloc").bytes == 100 * 32768,
		    "... large objects are accounted");
	client_run("drop kmalloc 20000 0");
	test_result(!tag_get("client_pages_alloc").bytes &&
			    !tag_get("client_kmalloc_alloc").bytes,
		    "... live bytes of both return to zero");
	module_unload();
}

int main(void)
{
	int kinds_count = sizeof(kinds) / sizeof(*kinds);

	test_plan(1 + 2 * kinds_count + 2 + 2 + 6 + 11 + 4 + 2 + 1 + 12 + 10 + 1 + 8 + 3 + 2 + 4 + 5);
	if (client_load())
		test_note("the client does not load");
	test_result(!module_load(""), "loaded, accounting is on");
	test_kinds();
	test_array_cut();
	test_interrupts();
	test_wrappers();
	test_switch();
	test_peak();
	test_result(stat_get("memory_bytes") <
			    (uint64_t)sysconf(_SC_PHYS_PAGES) *
				    sysconf(_SC_PAGESIZE) / 100,
		    "the memory of all tables is less than 1 %% of RAM");
	module_unload();
	test_dense();
	test_full();
	test_stock();
	test_growth();
	test_modes();
	test_debug();
	test_old_pages();
	test_late_hole();
	test_layout();
	test_holes();
	return test_exit();
}
