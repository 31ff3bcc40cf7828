// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "account/changes.h"
#include "random.h"
#include "unit.h"

static struct site_rows old, now;
static struct changes c;
static char text[4096];

static void put(struct site_rows *h, enum site_kind kind, const char *location,
		int64_t bytes)
{
	struct site_row *row = site_rows_add(h, kind, strdup(location));

	row->f.bytes = row->f.requested = bytes;
	row->f.objects = bytes > 0;
	row->f.allocs = 1;
	figures_exact(&row->f);
}

/* Compare, and describe the changes: "LOCATION change state match;" for each. */
static const char *compare(bool same_base, bool same_kernel)
{
	size_t i, len = 0;

	changes_make(&c, &old, &now, same_base, same_kernel);
	*text = '\0';
	for (i = 0; i < c.count; i++) {
		const struct site_row *any = c.row[i].now ? c.row[i].now :
							   c.row[i].old;

		len += snprintf(text + len, sizeof(text) - len, "%s %+d %s %s;",
				any->location, (int)c.row[i].by.bytes,
				change_state_names[c.row[i].state],
				change_match_names[c.row[i].match]);
	}
	changes_free(&c);
	site_rows_free(&old);
	site_rows_free(&now);
	return text;
}

START_TEST(states)
{
	put(&old, SITE_SLAB, "grown+0x1", 10);
	put(&now, SITE_SLAB, "grown+0x1", 30);
	put(&old, SITE_SLAB, "shrunk+0x1", 10);
	put(&now, SITE_SLAB, "shrunk+0x1", 5);
	put(&now, SITE_SLAB, "new+0x1", 7);
	put(&old, SITE_SLAB, "gone+0x1", 8);
	put(&old, SITE_SLAB, "equal+0x1", 8);
	put(&now, SITE_SLAB, "equal+0x1", 8);
	put(&old, SITE_SLAB, "freed+0x1", 9);
	put(&now, SITE_SLAB, "freed+0x1", 0);
	put(&now, SITE_PAGE, "grown+0x1", 4096);
	ck_assert_str_eq(compare(false, true),
			 "freed+0x1 -9 gone location;gone+0x1 -8 gone none;"
			 "grown+0x1 +4096 new none;grown+0x1 +20 grown location;"
			 "new+0x1 +7 new none;shrunk+0x1 -5 shrunk location;");
}
END_TEST

START_TEST(a_list_is_equal_to_itself)
{
	const char *rows[] = { "f+0x1", "f+0x2", "f+0x2", "a.c:1 func:f",
			       "f.cold+0x1", "(unknown)", "g+0x1 [m]" };
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		put(&old, SITE_SLAB, rows[i], 1 + i);
		put(&now, SITE_SLAB, rows[i], 1 + i);
	}
	ck_assert_str_eq(compare(false, false), "");
}
END_TEST

/* In the kernel itself, another offset on the same kernel is another call. */
START_TEST(the_same_kernel_has_the_same_offsets)
{
	put(&old, SITE_SLAB, "f+0x10", 1);
	put(&now, SITE_SLAB, "f+0x20", 3);
	ck_assert_str_eq(compare(false, true),
			 "f+0x10 -1 gone none;f+0x20 +3 new none;");
	put(&old, SITE_SLAB, "f+0x10", 1);
	put(&now, SITE_SLAB, "f+0x20", 3);
	ck_assert_str_eq(compare(false, false), "f+0x20 +2 grown order;");
	put(&old, SITE_SLAB, "f+0x10 [m]", 1); /* a module can be built again */
	put(&now, SITE_SLAB, "f+0x20 [m]", 3);
	ck_assert_str_eq(compare(false, true), "f+0x20 [m] +2 grown order;");
}
END_TEST

START_TEST(calls_are_matched_by_their_order)
{
	put(&old, SITE_SLAB, "f.isra.0+0x10", 1);
	put(&old, SITE_SLAB, "f.isra.0+0x20", 2);
	put(&old, SITE_SLAB, "f.isra.0.cold+0x4", 4);
	put(&now, SITE_SLAB, "f+0x18", 11);
	put(&now, SITE_SLAB, "f+0x100", 22);
	put(&now, SITE_SLAB, "f.cold+0x1", 44);
	ck_assert_str_eq(compare(false, false),
			 "f+0x100 +20 grown order;f+0x18 +10 grown order;"
			 "f.cold+0x1 +40 grown order;");
	put(&old, SITE_SLAB, "a.c:10 func:f_noprof", 1);
	put(&old, SITE_SLAB, "a.c:9 func:f_noprof", 2);
	put(&now, SITE_SLAB, "a.c:12 func:f", 101);
	put(&now, SITE_SLAB, "a.c:11 func:f", 102);
	put(&now, SITE_SLAB, "b.c:1 func:f", 7);
	ck_assert_str_eq(compare(false, false),
			 "a.c:11 func:f +100 grown order;a.c:12 func:f +100 grown order;"
			 "b.c:1 func:f +7 new none;");
}
END_TEST

