// SPDX-License-Identifier: GPL-2.0-only
/*
 * While all CPUs allocate, triggers fire exactly as often as their counts say. Thousands
 * of writes to the control files lose neither records nor memory.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kmt_test.h"

/* large buffers, because readers get little CPU time */
#define PARAMS	 "subbufs=32 subbuf_size=1048576"
#define STORM	 20000 /* objects of each CPU */
#define REWRITES 10000
#define PASSES	 10 /* passes over rewrites[] in each round */
#define SLICE	 1000 /* objects of each CPU, repeatedly during a round */
#define STACK	 KMT_FEATURE_BIT(6)

#define KMALLOC	   "events/kmem/kmalloc/"
#define KFREE	   "events/kmem/kfree/"
#define PAGE_ALLOC "events/kmem/mm_page_alloc/"
#define PAGE_FREE  "events/kmem/mm_page_free/"

/* Return: whether a control file has a line. */
static bool lists(const char *file, const char *line)
{
	const char *text = control_text(file);
	size_t len = strlen(line);
	const char *at = text;

	while ((at = strstr(at, line))) {
		if ((at == text || at[-1] == '\n') && at[len] == '\n')
			return true;
		at += len;
	}
	test_note("%s: '%s' is not in '%s'", file, line, text);
	return false;
}

static bool set(const char *file, const char *text, int want)
{
	int err = control_set(file, text);

	if (err != want)
		test_note("%s: '%s': %d, not %d", file, text, err, want);
	return err == want;
}

static void storm_begin(void)
{
	readers_start();
	control_set("enabled", "1");
}

static struct records storm_end(void)
{
	struct records r;

	client_run("storm 0 %d", STORM);
	control_set("enabled", "0");
	r = readers_stop();
	records_sort(&r);
	return r;
}

static struct records storm(void)
{
	storm_begin();
	return storm_end();
}

static int count_stacks(const struct records *r, int event_id, int type_id)
{
	size_t i;
	int n = 0;

	for (i = 0; i < r->count; i++)
		n += r->rec[i].ev.event_id == event_id &&
		     r->rec[i].ev.type_id == type_id &&
		     (r->rec[i].ev.features & STACK);
	return n;
}

/* --- exactly count times --------------------------------------------------------- */

static void check_stacktrace(void)
{
	struct records r;
	uint64_t lost;
	int objects, frees, pages;
	bool good;

	/* set after recording is on: else they fire for events that are not recorded */
	storm_begin();
	good = set(KMALLOC "trigger", "stacktrace:1000 if bytes_req >= 1", 0) &
	       set(KFREE "trigger", "stacktrace:777", 0) &
	       set(PAGE_ALLOC "trigger", "stacktrace:0", 0);
	r = storm_end();
	lost = stat_get("lost_events");
	objects = count_stacks(&r, KMEMTRACE_EVENT_ALLOC, KMEMTRACE_TYPE_KMALLOC);
	frees = count_stacks(&r, KMEMTRACE_EVENT_FREE, KMEMTRACE_TYPE_KMALLOC);
	pages = count_stacks(&r, KMEMTRACE_EVENT_ALLOC, KMEMTRACE_TYPE_PAGES);
	test_note("%zu records, %lu lost; with a stack: %d kmalloc, %d kfree, %d mm_page_alloc",
		  r.count, lost, objects, frees, pages);
	good &= lists(KMALLOC "trigger", "stacktrace:count=0 if bytes_req >= 1") &
		lists(KFREE "trigger", "stacktrace:count=0") &
		lists(PAGE_ALLOC "trigger", "stacktrace:count=0");
	test_result(good, "stacktrace:1000, :777, :0 count down to 0");
	if (lost)
		test_skip("... 1000, 777 and 0 records have a stack",
			  "events were lost");
	else
		test_result(!r.broken && objects == 1000 && frees == 777 && !pages,
			    "... 1000, 777 and 0 records have a stack");
	good = set(KMALLOC "trigger", "!stacktrace", 0) &
	       set(KFREE "trigger", "!stacktrace", 0) &
	       set(PAGE_ALLOC "trigger", "!stacktrace", 0);
	records_free(&r);
	r = storm();
	objects = count_stacks(&r, KMEMTRACE_EVENT_ALLOC, KMEMTRACE_TYPE_KMALLOC);
	test_result(good && r.count && !objects,
		    "... without triggers, no record has a stack");
	records_free(&r);
}

