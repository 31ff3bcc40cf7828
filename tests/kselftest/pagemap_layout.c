// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "kmt_test.h"
#include "pagemap_layout.h"

#define CHILDREN 2

enum {
	PRIVATE,
	COW,
	SHARED_ANON,
	SHARED_FILE,
	PRIVATE_FILE,
	MERGED,
	THP,
	THP_PART,
	THP_COW,
	HUGETLB,
	SWAPPED,
	SHM_SWAPPED,
	FILE_SWAPPED,
	FILE_COPIED,
	LOCKED,
	HOLES,
	ZEROS,
	HUGE_ZERO,
	SWAP_FORKED,
	SHM_FORKED,
	HUGETLB_FORKED,
	LAYOUTS,
};

#define HUGE_PAGES (LAYOUT_HUGE / LAYOUT_PAGE)

const struct layout layouts[LAYOUTS] = {
	[PRIVATE] = { "private", 64, { { 23, 1 } }, 23, .soft_dirty = 3 },
	/* the parent wrote 7 pages after the fork */
	[COW] = { "copied on write", 31, { { 7, 1 }, { 24, 3 } }, 31,
		  .is_forked = true, .both = 24, .child_only = 7 },
	/* one child wrote 13 pages, the other one 5 of these */
	[SHARED_ANON] = { "shared, without a file", 37,
			  { { 16, 1 }, { 8, 2 }, { 5, 3 } },
			  .is_forked = true, .both = 13 },
	[SHARED_FILE] = { "shared, of a file", 40, { { 12, 1 }, { 5, 2 } },
			  .is_forked = true, .both = 5 },
	/* 6 pages were written, 11 read; a child read 3 of these as well */
	[PRIVATE_FILE] = { "private, of a file", 40, { { 14, 1 }, { 3, 2 } }, 6,
			   .is_forked = true, .both = 3 },
	[MERGED] = { "merged by KSM", 48, { { 48, 48 } }, 48, .ksm = 48 },
	[THP] = { "THP", 2 * HUGE_PAGES, { { 2 * HUGE_PAGES, 1 } },
		  2 * HUGE_PAGES, .thp = 2 * HUGE_PAGES },
	/* the last 100 pages were unmapped */
	[THP_PART] = { "part of a THP", HUGE_PAGES - 100,
		       { { HUGE_PAGES - 100, 1 } }, HUGE_PAGES - 100 },
	/* a child unmapped half of it */
	[THP_COW] = { "shared THP", HUGE_PAGES,
		      { { HUGE_PAGES / 2, 2 }, { HUGE_PAGES / 2, 3 } },
		      HUGE_PAGES, .thp = HUGE_PAGES, .is_forked = true,
		      .both = HUGE_PAGES / 2, .thp_both = HUGE_PAGES / 2 },
	[HUGETLB] = { "hugetlb", 2 * HUGE_PAGES, .hugetlb = HUGE_PAGES },
	/* 5 pages were read back */
	[SWAPPED] = { "swapped out", 37, { { 5, 1 } }, 5, .swap = 32 },
	[SHM_SWAPPED] = { "shared and swapped out", 50, { { 8, 1 } },
			  .swap = 42, .shm_swap = 42 },
	/* 20 pages, 2 of which the next mapping read back */
	[FILE_SWAPPED] = { "file in swap", 20, .swap = 18, .shm_swap = 18 },
	/* 3 pages are copies, 2 are pages of the file, the others are in swap */
	[FILE_COPIED] = { "file in swap, private", 20, { { 5, 1 } }, 3,
			  .swap = 15, .shm_swap = 15 },
	[LOCKED] = { "locked", 19, { { 19, 1 } }, 19, .locked = 19 },
	[HOLES] = { "holes", 1 << 18, { { 3, 1 } }, 3 },
	/* 21 pages were read, then 4 of these written */
	[ZEROS] = { "pages of zeros", 30, { { 4, 1 } }, 4, .zeros = 17 },
	[HUGE_ZERO] = { "huge page of zeros", HUGE_PAGES,
			.zeros = HUGE_PAGES },
	/* a child read 5 pages back */
	[SWAP_FORKED] = { "swapped out before a fork", 20, .swap = 20,
			  .is_forked = true, .child_only = 5, .swap_both = 15 },
	/* a child read 4 pages back: they are in memory for both, but only it maps them */
	[SHM_FORKED] = { "shared, swapped out before a fork", 30, .swap = 26,
			 .shm_swap = 26, .is_forked = true, .child_only = 4,
			 .swap_both = 26 },
	[HUGETLB_FORKED] = { "shared hugetlb", HUGE_PAGES, .hugetlb = HUGE_PAGES,
			     .hugetlb_shared = HUGE_PAGES, .is_forked = true },
};

int layout_count(void)
{
	return LAYOUTS;
}

/* --- set up the mappings ------------------------------------------------------------ */

static int ready_fd;

