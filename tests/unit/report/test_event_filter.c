// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filters on records: the fields that they read, and their messages. The tests of lib/
 * cover the filter language.
 */
#include <stdio.h>

#include "base/msg.h"
#include "report/event_filter.h"
#include "unit.h"

static struct input in;
static char *said; /* messages on stderr */
static size_t said_size;
static FILE *old_stderr;

static void setup(void)
{
	static char meta[] = "release=6.12\ncpus=4\n";

	in = (struct input){ .meta = meta, .names = names_create() };
	names_add_kallsyms(in.names, "ffffffff81000000 T alpha\n"
				     "ffffffff81000020 T beta\n"
				     "ffffffff81000040 T gamma\n");
	names_add_caches(in.names, "1 8 8 first\n2 8 8 second\n");
}

static void teardown(void)
{
	names_destroy(in.names);
}

static void listen(void)
{
	old_stderr = stderr;
	stderr = open_memstream(&said, &said_size);
}

/* Return: the messages since listen(); the caller frees them. */
static char *heard(void)
{
	fclose(stderr);
	stderr = old_stderr;
	return said;
}

static struct kmt_extra task(const char *comm)
{
	struct kmt_extra x = { .pid = 7, .tgid = 6, .cgroup = 99 };

	strcpy(x.comm, comm);
	return x;
}

/* Encode @made as a record, decode it, and match the result. */
static bool match_record(struct event_filter *f, const struct kmt_event *made,
			 const struct kmt_extra *x, u32 features, uint32_t cpu)
{
	uint8_t rec[KMT_RECORD_MAX];
	struct kmt_event ev;
	struct extra e;

	unit_record(rec, made, x, features, &ev);
	memset(&e, 0xee, sizeof(e));
	extra_init(&e, &in);
	extra_take(&e, &(struct merged){ .ev = ev, .cpu = cpu });
	return event_filter_match(f, &ev, &e);
}

static bool matches(const char *text, const struct kmt_event *ev,
		    const struct kmt_extra *x, u32 features, uint32_t cpu)
{
	struct event_filter *f;
	bool result;

	ck_assert_int_eq(event_filter_create(&f, text, &in), EXIT_DONE);
	result = match_record(f, ev, x, features, cpu);
	event_filter_destroy(f);
	return result;
}

/* A filter can read every kind of field. */
START_TEST(fields)
{
	static const struct {
		const char *text;
		bool result;
	} t[] = {
		{ "bytes_req == 100", true },
		{ "bytes_req > 100", false },
		{ "common_seq == 3", true },
		{ "time >= 5us && time < 6us", true },
		{ "cache_id == 2", true },
		{ "cache == \"second\"", true },
		{ "cache ~ \"first*\"", false },
		{ "name ~ \"sec*\"", true },
		{ "pid == 7 && tgid == 6", true },
		{ "comm == \"make\"", true },
		{ "cgroup == 99", true },
		{ "cgroup == 98 || comm ~ \"m*\" && cpu == 3", true },
		{ "cpu & CPUS{0-2}", false },
		{ "cpu & CPUS{2-3}", true },
		{ "call_site.function == alpha", true },
		{ "call_site.function == beta", false },
		{ "call_site.function == 0xffffffff8100001f", true },
		{ "order > 0", false },	 /* not in records of caches */
		{ "order <= 0", false },
		{ "!(order > 0)", false },
	};
	struct kmt_event ev = unit_alloc(3, KMEMTRACE_TYPE_CACHE, 0x1000, 100);
	struct kmt_extra x = task("make");
	size_t i;

	setup();
	ev.time = 5500;
	ev.cache = 2;
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		ck_assert_msg(matches(t[i].text, &ev, &x, KMT_FEATURES_ALL,
				      3) == t[i].result,
			      "%s", t[i].text);
	teardown();
}
END_TEST

/*
 * Fields that were not recorded are reported. Fields that a kind of event never has are
 * not.
 */
START_TEST(missing_fields)
{
	static const u32 basic = KMT_FEATURES_ALL & ~KMT_FEATURES_EXTRA;
	struct kmt_event alloc = unit_alloc(1, KMEMTRACE_TYPE_CACHE, 64, 10);
	struct kmt_event gone = unit_free(2, KMEMTRACE_TYPE_KMALLOC, 64);
	struct kmt_extra x = task("make");
	struct event_filter *f;
	char *text;
	int i;

	setup();
	alloc.cache = 5; /* has no name */
	ck_assert_int_eq(event_filter_create(&f, "bytes_req > 50 && order < 3 || cache ~ \"*\" || comm == \"make\"",
					     &in), EXIT_DONE);
	for (i = 0; i < 3; i++)
		ck_assert(!match_record(f, &alloc, &x, basic, 0));
	for (i = 0; i < 4; i++)
		ck_assert(!match_record(f, &gone, &x, basic, 0));
	ck_assert(!match_record(f, &alloc, &x, 0, 0));
	/* matching records are not reported */
	ck_assert(match_record(f, &gone, &x, KMT_FEATURES_ALL, 0));
	alloc.cache = 1;
	ck_assert(match_record(f, &alloc, &x, basic, 0));
	listen();
	event_filter_note(f);
	text = heard();
	ck_assert_str_eq(text,
		"kmemtrace-user: 1 record had no field cache: record with --features cache\n"
		"kmemtrace-user: 8 records had no field comm: record with --features task\n"
		"kmemtrace-user: 3 records had no field cache: the cache has no name\n");
	free(text);
	event_filter_destroy(f);
	teardown();
}
END_TEST

static char *refused(const char *text)
{
	struct event_filter *f = (void *)1;

	listen();
	ck_assert_int_eq(event_filter_create(&f, text, &in), EXIT_USAGE);
	ck_assert_ptr_null(f);
	return heard();
}

START_TEST(errors_are_drawn)
{
	char *text, *line;

	setup();
	text = refused("pid ==\t1 & \x1b");
	ck_assert_str_eq(text,
		"kmemtrace-user: --filter: Too many terms in predicate expression\n"
		"  pid == 1 & ?\n"
		"           ^\n");
	free(text);
	text = refused("cpu & CPUS{0-4}"); /* the recording has 4 CPUs */
	ck_assert_ptr_nonnull(strstr(text, "Invalid cpulist"));
	free(text);
	text = refused("call_site.function == delta");
	ck_assert_ptr_nonnull(strstr(text, "Function not found"));
	free(text);
	text = refused("");
	ck_assert_ptr_nonnull(strstr(text, "No filter found"));
	free(text);

	text = refused("moon == 1");
	ck_assert_ptr_nonnull(strstr(text, "  fields: call_site "));
	ck_assert_ptr_nonnull(strstr(text, " cache\n"));
	ck_assert_ptr_nonnull(strstr(text, " stack"));
	ck_assert_ptr_null(strstr(text, "age"));
	ck_assert_ptr_null(strstr(text, "No recording"));
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		ck_assert_uint_lt(strlen(line), 80);
	free(text);
	text = refused("pid == 1 || age > 1s");
	ck_assert_ptr_nonnull(strstr(text, "No recording has that field"));
	free(text);
	teardown();
}
END_TEST

/* The number of CPUs of a raw file is not known: CPU lists may have any CPU. */
START_TEST(no_meta)
{
	struct kmt_event ev = unit_free(1, 0, 64);
	struct kmt_extra x = task("");

	setup();
	in.meta = NULL;
	ck_assert(matches("cpu & CPUS{8000-8191}", &ev, &x, 0, 8100));
	teardown();
}
END_TEST

UNIT_MAIN("event_filter", fields, missing_fields, errors_are_drawn, no_meta)
