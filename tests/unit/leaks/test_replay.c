// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording as an observation: its samples are compared with those of a list of all
 * objects, at random lifetimes, with and without losses.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/msg.h"
#include "leaks/findings.h"
#include "leaks/replay.h"
#include "leaks/witness.h"
#include "random.h"
#include "trace/writer.h"
#include "unit.h"

#define SECONDS 60
#define EVENTS	20000
#define SITES	4
/* the site that leaks, and that of pages */
#define LEAKS 2
#define PAGES 3

#define SITE(i) (0xffffffff81000010ull + (i) * 0x100)

static const char kallsyms[] = "ffffffff81000000 T first\n"
			       "ffffffff81000100 T second\n"
			       "ffffffff81000200 T loses\n"
			       "ffffffff81000300 T allocate_slab\n"
			       "ffffffff81000400 T frees\n";

static const char gfp[] = "0x10 __GFP_RECLAIMABLE\n0x20 __GFP_HIGH\n";
static const char caches[] = "3 64 64 files\n4 192 192 dentry reclaimable\n";

struct object {
	size_t site;
	uint64_t ptr;
	uint64_t bytes;
	uint64_t birth;
	uint64_t death; /* 0: live at the end */
};

static struct object objects[EVENTS];
static size_t nr_objects, oldest;
static uint64_t first, last;
static char path[64];

/* --- the recording ----------------------------------------------------------- */

static struct trace_writer *writer;
static uint32_t seq;

/* of the allocations of the site that leaks */
static int leak_type = KMEMTRACE_TYPE_KMALLOC;
static uint64_t leak_gfp;
static uint32_t leak_cache;

static void put(struct kmt_event ev, uint64_t time)
{
	uint8_t buf[256];

	ev.seq = seq++;
	ev.time = time;
	if (ev.type_id == KMEMTRACE_TYPE_PAGES)
		ev.features = KMT_FEATURE_PAGE;
	trace_writer_data(writer, 0, buf,
			  unit_put(buf, &ev, KMT_FEATURE_TIME | ev.features) - buf,
			  seq, true);
}

static void allocate(uint64_t *random, size_t site, uint64_t time)
{
	struct object *o = &objects[nr_objects++];
	int type = site == PAGES ? KMEMTRACE_TYPE_PAGES :
		   site == LEAKS ? leak_type : KMEMTRACE_TYPE_KMALLOC;
	struct kmt_event ev;

	*o = (struct object){ .site = site, .ptr = 0x100000 + 0x1000 * nr_objects,
			      .bytes = site == PAGES ? 4096 :
						       8 + random_below(random, 500) * 8,
			      .birth = time };
	ev = unit_alloc(0, type, o->ptr, o->bytes);
	ev.call_site = SITE(site);
	if (site == LEAKS) {
		ev.gfp_flags = leak_gfp;
		ev.cache = leak_cache;
		ev.features |= leak_cache ? KMT_FEATURE_CACHE : 0;
	}
	put(ev, time);
}

static void release(struct object *o, uint64_t time)
{
	struct kmt_event ev = unit_free(0, o->site == PAGES ? KMEMTRACE_TYPE_PAGES :
							     KMEMTRACE_TYPE_KMALLOC, o->ptr);

	ev.call_site = SITE(4);
	o->death = time;
	put(ev, time);
}

static bool is_freeable(const struct object *o)
{
	return !o->death && o->site != LEAKS;
}

/* Frees the oldest object, or one of the last ones, but none of the site that leaks. */
static void release_one(uint64_t *random, uint64_t time)
{
	struct object *o;
	size_t i;

	while (oldest < nr_objects && !is_freeable(&objects[oldest]))
		oldest++;
	if (oldest == nr_objects)
		return;
	i = nr_objects - 1 - random_below(random, 300);
	o = i < nr_objects && random_below(random, 2) ? &objects[i] : &objects[oldest];
	release(is_freeable(o) ? o : &objects[oldest], time);
}

/* further lines of END */
static const char *end_lines = "";