/* CPUs race to disable and to enable the event; each change counts once. */
static void check_enable_event(void)
{
	struct records r;
	uint32_t start = control_get("sequence"), end;
	uint64_t lost, missing;
	bool good;

	good = set(KMALLOC "trigger", "disable_event:kmem:kfree:100 if bytes_req < 300", 0) &
	       set(PAGE_ALLOC "trigger", "enable_event:kmem:kfree:100", 0);
	r = storm();
	end = control_get("sequence");
	lost = stat_get("lost_events");
	missing = records_missing(&r, start, end);
	good &= lists(KMALLOC "trigger",
		      "disable_event:kmem:kfree:count=0 if bytes_req < 300") &
		lists(PAGE_ALLOC "trigger", "enable_event:kmem:kfree:count=0") &
		lists(KFREE "enable", "1*");
	test_result(good,
		    "disable_event:100 and enable_event:100 count down to 0, the event is enabled");
	test_result(r.count + lost == (uint32_t)(end - start) && missing == lost,
		    "... an event that is disabled takes no sequence number");
	good = set(KMALLOC "trigger", "!disable_event:kmem:kfree", 0) &
	       set(PAGE_ALLOC "trigger", "!enable_event:kmem:kfree", 0) &
	       lists(KFREE "enable", "1") & lists(KMALLOC "enable", "1");
	test_result(good, "... the event stays enabled when they are removed");
	records_free(&r);
}

static void check_traceoff(void)
{
	struct records r;
	uint32_t sequence;
	bool good;

	good = set(KMALLOC "trigger", "traceoff:1 if bytes_req == 200", 0);
	readers_start();
	control_set("enabled", "1");
	client_run("storm 0 %d", STORM);
	sequence = control_get("sequence");
	good &= lists("enabled", "0") &
		lists(KMALLOC "trigger", "traceoff:count=0 if bytes_req == 200");
	test_result(good, "traceoff:1 stops recording");
	client_run("storm 0 %d", STORM / 10);
	r = readers_stop();
	records_sort(&r);
	test_result(control_get("sequence") == sequence && !r.broken && r.count,
		    "... no event gets a sequence number after that");
	records_free(&r);

	good = set("events/percpu/percpu_alloc_percpu/trigger", "traceon:1", 0);
	readers_start();
	client_run("percpu 8 1");
	good &= lists("enabled", "1");
	client_run("storm 0 %d", STORM / 10);
	good &= lists("enabled", "1") &
		lists("events/percpu/percpu_alloc_percpu/trigger", "traceon:count=0");
	control_set("enabled", "0");
	r = readers_stop();
	test_result(good && r.count >= STORM / 10,
		    "traceon:1 of another event starts recording");
	records_free(&r);
	good = set("events/percpu/percpu_alloc_percpu/trigger", "!traceon", 0) &
	       set(KMALLOC "trigger", "!traceoff", 0);

	good &= set(KMALLOC "trigger", "traceoff:100 if bytes_req < 300", 0) &
		set(PAGE_ALLOC "trigger", "traceon:100", 0);
	r = storm();
	good &= lists(KMALLOC "trigger", "traceoff:count=0 if bytes_req < 300") &
		lists(PAGE_ALLOC "trigger", "traceon:count=0");
	test_result(good && !r.broken && r.count,
		    "traceoff:100 and traceon:100 count down to 0");
	records_free(&r);
	set(KMALLOC "trigger", "!traceoff", 0);
	set(PAGE_ALLOC "trigger", "!traceon", 0);
	/* traceon may have switched recording on again */
	control_set("enabled", "0");
	readers_start();
	r = readers_stop();
	records_free(&r);
}

/* --- steering under load ------------------------------------------------------------ */

