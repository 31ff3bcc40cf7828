// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/outdir.h"
#include "unit.h"

static char top[] = "/tmp/test_outdir.XXXXXX";

static void enter(void)
{
	strcpy(top, "/tmp/test_outdir.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
	ck_assert_int_eq(chdir(top), 0);
}

static void leave(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(rmdir(top), 0);
}

static void add_file(struct outdir *d, const char *name)
{
	FILE *file = outdir_open(d, name);

	ck_assert_ptr_nonnull(file);
	fputs("text", file);
	ck_assert_int_eq(outdir_close(file), 0);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	return st.st_mode & 0777;
}

/* A new directory, and an empty one, whatever the umask. */
START_TEST(finished)
{
	struct outdir *d;

	enter();
	umask(0277);
	ck_assert_int_eq(outdir_create("new//", &d), 0);
	add_file(d, "a");
	ck_assert_int_eq(access("new", F_OK), -1);
	ck_assert_int_eq(outdir_finish(d), 0);
	ck_assert_uint_eq(mode_of("new"), 0700);
	ck_assert_uint_eq(mode_of("new/a"), 0600);
	ck_assert_int_eq(unlink("new/a"), 0);
	umask(0);
	ck_assert_int_eq(outdir_create("new", &d), 0);
	add_file(d, "b");
	ck_assert_int_eq(outdir_finish(d), 0);
	ck_assert_uint_eq(mode_of("new"), 0700);
	ck_assert_uint_eq(mode_of("new/b"), 0600);
	ck_assert_int_eq(unlink("new/b"), 0);
	ck_assert_int_eq(rmdir("new"), 0);
	leave();
}
END_TEST

START_TEST(discarded)
{
	struct outdir *d;

	enter();
	ck_assert_int_eq(outdir_create("new", &d), 0);
	add_file(d, "a");
	add_file(d, "b");
	outdir_discard(d);
	leave();
}
END_TEST

/* Nothing that exists is replaced, also if it appears while the directory is written. */
START_TEST(refused)
{
	struct outdir *d;

	enter();
	ck_assert_int_eq(mkdir("full", 0700), 0);
	ck_assert_int_eq(mkdir("full/a", 0700), 0);
	ck_assert_int_eq(outdir_create("full", &d), -ENOTEMPTY);
	ck_assert_int_eq(outdir_create("full/a/b/c", &d), -ENOENT);
	ck_assert_int_eq(outdir_create("", &d), -ENOENT);
	ck_assert_int_eq(symlink("full", "link"), 0);
	ck_assert_int_eq(outdir_create("link", &d), -ENOTEMPTY);
	ck_assert_int_eq(outdir_create(".", &d), -EBUSY);
	ck_assert_int_eq(unlink("link"), 0);
	ck_assert_int_eq(outdir_create("new", &d), 0);
	add_file(d, "a");
	ck_assert_int_eq(rename("full", "new"), 0);
	ck_assert_int_ne(outdir_finish(d), 0);
	ck_assert_int_eq(access("new.part", F_OK), -1);
	ck_assert_int_eq(rmdir("new/a"), 0);
	ck_assert_int_eq(rmdir("new"), 0);
	leave();
}
END_TEST

/* Another process writes the same directory. */
START_TEST(busy)
{
	struct outdir *d, *other;

	enter();
	ck_assert_int_eq(outdir_create("new", &d), 0);
	ck_assert_int_eq(outdir_create("new", &other), -EAGAIN);
	outdir_discard(d);
	leave();
}
END_TEST

/* A process that was killed left its directory: it is kept once. */
START_TEST(left)
{
	struct outdir *d;

	enter();
	ck_assert_int_eq(mkdir("new.part", 0700), 0);
	ck_assert_int_eq(mkdir("new.part/a", 0700), 0);
	ck_assert_int_eq(outdir_create("new", &d), 0);
	ck_assert_int_eq(access("new.part.old/a", F_OK), 0);
	outdir_discard(d);
	ck_assert_int_eq(mkdir("new.part", 0700), 0);
	ck_assert_int_eq(mkdir("new.part/b", 0700), 0);
	ck_assert_int_eq(outdir_create("new", &d), -EEXIST);
	ck_assert_int_eq(rmdir("new.part/b"), 0);
	/* an empty one is removed */
	ck_assert_int_eq(outdir_create("new", &d), 0);
	outdir_discard(d);
	ck_assert_int_eq(rmdir("new.part.old/a"), 0);
	ck_assert_int_eq(rmdir("new.part.old"), 0);
	leave();
}
END_TEST

/* A link to an empty directory stays. */
START_TEST(linked)
{
	struct outdir *d;
	struct stat st;

	enter();
	ck_assert_int_eq(mkdir("target", 0700), 0);
	ck_assert_int_eq(symlink("target", "link"), 0);
	ck_assert_int_eq(outdir_create("link/", &d), 0);
	add_file(d, "a");
	ck_assert_int_eq(outdir_finish(d), 0);
	ck_assert_int_eq(lstat("link", &st), 0);
	ck_assert(S_ISLNK(st.st_mode));
	ck_assert_int_eq(unlink("target/a"), 0);
	ck_assert_int_eq(rmdir("target"), 0);
	ck_assert_int_eq(unlink("link"), 0);
	leave();
}
END_TEST

UNIT_MAIN("outdir", finished, discarded, refused, busy, left, linked)