/* @lose: number of events that are lost at each of @gaps moments of equal distance */
static void write_recording(uint64_t seed, uint32_t lose, uint32_t gaps, const char *meta_lines)
{
	uint64_t random = seed, time = 1000000007;
	char meta[256], end[256];
	int i;

	snprintf(path, sizeof(path), "/tmp/kmt_test_replay.%d", getpid());
	unlink(path);
	nr_objects = oldest = 0;
	seq = 5;
	first = time;
	ck_assert_int_eq(trace_writer_create(path, &writer), 0);
	snprintf(meta, sizeof(meta),
		 "release=6.12-test\nseq_start=5\npage_size=4096\n%s", meta_lines);
	trace_writer_text(writer, TRACE_META, meta, strlen(meta));
	trace_writer_text(writer, TRACE_KALLSYMS, kallsyms, strlen(kallsyms));
	trace_writer_text(writer, TRACE_GFP, gfp, strlen(gfp));
	trace_writer_text(writer, TRACE_CACHES, caches, strlen(caches));
	for (i = 0; i < EVENTS / 2; i++) {
		if (gaps && i && i % (EVENTS / 2 / (gaps + 1)) == 0)
			seq += lose;
		time += 1 + random_below(&random, 2 * SECONDS * 100000u / (EVENTS / 2) * 10000u);
		if (i % 16 == 5)
			allocate(&random, LEAKS, time);
		else if (random_below(&random, 32) < 15)
			allocate(&random, random_below(&random, 2) ? PAGES : random_below(&random, 2), time);
		else
			release_one(&random, time);
	}
	/* the last event has the last time */
	allocate(&random, 0, ++time);
	last = time;
	snprintf(end, sizeof(end),
		 "lost_events=%u\nlost_bytes=%u\nlost_events.cpu0=%u\nbuffer_bytes_per_cpu=262144\n%s",
		 lose * gaps, 40 * lose * gaps, lose * gaps, end_lines);
	trace_writer_text(writer, TRACE_END, end, strlen(end));
	ck_assert_int_eq(trace_writer_destroy(writer, true), 0);
}

/* --- the reference ------------------------------------------------------------ */

/* Objects whose free was lost count as live. */
static uint64_t live_until(const struct object *o)
{
	return o->death ? o->death : last + 1;
}

static const struct observed *row_of(const struct replay *r, size_t site)
{
	char name[64];
	size_t i;

	snprintf(name, sizeof(name), "%s+0x10 func:%s",
		 site == PAGES ? "allocate_slab" : site == LEAKS ? "loses" :
		 site ? "second" : "first",
		 site == PAGES ? "allocate_slab" : site == LEAKS ? "loses" :
		 site ? "second" : "first");
	for (i = 0; i < r->w.count; i++)
		if (!strcmp(r->sites.location[r->w.row[i].id], name))
			return &r->w.row[i];
	ck_abort_msg("no row for %s", name);
}

static void check_sample(const struct replay *r, size_t site, size_t sample, uint64_t time)
{
	const struct observed *row = row_of(r, site);
	double bytes, objs;
	size_t i, level;

	for (level = 0; level <= r->w.levels; level++) {
		uint64_t age = level ? (uint64_t)r->w.ages.head.tick_ns << (r->w.bits + level - 1) : 0;

		bytes = objs = 0;
		for (i = 0; i < nr_objects; i++) {
			if (objects[i].site != site || objects[i].birth + age > time ||
			    live_until(&objects[i]) <= time)
				continue;
			bytes += objects[i].bytes;
			objs++;
		}
		ck_assert(level ? row->level[level - 1].bytes[sample] == bytes :
				  row->live.bytes[sample] == bytes);
		ck_assert(level ? row->level[level - 1].objects[sample] == objs :
				  row->live.objects[sample] == objs);
	}
}

static void check_ages(const struct replay *r, size_t site, uint64_t time, uint64_t interval)
{
	const struct observed *row = row_of(r, site);
	double older, allocs;
	size_t i, k;

	for (k = 0; k <= r->w.births; k++) {
		older = allocs = 0;
		for (i = 0; i < nr_objects; i++) {
			if (objects[i].site != site)
				continue;
			older += objects[i].birth + (interval << k) <= time &&
				 live_until(&objects[i]) > time;
			allocs += objects[i].birth <=
				  time - (k ? interval << (k - 1) : 0);
		}
		ck_assert(row->older[k] == older);
		ck_assert(row->allocs[k] == allocs);
	}
}

static void check_all(const struct replay *r)
{
	uint64_t interval = r->w.interval * r->w.ages.head.tick_ns;
	uint64_t check = (uint64_t)r->w.ages.head.tick_ns << r->w.bits;
	uint64_t end = last - check;
	size_t site, i;

	ck_assert_uint_ge(end - (r->w.n - 1) * interval, first);
	for (site = 0; site < SITES; site++) {
		for (i = 0; i < r->w.n; i++)
			check_sample(r, site, i, end - (r->w.n - 1 - i) * interval);
		check_sample(r, site, r->w.n, last);
		check_ages(r, site, end, interval);
		ck_assert(row_of(r, site)->slab == (site == PAGES));
	}
}

START_TEST(samples_are_those_of_a_list)
{
	struct replay r;
	uint64_t seed;
	int lose;

	for (seed = 1; seed <= 3; seed++) {
		for (lose = 0; lose < 2; lose++) {
			write_recording(seed, lose, 4, "");
			ck_assert_int_eq(replay_read(&r, path, 1), EXIT_DONE);
			ck_assert_uint_gt(r.w.n, 50);
			ck_assert_str_eq(r.release, "6.12-test");
			ck_assert_uint_eq(r.w.lost, 4 * lose);
			ck_assert_int_eq(r.status, lose ? EXIT_LOST : EXIT_DONE);
			check_all(&r);
			replay_free(&r);
		}
	}
	unlink(path);
}
END_TEST

