// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/die.h"
#include "base/msg.h"
#include "frames/frames.h"
#include "process/filecache.h"

static sigjmp_buf cut_off;

static void on_sigbus(int signal)
{
	(void)signal;
	siglongjmp(cut_off, 1);
}

int filecache_open(struct filecache *c)
{
	struct sigaction action = { .sa_handler = on_sigbus };
	int err;

	c->page_size = sysconf(_SC_PAGESIZE);
	sigaction(SIGBUS, &action, &c->old);
	err = process_open(&c->self, getpid());
	if (err) {
		msg_error("cannot open /proc/self/pagemap: %s", strerror(-err));
		c->resident = NULL;
		return -1;
	}
	c->resident = xmalloc(FRAMES_BATCH);
	return 0;
}

void filecache_close(struct filecache *c)
{
	sigaction(SIGBUS, &c->old, NULL);
	process_close(&c->self);
	free(c->resident);
}

/* Maps the cached pages by touching them. Touching other pages would read them. */
static void touch(const struct filecache *c, const volatile char *map, size_t n)
{
	volatile size_t i;

	/* SIGBUS: the file has been truncated meanwhile, and its rest is not cached */
	if (sigsetjmp(cut_off, 1))
		return;
	for (i = 0; i < n; i++)
		if (c->resident[i] & 1)
			(void)map[i * c->page_size];
}

int filecache_entries(struct filecache *c, int fd, uint64_t page,
		      uint64_t *entry, size_t n)
{
	size_t size = n * c->page_size;
	ssize_t got;
	char *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd,
			 page * c->page_size);
	int err = 0;

	if (map == MAP_FAILED)
		return -errno;
	/*
	 * MADV_RANDOM: touching a page does not start readahead. MADV_SEQUENTIAL:
	 * unmapping a page here does not mark it as accessed.
	 */
	if (mincore(map, size, c->resident) ||
	    madvise(map, size, MADV_RANDOM)) {
		err = -errno;
		goto out;
	}
	touch(c, map, n);
	if (madvise(map, size, MADV_SEQUENTIAL)) {
		err = -errno;
		goto out;
	}
	got = process_pagemap(&c->self, (uintptr_t)map / c->page_size, entry, n);
	if (got != (ssize_t)n)
		err = got < 0 ? (int)got : -EIO;
out:
	munmap(map, size);
	return err;
}
