// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <linux/magic.h>
#include <unistd.h>

#include "control.h"
#include "shmswap.h"

#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

/* pages that are asked for at once; 64 MiB if they have 4 KiB */
#define CHUNK 16384

bool shmswap_possible(void)
{
	const char *proc = getenv("KMEMTRACE_PROC");
	char path[4096], *text;
	bool possible;

	snprintf(path, sizeof(path), "%s/swaps", proc ? proc : "/proc");
	text = control_read_path(AT_FDCWD, path, NULL);
	/* after a line of titles, one for each area */
	possible = text && control_next_line(text);
	free(text);
	return possible;
}

/*
 * To open a file may do something, if it is that of a device; to look at it does
 * not.
 */
int shmswap_open(const struct process *p, const struct mapping *m)
{
	char path[64];
	struct statfs fs;
	struct stat st;
	int look, fd;

	snprintf(path, sizeof(path), "map_files/%" PRIx64 "-%" PRIx64, m->start,
		 m->end);
	look = openat(p->dir, path, O_PATH | O_CLOEXEC);
	if (look < 0)
		return errno == ESRCH ? -ENOENT : -errno;
	if (fstatfs(look, &fs) || fs.f_type != TMPFS_MAGIC ||
	    fstat(look, &st) || !S_ISREG(st.st_mode)) {
		close(look);
		return -ENOENT;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", look);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	close(look);
	return fd;
}

/* What the kernel calls evicted is, of tmpfs, what is in swap. */
static int64_t count_evicted(int fd, uint64_t offset, uint64_t size)
{
	struct {
		uint64_t offset;
		uint64_t size;
	} range = { offset, size };
	struct {
		uint64_t cache;
		uint64_t dirty;
		uint64_t writeback;
		uint64_t evicted;
		uint64_t recently_evicted;
	} stat;

	if (syscall(SYS_cachestat, fd, &range, &stat, 0))
		return -errno;
	return stat.evicted;
}

/* Of pages that all hold data, those that are not in memory. */
static int64_t count_absent(int fd, uint64_t offset, uint64_t pages,
			    uint64_t page_size)
{
	unsigned char in_memory[CHUNK];
	int64_t absent = 0;
	uint64_t i;
	void *map = mmap(NULL, pages * page_size, PROT_READ, MAP_SHARED, fd,
			 offset);

	if (map == MAP_FAILED)
		return -errno;
	if (mincore(map, pages * page_size, in_memory))
		absent = -errno;
	for (i = 0; i < pages && absent >= 0; i++)
		absent += !(in_memory[i] & 1);
	munmap(map, pages * page_size);
	return absent;
}

/* Both what is in memory and what is in swap is data, the rest is a hole. */
static int64_t count_data(int fd, uint64_t offset, uint64_t end,
			  uint64_t page_size)
{
	int64_t swapped = 0, absent;
	uint64_t pages;
	off_t data, hole;

	while (offset < end && (data = lseek(fd, offset, SEEK_DATA)) >= 0) {
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole < 0)
			hole = end;
		offset = data & ~(page_size - 1);
		if ((uint64_t)hole > end)
			hole = end;
		while (offset < (uint64_t)hole) {
			pages = ((uint64_t)hole - offset + page_size - 1) /
				page_size;
			pages = pages < CHUNK ? pages : CHUNK;
			absent = count_absent(fd, offset, pages, page_size);
			if (absent < 0)
				return absent;
			swapped += absent;
			offset += pages * page_size;
		}
	}
	return swapped;
}

int64_t shmswap_count(int fd, uint64_t first, uint64_t n)
{
	uint64_t page_size = sysconf(_SC_PAGESIZE);
	int64_t swapped;

	swapped = count_evicted(fd, first * page_size, n * page_size);
	if (swapped == -ENOSYS)
		swapped = count_data(fd, first * page_size,
				     (first + n) * page_size, page_size);
	return swapped;
}