/* None of these changes kfree: the filters use fields that it does not have. */
static const struct {
	const char *file, *text;
	int want;
} rewrites[] = {
	{ KMALLOC "filter", "bytes_req > 100", 0 },
	{ KMALLOC "trigger", "stacktrace:5 if bytes_req > 400", 0 },
	{ KMALLOC "trigger", "stacktrace", -EEXIST },
	{ KMALLOC "enable", "0", 0 },
	{ PAGE_FREE "trigger", "enable_event:kmem:kmalloc:3", 0 },
	{ "events/kmem/filter", "bytes_req & 1 || (bytes_alloc > 64 && node == -1)", 0 },
	{ KMALLOC "filter", "nosuch == 1", -EINVAL },
	{ KMALLOC "trigger", "traceoff if nosuch == 1", -EINVAL },
	{ PAGE_ALLOC "trigger", "disable_event:kmem:kmalloc:2 if order == 0", 0 },
	{ PAGE_ALLOC "enable", "0", 0 },
	{ KMALLOC "enable", "1", 0 },
	{ KMALLOC "enable", "2", -EINVAL },
	{ PAGE_FREE "trigger", "!enable_event:kmem:kmalloc", 0 },
	{ "set_event", "!kmem:mm_page_free", 0 },
	{ KMALLOC "filter", "comm ~ \"kmt_storm*\" && call_site != 0", 0 },
	{ KMALLOC "trigger", "!stacktrace", 0 },
	{ "set_event", "kmem:mm_page_alloc kmem:mm_page_free", 0 },
	{ PAGE_ALLOC "trigger", "!disable_event:kmem:kmalloc", 0 },
	{ "events/percpu/enable", "0", 0 },
	{ "events/percpu/enable", "1", 0 },
	{ KMALLOC "filter", "0", 0 },
	{ KMALLOC "enable", "1", 0 },
};

#define REWRITE_KINDS (sizeof(rewrites) / sizeof(rewrites[0]))

static bool stop_load;

/* The pauses limit the number of records on fast machines. */
static void *load(void *arg)
{
	uint64_t *storms = arg;

	while (!__atomic_load_n(&stop_load, __ATOMIC_RELAXED)) {
		client_run("storm 0 %d", SLICE);
		(*storms)++;
		usleep(5000);
	}
	return NULL;
}

/* Number of kfree() by the client in one storm; see tests/kmod/kmt_client.c. */
static uint64_t storm_frees(int count)
{
	uint64_t frees = 0;
	int cpu, i;

	for (cpu = 0; cpu < test_cpus(); cpu++) {
		unsigned int seed = cpu * 7919 + 1;

		for (i = 0; i < count; i++) {
			seed = seed * 1103515245 + 12345;
			frees += (seed >> 16) % 8 != 0;
		}
	}
	return frees;
}

/**
 * struct steered - results of thousands of writes
 * @writes: number of writes
 * @wrong: writes with an unexpected result
 * @lost: lost events
 * @unaccounted: events that are neither recorded nor lost
 * @frees: recorded frees of the client
 * @frees_missing: frees of the client that are not recorded
 * @broken: streams that could not be decoded, and records in disorder
 */
struct steered {
	int writes, wrong;
	uint64_t lost, unaccounted, frees, frees_missing;
	int broken;
};

