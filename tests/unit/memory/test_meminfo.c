// SPDX-License-Identifier: GPL-2.0-only
#include "memory/meminfo.h"
#include "unit.h"

static const char text[] = "MemTotal:         990080 kB\n"
			   "Buffers:               8 kB\n"
			   "Cached:            23924 kB\n"
			   "Shmem:             23000 kB\n"
			   "Active(anon):         12 kB\n"
			   "HugePages_Total:       4\n"
			   "Broken:                x kB\n";

START_TEST(figures_are_added)
{
	int64_t bytes;

	ck_assert(meminfo_sum(text, "MemTotal", &bytes));
	ck_assert_int_eq(bytes, 990080ll * 1024);
	ck_assert(meminfo_sum(text, "Buffers + Cached - Shmem", &bytes));
	ck_assert_int_eq(bytes, (8 + 23924 - 23000) * 1024);
	ck_assert(meminfo_sum(text, "Buffers - Cached", &bytes));
	ck_assert_int_eq(bytes, (8 - 23924) * 1024);
	ck_assert(meminfo_sum(text, "Active(anon)", &bytes));
	ck_assert_int_eq(bytes, 12 * 1024);
}
END_TEST

START_TEST(missing_lines_are_reported)
{
	static const char *const lacking[] = { "Mem", "MemTotalX", "Broken",
					       "Cached + Hugetlb",
					       "MemTotal: " };
	int64_t bytes = 7;
	size_t i;

	for (i = 0; i < sizeof(lacking) / sizeof(*lacking); i++)
		ck_assert_msg(!meminfo_sum(text, lacking[i], &bytes), "%s",
			      lacking[i]);
	ck_assert(!meminfo_sum("", "MemTotal", &bytes));
	ck_assert_int_eq(bytes, 7);
}
END_TEST

UNIT_MAIN("meminfo", figures_are_added, missing_lines_are_reported)
