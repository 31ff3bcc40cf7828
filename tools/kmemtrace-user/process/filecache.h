/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which pages of a file are in the page cache, and in which frames: what is
 * cached is mapped, and looked up in our own pagemap. Nothing is read from the
 * disk, and no page counts as used for it.
 */
#ifndef FILECACHE_H
#define FILECACHE_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/process.h"

/**
 * struct filecache - what looking takes
 * @self: this process
 * @resident: of FRAMES_BATCH pages, whether they are cached
 * @page_size: of them
 * @old: what SIGBUS did before
 */
struct filecache {
	struct process self;
	unsigned char *resident;
	size_t page_size;
	struct sigaction old;
};

/**
 * filecache_open() - make ready
 * @c: set; to be closed with filecache_close(), also after an error
 *
 * SIGBUS, which is what comes of a file that is cut off meanwhile, is handled
 * until then; one at a time.
 *
 * Return: 0; -1 after a message.
 */
int filecache_open(struct filecache *c);

/**
 * filecache_entries() - look at pages of a file
 * @c: made ready
 * @fd: the file
 * @page: number of the first one
 * @entry: set to what pagemap says of each, 0 for one that is not cached
 * @n: how many, at most FRAMES_BATCH
 *
 * Return: 0 or -errno.
 */
int filecache_entries(struct filecache *c, int fd, uint64_t page,
		      uint64_t *entry, size_t n);

/** filecache_close() - undo what filecache_open() did */
void filecache_close(struct filecache *c);

#endif /* FILECACHE_H */
