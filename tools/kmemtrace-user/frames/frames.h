/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is known of page frames, by frame number: /proc/kpageflags, kpagecount
 * and kpagecgroup, and who allocated them, from the module's file pages. Read in
 * batches, in reads that are aligned.
 */
#ifndef FRAMES_H
#define FRAMES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/kmemtrace_pages.h>

/* which of them to read */
#define FRAMES_FLAGS  1 /* /proc/kpageflags */
#define FRAMES_COUNT  2 /* /proc/kpagecount */
#define FRAMES_CGROUP 4 /* /proc/kpagecgroup */
#define FRAMES_OWNER  8 /* debugfs/kmemtrace/pages */
#define FRAMES_FILES  4

/* at most so many at once; 1 MiB of flags */
#ifndef FRAMES_BATCH
#define FRAMES_BATCH 131072
#endif

/**
 * struct frames - the open files, and what was read of them last
 * @fd: the files, -1 for those that are not read
 * @path: what messages call them
 * @flags: of FRAMES_BATCH frames, as the kernel's page-types calls them
 * @count: how often each is mapped
 * @cgroup: inode number of its memory cgroup
 * @owner: who allocated it; all 0 past the end of that file
 * @run: scratch of frames_gather()
 * @order: the same
 */
struct frames {
	int fd[FRAMES_FILES];
	const char *path[FRAMES_FILES];
	uint64_t *flags;
	uint64_t *count;
	uint64_t *cgroup;
	struct kmemtrace_page *owner;
	void *run;
	uint32_t *order;
};

/**
 * frames_open() - open the files
 * @f: set; to be closed with frames_close(), also after an error
 * @files: mask of FRAMES_*
 * @flags_path: to read instead of /proc/kpageflags, or NULL; is kept
 *
 * KMEMTRACE_PROC in the environment names another directory than /proc (for
 * tests), as KMEMTRACE_DIR does for the module's.
 *
 * Return: 0; -1 after a message that says what to do.
 */
int frames_open(struct frames *f, unsigned int files, const char *flags_path);

/**
 * frames_read() - read frames that follow on each other
 * @f: the files
 * @pfn: number of the first
 * @n: how many, at most FRAMES_BATCH
 *
 * Frame @pfn + i is in @f->flags[i] and so on. The first of the files tells
 * where memory ends; what another one lacks is 0.
 *
 * Return: how many there are, fewer at the end of memory only; 0 after it; -1
 * after a message.
 */
ssize_t frames_read(struct frames *f, uint64_t pfn, size_t n);

/**
 * frames_gather() - read frames here and there
 * @f: the files
 * @pfn: their numbers, best in ascending order: neighbours are read together
 * @n: how many, at most FRAMES_BATCH
 *
 * Frame @pfn[i] is in @f->flags[i] and so on; one after the end of memory has
 * PAGEFLAG(NOPAGE) and is 0 otherwise, as is a hole before it: frames_end()
 * tells them apart.
 *
 * Return: 0; -1 after a message.
 */
int frames_gather(struct frames *f, const uint64_t *pfn, size_t n);

/** frames_end() - number after that of the last frame; -1 after a message */
int64_t frames_end(struct frames *f);

/** frames_close() - close the files */
void frames_close(struct frames *f);

#endif /* FRAMES_H */
