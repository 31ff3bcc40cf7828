// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outfile.h"
#include "tempdir.h"

static const char *accepts = ""; /* any file is replaced */
static char path[128], part[128], old[128], other[128];

static void begin(void)
{
	tempdir_begin();
	snprintf(path, sizeof(path), "%s", tempdir_path("file"));
	snprintf(part, sizeof(part), "%s", tempdir_path("file.part"));
	snprintf(old, sizeof(old), "%s", tempdir_path("file.old"));
	snprintf(other, sizeof(other), "%s", tempdir_path("other"));
}

static const char *get(const char *name)
{
	static char text[64];
	FILE *f = fopen(name, "r");
	size_t n;

	if (!f)
		return "";
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static bool exists(const char *name)
{
	struct stat st;

	return !lstat(name, &st);
}

static struct outfile *start(const char *name)
{
	struct outfile *o;

	ck_assert_int_eq(outfile_create(name, accepts, &o), 0);
	ck_assert_int_ge(fprintf(outfile_stream(o), "new\n"), 0);
	return o;
}

static void write_new(const char *name)
{
	ck_assert_int_eq(outfile_finish(start(name), 0, false), 0);
}

START_TEST(only_the_owner_can_open_it)
{
	static const mode_t umasks[] = { 0, 022, 077, 0777 };
	mode_t before = umask(0);
	struct stat st;
	size_t i;

	begin();
	for (i = 0; i < sizeof(umasks) / sizeof(umasks[0]); i++) {
		umask(umasks[i]);
		write_new(path);
		ck_assert_int_eq(lstat(path, &st), 0);
		ck_assert(S_ISREG(st.st_mode));
		ck_assert_uint_eq(st.st_mode & 07777, 0600);
		ck_assert_str_eq(get(path), "new\n");
		ck_assert(!exists(part) && !exists(old));
		unlink(path);
	}
	umask(before);
	tempdir_end();
}
END_TEST

START_TEST(the_old_file_is_kept)
{
	struct outfile *o;

	begin();
	tempdir_put_text("file", "one\n");
	o = start(path);
	ck_assert_str_eq(outfile_path(o), path);
	ck_assert_str_eq(get(path), "one\n");
	ck_assert_int_eq(outfile_finish(o, 0, false), 0);
	ck_assert_str_eq(get(path), "new\n");
	ck_assert_str_eq(get(old), "one\n");
	/* only one old generation is kept */
	write_new(path);
	ck_assert_str_eq(get(old), "new\n");
	/* an empty file is not kept */
	tempdir_put_text("file", "");
	write_new(path);
	ck_assert_str_eq(get(old), "new\n");
	/* if the old file cannot be kept, the new one does not replace it */
	unlink(old);
	o = start(path);
	ck_assert_int_eq(mkdir(old, 0700), 0);
	ck_assert_int_ne(outfile_finish(o, 0, true), 0);
	ck_assert_str_eq(get(path), "new\n");
	ck_assert_str_eq(get(part), "new\n");
	/* outfile_create() fails if it can tell that the old file cannot be kept */
	unlink(part);
	ck_assert_int_eq(outfile_create(path, "", &o), -EEXIST);
	ck_assert_str_eq(get(path), "new\n");
	ck_assert(!exists(part));
	tempdir_end();
}
END_TEST

/* Each name that the tool would give to another file, and the file that would be renamed. */
START_TEST(files_with_other_data_are_not_touched)
{
	static const char *const names[][2] = {
		{ "file", NULL },
		{ "file.old", "file" },
		{ "file.part", NULL },
		{ "file.part.old", "file.part" },
	};
	static const char *const texts[] = { "notes\n", "x", "new" };
	struct outfile *o;
	size_t i, j;

	begin();
	for (i = 0; i < 4; i++) {
		for (j = 0; j < 3; j++) {
			tempdir_put_text(names[i][0], texts[j]);
			if (names[i][1])
				tempdir_put_text(names[i][1], "new one\n");
			ck_assert_int_eq(outfile_create(path, j < 2 ? "new " : NULL, &o),
					 -EEXIST);
			ck_assert_str_eq(get(tempdir_path(names[i][0])), texts[j]);
			if (names[i][1])
				ck_assert_str_eq(get(tempdir_path(names[i][1])), "new one\n");
		}
		unlink(tempdir_path(names[i][0]));
		if (names[i][1])
			unlink(tempdir_path(names[i][1]));
	}
	/* the user creates it while the tool writes */
	accepts = "new";
	o = start(path);
	tempdir_put_text("file", "notes\n");
	ck_assert_int_eq(outfile_finish(o, 0, true), -EEXIST);
	ck_assert_str_eq(get(path), "notes\n");
	ck_assert_str_eq(get(part), "new\n");
	tempdir_end();
}
END_TEST

START_TEST(discarding_changes_nothing)
{
	begin();
	tempdir_put_text("file", "one\n");
	outfile_discard(start(path));
	ck_assert_str_eq(get(path), "one\n");
	ck_assert(!exists(part) && !exists(old));
	tempdir_end();
}
END_TEST

/* The limit of the file size makes writes fail, as a full disk would. */
static void fill_disk(bool full)
{
	struct rlimit limit = { .rlim_cur = full ? 2 : RLIM_INFINITY,
				.rlim_max = RLIM_INFINITY };

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

START_TEST(a_full_disk_leaves_the_old_file)
{
	struct outfile *o;

	begin();
	tempdir_put_text("file", "one\n");
	o = start(path);
	fill_disk(true);
	ck_assert_int_eq(outfile_finish(o, 0, true), -EFBIG);
	fill_disk(false);
	ck_assert_str_eq(get(path), "one\n");
	ck_assert_str_eq(get(part), "ne");
	ck_assert(!exists(old));

	unlink(part);
	o = start(path);
	fill_disk(true);
	ck_assert_int_eq(outfile_finish(o, 0, false), -EFBIG);
	fill_disk(false);
	ck_assert_str_eq(get(path), "one\n");
	ck_assert(!exists(part) && !exists(old));

	/* an earlier error of the caller */
	ck_assert_int_eq(outfile_finish(start(path), -ENOMEM, true), -ENOMEM);
	ck_assert_str_eq(get(path), "one\n");
	ck_assert_str_eq(get(part), "new\n");
	tempdir_end();
}
END_TEST

START_TEST(a_second_writer_is_refused)
{
	struct outfile *o, *second;

	begin();
	o = start(path);
	fflush(outfile_stream(o));
	ck_assert_int_eq(outfile_create(path, "", &second), -EBUSY);
	ck_assert_str_eq(get(part), "new\n");
	ck_assert_int_eq(outfile_finish(o, 0, false), 0);
	ck_assert_str_eq(get(path), "new\n");
	tempdir_end();
}
END_TEST

/* A reader that sees the end of a file at once starts the next writer. */
START_TEST(a_writer_that_is_about_to_end_is_waited_for)
{
	struct outfile *o;
	int ready[2];
	char byte;
	pid_t pid;

	begin();
	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		o = start(path);
		fflush(outfile_stream(o));
		usleep(write(ready[1], "", 1) * 200000);
		_exit(outfile_finish(o, 0, false) != 0);
	}
	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	write_new(path);
	ck_assert_str_eq(get(path), "new\n");
	ck_assert_str_eq(get(old), "new\n");
	tempdir_end();
}
END_TEST

START_TEST(a_file_that_a_killed_process_left_is_kept)
{
	char aside[160];

	begin();
	tempdir_put_text("file.part", "left\n");
	snprintf(aside, sizeof(aside), "%s.old", part);
	write_new(path);
	ck_assert_str_eq(get(aside), "left\n");
	ck_assert_str_eq(get(path), "new\n");
	ck_assert(!exists(part));
	tempdir_end();
}
END_TEST

START_TEST(other_files_with_the_name_are_not_touched)
{
	struct outfile *o;

	begin();
	ck_assert_int_eq(symlink(other, part), 0);
	ck_assert_int_eq(outfile_create(path, "", &o), -EEXIST);
	ck_assert(!exists(other));
	unlink(part);
	ck_assert_int_eq(mkfifo(part, 0600), 0);
	ck_assert_int_eq(outfile_create(path, "", &o), -EEXIST);
	unlink(part);

	/* on a file system without locks, another process may replace the file */
	o = start(path);
	unlink(part);
	tempdir_put_text("file.part", "foreign\n");
	ck_assert_int_eq(outfile_finish(o, 0, true), -ESTALE);
	ck_assert_str_eq(get(part), "foreign\n");
	ck_assert(!exists(path));
	tempdir_end();
}
END_TEST

START_TEST(a_link_stays_and_its_target_is_replaced)
{
	struct stat st;
	char kept[160];

	begin();
	tempdir_put_text("other", "one\n");
	ck_assert_int_eq(symlink("other", path), 0);
	write_new(path);
	ck_assert_int_eq(lstat(path, &st), 0);
	ck_assert(S_ISLNK(st.st_mode));
	ck_assert_str_eq(get(other), "new\n");
	snprintf(kept, sizeof(kept), "%s.old", other);
	ck_assert_str_eq(get(kept), "one\n");

	unlink(other);
	write_new(path);
	ck_assert_int_eq(lstat(path, &st), 0);
	ck_assert(S_ISLNK(st.st_mode));
	ck_assert_str_eq(get(other), "new\n");
	tempdir_end();
}
END_TEST

START_TEST(devices_and_pipes_are_written_to)
{
	struct outfile *o;
	struct stat st;
	int fd;

	begin();
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	o = start(path);
	ck_assert_ptr_null(outfile_path(o));
	ck_assert_int_eq(outfile_finish(o, 0, true), 0);
	ck_assert_int_eq(lstat(path, &st), 0);
	ck_assert(S_ISFIFO(st.st_mode));
	ck_assert_int_eq(read(fd, other, 4), 4);
	ck_assert_mem_eq(other, "new\n", 4);
	close(fd);

	write_new("/dev/null");
	ck_assert_int_eq(lstat("/dev/null", &st), 0);
	ck_assert(S_ISCHR(st.st_mode));
	ck_assert_int_eq(outfile_finish(start("/dev/full"), 0, true), -ENOSPC);
	tempdir_end();
}
END_TEST

/* what fallocate() returns in errno; 0: it succeeds */
static int no_blocks;

int fallocate(int fd, int mode, off_t offset, off_t len)
{
	ck_assert(fd >= 0 && mode == FALLOC_FL_KEEP_SIZE && offset == 4 && len >= 4096);
	errno = no_blocks;
	return no_blocks ? -1 : 0;
}

/*
 * Other processes may write to a log: the search for a reason must not write to it. A limit is
 * the reason, or the disk has no blocks for the end of the log, or the reason is gone.
 */
START_TEST(a_failed_log_is_not_truncated)
{
	static const struct { bool limited; int no_blocks, err; } rows[] = {
		{ true, 0, EFBIG }, { false, ENOSPC, ENOSPC }, { false, EDQUOT, EDQUOT },
		{ false, EOPNOTSUPP, EIO }, { false, 0, EIO },
	};
	FILE *log;
	size_t i;

	begin();
	tempdir_put_text("file", "one\n");
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		log = fopen(path, "a");
		ck_assert_ptr_nonnull(log);
		setvbuf(log, NULL, _IONBF, 0);
		fill_disk(true);
		ck_assert_int_eq(fputs("new\n", log), EOF);
		fill_disk(rows[i].limited);
		no_blocks = rows[i].no_blocks;
		ck_assert_int_eq(outfile_flush(log), -rows[i].err);
		fill_disk(false);
		fclose(log);
		ck_assert_str_eq(get(path), "one\n");
	}
	tempdir_end();
}
END_TEST

