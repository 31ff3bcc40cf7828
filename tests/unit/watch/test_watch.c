// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "unit.h"
#include "watch/watch.h"

#define SECOND 1000000000ull

/* Rows: kind bytes objects requested allocs frees peak oldest address id location */
#define A "slab 1000 10 900 100 90 2000 5000 ffffffff81000010 1 a.c:1 func:alpha\n"
#define B "page 8192 2 8192 3 1 8192 - ffffffff81000020 2 b.c:2 [mod] func:beta\n"

static struct watch w;
static char stats[128];

static void begin(void)
{
	snprintf(stats, sizeof(stats), "accounting 1\naccounting_since_ns 5\n");
	watch_init(&w, WATCH_SITE);
}

static void refresh_at(uint64_t ns, const char *rows, bool no_ages)
{
	char why[256], text[8192];
	struct tags tags;

	snprintf(text, sizeof(text), "kmemtrace tags - version: 1\n%s", rows);
	ck_assert_int_eq(tags_parse(&tags, text, why, sizeof(why)), 0);
	free(tags.stats);
	tags.stats = strdup(stats);
	tags.no_ages = no_ages;
	watch_refresh(&w, &tags, ns);
	tags_free(&tags);
}

static void read_at(uint64_t seconds, const char *rows)
{
	refresh_at(seconds * SECOND, rows, false);
}

static const struct watch_row *row(const char *name)
{
	uint32_t at = watch_find(&w, name);

	ck_assert_msg(at != WATCH_NONE, "no row %s", name);
	return &w.row[at];
}

/* as from a damaged file */
START_TEST(ages_that_no_machine_has)
{
	begin();
	read_at(1, "slab 50 1 40 1 0 50 9223372036854775807 ffffffff81000030 3 a.c:1 func:alpha\n");
	ck_assert_int_gt(w.row[0].now.oldest_ms, 0);
	refresh_at(UINT64_MAX, "slab 50 1 40 1 0 50 9223372036854775807 ffffffff81000030 3 a.c:1 func:alpha\n",
		   false);
	ck_assert_int_gt(w.row[0].now.oldest_ms, 0);
	watch_exit(&w);
}
END_TEST

START_TEST(rows_are_sums_of_tags)
{
	begin();
	read_at(1, A B "slab 50 1 40 1 0 50 9000 ffffffff81000030 3 a.c:1 func:alpha\n");
	ck_assert_uint_eq(w.rows, 2);
	ck_assert_str_eq(w.row[0].name, "alpha a.c:1");
	ck_assert_str_eq(w.row[1].name, "beta b.c:2 [mod]");
	ck_assert_int_eq(w.row[0].now.bytes, 1050);
	ck_assert_int_eq(w.row[0].now.objects, 11);
	ck_assert_int_eq(w.row[0].now.requested, 940);
	ck_assert_uint_eq(w.row[0].now.allocs, 101);
	ck_assert_int_eq(w.row[0].now.oldest_ms, 9000);
	ck_assert_uint_eq(w.row[0].tags, 2);
	ck_assert_int_eq(w.row[1].now.oldest_ms, -1);
	ck_assert_uint_eq(watch_find(&w, "gamma"), WATCH_NONE);
	watch_exit(&w);
}
END_TEST

START_TEST(tags_that_never_allocated_are_ignored)
{
	begin();
	read_at(1, "slab 0 0 0 0 0 0 - ffffffff81000040 0 c.c:1 func:never\n" A);
	ck_assert_uint_eq(w.rows, 1);
	watch_exit(&w);
}
END_TEST

