// SPDX-License-Identifier: GPL-2.0-only
/* The module's file cgroups. */
#include <linux/kmemtrace_pages.h>

#include "pages/cgroups.h"
#include "unit.h"

static const char *name(const struct cgroups *c, uint64_t entry)
{
	static char text[64];

	cgroups_name(c, entry, text, sizeof(text));
	return text;
}

START_TEST(rows)
{
	struct cgroups c = {
		.text = strdup("1 online 900 /\n"
			       "70 removed 3 /gone\n"
			       "damaged\n7 online\n\n"
			       "30 removed 0 /a/b c\n"
			       "18446744073709551615 removed 0 /last"),
	};

	cgroups_parse(&c);
	ck_assert_uint_eq(c.count, 4);
	ck_assert_uint_eq(c.removed, 3);
	ck_assert_uint_eq(c.empty, 2);
	ck_assert_str_eq(name(&c, 1), "/");
	ck_assert_str_eq(name(&c, 30), "/a/b c");
	ck_assert_str_eq(name(&c, 70 | KMEMTRACE_CGROUP_REMOVED), "/gone (removed)");
	ck_assert_str_eq(name(&c, 71 | KMEMTRACE_CGROUP_REMOVED), "cgroup 71 (removed)");
	ck_assert_str_eq(name(&c, 71), "cgroup 71");
	ck_assert_str_eq(name(&c, 0), "(none)");
	cgroups_free(&c);
}
END_TEST

START_TEST(none)
{
	struct cgroups c = { .text = strdup("") };

	cgroups_parse(&c);
	ck_assert_str_eq(name(&c, 5), "cgroup 5");
	cgroups_free(&c);
}
END_TEST

UNIT_MAIN("cgroups", rows, none)
