// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "base/pidnames.h"
#include "unit.h"

START_TEST(names_are_kept)
{
	struct pidnames p;
	char name[16];
	uint64_t pid;

	pidnames_init(&p);
	for (pid = 1; pid < 3000; pid++) {
		snprintf(name, sizeof(name), "p%d", (int)pid);
		pidnames_set(&p, pid, name, true);
	}
	for (pid = 1; pid < 3000; pid++) {
		snprintf(name, sizeof(name), "p%d", (int)pid);
		ck_assert_str_eq(pidnames_get(&p, pid), name);
	}
	ck_assert_str_eq(pidnames_get(&p, 5000), "");
	pidnames_exit(&p);
}
END_TEST

START_TEST(a_sure_name_replaces_another)
{
	struct pidnames p;

	pidnames_init(&p);
	pidnames_set(&p, 7, "thread", false);
	ck_assert_str_eq(pidnames_get(&p, 7), "thread");
	pidnames_set(&p, 7, "other", false);
	ck_assert_str_eq(pidnames_get(&p, 7), "thread");
	pidnames_set(&p, 7, "main", true);
	ck_assert_str_eq(pidnames_get(&p, 7), "main");
	pidnames_set(&p, 7, "thread", false);
	ck_assert_str_eq(pidnames_get(&p, 7), "main");
	pidnames_exit(&p);
}
END_TEST

UNIT_MAIN("pidnames", names_are_kept, a_sure_name_replaces_another)
