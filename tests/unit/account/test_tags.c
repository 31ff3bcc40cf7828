// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>

#include "account/tags.h"
#include "unit.h"

#define TITLE "kmemtrace tags - version: 1\n"
#define ROW                                                                    \
	"slab 256 2 200 10 8 512 1500 ffffffff81000010 17 mm/a.c:7 [m] func:f\n"

static char why[256];

START_TEST(rows_are_parsed)
{
	struct tags t;

	ck_assert_int_eq(tags_parse(&t,
				    TITLE "# comment\n" ROW
					  "page 4096 1 4096 1 0 4096 - - 18 b.c:1 func:g\n",
				    why, sizeof(why)),
			 0);
	ck_assert_uint_eq(t.rows.count, 2);
	ck_assert_int_eq(t.rows.row[0].kind, SITE_SLAB);
	ck_assert_int_eq(t.rows.row[0].f.bytes, 256);
	ck_assert_int_eq(t.rows.row[0].f.objects, 2);
	ck_assert_int_eq(t.rows.row[0].f.requested, 200);
	ck_assert_uint_eq(t.rows.row[0].f.allocs, 10);
	ck_assert_uint_eq(t.rows.row[0].f.frees, 8);
	ck_assert_uint_eq(t.rows.row[0].f.peak, 512);
	ck_assert_int_eq(t.rows.row[0].f.oldest_ms, 1500);
	ck_assert_uint_eq(t.rows.row[0].address, 0xffffffff81000010ull);
	ck_assert_uint_eq(t.rows.row[0].id, 17);
	ck_assert_str_eq(t.rows.row[0].location, "mm/a.c:7 [m] func:f");
	ck_assert_int_eq(t.rows.row[1].f.oldest_ms, -1);
	ck_assert_uint_eq(t.rows.row[1].address, 0);
	tags_free(&t);
}
END_TEST

START_TEST(malformed_text_is_refused)
{
	static const char *const bad[] = {
		"",
		"kmemtrace tags - version: 2\n",
		TITLE "moon 1 1 1 1 1 1 1 1 1 a.c:1 func:f\n",
		TITLE "slab x 1 1 1 1 1 1 1 1 a.c:1 func:f\n",
		TITLE "slab 1 1 1 1 1 1 1 xyz 1 a.c:1 func:f\n",
		TITLE "slab 1 1 1\n",
		TITLE "slab 1 1 1 1 1 1 1 1\n",
		TITLE "slab 1 1 1 1 1 1 1 1 1 nowhere\n",
		TITLE "slab 99999999999999999999 1 1 1 1 1 1 1 1 a.c:1 func:f\n",
	};
	struct tags t;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		*why = '\0';
		ck_assert_int_eq(tags_parse(&t, bad[i], why, sizeof(why)), -EINVAL);
		ck_assert_str_ne(why, "");
		tags_free(&t);
	}
}
END_TEST

START_TEST(a_difference_has_new_and_gone_rows)
{
	struct tags now, then;

	ck_assert_int_eq(tags_parse(&now,
				    TITLE ROW ROW
				    "page 8192 2 8192 2 0 8192 - - 2 new.c:1 func:n\n"
				    "slab 8 1 8 1 0 8 - - 3 same.c:1 func:s\n",
				    why, sizeof(why)),
			 0);
	ck_assert_int_eq(tags_parse(&then,
				    TITLE ROW
				    "page 4096 1 4096 1 0 4096 - - 4 gone.c:1 func:g\n"
				    "slab 8 1 8 1 0 8 - - 3 same.c:1 func:s\n",
				    why, sizeof(why)),
			 0);
	tags_subtract(&now, &then);
	ck_assert_uint_eq(now.rows.count, 3);
	/* sorted by location */
	ck_assert_str_eq(now.rows.row[0].location, "gone.c:1 func:g");
	ck_assert_int_eq(now.rows.row[0].f.bytes, -4096);
	ck_assert_str_eq(now.rows.row[1].location, "mm/a.c:7 [m] func:f");
	ck_assert_int_eq(now.rows.row[1].f.bytes, 256);
	ck_assert_int_eq(now.rows.row[1].f.objects, 2);
	ck_assert_str_eq(now.rows.row[2].location, "new.c:1 func:n");
	ck_assert_int_eq(now.rows.row[2].f.bytes, 8192);
	tags_free(&now);
	tags_free(&then);
}
END_TEST

