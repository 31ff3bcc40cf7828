// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holds pages of many kinds until it is killed:
 *
 *   page_holder FILE
 *
 * It maps FILE, which must have at least 8 pages. If there is swap, some pages are
 * swapped out. A child shares the pages. When all is set up, it creates FILE.ready.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define HUGE (2ul << 20)

static size_t page_size;

static void must(int is_true, const char *what)
{
	if (!is_true) {
		perror(what);
		exit(1);
	}
}

static char *map(size_t pages, int flags, int fd)
{
	char *p = mmap(NULL, pages * page_size, PROT_READ | PROT_WRITE, flags,
		       fd, 0);

	must(p != MAP_FAILED, "mmap");
	return p;
}

static void hold_anonymous(void)
{
	char *p = map(64, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	volatile char seen;

	/* written pages with holes between them; then pages only read, as zero pages */
	memset(p, 1, 20 * page_size);
	memset(p + 25 * page_size, 1, 7 * page_size);
	seen = p[40 * page_size];
	seen = p[41 * page_size];
	(void)seen;
	memset(map(8, MAP_SHARED | MAP_ANONYMOUS, -1), 1, 8 * page_size);
	p = map(12, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	must(!mlock(p, 12 * page_size), "mlock");
}

static void hold_swapped(void)
{
	char *p = map(10, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	memset(p, 1, 10 * page_size);
	must(!madvise(p, 10 * page_size, MADV_PAGEOUT), "madvise");
}

static void hold_huge(void)
{
	char *p = map(2 * HUGE / page_size, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	p += -(unsigned long)p % HUGE;
	must(!madvise(p, HUGE, MADV_HUGEPAGE), "madvise");
	memset(p, 1, HUGE);
}

static void hold_file(int fd)
{
	volatile char seen;
	char *p = map(8, MAP_PRIVATE, fd);
	int i;

	for (i = 0; i < 8; i++)
		seen = p[i * page_size];
	(void)seen;
	memset(p, 1, 3 * page_size);
	p = map(4, MAP_SHARED, fd);
	memset(p, 1, 2 * page_size);
}

int main(int argc, char **argv)
{
	char ready[256];
	int fd, parent = getpid();

	must(argc == 2, "usage: page_holder FILE");
	page_size = sysconf(_SC_PAGESIZE);
	fd = open(argv[1], O_RDWR);
	must(fd >= 0, argv[1]);
	hold_anonymous();
	hold_huge();
	hold_swapped();
	hold_file(fd);
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			return 1;
		snprintf(ready, sizeof(ready), "%s.ready", argv[1]);
		must(open(ready, O_WRONLY | O_CREAT, 0600) >= 0, ready);
	}
	for (;;)
		pause();
}