static void fail(const char *format, ...)
{
	char text[256];
	va_list args;
	size_t n;

	va_start(args, format);
	vsnprintf(text, sizeof(text) - 1, format, args);
	va_end(args);
	n = strlen(text);
	text[n] = '\n';
	if (write(ready_fd, text, n + 1) < 0)
		perror("write");
	exit(1);
}

static char *map_pages(int i, uint64_t pages, int flags, int fd)
{
	void *at = (void *)LAYOUT_AT(i);
	char *got = mmap(at, pages * LAYOUT_PAGE, PROT_READ | PROT_WRITE,
			 flags | MAP_FIXED_NOREPLACE, fd, 0);

	if (got != at)
		fail("%s: mmap: %s", layouts[i].name, strerror(errno));
	return got;
}

static char *map(int i, int flags)
{
	return map_pages(i, layouts[i].size, flags | MAP_ANONYMOUS, -1);
}

/* Write different contents to each page. */
static void fill(char *at, uint64_t from, uint64_t to)
{
	uint64_t i;

	for (i = from; i < to; i++)
		*(uint64_t *)(at + i * LAYOUT_PAGE) = (uintptr_t)at + i + 1;
}

static void look(const char *at, uint64_t from, uint64_t to)
{
	uint64_t i;

	for (i = from; i < to; i++)
		(void)*(const volatile char *)(at + i * LAYOUT_PAGE);
}

static void advise(int i, char *at, uint64_t pages, int advice)
{
	if (madvise(at, pages * LAYOUT_PAGE, advice))
		fail("%s: madvise: %s", layouts[i].name, strerror(errno));
}

static char *map_huge(int i, uint64_t pages)
{
	char *at = map_pages(i, pages, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	advise(i, at, pages, MADV_HUGEPAGE);
	return at;
}

static int temporary(const char *name, uint64_t pages)
{
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, pages * LAYOUT_PAGE))
		fail("%s: %s", name, strerror(errno));
	return fd;
}

static char *map_file(int i, const char *name, int flags)
{
	int fd = temporary(name, layouts[i].size);
	char *at = map_pages(i, layouts[i].size, flags, fd);

	close(fd);
	unlink(name);
	return at;
}

/* Repeat it: pages that are not on an LRU list yet cannot be swapped out. */
static void swap_out(int i, char *at, uint64_t pages)
{
	unsigned char vec[64];
	int tries;
	uint64_t p, in_memory;

	for (tries = 0; tries < 500; tries++) {
		advise(i, at, pages, MADV_PAGEOUT);
		if (mincore(at, pages * LAYOUT_PAGE, vec))
			fail("mincore: %s", strerror(errno));
		for (p = 0, in_memory = 0; p < pages; p++)
			in_memory += vec[p] & 1;
		if (!in_memory)
			return;
		usleep(10000);
	}
	fail("%s: %d pages are not swapped out", layouts[i].name,
	     (int)in_memory);
}

static uint64_t ksm_sharing(void)
{
	return strtoull(file_text("/sys/kernel/mm/ksm/pages_sharing"), NULL,
			10);
}

/* All pages have the same contents. KSM keeps one and counts the others as sharing. */
static void make_merged(void)
{
	char *at = map(MERGED, MAP_PRIVATE);
	int tries;

	memset(at, 0x5a, 48 * LAYOUT_PAGE);
	advise(MERGED, at, 48, MADV_MERGEABLE);
	for (tries = 0; tries < 3000 && ksm_sharing() != 47; tries++)
		usleep(10000);
	if (ksm_sharing() != 47)
		fail("KSM merged %d of 47 pages", (int)ksm_sharing());
}

/* A file in swap with a private mapping that has copies of some pages. */
static void make_file_swapped(void)
{
	int fd = temporary("/tmp/layout", 20);
	char *shared = map_pages(FILE_SWAPPED, 20, MAP_SHARED, fd);
	char *copied = map_pages(FILE_COPIED, 20, MAP_PRIVATE, fd);

	fill(shared, 0, 20);
	swap_out(FILE_SWAPPED, shared, 20);
	fill(copied, 0, 3);
	/* the copies read pages of the file from swap: swap these out again */
	look(shared, 0, 3);
	swap_out(FILE_SWAPPED, shared, 20);
	look(copied, 3, 5);
	close(fd);
	unlink("/tmp/layout");
}

static void make_before_fork(void)
{
	fill(map(COW, MAP_PRIVATE), 0, 31);
	fill(map(SHARED_ANON, MAP_SHARED), 0, 29);
	fill(map_file(SHARED_FILE, "/tmp/layout", MAP_SHARED), 0, 17);
	look(map_file(PRIVATE_FILE, "/tmp/layout", MAP_PRIVATE), 0, 11);
	fill(map_huge(THP_COW, HUGE_PAGES), 0, HUGE_PAGES);
	fill(map(SWAP_FORKED, MAP_PRIVATE), 0, 20);
	swap_out(SWAP_FORKED, (char *)LAYOUT_AT(SWAP_FORKED), 20);
	fill(map(SHM_FORKED, MAP_SHARED), 0, 30);
	swap_out(SHM_FORKED, (char *)LAYOUT_AT(SHM_FORKED), 30);
	fill(map(HUGETLB_FORKED, MAP_SHARED | MAP_HUGETLB), 0, 1);
}

