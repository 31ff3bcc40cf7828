/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A temporary file without a name, for records that come faster than they can be
 * compressed. They are stored in the file, and fetched later. Space of fetched records is
 * freed. The file disappears with the process, also if the process is killed.
 */
#ifndef SPILL_H
#define SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct spill - one such file; one thread stores, others fetch
 * @dir: descriptor of the file's directory; -1: do not make a file
 * @fd: descriptor of the file; -1 until the first store
 * @end: bytes stored so far; atomic
 * @fetched: bytes fetched so far; atomic
 * @reserve: bytes of the file system that must stay free
 */
struct spill {
	int dir;
	int fd;
	uint64_t end;
	uint64_t fetched;
	uint64_t reserve;
};

/**
 * spill_init() - set up without a file
 * @spill: set up
 * @dir: descriptor of the directory for the file; -1: do not make a file
 *
 * Half of the space that is free now must stay free.
 */
void spill_init(struct spill *spill, int dir);

/** spill_exit() - close the file, which frees it */
void spill_exit(struct spill *spill);

/** spill_is_possible() - check whether spill_put() may succeed */
static inline bool spill_is_possible(const struct spill *spill)
{
	return spill->dir >= 0;
}

/** spill_left() - get the bytes that were stored but not fetched yet; any thread */
static inline uint64_t spill_left(const struct spill *spill)
{
	uint64_t fetched = __atomic_load_n(&spill->fetched, __ATOMIC_ACQUIRE);

	return __atomic_load_n(&spill->end, __ATOMIC_RELAXED) - fetched;
}

/**
 * spill_put() - store bytes at the end of the file
 * @spill: the file
 * @data: the bytes
 * @size: number of bytes
 * @at: set to their offset in the file
 *
 * Return: 0; -ENOSPC if less than the reserve would stay free; another -errno: then
 * spill_is_possible() returns false from now on.
 */
int spill_put(struct spill *spill, const void *data, size_t size, uint64_t *at);

/**
 * spill_fetch() - read bytes, and free their space in the file
 * @spill: the file
 * @data: buffer for the bytes
 * @size: number of bytes
 * @at: their offset in the file
 *
 * Return: 0 or -errno.
 */
int spill_fetch(struct spill *spill, void *data, size_t size, uint64_t at);

#endif /* SPILL_H */
