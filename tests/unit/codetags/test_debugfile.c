// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <unistd.h>

#include "codetags/debugfile.h"
#include "unit.h"

static char dir[64], pattern[80];

static void put(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void drop(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	ck_assert_int_eq(unlink(path), 0);
}

static void setup(void)
{
	strcpy(dir, "/tmp/test_debugfile.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(pattern, sizeof(pattern), "%s/*.urls", dir);
	unsetenv("DEBUGINFOD_URLS");
}

START_TEST(the_urls_of_all_files)
{
	setup();
	put("a.urls", "https://one.invalid/\n");
	put("b.urls", "https://two.invalid/ https://three.invalid/\n\n");
	put("c.other", "https://four.invalid/\n");
	debugfile_use_servers(pattern);
	ck_assert_str_eq(getenv("DEBUGINFOD_URLS"),
			 "https://one.invalid/ https://two.invalid/ https://three.invalid/ ");
	drop("a.urls");
	drop("b.urls");
	drop("c.other");
	rmdir(dir);
}
END_TEST

START_TEST(no_urls)
{
	setup();
	debugfile_use_servers(pattern);
	ck_assert_ptr_null(getenv("DEBUGINFOD_URLS"));
	put("empty.urls", "\n");
	debugfile_use_servers(pattern);
	ck_assert_ptr_null(getenv("DEBUGINFOD_URLS"));
	drop("empty.urls");
	rmdir(dir);
}
END_TEST

START_TEST(the_variable_comes_first)
{
	setup();
	put("a.urls", "https://one.invalid/\n");
	setenv("DEBUGINFOD_URLS", "", 1);
	debugfile_use_servers(pattern);
	ck_assert_str_eq(getenv("DEBUGINFOD_URLS"), "");
	drop("a.urls");
	rmdir(dir);
}
END_TEST

UNIT_MAIN("debugfile", the_urls_of_all_files, no_urls, the_variable_comes_first)