static const char *location(const char *row)
{
	static char shown[128];
	char text[256];
	struct tags t;

	snprintf(text, sizeof(text), TITLE "slab 1 1 1 1 1 1 1 ff 1 %s\n", row);
	ck_assert_int_eq(tags_parse(&t, text, why, sizeof(why)), 0);
	snprintf(shown, sizeof(shown), "%s", t.rows.row[0].location);
	tags_free(&t);
	return shown;
}

/* The number of a row without a file is printed as an offset, not as a line. */
START_TEST(offsets)
{
	ck_assert_str_eq(location("session_new+0x1e:0 [m] func:session_new"),
			 "session_new+0x1e [m] func:session_new");
	ck_assert_str_eq(location("session_new+0x1e:0 func:session_new [unloaded]"),
			 "session_new+0x1e func:session_new [unloaded]");
	ck_assert_str_eq(location("m/session_new.c:30 func:session_new"),
			 "m/session_new.c:30 func:session_new");
	ck_assert_str_eq(location("a+0x1:7 func:b"), "a+0x1:7 func:b");
	ck_assert_str_eq(location("session func:session"),
			 "session func:session");
}
END_TEST

static const char *compare(const char *now, const char *old)
{
	struct tags m, n;
	const char *said;

	ck_assert_int_eq(tags_parse(&m, now, why, sizeof(why)), 0);
	ck_assert_int_eq(tags_parse(&n, old, why, sizeof(why)), 0);
	said = tags_incomparable(&m, &n);
	tags_free(&m);
	tags_free(&n);
	return said ? said : "";
}

START_TEST(incomparable_lists)
{
	ck_assert_str_eq(compare(TITLE, TITLE), "");
	ck_assert_str_eq(compare(TITLE "# stat boot_id a-b\n",
				 TITLE "# stat boot_id a-b\n"), "");
	ck_assert_ptr_nonnull(strstr(compare(TITLE "# stat boot_id a-b\n",
					     TITLE "# stat boot_id a-bc\n"),
				     "booted"));
	ck_assert_str_eq(compare(TITLE "# stat accounting_since_ns 5\n",
				 TITLE "# stat accounting_since_ns 5\n"), "");
	ck_assert_str_eq(compare(TITLE "# stat accounting_since_ns 5\n", TITLE), "");
	ck_assert_ptr_nonnull(strstr(compare(TITLE "# stat accounting_since_ns 5\n",
					     TITLE "# stat accounting_since_ns 6\n"),
				     "restarted"));
}
END_TEST

START_TEST(counters_are_kept)
{
	struct tags t;

	ck_assert_int_eq(tags_parse(&t, TITLE "# stat a 1\n" ROW "# stat hole b open\n",
				    why, sizeof(why)),
			 0);
	ck_assert_str_eq(t.stats, "a 1\nhole b open\n");
	tags_free(&t);
}
END_TEST

#define LEAST "-9223372036854775808"
#define MOST  "9223372036854775807"

/* Sums and differences wrap around. Two empty lists have an empty difference. */
START_TEST(extreme_numbers_are_read)
{
	struct tags now, then;

	ck_assert_int_eq(tags_parse(&now,
				    TITLE "slab " MOST " 1 " LEAST " 1 0 1 - - 1 a.c:1 func:f\n"
					  "slab 1 1 1 1 0 1 - - 2 a.c:1 func:f\n",
				    why, sizeof(why)),
			 0);
	ck_assert_int_eq(figures_waste(&now.rows.row[0].f), -1);
	ck_assert_int_eq(tags_parse(&then, TITLE, why, sizeof(why)), 0);
	tags_subtract(&now, &then);
	ck_assert_uint_eq(now.rows.count, 1);
	ck_assert_int_eq(now.rows.row[0].f.bytes, INT64_MIN);
	tags_subtract(&then, &now);
	ck_assert_uint_eq(then.rows.count, 1);
	ck_assert_int_eq(then.rows.row[0].f.bytes, INT64_MIN);
	tags_free(&now);
	tags_free(&then);
	ck_assert_int_eq(tags_parse(&now, TITLE, why, sizeof(why)), 0);
	ck_assert_int_eq(tags_parse(&then, TITLE, why, sizeof(why)), 0);
	tags_subtract(&now, &then);
	ck_assert_uint_eq(now.rows.count, 0);
	tags_free(&now);
	tags_free(&then);
}
END_TEST

