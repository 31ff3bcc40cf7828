// SPDX-License-Identifier: GPL-2.0-only
#include <sys/wait.h>

#include "tempdir.h"
#include "watch/watch.h"

#define HEAD "kmemtrace tags - version: 1\n"
#define ROW(age) "slab 8 1 8 1 0 8 " age " ffffffff81000010 1 a.c:1 func:alpha\n"

static struct watch w;

static void refresh(void)
{
	char why[256];

	ck_assert_msg(!source_refresh(&w, why, sizeof(why)), "%s", why);
}

static void refresh_at(uint64_t seconds)
{
	char stats[128];

	snprintf(stats, sizeof(stats), "accounting 1\nclock_ns %llu000000000\n",
		 (unsigned long long)seconds);
	tempdir_put_text("stats", stats);
	refresh();
}

static void begin(void)
{
	tempdir_begin();
	tempdir_put_text("tags", HEAD ROW("5000"));
	tempdir_put_text("tags_quick", HEAD ROW("-"));
	watch_init(&w, WATCH_SITE);
	refresh_at(1);
	ck_assert_int_eq(w.row[0].now.oldest_ms, 5000);
	ck_assert_uint_gt(w.ages_cost_ns, 0);
}

static void end(void)
{
	watch_exit(&w);
	tempdir_end();
}

START_TEST(ages_that_take_long_are_read_less_often)
{
	begin();
	w.ages_cost_ns = 1000000000;
	refresh_at(2);
	ck_assert_int_eq(w.row[0].now.oldest_ms, 6000);
	w.ages_ns -= 399000000000;
	refresh_at(3);
	ck_assert_int_eq(w.row[0].now.oldest_ms, 7000);
	w.ages_ns -= 1000000000;
	refresh_at(4);
	ck_assert_int_eq(w.row[0].now.oldest_ms, 5000);
	ck_assert_uint_lt(w.ages_cost_ns, 1000000000);
	end();
}
END_TEST

static void put_fifo(const char *name, const char *text)
{
	FILE *out = fopen(tempdir_path(name), "w");

	fputs(text, out);
	fclose(out);
}

/* The walk for the ages takes three seconds, after the module has counted. */
START_TEST(the_time_is_that_of_the_figures)
{
	pid_t pid;

	begin();
	w.ages_cost_ns = 0;
	ck_assert_int_eq(unlink(tempdir_path("stats")), 0);
	ck_assert_int_eq(unlink(tempdir_path("tags")), 0);
	ck_assert_int_eq(mkfifo(tempdir_path("stats"), 0600), 0);
	ck_assert_int_eq(mkfifo(tempdir_path("tags"), 0600), 0);
	pid = fork();
	if (!pid) {
		put_fifo("stats", "accounting 1\nclock_ns 2000000000\n");
		put_fifo("tags", HEAD ROW("7000"));
		put_fifo("stats", "accounting 1\nclock_ns 5000000000\n");
		_exit(0);
	}
	ck_assert_int_gt(pid, 0);
	refresh();
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_uint_eq(w.step_ns, 1000000000);
	end();
}
END_TEST

UNIT_MAIN("source", ages_that_take_long_are_read_less_often,
	  the_time_is_that_of_the_figures)