START_TEST(steps_and_changes)
{
	begin();
	read_at(10, A B);
	ck_assert_uint_eq(w.step_ns, 0);
	ck_assert_int_eq(row("alpha a.c:1")->step.bytes, 0);
	read_at(12, "slab 1300 13 1200 110 97 2000 5 ffffffff81000010 1 a.c:1 func:alpha\n" B);
	ck_assert_uint_eq(w.step_ns, 2 * SECOND);
	ck_assert_int_eq(row("alpha a.c:1")->step.bytes, 300);
	ck_assert_uint_eq(row("alpha a.c:1")->step.allocs, 10);
	ck_assert_uint_eq(row("alpha a.c:1")->step.frees, 7);
	ck_assert_int_eq(row("beta b.c:2 [mod]")->step.bytes, 0);
	read_at(13, "slab 1200 12 1100 110 98 2000 5 ffffffff81000010 1 a.c:1 func:alpha\n" B);
	ck_assert_int_eq(row("alpha a.c:1")->step.bytes, -100);
	ck_assert_int_eq(row("alpha a.c:1")->change.bytes, 200);
	ck_assert_int_eq(row("alpha a.c:1")->change.objects, 2);
	/* the same moment again changes nothing */
	read_at(13, A B);
	ck_assert_int_eq(row("alpha a.c:1")->now.bytes, 1200);
	ck_assert_int_eq(row("alpha a.c:1")->step.bytes, -100);
	watch_exit(&w);
}
END_TEST

START_TEST(a_new_tag_has_grown_from_zero)
{
	begin();
	read_at(1, A);
	read_at(2, A B);
	ck_assert_int_eq(row("beta b.c:2 [mod]")->step.bytes, 8192);
	ck_assert_int_eq(row("beta b.c:2 [mod]")->change.bytes, 8192);
	ck_assert_uint_eq(row("beta b.c:2 [mod]")->step.allocs, 3);
	watch_exit(&w);
}
END_TEST

START_TEST(a_tag_that_is_gone_has_shrunk_to_zero)
{
	uint64_t t;

	begin();
	read_at(1, A B);
	read_at(2, A);
	ck_assert_int_eq(row("beta b.c:2 [mod]")->now.bytes, 0);
	ck_assert_int_eq(row("beta b.c:2 [mod]")->step.bytes, -8192);
	ck_assert_int_eq(row("beta b.c:2 [mod]")->change.bytes, -8192);
	ck_assert_uint_eq(row("beta b.c:2 [mod]")->now.allocs, 3);
	ck_assert_uint_eq(row("beta b.c:2 [mod]")->step.allocs, 0);
	/* its row stays as long as its history */
	for (t = 5; t < 5 + 5 * HISTORY_SLOTS; t += 5)
		read_at(t, A);
	ck_assert_uint_eq(w.rows, 2);
	read_at(t + 10, A);
	ck_assert_uint_eq(w.rows, 1);
	ck_assert_int_eq(row("alpha a.c:1")->now.bytes, 1000);
	read_at(t + 11, A B);
	ck_assert_int_eq(row("beta b.c:2 [mod]")->change.bytes, 8192);
	watch_exit(&w);
}
END_TEST

START_TEST(a_long_pause_keeps_the_tags)
{
	begin();
	read_at(1, A B);
	read_at(100000, A B);
	ck_assert_uint_eq(w.rows, 2);
	ck_assert_int_eq(row("alpha a.c:1")->change.bytes, 0);
	ck_assert_uint_eq(w.step_ns, 99999 * SECOND);
	watch_exit(&w);
}
END_TEST

START_TEST(a_new_location_is_the_same_tag)
{
	begin();
	read_at(1, "slab 1000 10 900 100 90 2000 5000 ffffffff81000010 1 f+0x10 func:f\n");
	ck_assert_str_eq(w.row[0].name, "f+0x10");
	read_at(2, A);
	ck_assert_uint_eq(w.rows, 1);
	ck_assert_int_eq(row("alpha a.c:1")->change.bytes, 0);
	watch_exit(&w);
}
END_TEST