/* Counters and messages go to a terminal: control characters are replaced. */
START_TEST(messages_are_printable)
{
	struct tags t;

	ck_assert_int_eq(tags_parse(&t, TITLE ROW "# stat hole \033[31m open\n",
				    why, sizeof(why)),
			 0);
	ck_assert_str_eq(t.stats, "hole ?[31m open\n");
	tags_free(&t);
	ck_assert_int_eq(tags_parse(&t, "kmemtrace tags - version: \033[31m",
				    why, sizeof(why)),
			 -EINVAL);
	ck_assert_ptr_nonnull(strstr(why, "version ?[31m"));
	tags_free(&t);
}
END_TEST

/* "codetags load" adds file and line to a row; the row stays the same row. */
START_TEST(a_row_with_another_location_is_the_same)
{
	struct tags now, then;

	ck_assert_int_eq(
		tags_parse(&now,
			   TITLE "slab 300 3 300 3 0 300 - f1 7 a.c:1 func:a\n"
				 "slab 50 1 50 1 0 50 - f2 0 b.c:2 func:b\n"
				 "page 4096 1 4096 1 0 4096 - f3 9 c.c:3 func:c\n",
			   why, sizeof(why)),
		0);
	ck_assert_int_eq(
		tags_parse(&then,
			   TITLE "slab 200 2 200 2 0 200 - f1 7 a+0x1:0 func:a\n"
				 "slab 40 1 40 1 0 40 - f2 0 b+0x2:0 func:b\n"
				 /* an unloaded module: same id, other address */
				 "page 8192 1 8192 1 0 8192 - e3 9 m+0x3:0 func:m\n",
			   why, sizeof(why)),
		0);
	tags_subtract(&now, &then);
	ck_assert_uint_eq(now.rows.count, 4);
	ck_assert_str_eq(now.rows.row[0].location, "a.c:1 func:a");
	ck_assert_int_eq(now.rows.row[0].f.bytes, 100);
	ck_assert_str_eq(now.rows.row[1].location, "b.c:2 func:b");
	ck_assert_int_eq(now.rows.row[1].f.bytes, 10);
	ck_assert_int_eq(now.rows.row[2].f.bytes, 4096);
	ck_assert_int_eq(now.rows.row[3].f.bytes, -8192);
	tags_free(&now);
	tags_free(&then);
}
END_TEST

START_TEST(sums_and_figures)
{
	struct tags t;
	struct figures sum;
	char word[8];

	ck_assert_int_eq(tags_parse(&t,
				    TITLE ROW ROW
				    "page 4096 1 4096 1 0 4096 - - 18 b.c:1 func:g\n"
				    "# stat kernel 6.12.0-amd64\n# stat kernels 7\n",
				    why, sizeof(why)),
			 0);
	sum = site_rows_sum(&t.rows, SITE_SLAB);
	ck_assert_int_eq(sum.bytes, 512);
	ck_assert_int_eq(sum.objects, 4);
	ck_assert_int_eq(sum.requested, 400);
	ck_assert_int_eq(figures_waste(&sum), 112);
	ck_assert_uint_eq(sum.allocs, 20);
	ck_assert_uint_eq(sum.frees, 16);
	ck_assert_uint_eq(sum.peak, 512);
	ck_assert_int_eq(sum.oldest_ms, 1500);
	sum = site_rows_sum(&t.rows, SITE_PERCPU);
	ck_assert_int_eq(sum.bytes, 0);
	ck_assert_int_eq(sum.oldest_ms, -1);
	/* a value that is too long is cut off */
	ck_assert(tags_word(&t, TAGS_KERNEL, word, sizeof(word)));
	ck_assert_str_eq(word, "6.12.0-");
	ck_assert(!tags_word(&t, TAGS_BOOT, word, sizeof(word)));
	ck_assert_str_eq(word, "");
	tags_free(&t);
}
END_TEST

UNIT_MAIN("tags", sums_and_figures, offsets, incomparable_lists, rows_are_parsed,
	  malformed_text_is_refused,
	  a_difference_has_new_and_gone_rows, counters_are_kept,
	  extreme_numbers_are_read, messages_are_printable,
	  a_row_with_another_location_is_the_same)
