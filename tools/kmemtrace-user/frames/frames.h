/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data about page frames, by frame number: /proc/kpageflags, kpagecount and kpagecgroup,
 * and the allocations and cgroups of the frames, from the module's files. The files are read in
 * batches of whole entries, because they require aligned reads.
 */
#ifndef FRAMES_H
#define FRAMES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/kmemtrace_pages.h>

/* mask of files */
#define FRAMES_FLAGS  1 /* /proc/kpageflags */
#define FRAMES_COUNT  2 /* /proc/kpagecount */
#define FRAMES_CGROUP 4 /* /proc/kpagecgroup */
#define FRAMES_OWNER  8 /* debugfs/kmemtrace/pages */
#define FRAMES_CHARGED 16 /* debugfs/kmemtrace/page_cgroups */
#define FRAMES_FILES  5

/* maximum number of frames in one call; 1 MiB of flags */
#ifndef FRAMES_BATCH
#define FRAMES_BATCH 131072
#endif

/**
 * struct frames - the open files, and the entries that were read last
 * @fd: file descriptors; -1 for a file that is not read
 * @path: names of the files in messages
 * @flags: flags of each frame, by enum pageflag
 * @count: number of mappings of each frame
 * @cgroup: inode number of the memory cgroup of each frame
 * @owner: allocation of each frame; all 0 past the end of the file
 * @charged: memory cgroup of each frame, with KMEMTRACE_CGROUP_REMOVED
 * @end: number of the last frame of memory plus 1, by the first open file
 * @to: end of a walk
 * @pfn: first frame of its current batch
 * @n: number of frames in this batch
 * @run: buffer of frames_gather()
 * @order: buffer of frames_gather()
 *
 * Each array of entries has room for FRAMES_BATCH frames.
 */
struct frames {
	int fd[FRAMES_FILES];
	const char *path[FRAMES_FILES];
	uint64_t *flags;
	uint64_t *count;
	uint64_t *cgroup;
	struct kmemtrace_page *owner;
	uint64_t *charged;
	uint64_t end;
	uint64_t to;
	uint64_t pfn;
	size_t n;
	void *run;
	uint32_t *order;
};

/**
 * frames_open() - open the files
 * @f: set; must be closed with frames_close(), also after an error
 * @files: mask of FRAMES_*
 * @flags_path: file to read instead of /proc/kpageflags, or NULL; @f keeps the pointer
 *
 * For tests, the environment variable KMEMTRACE_PROC replaces the directory /proc, and
 * KMEMTRACE_DIR the directory of the module.
 *
 * Return: 0; -1 after a message.
 */
int frames_open(struct frames *f, unsigned int files, const char *flags_path);

/**
 * frames_read() - read contiguous frames
 * @f: the files
 * @pfn: number of the first frame
 * @n: number of frames, at most FRAMES_BATCH
 *
 * The data of frame @pfn + i are in @f->flags[i] and so on. Entries that only another than the
 * first open file lacks are set to 0.
 *
 * Return: number of frames read; less than @n only at the end of memory; 0 after the end;
 * -1 after a message.
 */
ssize_t frames_read(struct frames *f, uint64_t pfn, size_t n);

/** frames_walk() - begin a walk over frames; frames_open() begins one over all frames */
void frames_walk(struct frames *f, uint64_t from, uint64_t to);

/**
 * frames_next() - read the next batch of a walk
 * @f: the files; @f->pfn and @f->n are set
 * @n: number of frames, at most FRAMES_BATCH
 *
 * Return: 1; 0 at the end; -1 after a message.
 */
int frames_next(struct frames *f, size_t n);

/**
 * frames_gather() - read frames that need not be contiguous
 * @f: the files
 * @pfn: numbers of the frames; ascending order is the fastest
 * @n: number of frames, at most FRAMES_BATCH
 *
 * The data of frame @pfn[i] are in @f->flags[i] and so on. A frame after the end of
 * memory has the flag PAGEFLAG(NOPAGE), and all other data are 0. A hole before the end
 * may look the same. Compare with @f->end to distinguish them.
 *
 * Return: 0; -1 after a message.
 */
int frames_gather(struct frames *f, const uint64_t *pfn, size_t n);

/** frames_close() - close the files */
void frames_close(struct frames *f);

#endif /* FRAMES_H */