/* After a failed flush, nothing is left to write. */
START_TEST(the_reason_of_an_earlier_failure_is_found)
{
	FILE *full = fopen("/dev/full", "w"), *pipe_end;
	int fds[2];

	begin();
	ck_assert_ptr_nonnull(full);
	ck_assert_int_eq(outfile_write_error(full), 0);
	fputs("new\n", full);
	ck_assert_int_eq(fflush(full), EOF);
	errno = ENOENT;
	ck_assert_int_eq(outfile_write_error(full), -ENOSPC);
	fclose(full);

	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(pipe(fds), 0);
	close(fds[0]);
	pipe_end = fdopen(fds[1], "w");
	fputs("new\n", pipe_end);
	ck_assert_int_eq(fflush(pipe_end), EOF);
	errno = ENOENT;
	ck_assert_int_eq(outfile_write_error(pipe_end), -EPIPE);
	fclose(pipe_end);
	tempdir_end();
}
END_TEST

START_TEST(a_dash_is_standard_output)
{
	int to[2];

	begin();
	ck_assert_int_eq(pipe(to), 0);
	fflush(stdout);
	ck_assert_int_eq(dup2(to[1], STDOUT_FILENO), STDOUT_FILENO);
	write_new("-");
	ck_assert_int_eq(read(to[0], other, 4), 4);
	ck_assert_mem_eq(other, "new\n", 4);
	/* standard output is still open */
	ck_assert_int_eq(write(STDOUT_FILENO, "more", 4), 4);
	tempdir_end();
}
END_TEST

