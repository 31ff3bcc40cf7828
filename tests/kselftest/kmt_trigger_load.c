// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers fire exactly as often as they may while all CPUs allocate; and
 * steering events by the thousand loses nothing that should be there, neither
 * records nor memory.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kmt_test.h"

/* as many as fit while nobody has time to read */
#define PARAMS	 "subbufs=32 subbuf_size=1048576"
#define STORM	 20000 /* objects of each CPU */
#define REWRITES 10000
#define PASSES	 10 /* over rewrites[], before records are looked at */
#define SLICE	 1000 /* objects of each CPU, again and again meanwhile */
#define STACK	 KMT_FEATURE_BIT(6)

#define KMALLOC	   "events/kmem/kmalloc/"
#define KFREE	   "events/kmem/kfree/"
#define PAGE_ALLOC "events/kmem/mm_page_alloc/"
#define PAGE_FREE  "events/kmem/mm_page_free/"

/* A line of a control file. */
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

	/* they would fire before, and not be recorded */
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
		test_skip("as many records have a stack", "events were lost");
	else
		test_result(!r.broken && objects == 1000 && frees == 777 && !pages,
			    "as many records have a stack");
	good = set(KMALLOC "trigger", "!stacktrace", 0) &
	       set(KFREE "trigger", "!stacktrace", 0) &
	       set(PAGE_ALLOC "trigger", "!stacktrace", 0);
	records_free(&r);
	r = storm();
	objects = count_stacks(&r, KMEMTRACE_EVENT_ALLOC, KMEMTRACE_TYPE_KMALLOC);
	test_result(good && r.count && !objects, "none without triggers");
	records_free(&r);
}

/* CPUs race for who disables it and who enables it; each change counts once. */
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
	test_result(good, "disable_event:100, enable_event:100 end both, with the event enabled");
	test_result(r.count + lost == (uint32_t)(end - start) && missing == lost,
		    "what is disabled takes no number");
	good = set(KMALLOC "trigger", "!disable_event:kmem:kfree", 0) &
	       set(PAGE_ALLOC "trigger", "!enable_event:kmem:kfree", 0) &
	       lists(KFREE "enable", "1") & lists(KMALLOC "enable", "1");
	test_result(good, "without triggers the event is as they left it");
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
		    "... and no event is numbered after that");
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
	test_result(good && r.count >= STORM / 10, "traceon:1 of another event starts it");
	records_free(&r);
	good = set("events/percpu/percpu_alloc_percpu/trigger", "!traceon", 0) &
	       set(KMALLOC "trigger", "!traceoff", 0);

	good &= set(KMALLOC "trigger", "traceoff:100 if bytes_req < 300", 0) &
		set(PAGE_ALLOC "trigger", "traceon:100", 0);
	r = storm();
	good &= lists(KMALLOC "trigger", "traceoff:count=0 if bytes_req < 300") &
		lists(PAGE_ALLOC "trigger", "traceon:count=0");
	test_result(good && !r.broken && r.count, "traceoff:100, traceon:100 end both");
	records_free(&r);
	set(KMALLOC "trigger", "!traceoff", 0);
	set(PAGE_ALLOC "trigger", "!traceon", 0);
	/* which may have switched it on once more after we had it off */
	control_set("enabled", "0");
	readers_start();
	r = readers_stop();
	records_free(&r);
}

/* --- steering under load -------------------------------------------------------------- */

/* Nothing of this is about kfree, which lacks bytes_req. */
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

/* The pauses are for machines so fast that nobody could hold the records. */
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

/* What the client frees by kfree() in one storm; see tests/kmod/kmt_client.c. */
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
 * struct steered - what became of thousands of writes
 * @writes: how many
 * @wrong: whose verdict was not the one that it should be
 * @lost: events
 * @unaccounted: neither recorded nor lost
 * @frees: of the client, recorded
 * @frees_missing: not recorded
 * @broken: streams
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
 * struct memory - what is in use
 * @own: objects that the module itself has, as it accounts them
 * @strings: copies of what was written, which others make as well
 * @kb: slabs, vmalloc and percpu memory of the whole kernel
 */
struct memory {
	long own, strings, kb;
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
	return m;
}

static void check_steering(void)
{
	struct steered s = { 0 };
	struct memory before, after;
	double begun = test_seconds();
	int writes;

	steer_round(&s); /* what is only allocated once, is now */
	writes = test_scaled(REWRITES, s.writes, begun, 300);
	s.writes = 0;
	before = memory_in_use();
	while (s.writes < writes)
		steer_round(&s);
	usleep(200000); /* what is freed after a grace period */
	after = memory_in_use();
	test_note("%d writes in %.0f s; %lu lost, %lu unaccounted for; of the client's frees %lu are recorded, %lu not",
		  s.writes, test_seconds() - begun, s.lost, s.unaccounted,
		  s.frees, s.frees_missing);
	test_note("objects of the module %ld, then %ld; copies of strings %ld, then %ld; memory %ld kB, then %ld kB",
		  before.own, after.own, before.strings, after.strings,
		  before.kb, after.kb);
	test_result(!s.wrong, "%d writes under load, each with the right verdict",
		    s.writes);
	test_result(!s.unaccounted && !s.broken, "events made = records + lost");
	test_result(s.frees && s.frees_missing <= s.lost,
		    "each free of the client is recorded or lost");
	/* a leak would be one for every 22 writes */
	test_result(after.own - before.own < s.writes / 200 &&
			    after.strings - before.strings < s.writes / 50,
		    "no object of the module is left over");
	test_result(after.kb - before.kb < 4096, "the kernel's memory grows by less than 4 MB");
}

int main(void)
{
	static const char *const all[] = { "kmem:*", "percpu:*" };
	bool good;

	test_plan(1 + 3 + 3 + 4 + 5 + 2);
	/* thousands of grace periods are to come, on a slow machine */
	file_set("/sys/kernel/rcu_expedited", "1");
	test_result(!module_load(PARAMS) && !client_load(), "modules load");
	check_stacktrace();
	check_enable_event();
	check_traceoff();
	check_steering();
	good = lists("events/enable", "1") && set("set_event", all[0], 0) &&
	       set("set_event", all[1], 0) && lists(KFREE "filter", "none");
	test_result(good, "all events are enabled as at first");
	test_result(!client_unload() && !module_unload(), "modules unload");
	return test_exit();
}