/* A site that one side has not seen does not shift the others. */
START_TEST(equal_offsets_of_most_sites_are_the_same_code)
{
	put(&old, SITE_SLAB, "f+0x20", 1);
	put(&now, SITE_SLAB, "f+0x10", 3);
	put(&now, SITE_SLAB, "f+0x20", 1);
	ck_assert_str_eq(compare(false, false), "f+0x10 +3 new none;");
	put(&old, SITE_SLAB, "f+0x20", 1);
	put(&old, SITE_SLAB, "f+0x30", 1);
	put(&now, SITE_SLAB, "f+0x20", 3);
	put(&now, SITE_SLAB, "f+0x40", 5);
	ck_assert_str_eq(compare(false, false),
			 "f+0x20 +2 grown order;f+0x40 +4 grown order;");
}
END_TEST

START_TEST(lines_and_offsets_are_compared_by_function)
{
	put(&old, SITE_SLAB, "f+0x10 [m]", 1);
	put(&old, SITE_SLAB, "f+0x30 [m]", 2);
	put(&now, SITE_SLAB, "a.c:3 [m] func:f", 100);
	ck_assert_str_eq(compare(false, false),
			 "f [m] func:f +97 grown function;");
}
END_TEST

START_TEST(a_renamed_row_is_found_by_its_address_or_id)
{
	put(&old, SITE_SLAB, "f+0x10", 1);
	put(&old, SITE_SLAB, "g+0x10", 1);
	put(&now, SITE_SLAB, "a.c:1 func:x", 3);
	put(&now, SITE_SLAB, "a.c:2 func:y", 5);
	old.row[0].address = now.row[0].address = 0xf1;
	old.row[1].id = now.row[1].id = 9;
	ck_assert_str_eq(compare(true, true),
			 "a.c:1 func:x +2 grown location;a.c:2 func:y +4 grown location;");
}
END_TEST

static int64_t sum_of(const struct site_rows *h)
{
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < h->count; i++)
		sum += h->row[i].f.bytes;
	return sum;
}

static void put_random(struct site_rows *h, uint64_t *seed)
{
	static const char *const forms[] = { "f%u+0x%x", "f%u.cold+0x%x",
					     "f%u_noprof+0x%x [m]",
					     "f%u.part.0+0x%x [m]" };
	size_t i, n = random_below(seed, 40);
	char location[64];

	for (i = 0; i < n; i++) {
		unsigned int f = random_below(seed, 5), x = random_below(seed, 6);

		if (random_below(seed, 3))
			snprintf(location, sizeof(location),
				 forms[random_below(seed, 4)], f, x);
		else
			snprintf(location, sizeof(location), "%c.c:%u func:f%u",
				 (char)('a' + random_below(seed, 2)), x, f);
		put(h, random_below(seed, 2) ? SITE_SLAB : SITE_PAGE, location,
		    random_below(seed, 1000));
	}
}

/* However the sites are matched, the changes add up to the difference of the sums. */
START_TEST(changes_add_up)
{
	uint64_t seed = 18;
	int64_t before, after, sum;
	int round;
	size_t i;

	for (round = 0; round < 2000; round++) {
		put_random(&old, &seed);
		put_random(&now, &seed);
		before = sum_of(&old);
		after = sum_of(&now);
		changes_make(&c, &old, &now, false, round % 2);
		for (sum = 0, i = 0; i < c.count; i++)
			sum += c.row[i].by.bytes;
		ck_assert_int_eq(sum, after - before);
		changes_free(&c);
		site_rows_free(&old);
		site_rows_free(&now);
	}
}
END_TEST

UNIT_MAIN("changes", states, a_list_is_equal_to_itself,
	  the_same_kernel_has_the_same_offsets,
	  calls_are_matched_by_their_order,
	  equal_offsets_of_most_sites_are_the_same_code,
	  lines_and_offsets_are_compared_by_function,
	  a_renamed_row_is_found_by_its_address_or_id, changes_add_up)