START_TEST(the_leak_is_named_with_its_path)
{
	struct witness witness;
	struct findings f;
	struct replay r;
	bool *wanted;

	write_recording(1, 0, 0, "");
	ck_assert_int_eq(replay_read(&r, path, 1), EXIT_DONE);
	findings_make(&f, &r.w, &r.sites);
	findings_confirm(&f, &r.w);
	ck_assert_uint_eq(f.named, 1);
	ck_assert_str_eq(f.finding[0].location, "loses+0x10 func:loses");
	ck_assert(f.finding[0].survive == 1);
	wanted = findings_wanted(&f, &r.sites, WITNESS_SITES);
	ck_assert_ptr_nonnull(wanted);
	ck_assert_int_eq(witness_read_tags(&witness, path, &r.sites.tags, wanted, NULL),
			 EXIT_DONE);
	free(wanted);
	/* of the other sites, nothing is taken */
	ck_assert_uint_eq(witness.paths.count, 1);
	ck_assert_uint_eq(witness.paths.path[0].site, SITE(LEAKS));
	ck_assert_uint_eq(witness.paths.path[0].frees, 0);
	ck_assert_uint_eq(witness.paths.nr_freed, 0);
	witness_free(&witness);
	findings_free(&f);
	replay_free(&r);
	unlink(path);
}
END_TEST

START_TEST(what_can_be_reclaimed_is_a_cache)
{
	static const struct {
		int type;
		uint64_t gfp;
		uint32_t cache;
		enum verdict_kind kind;
	} rows[] = {
		{ KMEMTRACE_TYPE_KMALLOC, 0x30, 0, VERDICT_CACHE },
		{ KMEMTRACE_TYPE_KMALLOC, 0x20, 0, VERDICT_LEAKS },
		{ KMEMTRACE_TYPE_CACHE, 0, 4, VERDICT_CACHE },
		{ KMEMTRACE_TYPE_CACHE, 0, 3, VERDICT_LEAKS },
	};
	struct findings f;
	struct replay r;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		leak_type = rows[i].type;
		leak_gfp = rows[i].gfp;
		leak_cache = rows[i].cache;
		write_recording(1, 0, 0, "");
		ck_assert_int_eq(replay_read(&r, path, 1), EXIT_DONE);
		findings_make(&f, &r.w, &r.sites);
		findings_confirm(&f, &r.w);
		ck_assert_str_eq(f.finding[0].location, "loses+0x10 func:loses");
		ck_assert_int_eq(f.finding[0].v.kind, rows[i].kind);
		ck_assert(f.finding[0].named == (rows[i].kind == VERDICT_LEAKS));
		findings_free(&f);
		replay_free(&r);
	}
	leak_type = KMEMTRACE_TYPE_KMALLOC;
	leak_gfp = leak_cache = 0;
	unlink(path);
}
END_TEST

/* Files, connections and mounts are compared at the start and at the end, but not tasks. */
START_TEST(what_users_hold_is_no_leak)
{
	static const struct {
		const char *start, *end; /* of a line, without the number */
		int before;
		double times;
		const char *held;
	} rows[] = {
		{ "held_files=a7 ", " /tmp/ke\\040pt", 100, 1, "/tmp/ke pt" },
		{ "held_files=a7 ", " /tmp/ke\\040pt", 100, 1.04, "/tmp/ke pt" },
		{ "held_files=a7 ", " /tmp/ke\\040pt", 100, 1.2, NULL },
		{ "held_files=a7 ", "", 100, 1, NULL },
		{ "held_connections=", "", 5, 1, "/proc/sys/net/netfilter/nf_conntrack_count" },
		{ "held_backlogs=3a5f ", " tcp/127.0.0.1:80", 9, 1, "tcp/127.0.0.1:80" },
		{ "held_mounts=", "", 30, 1, "/proc/self/mountinfo" },
		{ "held_tasks=", "", 80, 1, NULL },
		{ "held_other=", "", 80, 1, NULL },
	};
	char lines[128];
	struct findings f;
	struct replay r;
	size_t i, leaked = 0;

	write_recording(1, 0, 0, "");
	for (i = 0; i < nr_objects; i++)
		leaked += objects[i].site == LEAKS;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(lines, sizeof(lines), "%s%.0f%s\nstart_%s%d%s\n", rows[i].start,
			 rows[i].before + rows[i].times * leaked, rows[i].end, rows[i].start,
			 rows[i].before, rows[i].end);
		end_lines = lines;
		write_recording(1, 0, 0, "");
		ck_assert_int_eq(replay_read(&r, path, 1), EXIT_DONE);
		findings_make(&f, &r.w, &r.sites);
		findings_confirm(&f, &r.w);
		ck_assert_str_eq(f.finding[0].location, "loses+0x10 func:loses");
		ck_assert_msg(f.named == !rows[i].held, "row %zu", i);
		ck_assert(!f.finding[0].held == !rows[i].held);
		if (rows[i].held)
			ck_assert_str_eq(held_name(f.finding[0].held), rows[i].held);
		findings_free(&f);
		replay_free(&r);
	}
	end_lines = "";
	unlink(path);
}
END_TEST

