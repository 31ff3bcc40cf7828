// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>

#include "process/filecache.h"
#include "tempdir.h"

static const char block[4096] = "x";

/* Make a file of @pages pages. The @n listed pages have data; the others are holes. */
static int make_file(const size_t *page, size_t n, size_t pages)
{
	int fd = open(tempdir_path("file"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	size_t i;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, pages * sizeof(block)), 0);
	for (i = 0; i < n; i++)
		ck_assert_int_eq(pwrite(fd, block, sizeof(block),
					page[i] * sizeof(block)),
				 sizeof(block));
	return fd;
}

/* Use the real /proc: the test needs the pagemap of its own process. */
static void begin(struct filecache *c)
{
	tempdir_begin();
	unsetenv("KMEMTRACE_PROC");
	ck_assert_int_eq(filecache_open(c), 0);
	ck_assert_uint_eq(c->page_size, sizeof(block));
}

static void end(struct filecache *c, int fd)
{
	close(fd);
	filecache_close(c);
	tempdir_end();
}

START_TEST(cached_pages_are_found)
{
	static const size_t pages[] = { 0, 1, 40, 63 };
	struct filecache c;
	uint64_t entry[64];
	int fd;

	begin(&c);
	fd = make_file(pages, 4, 64);
	ck_assert_int_eq(filecache_entries(&c, fd, 0, entry, 64), 0);
	ck_assert(entry[0] & PM_PRESENT);
	ck_assert(entry[1] & PM_PRESENT);
	ck_assert(entry[40] & PM_PRESENT);
	ck_assert(entry[63] & PM_PRESENT);
	ck_assert(!(entry[30] & PM_PRESENT));
	/* start at a page in the middle */
	ck_assert_int_eq(filecache_entries(&c, fd, 40, entry, 3), 0);
	ck_assert(entry[0] & PM_PRESENT);
	ck_assert(!(entry[2] & PM_PRESENT));
	end(&c, fd);
}
END_TEST

/* Start a child that writes and truncates the file until it is killed. */
static pid_t cut_off_again_and_again(int fd, size_t pages)
{
	pid_t child = fork();
	size_t i;

	while (!child) {
		for (i = 0; i < pages; i++)
			if (pwrite(fd, block, sizeof(block),
				   i * sizeof(block)) < 0)
				_exit(1);
		if (ftruncate(fd, sizeof(block)))
			_exit(1);
	}
	return child;
}

START_TEST(a_file_that_is_cut_off)
{
	static const size_t page;
	struct filecache c;
	uint64_t entry[512];
	time_t until;
	pid_t child;
	int fd;

	begin(&c);
	fd = make_file(&page, 1, 1);
	child = cut_off_again_and_again(fd, 512);
	until = time(NULL) + 2;
	while (time(NULL) < until) {
		ck_assert_int_eq(filecache_entries(&c, fd, 0, entry, 512), 0);
		ck_assert(entry[0] & PM_PRESENT);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	end(&c, fd);
}
END_TEST

START_TEST(a_file_that_cannot_be_mapped)
{
	struct filecache c;
	uint64_t entry[1];
	int fd;

	begin(&c);
	fd = open("/proc/self/status", O_RDONLY);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_lt(filecache_entries(&c, fd, 0, entry, 1), 0);
	end(&c, fd);
}
END_TEST

UNIT_MAIN("filecache", cached_pages_are_found, a_file_that_is_cut_off,
	  a_file_that_cannot_be_mapped)