START_TEST(an_unloaded_module_is_the_same_tag)
{
	begin();
	read_at(1, B);
	read_at(2, "page 4096 1 4096 3 2 8192 - - 2 b.c:2 [mod] func:beta (unloaded) #1\n");
	ck_assert_uint_eq(w.rows, 1);
	ck_assert_int_eq(row("beta b.c:2 [mod] (unloaded) #1")->change.bytes, -4096);
	/* another site that uses the id again is another tag */
	read_at(3, "page 100 1 100 9 8 100 - ffffffff81000090 2 n.c:1 func:new\n");
	ck_assert_uint_eq(w.rows, 2);
	ck_assert_int_eq(row("new n.c:1")->change.bytes, 100);
	ck_assert_int_eq(row("beta b.c:2 [mod] (unloaded) #1")->change.bytes, -8192);
	watch_exit(&w);
}
END_TEST

START_TEST(an_id_with_lower_counters_is_another_tag)
{
	begin();
	read_at(1, A);
	read_at(2, "slab 10 1 9 1 0 10 0 ffffffff81000010 1 a.c:1 func:alpha\n");
	ck_assert_uint_eq(w.count, 2);
	ck_assert_uint_eq(w.rows, 1);
	ck_assert_int_eq(w.row[0].now.bytes, 10);
	ck_assert_uint_eq(row("alpha a.c:1")->step.allocs, 1);
	ck_assert_uint_eq(row("alpha a.c:1")->step.frees, 0);
	watch_exit(&w);
}
END_TEST

START_TEST(rows_without_an_id_are_found_by_location)
{
	static const char one[] = "slab 8 1 8 1 0 8 - ff 0 a.c:1 func:f\n"
				  "slab 8 1 8 1 0 8 - ff 0 a.c:1 func:f\n"
				  "slab 8 1 8 1 0 8 - ff 0 b.c:1 func:f\n";

	begin();
	read_at(1, one);
	read_at(2, one);
	ck_assert_uint_eq(w.count, 2);
	ck_assert_int_eq(row("f a.c:1")->now.bytes, 16);
	ck_assert_int_eq(row("f a.c:1")->change.bytes, 0);
	watch_exit(&w);
}
END_TEST

START_TEST(a_restart_begins_anew)
{
	begin();
	read_at(1, A B);
	watch_mark(&w);
	snprintf(stats, sizeof(stats), "accounting 1\naccounting_since_ns 9\n");
	read_at(2, "slab 20 1 20 1 0 20 0 ffffffff81000010 1 a.c:1 func:alpha\n");
	ck_assert_uint_eq(w.restarts, 1);
	ck_assert_uint_eq(w.rows, 1);
	ck_assert_uint_eq(w.mark_ns, 0);
	ck_assert_uint_eq(w.step_ns, 0);
	ck_assert_uint_eq(history_known(&w.clock), 1);
	ck_assert_int_eq(row("alpha a.c:1")->change.bytes, 0);
	/* a clock that goes back is another boot */
	read_at(1, A);
	ck_assert_uint_eq(w.restarts, 2);
	watch_exit(&w);
}
END_TEST

/* The tags of the rows are those that are shown, each once, ascending in a row. */
static void check_tags(size_t count)
{
	const struct watch_tag *t, *before;
	uint32_t r, i;

	for (r = 0; r < w.rows; r++) {
		ck_assert(!r || strcmp(w.row[r - 1].name, w.row[r].name) < 0);
		for (i = 0, before = NULL; i < w.row[r].tags; i++, before = t, count--) {
			t = watch_tag(&w, r, i);
			ck_assert_str_eq(t->name, w.row[r].name);
			ck_assert(t > before);
		}
	}
	ck_assert_uint_eq(count, 0);
}

#define A_AT(objects, age)                                                                 \
	"slab 1000 " objects " 900 100 90 2000 " age                                       \
	" ffffffff81000010 1 a.c:1 func:alpha\n"