/*
 * Each lost event may be the free of an object. But if all losses are at one moment, the
 * time before or after it is judged.
 */
START_TEST(losses_are_no_leaks)
{
	static const struct {
		uint32_t lose, gaps;
		size_t named, masked;
		uint64_t buffer;
	} rows[] = {
		{ 0, 0, 1, 0, 0 }, /* none are lost */
		{ 1, 4, 1, 0, 1 << 19 },
		{ 3000, 4, 0, 1, 1 << 20 },
		{ 3000, 1, 1, 0, 1 << 19 },
	};
	struct findings f;
	struct replay r;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t lost = rows[i].lose * rows[i].gaps;
		bool part = rows[i].gaps == 1;

		write_recording(1, rows[i].lose, rows[i].gaps, "");
		ck_assert_int_eq(replay_read(&r, path, 1), EXIT_DONE);
		ck_assert_uint_eq(r.lost, lost);
		ck_assert_uint_eq(r.w.lost, part ? 0 : lost);
		ck_assert_int_eq(r.status, lost ? EXIT_LOST : EXIT_DONE);
		ck_assert_uint_eq(r.buffer, rows[i].buffer);
		ck_assert(!part || (r.to - r.from > 0.4 * SECONDS && r.to - r.from < 0.6 * SECONDS));
		ck_assert(part || (r.from == 0 && r.to > 0.9 * SECONDS));
		findings_make(&f, &r.w, &r.sites);
		findings_confirm(&f, &r.w);
		ck_assert_uint_eq(f.named, rows[i].named);
		ck_assert_uint_eq(f.masked, rows[i].masked);
		ck_assert_str_eq(f.finding[0].location, "loses+0x10 func:loses");
		findings_free(&f);
		replay_free(&r);
	}
	unlink(path);
}
END_TEST

START_TEST(refusals)
{
	struct replay r;

	/* without the frees on other CPUs */
	write_recording(1, 0, 0, "cpus_recorded=0\n");
	ck_assert_int_eq(replay_read(&r, path, 1), EXIT_FAILED);
	replay_free(&r);
	write_recording(1, 0, 0, "");
	/* the check and two levels do not fit into 60 s */
	ck_assert_int_eq(replay_read(&r, path, 30), EXIT_FAILED);
	replay_free(&r);
	unlink(path);
	ck_assert_int_ne(replay_read(&r, path, 1), EXIT_DONE);
	replay_free(&r);
}
END_TEST

/* A large object of kmalloc() has a record as an object, and one as pages. */
START_TEST(large_objects_count_once)
{
	struct kmt_event object, pages;
	uint64_t time = 1000000000;
	struct replay r;
	double sum = 0;
	size_t i;

	snprintf(path, sizeof(path), "/tmp/kmt_test_replay.%d", getpid());
	unlink(path);
	seq = 1;
	ck_assert_int_eq(trace_writer_create(path, &writer), 0);
	trace_writer_text(writer, TRACE_META, "seq_start=1\npage_size=4096\n", 27);
	for (i = 0; i < 40; i++, time += 1000000000) {
		pages = unit_alloc(0, KMEMTRACE_TYPE_PAGES, 0x100000 * (i + 1), 16384);
		object = unit_alloc(0, KMEMTRACE_TYPE_KMALLOC, pages.ptr, 16384);
		pages.call_site = object.call_site = SITE(0);
		put(pages, time);
		put(object, time + 1);
	}
	trace_writer_text(writer, TRACE_END, "lost_events=0\n", 14);
	ck_assert_int_eq(trace_writer_destroy(writer, true), 0);
	ck_assert_int_eq(replay_read(&r, path, 1), EXIT_DONE);
	for (i = 0; i < r.w.count; i++)
		sum += r.w.row[i].live.bytes[r.w.n];
	ck_assert(sum == 40 * 16384);
	replay_free(&r);
	unlink(path);
}
END_TEST

UNIT_MAIN("replay", samples_are_those_of_a_list, the_leak_is_named_with_its_path,
	  what_can_be_reclaimed_is_a_cache,
	  losses_are_no_leaks, what_users_hold_is_no_leak, refusals,
	  large_objects_count_once)
