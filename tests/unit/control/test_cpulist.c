// SPDX-License-Identifier: GPL-2.0-only
#include "cpulist.h"
#include "unit.h"

START_TEST(good_lists)
{
	ck_assert(cpulist_valid("0") && cpulist_valid("0-3,7,9-9"));
	ck_assert(cpulist_contains("0-3,7", 0) && cpulist_contains("0-3,7", 3));
	ck_assert(cpulist_contains("0-3,7", 7) && !cpulist_contains("0-3,7", 4));
	ck_assert(cpulist_contains(NULL, 12345));
}
END_TEST

START_TEST(bad_lists)
{
	static const char *const bad[] = { "",	   "a",	  "1,",	 ",1", "3-1",
					   "1--2", "1-", "-1", "1 2",
					   "99999999999" };
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!cpulist_valid(bad[i]), "%s", bad[i]);
}
END_TEST

UNIT_MAIN("cpulist", good_lists, bad_lists)
