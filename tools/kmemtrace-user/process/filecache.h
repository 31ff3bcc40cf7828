/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pages of a file that are in the page cache, and their frames. The cached pages are
 * mapped, and their frames are read from the pagemap of this process. Nothing is read
 * from the disk, and no page is marked as accessed.
 */
#ifndef FILECACHE_H
#define FILECACHE_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/process.h"

/**
 * struct filecache - state and buffers
 * @self: this process
 * @resident: for each of FRAMES_BATCH pages, whether it is cached
 * @page_size: bytes of a page
 * @old: previous action of SIGBUS
 */
struct filecache {
	struct process self;
	unsigned char *resident;
	size_t page_size;
	struct sigaction old;
};

/**
 * filecache_open() - prepare for filecache_entries()
 * @c: set; must be closed with filecache_close(), also after an error
 *
 * Installs a handler for SIGBUS until then. A file that is truncated meanwhile causes
 * this signal. Only one struct filecache may be open at a time.
 *
 * Return: 0; -1 after a message.
 */
int filecache_open(struct filecache *c);

/**
 * filecache_entries() - get the frames of pages of a file
 * @c: from filecache_open()
 * @fd: the file
 * @page: number of the first page in the file
 * @entry: set to the pagemap entry of each page; 0 for a page that is not cached
 * @n: number of pages, at most FRAMES_BATCH
 *
 * Return: 0 or -errno.
 */
int filecache_entries(struct filecache *c, int fd, uint64_t page,
		      uint64_t *entry, size_t n);

/** filecache_close() - undo filecache_open() */
void filecache_close(struct filecache *c);

#endif /* FILECACHE_H */
