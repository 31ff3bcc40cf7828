// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>

#include "leaks/saved.h"
#include "random.h"
#include "tempdir.h"
#include "unit.h"

#define STATES 9
#define SITES  40

static long long bytes[STATES][SITES];

static void write_state(int state)
{
	FILE *out = fopen(tempdir_path("state"), "w");
	int i;

	fputs("kmemtrace tags - version: 1\n", out);
	for (i = 0; i < SITES; i++)
		if (bytes[state][i])
			fprintf(out, "%s %lld %lld 0 0 0 0 - - %d f%d.c:1 func:f\n",
				i % 2 ? "page" : "slab", bytes[state][i],
				bytes[state][i] / 10, i + 1, i / 2);
	fprintf(out, "# stat clock_ns %d000000000\n", 100 * (state + 1));
	fclose(out);
}

static int index_of(const struct site_row *site)
{
	return 2 * atoi(site->location + 1) + (site->kind == SITE_PAGE);
}

/* Compare with the arrays that the states were written from. */
START_TEST(random_states)
{
	static char path[STATES][160];
	char *paths[STATES];
	double x[STATES], y[STATES];
	uint64_t random = 11;
	struct saved s;
	int i, k, grown = 0;

	tempdir_begin();
	for (i = 0; i < STATES; i++) {
		for (k = 0; k < SITES; k++)
			bytes[i][k] = random_below(&random, 3) ?
					      10 * random_below(&random, 1000) : 0;
		write_state(i);
		snprintf(path[i], sizeof(path[i]), "%s.%d", tempdir_path("state"), i);
		ck_assert_int_eq(rename(tempdir_path("state"), path[i]), 0);
		paths[(i * 4) % STATES] = path[i];
	}
	ck_assert_int_eq(saved_read(&s, paths, STATES), 0);
	for (k = 0; k < SITES; k++)
		grown += bytes[STATES - 1][k] > bytes[0][k];
	ck_assert_uint_eq(s.rows, grown);
	for (k = 0; k < grown; k++) {
		const struct saved_row *row = &s.row[k];
		struct trend t;
		int site = index_of(row->site);

		for (i = 0; i < STATES; i++) {
			x[i] = 100 * (i + 1);
			y[i] = bytes[i][site];
		}
		trend_of(&t, x, y, STATES);
		ck_assert(row->growth == y[STATES - 1] - y[0] && row->growth > 0);
		ck_assert(row->site->f.bytes == y[STATES - 1]);
		ck_assert(row->objects == row->growth / 10);
		ck_assert(fabs(row->trend.slope - t.slope) < 1e-9);
		ck_assert(!k || row[-1].trend.low >= row->trend.low);
	}
	saved_free(&s);
	tempdir_end();
}
END_TEST

/*
 * codetags load gives the same tags other locations, and two tags the same one. The tag
 * without an address is found by its id.
 */
START_TEST(renamed_sites)
{
	static const char *const states[] = {
		"slab 100 1 0 0 0 0 - ffffffff81000010 3 a_get+0x10 func:a_get\n"
		"slab 200 2 0 0 0 0 - ffffffff81000020 4 a_get+0x20 func:a_get\n"
		"page 4096 1 0 0 0 0 - - 5 b_get+0x8 func:b_get\n"
		"# stat clock_ns 100000000000\n",
		"slab 100 1 0 0 0 0 - ffffffff81000010 3 drivers/a.c:11 func:a_get\n"
		"slab 210 3 0 0 0 0 - ffffffff81000020 4 drivers/a.c:11 func:a_get\n"
		"page 4096 1 0 0 0 0 - - 5 drivers/b.c:7 func:b_get\n"
		"# stat clock_ns 200000000000\n",
	};
	static char path[2][160];
	char *paths[] = { path[0], path[1] };
	char text[1024];
	struct saved s;
	int i;

	tempdir_begin();
	for (i = 0; i < 2; i++) {
		const char *name = i ? "second" : "first";

		snprintf(path[i], sizeof(path[i]), "%s", tempdir_path(name));
		snprintf(text, sizeof(text), "kmemtrace tags - version: 1\n%s", states[i]);
		tempdir_put_text(name, text);
	}
	ck_assert_int_eq(saved_read(&s, paths, 2), 0);
	ck_assert_uint_eq(s.rows, 1);
	ck_assert_str_eq(s.row[0].site->location, "drivers/a.c:11 func:a_get");
	ck_assert(s.row[0].growth == 10 && s.row[0].site->f.bytes == 310 && s.row[0].objects == 1);
	saved_free(&s);
	tempdir_end();
}
END_TEST

/* The survey was running when the first state was saved. */
START_TEST(survey_goes_on)
{
	static char path[2][160];
	char *paths[] = { path[0], path[1] };
	char text[512];
	struct saved s;
	int i;

	tempdir_begin();
	for (i = 0; i < 2; i++) {
		snprintf(path[i], sizeof(path[i]), "%s", tempdir_path(i ? "second" : "first"));
		snprintf(text, sizeof(text),
			 "kmemtrace tags - version: 1\n"
			 "slab %d00 1 0 0 0 0 - - 3 earlier/slab:0 func:dentry\n"
			 "slab %d0 1 0 0 0 0 - ffffffff81000020 4 a.c:1 func:a_get\n"
			 "# stat clock_ns %d00000000000\n", i + 1, i + 1, i + 1);
		tempdir_put_text(i ? "second" : "first", text);
	}
	ck_assert_int_eq(saved_read(&s, paths, 2), 0);
	ck_assert_uint_eq(s.rows, 1);
	ck_assert_str_eq(s.row[0].site->location, "a.c:1 func:a_get");
	saved_free(&s);
	tempdir_end();
}
END_TEST

UNIT_MAIN("saved", random_states, renamed_sites, survey_goes_on)