static void steer_round(struct steered *s)
{
	uint32_t start = control_get("sequence"), made;
	uint64_t lost, frees = 0, storms = 0;
	struct records r;
	pthread_t thread;
	size_t i;

	stop_load = false;
	readers_start();
	control_set("enabled", "1");
	pthread_create(&thread, NULL, load, &storms);
	for (i = 0; i < PASSES * REWRITE_KINDS; i++, s->writes++) {
		size_t n = i % REWRITE_KINDS;
		int err = control_set(rewrites[n].file, rewrites[n].text);

		if (err != rewrites[n].want && s->wrong++ < 5)
			test_note("%s: '%s': %d", rewrites[n].file,
				  rewrites[n].text, err);
	}
	__atomic_store_n(&stop_load, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	control_set("enabled", "0");
	r = readers_stop();
	records_sort(&r);
	made = control_get("sequence") - start;
	lost = stat_get("lost_events");
	for (i = 0; i < r.count; i++)
		frees += is_client_free(&r.rec[i].ev);
	s->lost += lost;
	s->unaccounted += made - r.count - lost +
			  (records_missing(&r, start, start + made) - lost);
	s->frees += frees;
	s->frees_missing += storms * storm_frees(SLICE) - frees;
	s->broken += r.broken + r.disorder;
	records_free(&r);
}

/**
 * struct memory - memory in use
 * @own: live objects of the module itself, according to its accounting, without @spans
 * @spans: memory for the slots of live objects, which follows the memory of the machine
 * @strings: live copies of strings by anyone, for example of the texts written
 * @kb: slabs, vmalloc and per-CPU memory of the whole kernel, in KiB
 */
struct memory {
	long own, spans, strings, kb;
};

static struct memory memory_in_use(void)
{
	static const char *const copies[] = { "kstrdup", "kstrndup", "memdup_user_nul",
					      "kmemdup_nul", "memdup_user" };
	struct memory m = { .kb = kernel_memory_kb() };
	const char *line;
	long objects;
	size_t i;

	for (i = 0; i < sizeof(copies) / sizeof(copies[0]); i++)
		m.strings += tag_get(copies[i]).objects;
	for (line = control_text("tags"); *line; line += *line == '\n') {
		size_t len = strcspn(line, "\n");

		if (memmem(line, len, " [kmemtrace] ", 13) &&
		    sscanf(line, "%*s %*d %ld", &objects) == 1)
			m.own += objects;
		line += len;
	}
	m.spans = tag_get("add_span").objects;
	m.own -= m.spans;
	return m;
}

static void check_steering(void)
{
	struct steered s = { 0 };
	struct memory before, after;
	double begun = test_seconds();
	int writes;

	steer_round(&s); /* for allocations that are made only once */
	writes = test_scaled(REWRITES, s.writes, begun, 300);
	s.writes = 0;
	before = memory_in_use();
	while (s.writes < writes)
		steer_round(&s);
	usleep(200000); /* for frees after a grace period */
	after = memory_in_use();
	test_note("%d writes in %.0f s; %lu lost, %lu unaccounted for; of the client's frees %lu are recorded, %lu not",
		  s.writes, test_seconds() - begun, s.lost, s.unaccounted,
		  s.frees, s.frees_missing);
	test_note("objects of the module %ld, then %ld; spans %ld, then %ld; copies of strings %ld, then %ld; memory %ld kB, then %ld kB",
		  before.own, after.own, before.spans, after.spans,
		  before.strings, after.strings, before.kb, after.kb);
	test_result(!s.wrong, "%d writes under load have the right results",
		    s.writes);
	test_result(!s.unaccounted && !s.broken, "events made = records + lost");
	test_result(s.frees && s.frees_missing <= s.lost,
		    "each free of the client is recorded or lost");
	/* a leak in one of the rewrites would be one object for every 22 writes */
	test_result(after.own - before.own < s.writes / 200 &&
			    after.strings - before.strings < s.writes / 50,
		    "no object of the module is leaked");
	test_result(after.kb - before.kb < 4096,
		    "the kernel's memory grows by less than 4 MiB");
}

int main(void)
{
	static const char *const all[] = { "kmem:*", "percpu:*" };
	bool good;

	test_plan(1 + 3 + 3 + 4 + 5 + 2);
	/* the test waits for thousands of grace periods */
	file_set("/sys/kernel/rcu_expedited", "1");
	test_result(!module_load(PARAMS) && !client_load(), "modules load");
	check_stacktrace();
	check_enable_event();
	check_traceoff();
	check_steering();
	good = lists("events/enable", "1") && set("set_event", all[0], 0) &&
	       set("set_event", all[1], 0) && lists(KFREE "filter", "none");
	test_result(good, "all events are enabled, as after load");
	test_result(!client_unload() && !module_unload(), "modules unload");
	return test_exit();
}
