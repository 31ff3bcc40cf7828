// SPDX-License-Identifier: GPL-2.0-only
/* The module's file cgroups, and the file system. */
#include <linux/kmemtrace_pages.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/cgroups.h"
#include "tempdir.h"

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

/* Return: the id of a directory, as the kernel's. */
static uint64_t make(const char *name)
{
	struct stat st;

	ck_assert_int_eq(mkdir(tempdir_path(name), 0700), 0);
	ck_assert_int_eq(stat(tempdir_path(name), &st), 0);
	return st.st_ino;
}

static void list(struct cgroups *c)
{
	int dir = open(tempdir_path(""), O_RDONLY | O_DIRECTORY);

	*c = (struct cgroups){ .text = cgroups_of_processes(dir) };
	close(dir);
	cgroups_parse(c);
}

/* The memory controller is in version 1: the ids of its cgroups are other ones. */
START_TEST(beside_version_1)
{
	struct cgroups c;
	uint64_t root, a;

	tempdir_begin();
	tempdir_put_text("cgroups", "#subsys_name\thierarchy\tnum_cgroups\tenabled\n"
				    "cpu\t3\t9\t1\nmemory\t7\t99\t1\n");
	make("fs");
	make("fs/cgroup");
	make("fs/cgroup/memory");
	root = make("fs/cgroup/unified");
	tempdir_put_text("fs/cgroup/unified/cgroup.controllers", "pids\n");
	a = make("fs/cgroup/unified/a b");
	list(&c);
	ck_assert_uint_eq(c.count, 2);
	ck_assert_str_eq(name(&c, root), "/");
	ck_assert_str_eq(name(&c, a), "/a b");
	cgroups_free(&c);
	tempdir_end();
}
END_TEST

/* Version 1 is at the usual place. */
START_TEST(mounted_elsewhere)
{
	char mounts[512];
	struct cgroups c;
	uint64_t a;

	tempdir_begin();
	make("fs");
	make("fs/cgroup");
	make("self");
	make("my cgroups");
	tempdir_put_text("my cgroups/cgroup.controllers", "memory\n");
	a = make("my cgroups/a");
	snprintf(mounts, sizeof(mounts),
		 "22 1 0:20 / %s/fs/cgroup rw - cgroup cgroup rw,memory\n"
		 "23 1 0:21 / %s/none rw - cgroup2 none rw\n"
		 "24 1 0:22 / %s/my\\040cgroups rw,nosuid shared:3 - cgroup2 none rw\n",
		 tempdir, tempdir, tempdir);
	tempdir_put_text("self/mountinfo", mounts);
	list(&c);
	ck_assert_uint_eq(c.count, 2);
	ck_assert_str_eq(name(&c, a), "/a");
	cgroups_free(&c);
	tempdir_end();
}
END_TEST

/* The module's file (which is /proc/cgroups as well in this test) has a removed cgroup. */
START_TEST(version_2)
{
	char expected[64];
	struct cgroups c;
	uint64_t root, b;

	tempdir_begin();
	make("fs");
	root = make("fs/cgroup");
	tempdir_put_text("fs/cgroup/cgroup.controllers", "memory\n");
	make("fs/cgroup/a");
	b = make("fs/cgroup/a/b");
	snprintf(expected, sizeof(expected), "%llu online 900 /\n77 removed 3 /gone\n",
		 (unsigned long long)root);
	tempdir_put_text("cgroups", expected);
	list(&c);
	ck_assert_uint_eq(c.count, 5);
	ck_assert_str_eq(name(&c, root), "/");
	ck_assert_str_eq(name(&c, b), "/a/b");
	ck_assert_str_eq(name(&c, 77), "/gone");
	cgroups_free(&c);
	tempdir_end();
}
END_TEST

/* Neither the file system nor the file is there. */
START_TEST(no_cgroups)
{
	struct cgroups c;

	tempdir_begin();
	list(&c);
	ck_assert_uint_eq(c.count, 0);
	cgroups_free(&c);
	tempdir_end();
}
END_TEST

UNIT_MAIN("cgroups", rows, none, beside_version_1, mounted_elsewhere, version_2, no_cgroups)
