// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random recordings are analysed by one thread and by two. Both find the same sums, and
 * bounds that include the truth.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "base/msg.h"
#include "report/halves.h"
#include "trace/writer.h"
#include "unit.h"

#define EVENTS	20000
#define CPUS	3
#define RUN	50 /* events of a CPU, one after the other */
#define OBJECTS 600
#define SITES	40
#define PAGE	4096ull

/* an address, and what is there */
static struct object {
	uint64_t ptr;
	uint64_t bytes;
	uint64_t site;
	uint8_t type;
} objects[OBJECTS];

static char path[64];
static unsigned int seed;

/* number of the pthread_create() that fails; 0: none */
static unsigned int fail_at;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*run)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*run)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*run)(void *), void *arg)
{
	if (fail_at && !--fail_at)
		return EAGAIN;
	return __real_pthread_create(thread, attr, run, arg);
}

static unsigned int below(unsigned int n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/* Blocks of pages are of order 2. They lie in both halves, as the objects do. */
static void make_objects(void)
{
	unsigned int i;

	memset(objects, 0, sizeof(objects));
	for (i = 0; i < OBJECTS; i++) {
		objects[i].type = i % (KMEMTRACE_TYPE_PERCPU + 1);
		objects[i].ptr = 0xffff888000000000ull + i * 64;
		if (objects[i].type == KMEMTRACE_TYPE_PAGES)
			objects[i].ptr = 0xffff888100000000ull + i * (PAGE << 13);
	}
}

static struct kmt_event free_of(uint32_t seq, const struct object *o)
{
	struct kmt_event ev = unit_free(seq, o->type, o->ptr);

	ev.order = o->type == KMEMTRACE_TYPE_PAGES ? 2 : 0;
	return ev;
}

/* Makes the free of a block that of the huge page of 1 GiB around it. */
static void free_huge_page(struct kmt_event *ev)
{
	unsigned int i;

	ev->order = 18;
	ev->ptr &= ~((PAGE << 18) - 1);
	for (i = 0; i < OBJECTS; i++)
		if ((objects[i].ptr & ~((PAGE << 18) - 1)) == ev->ptr)
			objects[i].bytes = 0;
}

/* Some allocations fail, some frees have another type, and some free nothing. */
static struct kmt_event random_event(uint32_t seq, bool huge)
{
	struct object *o = &objects[below(OBJECTS)];
	struct kmt_event ev;

	if (o->bytes || !below(20)) {
		ev = free_of(seq, o);
		if (o->type < KMEMTRACE_TYPE_PAGES && !below(10))
			ev.type_id = !ev.type_id;
		if (huge && o->type == KMEMTRACE_TYPE_PAGES && !below(20))
			free_huge_page(&ev);
		o->bytes = 0;
	} else {
		o->site = 0xffffffff81000000ull + below(SITES) * 16;
		o->bytes = o->type == KMEMTRACE_TYPE_PAGES ? PAGE << 2 :
							     8 + 8 * below(30);
		ev = unit_alloc(seq, o->type, o->ptr, o->bytes);
		ev.call_site = o->site;
		if (!below(50))
			ev.ptr = o->bytes = 0;
	}
	ev.time = 1000 + seq;
	return ev;
}

/* With @lose, 1 of so many events is lost. */
static void write_random(unsigned int lose)
{
	static uint8_t buf[RUN * KMT_RECORD_MAX];
	static const char meta[] = "seq_start=1\npage_size=4096\n";
	struct trace_writer *w;
	unsigned int lost = 0;
	uint32_t seq = 1, cpu;
	char end[100];
	uint8_t *to;

	snprintf(path, sizeof(path), "/tmp/kmt_test_halves.%d", getpid());
	unlink(path);
	make_objects();
	ck_assert_int_eq(trace_writer_create(path, &w), 0);
	trace_writer_text(w, TRACE_META, meta, strlen(meta));
	while (seq <= EVENTS) {
		cpu = below(CPUS);
		for (to = buf; to == buf || seq % RUN; seq++) {
			/* a lost free is at most that of one allocation */
			struct kmt_event ev = random_event(seq, !lose);

			if (lose && !below(lose))
				lost++;
			else
				to = unit_put(to, &ev,
					      KMT_FEATURE_TIME | KMT_FEATURE_PAGE);
		}
		trace_writer_data(w, cpu, buf, to - buf, seq, true);
	}
	snprintf(end, sizeof(end), "seq_end=%u\nlost_events=%u\n", seq, lost);
	trace_writer_text(w, TRACE_END, end, strlen(end));
	ck_assert_int_eq(trace_writer_destroy(w, true), 0);
}

/* With @readers 1, a thread is missing, so that halves cannot be used. */
static void analyse(struct analysis *a, bool halves, unsigned int readers)
{
	char *paths[] = { path };
	const struct window *w;
	struct input in;

	ck_assert_int_eq(input_open(&in, paths, 1), EXIT_DONE);
	in.threads = halves ? INPUT_THREADS_ALWAYS : INPUT_THREADS_NONE;
	in.readers = 2;
	analysis_init(a, BY_SITE, in.page_size);
	ck_assert_int_eq(input_begin(&in, false), EXIT_DONE);
	if (in.readers == 2) {
		halves_add(a, &in);
	} else {
		while ((w = input_next(&in)))
			analysis_add_window(a, w);
		analysis_end(a, merge_stats(in.merge)->missing);
	}
	ck_assert_int_eq(in.err, 0);
	ck_assert_uint_eq(in.readers, halves && readers == 2 ? 2 : 1);
	input_close(&in);
}

static void compare_groups(const struct group *one, const struct group *two)
{
	ck_assert_uint_eq(one->key, two->key);
	ck_assert_uint_eq(one->type, two->type);
	ck_assert_uint_eq(one->allocs, two->allocs);
	ck_assert_uint_eq(one->frees, two->frees);
	ck_assert_uint_eq(one->req, two->req);
	ck_assert_uint_eq(one->alloc, two->alloc);
	ck_assert_uint_eq(one->freed, two->freed);
	ck_assert_uint_eq(one->freed_req, two->freed_req);
	ck_assert_uint_eq(one->failed, two->failed);
	ck_assert_uint_eq(one->remote_frees, two->remote_frees);
	ck_assert_uint_eq(one->implicit, two->implicit);
	ck_assert_uint_eq(one->largest, two->largest);
	ck_assert_uint_eq(one->first, two->first);
}

static void compare(const struct analysis *one, const struct analysis *two)
{
	size_t i;

	ck_assert_uint_eq(one->groups.count, two->groups.count);
	for (i = 0; i < one->groups.count; i++)
		compare_groups(&one->groups.groups[i], &two->groups.groups[i]);
	for (i = 0; i < SITE_KINDS; i++) {
		ck_assert_uint_eq(one->sums[i].live, two->sums[i].live);
		ck_assert_uint_eq(one->sums[i].objects, two->sums[i].objects);
		ck_assert_uint_eq(one->sums[i].implicit, two->sums[i].implicit);
		ck_assert_uint_eq(one->sums[i].unmatched, two->sums[i].unmatched);
		ck_assert_uint_eq(one->sums[i].uncertain, two->sums[i].uncertain);
		ck_assert_uint_eq(one->sums[i].largest, two->sums[i].largest);
	}
	for (i = 0; i < ANALYSIS_TYPES; i++) {
		ck_assert_uint_eq(one->frees[i], two->frees[i]);
		ck_assert_uint_eq(one->allocs[i], two->allocs[i]);
		ck_assert_uint_eq(one->failed[i], two->failed[i]);
	}
	ck_assert_uint_eq(one->cross_frees, two->cross_frees);
	ck_assert_uint_eq(one->remote_frees, two->remote_frees);
	ck_assert_uint_eq(one->lost, two->lost);
	ck_assert_uint_eq(one->time_first, two->time_first);
	ck_assert_uint_eq(one->time_last, two->time_last);
}

/* Return: live bytes of a site and type in truth. */
static uint64_t truth(const struct group *g)
{
	uint64_t live = 0;
	size_t i;

	for (i = 0; i < OBJECTS; i++)
		if (objects[i].bytes && objects[i].site == g->key &&
		    objects[i].type == g->type)
			live += objects[i].bytes;
	return live;
}

static void check_truth(const struct analysis *a)
{
	struct analysis_bounds b;
	size_t i;

	for (i = 0; i < a->groups.count; i++) {
		const struct group *g = &a->groups.groups[i];

		analysis_bounds(a, g, &b);
		ck_assert_uint_le(b.low, truth(g));
		ck_assert_uint_ge(b.high, truth(g));
	}
}

static void compare_ways(unsigned int lose)
{
	struct analysis one, two;

	for (seed = 1; seed < 1000000007; seed += 125000000) {
		unsigned int next = seed;

		write_random(lose);
		analyse(&one, false, 1);
		analyse(&two, true, 2);
		compare(&one, &two);
		check_truth(&one);
		check_truth(&two);
		ck_assert_int_eq(two.lost > 0, lose > 0);
		ck_assert_uint_gt(two.sums[SITE_PAGE].live, 0);
		ck_assert_uint_gt(two.sums[SITE_SLAB].unmatched, 0);
		analysis_exit(&one);
		analysis_exit(&two);
		unlink(path);
		seed = next;
	}
}

START_TEST(find_the_same)
{
	compare_ways(0);
}
END_TEST

START_TEST(find_bounds_after_losses)
{
	compare_ways(1000);
	compare_ways(30);
}
END_TEST

/* Reading, merging, and the second half have a thread each. */
START_TEST(without_a_thread)
{
	struct analysis one, two;
	unsigned int i;

	seed = 7;
	write_random(0);
	analyse(&one, false, 1);
	for (i = 1; i <= 3; i++) {
		fail_at = i;
		analyse(&two, true, i <= 2 ? 1 : 2);
		ck_assert_uint_eq(fail_at, 0);
		compare(&one, &two);
		analysis_exit(&two);
	}
	analysis_exit(&one);
	unlink(path);
}
END_TEST

UNIT_MAIN("halves", find_the_same, find_bounds_after_losses, without_a_thread)
