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

#include "base/textfile.h"
#include "process/shmswap.h"

/* since 6.5 */
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

bool shmswap_possible(void)
{
	const char *proc = getenv("KMEMTRACE_PROC");
	char path[4096], *text;
	bool possible;

	snprintf(path, sizeof(path), "%s/swaps", proc ? proc : "/proc");
	text = textfile_read(AT_FDCWD, path, NULL);
	/* a line of titles, then a line for each area */
	possible = text && textfile_next_line(text);
	free(text);
	return possible;
}

/*
 * Opening the file of a device may have side effects. So the file is first opened with
 * O_PATH, which has none, to check its type.
 */
int shmswap_open(const struct process *p, const struct mapping *m)
{
	char path[64];
	struct statfs fs;
	struct stat st;
	int look, fd = -ENOENT;

	snprintf(path, sizeof(path), "map_files/%" PRIx64 "-%" PRIx64, m->start,
		 m->end);
	look = openat(p->dir, path, O_PATH | O_CLOEXEC);
	if (look < 0)
		return errno == ESRCH ? -ENOENT : -errno;
	if (fstatfs(look, &fs) || fs.f_type != TMPFS_MAGIC) {
		fd = -ENXIO;
	} else if (!fstat(look, &st) && S_ISREG(st.st_mode)) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", look);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			fd = -errno;
	}
	close(look);
	return fd;
}

/* For tmpfs, the evicted pages are those in swap. */
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

/* Return: bytes after "Swap:" for the mapping of this process at @start, or -errno. */
static int64_t find_swap(const char *smaps, uintptr_t start)
{
	char key[32];
	size_t len = snprintf(key, sizeof(key), "%" PRIxPTR "-", start);
	const char *line = smaps;

	while (line && strncmp(line, key, len))
		line = textfile_next_line(line);
	line = textfile_value(line, "Swap", 4, ':');
	return line ? strtoll(line, NULL, 10) * 1024 : -ENODATA;
}

/* Maps the file here: smaps then shows how much of the file is in swap. */
static int64_t count_mapped(int fd, uint64_t offset, uint64_t size)
{
	void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, offset);
	int64_t bytes = -errno;
	char *smaps;

	if (map == MAP_FAILED)
		return bytes;
	smaps = textfile_read(AT_FDCWD, "/proc/self/smaps", NULL);
	bytes = smaps ? find_swap(smaps, (uintptr_t)map) : -errno;
	free(smaps);
	munmap(map, size);
	return bytes;
}

int64_t shmswap_count(int fd, uint64_t first, uint64_t n)
{
	uint64_t page_size = sysconf(_SC_PAGESIZE);
	int64_t swapped;

	swapped = count_evicted(fd, first * page_size, n * page_size);
	if (swapped != -ENOSYS)
		return swapped;
	swapped = count_mapped(fd, first * page_size, n * page_size);
	return swapped < 0 ? swapped : swapped / (int64_t)page_size;
}