static void make_after_fork(void)
{
	char *at;

	fill(map(PRIVATE, MAP_PRIVATE), 0, 23);
	fill((char *)LAYOUT_AT(COW), 0, 7);
	fill((char *)LAYOUT_AT(PRIVATE_FILE), 20, 26);
	make_merged();
	fill(map_huge(THP, 2 * HUGE_PAGES), 0, 2 * HUGE_PAGES);
	at = map_huge(THP_PART, HUGE_PAGES);
	fill(at, 0, HUGE_PAGES);
	munmap(at + (HUGE_PAGES - 100) * LAYOUT_PAGE, 100 * LAYOUT_PAGE);
	fill(map(HUGETLB, MAP_PRIVATE | MAP_HUGETLB), 0, 1);
	at = map(SWAPPED, MAP_PRIVATE);
	fill(at, 0, 37);
	swap_out(SWAPPED, at, 37);
	look(at, 0, 5);
	at = map(SHM_SWAPPED, MAP_SHARED);
	fill(at, 0, 50);
	swap_out(SHM_SWAPPED, at, 50);
	look(at, 40, 48);
	make_file_swapped();
	at = map(LOCKED, MAP_PRIVATE);
	if (mlock(at, 19 * LAYOUT_PAGE))
		fail("mlock: %s", strerror(errno));
	at = map(HOLES, MAP_PRIVATE | MAP_NORESERVE);
	advise(HOLES, at, layouts[HOLES].size, MADV_NOHUGEPAGE);
	fill(at, 0, 1);
	fill(at, 100003, 100004);
	fill(at, layouts[HOLES].size - 1, layouts[HOLES].size);
	at = map(ZEROS, MAP_PRIVATE);
	look(at, 0, 21);
	fill(at, 3, 7);
	look(map_huge(HUGE_ZERO, HUGE_PAGES), 7, 8);
}

/* --- children ----------------------------------------------------------------------- */

static void child(int nr, int until)
{
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fill((char *)LAYOUT_AT(SHARED_ANON), 0, nr ? 5 : 13);
	if (!nr) {
		fill((char *)LAYOUT_AT(SHARED_FILE), 4, 9);
		look((char *)LAYOUT_AT(PRIVATE_FILE), 2, 5);
		munmap((char *)LAYOUT_AT(THP_COW) + LAYOUT_HUGE / 2,
		       LAYOUT_HUGE / 2);
		look((char *)LAYOUT_AT(SWAP_FORKED), 6, 11);
		look((char *)LAYOUT_AT(SHM_FORKED), 9, 13);
		look((char *)LAYOUT_AT(HUGETLB_FORKED), 0, 1);
	}
	if (write(ready_fd, ".", 1) < 0 || read(until, &c, 1) < 0)
		_exit(1);
	_exit(0);
}

static void fork_children(int until)
{
	int fd[2], nr, real = ready_fd;
	char c;

	if (pipe(fd))
		fail("pipe: %s", strerror(errno));
	for (nr = 0; nr < CHILDREN; nr++) {
		if (fork() == 0) {
			ready_fd = fd[1];
			child(nr, until);
		}
		if (read(fd[0], &c, 1) != 1)
			fail("child %d failed", nr);
	}
	close(fd[0]);
	close(fd[1]);
	ready_fd = real;
}

/* All processes share these pages, so their number of mappings changes. */
static void unmap_vdso(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long start[4], end[4];
	char line[512];
	int n = 0;

	while (f && n < 4 && fgets(line, sizeof(line), f))
		if (strstr(line, "[vdso]") || strstr(line, "[vvar"))
			n += sscanf(line, "%lx-%lx", &start[n], &end[n]) == 2;
	if (f)
		fclose(f);
	while (n--)
		munmap((void *)start[n], end[n] - start[n]);
}

int layout_main(int ready, int until)
{
	char c;

	ready_fd = ready;
	prctl(PR_SET_NAME, "layout");
	/* pages in the batch of another CPU cannot be swapped out */
	if (!pin_to(0))
		fail("cannot run on CPU 0 alone");
	make_before_fork();
	fork_children(until);
	make_after_fork();
	unmap_vdso();
	if (file_set("/proc/self/clear_refs", "4"))
		fail("clear_refs");
	fill((char *)LAYOUT_AT(PRIVATE), 4, 7);
	if (write(ready, "\n", 1) < 0 || read(until, &c, 1) < 0)
		return 1;
	return 0;
}