/* Between two reads of the ages, the oldest object is taken to be still live. */
START_TEST(an_age_that_was_not_read_grows)
{
	begin();
	read_at(1, A_AT("10", "5000"));
	refresh_at(3 * SECOND, A_AT("9", "-"), true);
	ck_assert_int_eq(w.row[0].now.oldest_ms, 7000);
	refresh_at(4 * SECOND, A_AT("8", "-"), true);
	ck_assert_int_eq(w.row[0].now.oldest_ms, 8000);
	read_at(5, A_AT("8", "600"));
	ck_assert_int_eq(w.row[0].now.oldest_ms, 600);
	refresh_at(6 * SECOND, A_AT("0", "-"), true);
	ck_assert_int_eq(w.row[0].now.oldest_ms, -1);
	refresh_at(7 * SECOND, A_AT("1", "-"), true);
	ck_assert_int_eq(w.row[0].now.oldest_ms, 1000);
	read_at(8, A_AT("1", "50"));
	read_at(9, A_AT("1", "-"));
	ck_assert_int_eq(w.row[0].now.oldest_ms, -1);
	/* the module has no ages of pages */
	refresh_at(10 * SECOND, B, true);
	ck_assert_int_eq(row("beta b.c:2 [mod]")->now.oldest_ms, -1);
	watch_exit(&w);
}
END_TEST

/* Parts of a millisecond add up. */
START_TEST(ages_that_were_not_read_do_not_fall_behind)
{
	int i;

	begin();
	read_at(1, A_AT("10", "0"));
	for (i = 1; i <= 400; i++)
		refresh_at(SECOND + i * 10900000ull, A_AT("10", "-"), true);
	ck_assert_int_eq(w.row[0].now.oldest_ms, 4360);
	watch_exit(&w);
}
END_TEST

START_TEST(rows_have_their_tags)
{
	static char rows[8192];
	int i, n = 0;

	for (i = 0; i < 60; i++)
		n += sprintf(rows + n, "%s 8 1 8 1 0 8 - %x %d f%d.c:1 func:f%d\n",
			     i % 3 ? "slab" : "page", 1000 + i, i + 1, i * 7 % 11,
			     i * 7 % 11);
	begin();
	read_at(1, rows);
	ck_assert_uint_eq(w.rows, 11);
	check_tags(60);
	watch_group(&w, WATCH_SITE, SITE_PAGE);
	check_tags(20);
	watch_group(&w, WATCH_KIND, -1);
	check_tags(60);
	watch_exit(&w);
}
END_TEST

START_TEST(groups)
{
	static const char rows[] =
		A B "slab 50 1 40 1 0 50 90 ffffffff81000030 3 z.c:9 [mod] func:beta\n";

	begin();
	read_at(1, rows);
	ck_assert_uint_eq(w.rows, 3);
	watch_group(&w, WATCH_FUNCTION, -1);
	ck_assert_uint_eq(w.rows, 2);
	ck_assert_int_eq(row("beta [mod]")->now.bytes, 8242);
	watch_group(&w, WATCH_MODULE, -1);
	ck_assert_int_eq(row("kernel")->now.bytes, 1000);
	ck_assert_int_eq(row("mod")->now.bytes, 8242);
	watch_group(&w, WATCH_KIND, -1);
	ck_assert_int_eq(row("slab")->now.bytes, 1050);
	ck_assert_int_eq(row("page")->now.bytes, 8192);
	watch_group(&w, WATCH_MODULE, SITE_SLAB);
	ck_assert_int_eq(row("mod")->now.bytes, 50);
	watch_group(&w, WATCH_MODULE, SITE_PERCPU);
	ck_assert_uint_eq(w.rows, 0);
	watch_exit(&w);
}
END_TEST