/* A redirection: the file under it must get the text, and must not be renamed. */
START_TEST(names_of_descriptors_are_written_to)
{
	static const char *const names[] = { "/dev/stdout", "/dev/fd/1",
					     "/proc/self/fd/1",
					     "/proc/thread-self/fd/1" };
	struct outfile *o;
	size_t i;
	int fd;

	begin();
	fd = open(path, O_WRONLY | O_CREAT, 0644);
	fflush(stdout);
	ck_assert_int_eq(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
	close(fd);
	for (i = 0; i < 4; i++) {
		ck_assert(outfile_is_stdout(names[i]));
		write_new(names[i]);
	}
	ck_assert_int_eq(symlink("/dev/stdout", other), 0);
	write_new(other);
	ck_assert_str_eq(get(path), "new\nnew\nnew\nnew\nnew\n");
	ck_assert(!exists(old) && !exists(part));

	/* only what the tool may write to */
	ck_assert_int_eq(dup2(open("/dev/null", O_RDONLY), 9), 9);
	ck_assert(outfile_is_direct("/dev/fd/9") && !outfile_is_stdout("/dev/fd/9"));
	ck_assert_int_eq(outfile_create("/dev/fd/9", "", &o), -EBADF);
	close(STDOUT_FILENO);
	ck_assert_int_eq(outfile_create("/dev/stdout", "", &o), -EBADF);
	ck_assert(!outfile_is_direct(path) && !outfile_is_stdout(path));
	tempdir_end();
}
END_TEST

START_TEST(an_empty_part_file_is_removed)
{
	struct outfile *o;

	begin();
	ck_assert_int_eq(outfile_create(path, "", &o), 0);
	ck_assert_int_eq(outfile_finish(o, -ENOSPC, true), -ENOSPC);
	ck_assert(!exists(path) && !exists(part));
	tempdir_end();
}
END_TEST

START_TEST(bad_names)
{
	struct outfile *o;

	begin();
	ck_assert_int_eq(outfile_create("/nowhere/file", "", &o), -ENOENT);
	ck_assert_int_eq(outfile_create(tempdir, "", &o), -EISDIR);
	ck_assert_int_eq(outfile_create("", "", &o), -ENOENT);
	ck_assert_int_eq(symlink("other", path), 0);
	ck_assert_int_eq(symlink("file", other), 0);
	ck_assert_int_eq(outfile_create(path, "", &o), -EMLINK);
	tempdir_end();
}
END_TEST

/* Any user can lock /tmp for ever. */
START_TEST(a_locked_directory_does_not_block)
{
	int dir;

	begin();
	dir = open(tempdir, O_RDONLY | O_DIRECTORY);
	ck_assert_int_eq(flock(dir, LOCK_EX), 0);
	alarm(60); /* the test fails if outfile_create() waits for ever */
	write_new(path);
	alarm(0);
	ck_assert_str_eq(get(path), "new\n");
	close(dir);
	tempdir_end();
}
END_TEST

UNIT_MAIN("outfile", only_the_owner_can_open_it, the_old_file_is_kept,
	  files_with_other_data_are_not_touched,
	  discarding_changes_nothing, a_full_disk_leaves_the_old_file,
	  a_failed_log_is_not_truncated,
	  the_reason_of_an_earlier_failure_is_found, a_second_writer_is_refused,
	  a_writer_that_is_about_to_end_is_waited_for,
	  a_file_that_a_killed_process_left_is_kept,
	  other_files_with_the_name_are_not_touched,
	  a_link_stays_and_its_target_is_replaced,
	  devices_and_pipes_are_written_to, a_dash_is_standard_output,
	  names_of_descriptors_are_written_to, bad_names, an_empty_part_file_is_removed,
	  a_locked_directory_does_not_block)
