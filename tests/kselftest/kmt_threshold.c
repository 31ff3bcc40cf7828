// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers and filters with data from accounting: live bytes and objects of the tag of an
 * event's call site, and the age of memory when it is freed. For example, expensive
 * stack traces are recorded only for a site that exceeds a limit.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kmt_test.h"

#define KMALLOC "events/kmem/kmalloc/"
#define SIZE	1000
#define COUNT	200

static struct records r;

static void begin(void)
{
	readers_start();
	control_set("enabled", "1");
}

static void end(void)
{
	control_set("enabled", "0");
	r = readers_stop();
	records_sort(&r);
}

/* Return: the next allocation of the client, in order; NULL at the end. */
static const struct kmt_event *next_alloc(size_t *i)
{
	while (*i < r.count) {
		const struct kmt_event *ev = &r.rec[(*i)++].ev;

		if (is_client_alloc(ev))
			return ev;
	}
	return NULL;
}

/* Return: the number of allocations before the first one with a stack; -1: none has. */
static int first_with_stack(bool *rest_has)
{
	const struct kmt_event *ev;
	int n = 0, first = -1;
	size_t i = 0;

	*rest_has = true;
	for (; (ev = next_alloc(&i)); n++) {
		bool has = ev->features & KMT_FEATURE_STACK;

		if (has && first < 0)
			first = n;
		if (first >= 0)
			*rest_has &= has;
	}
	return first;
}

static int others_with_stack(void)
{
	size_t i;
	int n = 0;

	for (i = 0; i < r.count; i++)
		n += (r.rec[i].ev.features & KMT_FEATURE_STACK) &&
		     strcmp(symbol_name(r.rec[i].ev.call_site),
			    "client_kmalloc_alloc");
	return n;
}

static void check_live(void)
{
	/* the number of objects that do not exceed 64 KiB */
	int fit = 65536 / kmalloc_bytes(SIZE);
	int first, others;
	bool rest;

	begin();
	control_set(KMALLOC "trigger",
		    "stacktrace if live_objects > 100 && bytes_req == 1000");
	client_run("hold kmalloc %d %d", SIZE, COUNT);
	end();
	first = first_with_stack(&rest);
	others = others_with_stack();
	test_note("the first with a stack is number %d", first + 1);
	test_result(first == 100 && rest && !others,
		    "live_objects > 100: records have a stack from the 101st on");
	records_free(&r);
	control_set(KMALLOC "trigger", "!stacktrace");
	client_run("drop kmalloc %d 0", SIZE);

	begin();
	control_set(KMALLOC "trigger", "stacktrace if live_bytes > 64K && bytes_req == 1000");
	client_run("hold kmalloc %d %d", SIZE, COUNT);
	end();
	first = first_with_stack(&rest);
	test_note("the first with a stack is number %d", first + 1);
	test_result(first == fit && rest,
		    "live_bytes > 64K: records have a stack above this limit");
	records_free(&r);
	control_set(KMALLOC "trigger", "!stacktrace");
	client_run("drop kmalloc %d 0", SIZE);
}

static int client_frees(void)
{
	size_t i;
	int n = 0;

	for (i = 0; i < r.count; i++)
		n += is_client_free(&r.rec[i].ev);
	return n;
}

static void check_age(void)
{
	int young, old;

	client_run("hold kmalloc %d 50", SIZE);
	usleep(1500000);
	control_set("events/kmem/kfree/filter", "age > 1s");
	begin();
	client_run("kmalloc %d 30", SIZE); /* freed at once */
	client_run("drop kmalloc %d 0", SIZE);
	end();
	old = client_frees();
	records_free(&r);
	control_set("events/kmem/kfree/filter", "age < 1s");
	client_run("hold kmalloc %d 50", SIZE);
	usleep(1500000);
	begin();
	client_run("kmalloc %d 30", SIZE);
	client_run("drop kmalloc %d 0", SIZE);
	end();
	young = client_frees();
	records_free(&r);
	control_set("events/kmem/kfree/filter", "0");
	test_note("%d frees of old objects, %d of young ones", old, young);
	test_result(old == 50 && young == 30,
		    "age distinguishes frees of old and of new objects");
}

/* Without accounting, live_bytes is not known, and no expression with it matches. */
static void check_unknown(void)
{
	size_t i = 0;

	file_set("/proc/sys/vm/mem_profiling", "0");
	control_set(KMALLOC "filter", "live_bytes >= 0 || !(live_bytes >= 0)");
	begin();
	client_run("kmalloc %d 30", SIZE);
	end();
	test_result(!next_alloc(&i),
		    "without accounting, no filter with live_bytes matches");
	records_free(&r);
	control_set(KMALLOC "filter", "0");
	file_set("/proc/sys/vm/mem_profiling", "1");
}

/* The first address of a stack is the call site of its record. */
static void check_stack(void)
{
	const struct kmt_event *ev;
	int wrong = 0, n = 0;
	size_t i;

	control_set("features", "stack task cgroup");
	begin();
	client_run("kmalloc %d 30", SIZE);
	client_run("pages 1 30");
	end();
	control_set("features", "none");
	for (i = 0; i < r.count; i++) {
		ev = &r.rec[i].ev;
		if (!strstr(symbol_name(ev->call_site), "client_"))
			continue;
		n++;
		wrong += !r.rec[i].depth || r.rec[i].first != ev->call_site ||
			 (ev->features & KMT_FEATURES_EXTRA) !=
				 KMT_FEATURES_EXTRA;
	}
	test_note("%d records, %d wrong", n, wrong);
	test_result(n >= 120 && !wrong, "stacks begin with the call site");
	records_free(&r);
}

/* The module checks one stack in 4,096 with the kernel's unwinder. */
static void check_many_stacks(void)
{
	uint64_t wrong;

	control_set("features", "stack");
	begin();
	client_run("storm 0 20000");
	end();
	control_set("features", "none");
	wrong = stat_get("call_site_mismatches");
	test_note("%zu stacks, %lu mismatches", r.count, wrong);
	test_result(r.count > 40000 && !wrong,
		    "stacks agree with those of the kernel's unwinder");
	records_free(&r);
}

int main(void)
{
	test_plan(1 + 2 + 1 + 1 + 1 + 1 + 1);
	test_result(!module_load("") && !client_load(), "modules load");
	check_live();
	check_age();
	check_unknown();
	check_stack();
	check_many_stacks();
	test_result(!client_unload() && !module_unload(), "modules unload");
	return test_exit();
}
