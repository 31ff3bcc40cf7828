// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every kind of event has the right call site, sizes and pointer, and the right number of
 * records.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kmt_test.h"

#define COUNT	   23 /* a prime number is unlikely to occur by accident */
#define CACHE_SIZE 329
#define PAGE	   4096ull

/**
 * struct expect - the records that a command of the client must make
 * @command: command for the client, without the count
 * @alloc: function in which it allocates
 * @type: KMEMTRACE_TYPE_* of the allocation
 * @req: bytes requested
 * @release: function in which it frees
 * @free_type: KMEMTRACE_TYPE_* of the free
 * @frees: number of frees for each allocation
 * @order: order of the pages
 * @bytes: bytes allocated, according to the kernel
 */
struct expect {
	const char *command;
	const char *alloc;
	int type;
	uint64_t req;
	const char *release;
	int free_type;
	int frees;
	int order;
	uint64_t bytes;
};

#define K KMEMTRACE_TYPE_KMALLOC
#define C KMEMTRACE_TYPE_CACHE
#define P KMEMTRACE_TYPE_PAGES
#define U KMEMTRACE_TYPE_PERCPU

static struct expect expects[] = {
	{ "kmalloc 137", "client_kmalloc_alloc", K, 137,
	  "client_kmalloc_free", K, 1, 0, 0 },
	{ "kmalloc 4096", "client_kmalloc_alloc", K, 4096,
	  "client_kmalloc_free", K, 1, 0, 0 },
	/* large: not from a cache; 6.12 fires the tracepoint twice */
	{ "kmalloc 9001", "client_kmalloc_alloc", K, 9001,
	  "client_kmalloc_free", K, 1, 0, 0 },
	/* the tracepoint fires twice since 6.15 */
	{ "kvmalloc 9003", "client_kvmalloc_alloc", K, 9003,
	  "client_kvmalloc_free", K, 1, 0, 0 },
	{ "irq 77", "client_kmalloc_alloc", K, 77,
	  "client_kmalloc_free", K, 1, 0, 0 },
	{ "softirq 55", "client_kmalloc_alloc", K, 55,
	  "client_kmalloc_free", K, 1, 0, 0 },
	{ "cache 0", "client_cache_alloc", C, CACHE_SIZE,
	  "client_cache_free", C, 1, 0, 0 },
	{ "mixed 0", "client_cache_alloc", C, CACHE_SIZE,
	  "client_mixed_free", K, 1, 0, 0 },
	{ "pages 0", "client_pages_alloc", P, PAGE,
	  "client_pages_free", P, 1, 0, 0 },
	{ "pages 3", "client_pages_alloc", P, PAGE << 3,
	  "client_pages_free", P, 1, 3, 0 },
	{ "split 2", "client_pages_alloc", P, PAGE << 2,
	  "client_split_free", P, 4, 2, 0 },
	{ "percpu 24", "client_percpu_alloc", U, 0,
	  "client_percpu_free", U, 1, 0, 0 },
};

#define EXPECTS (sizeof(expects) / sizeof(expects[0]))

static struct records record(const char *command)
{
	struct records r;

	readers_start();
	control_set("enabled", "1");
	if (client_run("%s %d", command, COUNT))
		test_note("the client refuses '%s %d'", command, COUNT);
	control_set("enabled", "0");
	r = readers_stop();
	records_sort(&r);
	return r;
}

static bool cache_is(const struct kmt_event *ev, const char *name)
{
	const char *line = control_text("caches");
	char found[64];
	unsigned int id;

	for (; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%u %*u %*u %63s", &id, found) == 2 &&
		    id == ev->cache)
			return !strcmp(found, name);
	}
	return false;
}

/* Bytes that one allocation takes; for per-CPU memory, a lower bound. */
static uint64_t takes(const struct expect *e)
{
	switch (e->type) {
	case K:
		return kmalloc_bytes(e->req);
	case C:
		return cache_bytes("kmt_client");
	default:
		return e->req;
	}
}

static bool alloc_is_right(const struct expect *e, const struct kmt_event *ev)
{
	return ev->type_id == e->type && ev->ptr && ev->bytes_req == e->req &&
	       ev->bytes_alloc - e->bytes <= (e->type == U ? 64 : 0) &&
	       ev->gfp_flags &&
	       (e->type != P || (int)ev->order == e->order) &&
	       (e->type != C || cache_is(ev, "kmt_client"));
}

/* In the client's records, each allocation is followed by its frees. */
static void check_expect(const struct expect *e, const struct records *r)
{
	int allocs = 0, frees = 0, wrong = 0, bad = 0;
	uint64_t ptr = 0;
	size_t i;

	for (i = 0; i < r->count; i++) {
		const struct kmt_event *ev = &r->rec[i].ev;
		const char *function = symbol_name(ev->call_site);

		bad += r->rec[i].dec.bad != 0 || r->rec[i].dec.unknown_id;
		if (strncmp(function, "client_", 7))
			continue;
		if (ev->type_id == P && e->type != P)
			continue; /* the pages of a large kmalloc */
		if (ev->event_id == KMEMTRACE_EVENT_ALLOC) {
			allocs += !strcmp(function, e->alloc);
			wrong += strcmp(function, e->alloc) ||
				 !alloc_is_right(e, ev);
			ptr = ev->ptr;
		} else {
			frees += !strcmp(function, e->release);
			wrong += strcmp(function, e->release) ||
				 ev->type_id != e->free_type ||
				 (e->frees == 1 ?
					  ev->ptr != ptr :
					  ev->ptr - ptr >= PAGE << e->order);
		}
	}
	if (allocs != COUNT || frees != COUNT * e->frees || wrong || bad ||
	    r->broken || r->disorder)
		test_note("%d allocations, %d frees, %d wrong, %d bad, %d broken, %d in disorder",
			  allocs, frees, wrong, bad, r->broken, r->disorder);
	test_result(allocs == COUNT && frees == COUNT * e->frees && !wrong &&
			    !bad && !r->broken && !r->disorder,
		    "the records of '%s', %d times, are right", e->command,
		    COUNT);
}