START_TEST(marks_bound_what_is_newer)
{
	struct figures b;
	uint32_t alpha;

	begin();
	read_at(10, A B);
	watch_mark(&w);
	/* 400 bytes more, after 60 allocations and 56 frees */
	read_at(20, "slab 1400 14 1300 160 146 2000 15000 ffffffff81000010 1 a.c:1 func:alpha\n" B);
	alpha = watch_find(&w, "alpha a.c:1");
	ck_assert_int_eq(w.row[alpha].change.bytes, 400);
	b = watch_since_mark(&w, alpha);
	ck_assert_int_eq(b.low, 400);
	ck_assert_int_eq(b.high, 1400);
	/* no allocation since the mark */
	b = watch_since_mark(&w, watch_find(&w, "beta b.c:2 [mod]"));
	ck_assert_int_eq(b.low, 0);
	ck_assert_int_eq(b.high, 0);
	/* it shrank, but its oldest object is younger than the mark */
	read_at(30, "slab 600 6 500 300 294 2000 3000 ffffffff81000010 1 a.c:1 func:alpha\n" B);
	b = watch_since_mark(&w, alpha);
	ck_assert_int_eq(b.low, 600);
	ck_assert_int_eq(b.high, 600);
	/* an age that may be rounded down is no proof */
	read_at(31, "slab 600 6 500 300 294 2000 20900 ffffffff81000010 1 a.c:1 func:alpha\n" B);
	ck_assert_int_eq(watch_since_mark(&w, alpha).low, 0);
	watch_unmark(&w);
	ck_assert_int_eq(w.row[alpha].change.bytes, -400);
	watch_exit(&w);
}
END_TEST

START_TEST(histories_are_sums)
{
	int64_t value[HISTORY_SLOTS];

	begin();
	read_at(0, A);
	read_at(5, A B);
	read_at(10, A B);
	watch_group(&w, WATCH_KIND, -1);
	watch_history(&w, watch_find(&w, "page"), value);
	ck_assert_int_eq(value[0], 0);
	ck_assert_int_eq(value[1], 8192);
	ck_assert_int_eq(value[2], 8192);
	watch_history(&w, watch_find(&w, "slab"), value);
	ck_assert_int_eq(value[0], 1000);
	watch_exit(&w);
}
END_TEST

/* more tags than the hash has slots at first */
START_TEST(many_tags)
{
	char why[256], *text = malloc(1000000), *at;
	struct tags tags;
	unsigned int i, round;

	begin();
	for (round = 1; round < 3; round++) {
		at = text + sprintf(text, "kmemtrace tags - version: 1\n");
		for (i = 0; i < 5000; i++)
			at += sprintf(at, "slab %u 1 1 %u 0 1 - %x %u a.c:%u func:f\n",
				      (round == 2 ? i ^ 1 : i) * round, round,
				      (round == 2 ? i ^ 1 : i) + 1,
				      (round == 2 ? i ^ 1 : i) + 1,
				      round == 2 ? i ^ 1 : i);
		ck_assert_int_eq(tags_parse(&tags, text, why, sizeof(why)), 0);
		free(tags.stats);
		tags.stats = strdup(stats);
		watch_refresh(&w, &tags, round * SECOND);
		tags_free(&tags);
	}
	ck_assert_uint_eq(w.count, 5000);
	ck_assert_int_eq(row("f a.c:4321")->now.bytes, 8642);
	ck_assert_int_eq(row("f a.c:4321")->step.bytes, 4321);
	watch_exit(&w);
	free(text);
}
END_TEST

UNIT_MAIN("watch", ages_that_no_machine_has, rows_are_sums_of_tags, tags_that_never_allocated_are_ignored,
	  steps_and_changes, a_new_tag_has_grown_from_zero,
	  a_tag_that_is_gone_has_shrunk_to_zero, a_long_pause_keeps_the_tags,
	  a_new_location_is_the_same_tag, an_unloaded_module_is_the_same_tag,
	  an_id_with_lower_counters_is_another_tag,
	  rows_without_an_id_are_found_by_location, a_restart_begins_anew,
	  an_age_that_was_not_read_grows, ages_that_were_not_read_do_not_fall_behind, rows_have_their_tags, groups,
	  marks_bound_what_is_newer, histories_are_sums, many_tags)
