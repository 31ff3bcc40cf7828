// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "privatefile.h"
#include "unit.h"

static char dir[32], path[64], other[64];

static void make_dir(void)
{
	snprintf(dir, sizeof(dir), "/tmp/kmt_private.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
}

static void remove_dir(void)
{
	unlink(path);
	unlink(other);
	ck_assert_int_eq(rmdir(dir), 0);
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

static const char *get(FILE *f)
{
	static char text[64];
	size_t n = fread(text, 1, sizeof(text) - 1, f);

	text[n] = '\0';
	fclose(f);
	return text;
}

/* Create it, and look that it is the owner's alone and can be written. */
static void create(void)
{
	FILE *f = privatefile_create(path);
	struct stat st;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fprintf(f, "new\n"), 0);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(lstat(path, &st), 0);
	ck_assert(S_ISREG(st.st_mode));
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	ck_assert_str_eq(get(fopen(path, "r")), "new\n");
}

START_TEST(mode)
{
	static const mode_t umasks[] = { 0, 022, 077, 0777 };
	mode_t before = umask(0);
	size_t i;

	make_dir();
	for (i = 0; i < sizeof(umasks) / sizeof(umasks[0]); i++) {
		umask(umasks[i]);
		create();
		unlink(path);
	}
	umask(before);
	remove_dir();
}
END_TEST

START_TEST(replaces)
{
	FILE *spy;

	make_dir();
	put(path, "old\n");
	ck_assert_int_eq(chmod(path, 0666), 0);
	spy = fopen(path, "r");
	ck_assert_ptr_nonnull(spy);
	create();
	ck_assert_str_eq(get(spy), "old\n");

	unlink(path);
	put(other, "target\n");
	ck_assert_int_eq(symlink(other, path), 0);
	create();
	ck_assert_str_eq(get(fopen(other, "r")), "target\n");
	remove_dir();
}
END_TEST

START_TEST(special)
{
	FILE *f = privatefile_create("/dev/null");
	struct stat st;

	ck_assert_ptr_nonnull(f);
	fclose(f);
	ck_assert_int_eq(lstat("/dev/null", &st), 0);
	ck_assert(S_ISCHR(st.st_mode));
	ck_assert_uint_ne(st.st_mode & 07777, 0600);

	ck_assert_ptr_null(privatefile_create("/nowhere/file"));
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_ptr_null(privatefile_create("/tmp"));
	ck_assert_int_eq(errno, EISDIR);
}
END_TEST

UNIT_MAIN("privatefile", mode, replaces, special)
