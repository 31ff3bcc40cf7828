// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <unistd.h>

#include "control/cpulist.h"
#include "unit.h"

START_TEST(good_lists)
{
	ck_assert(cpulist_valid("0") && cpulist_valid("0-3,7,9-9"));
	ck_assert(cpulist_contains("0-3,7", 0) && cpulist_contains("0-3,7", 3));
	ck_assert(cpulist_contains("0-3,7", 7) && !cpulist_contains("0-3,7", 4));
	ck_assert(cpulist_contains(NULL, 12345));
	ck_assert_uint_eq(cpulist_count("0-3,7,9-9\n"), 6);
	ck_assert_uint_eq(cpulist_count("5"), 1);
	ck_assert_uint_eq(cpulist_count(""), 0);
}
END_TEST

START_TEST(ranges)
{
	const char *list = "0-3,7\nother=1";
	long first, last;

	ck_assert(cpulist_next(&list, &first, &last) && first == 0 && last == 3);
	ck_assert(cpulist_next(&list, &first, &last) && first == 7 && last == 7);
	ck_assert(!cpulist_next(&list, &first, &last) && *list == '\n');
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

START_TEST(a_thread_goes_to_a_cpu_and_back)
{
	struct cpulist_saved before = { 0 }, after = { 0 };
	int cpu = 0;

	ck_assert(cpulist_save(&before));
	while (!CPU_ISSET_S(cpu, before.size, before.set))
		cpu++;
	ck_assert_int_eq(cpulist_pin(cpu), 0);
	ck_assert_int_eq(sched_getcpu(), cpu);
	/* a CPU number too large for a cpu_set_t */
	ck_assert_int_eq(cpulist_pin(100000), -EINVAL);
	cpulist_restore(&before);
	ck_assert_ptr_null(before.set);
	ck_assert(cpulist_save(&after));
	ck_assert_int_ge(CPU_COUNT_S(after.size, after.set), 1);
	cpulist_restore(&after);
	cpulist_restore(&after); /* nothing is saved */
}
END_TEST

UNIT_MAIN("cpulist", good_lists, ranges, bad_lists, a_thread_goes_to_a_cpu_and_back)