/*
 * A record names its cache, also if another one was at the same address before, with a name
 * at the same address.
 */
static void check_own(void)
{
	struct records r = record("own 400");
	int allocs = 0, right = 0, wrong = 0;
	char name[32] = "";
	size_t i;

	for (i = 0; i < r.count; i++) {
		const struct kmt_event *ev = &r.rec[i].ev;

		if (strncmp(symbol_name(ev->call_site), "client_own_", 11) ||
		    ev->type_id != C)
			continue;
		if (ev->event_id == KMEMTRACE_EVENT_ALLOC)
			snprintf(name, sizeof(name), "kmt_own_%d", allocs++);
		if (cache_is(ev, name))
			right++;
		else
			wrong++;
	}
	if (right != 2 * COUNT || wrong)
		test_note("%d right, %d wrong", right, wrong);
	test_result(right == 2 * COUNT && !wrong,
		    "caches that replace each other have their own names");
	records_free(&r);
}

static int count_client(const struct records *r, int *failures)
{
	int n = 0;
	size_t i;

	*failures = 0;
	for (i = 0; i < r->count; i++) {
		const struct kmt_event *ev = &r->rec[i].ev;

		if (strncmp(symbol_name(ev->call_site), "client_", 7))
			continue;
		n++;
		*failures += ev->event_id == KMEMTRACE_EVENT_ALLOC && !ev->ptr &&
			     ev->type_id == K;
	}
	return n;
}

static void check_null_and_failed(void)
{
	struct records r = record("null 0");
	int failures;

	test_result(count_client(&r, &failures) == 0, "kfree(NULL) is not recorded");
	records_free(&r);
	r = record("fail 0");
	count_client(&r, &failures);
	test_result(failures == COUNT, "%d failed kmalloc() are recorded", COUNT);
	records_free(&r);
}

static void check_set_event(void)
{
	struct records r;
	size_t i;
	int others = 0, failures, n;

	close(open(KMT_DIR "set_event", O_WRONLY | O_TRUNC | O_CLOEXEC));
	test_result(!*control_text("set_event"), "O_TRUNC clears set_event");
	test_result(!control_set("set_event", "kmalloc"),
		    "an event is enabled by its name");
	r = record("kmalloc 137");
	for (i = 0; i < r.count; i++)
		others += r.rec[i].ev.event_id != KMEMTRACE_EVENT_ALLOC ||
			  r.rec[i].ev.type_id != K;
	n = count_client(&r, &failures);
	test_result(n == COUNT && !others, "... only this event is recorded");
	records_free(&r);
	control_set("set_event", "*:*");
	control_set("set_event", "!kmem:kmalloc");
	test_result(!strstr(control_text("set_event"), "kmem:kmalloc\n") &&
			    strstr(control_text("set_event"), "kmem:kfree\n"),
		    "! disables an event");
	control_set("set_event", "*:*");
}

/* A record has the call site outside the wrappers, like accounting. */
static void check_wrapper(void)
{
	struct expect e = { "wrapped 64", "client_wrapped_alloc", K, 64,
			    "client_kmalloc_free", K, 1, 0, 0 };
	struct records r;

	control_set("wrappers", "client_wrapper");
	e.bytes = takes(&e);
	r = record(e.command);
	check_expect(&e, &r);
	records_free(&r);
	control_set("wrappers", "!client_wrapper");
}

/* The size of a record is the sum of its parts; without features, it is minimal. */
static void check_sizes(const char *features, int time, int cache, int page)
{
	struct records r;
	int wrong = 0, size;
	size_t i;

	control_set("features", features);
	r = record("cache 0");
	for (i = 0; i < r.count; i++) {
		const struct kmt_event *ev = &r.rec[i].ev;

		size = ev->event_id == KMEMTRACE_EVENT_ALLOC ? 48 : 24;
		size += time;
		size += ev->type_id == C ? cache : 0;
		size += ev->type_id == P ? page : 0;
		wrong += r.rec[i].size != size;
	}
	test_result(r.count >= 2 * COUNT && !wrong,
		    "records with features %s have the right sizes", features);
	records_free(&r);
}

int main(void)
{
	size_t i;

	test_plan(2 + EXPECTS + 2 + 2 + 4 + 4 + 2);
	test_result(!module_load(""), "the module loads");
	test_result(!client_load(), "the client loads");
	control_set("features", "time cache page");
	for (i = 0; i < EXPECTS; i++) {
		struct expect *e = &expects[i];
		struct records r;

		if (e->type == U) /* the sum for all CPUs */
			e->req = 24 * sysconf(_SC_NPROCESSORS_CONF);
		e->bytes = takes(e);
		r = record(e->command);
		check_expect(e, &r);
		records_free(&r);
	}
	check_wrapper();
	check_own();
	check_null_and_failed();
	check_set_event();
	check_sizes("none", 0, 0, 0);
	check_sizes("time", 11, 0, 0);
	check_sizes("cache page", 0, 5, 5);
	check_sizes("time cache page", 11, 5, 5);
	test_result(!client_unload(), "the client unloads");
	test_result(!module_unload(), "the module unloads");
	return test_exit();
}
