/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file without a name, for what comes faster than it can be compressed: it is
 * put there, and fetched when there is time. What was fetched takes no room any
 * more, and of the file nothing is left in the end, whatever the end is.
 */
#ifndef SPILL_H
#define SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct spill - one such file; one thread puts, one fetches
 * @dir: where it is, an open directory; -1: there is to be none
 * @fd: the file; -1 until something is put
 * @end: bytes put so far; atomic, as @fetched
 * @fetched: bytes fetched so far
 * @reserve: bytes of the file system that are to stay free
 */
struct spill {
	int dir;
	int fd;
	uint64_t end;
	uint64_t fetched;
	uint64_t reserve;
};

/**
 * spill_init() - start with nothing
 * @spill: it
 * @dir: where the file is to be, an open directory; -1: nowhere
 */
void spill_init(struct spill *spill, int dir);

/** spill_exit() - forget all of it */
void spill_exit(struct spill *spill);

/** spill_is_possible() - whether it is worth a try */
static inline bool spill_is_possible(const struct spill *spill)
{
	return spill->dir >= 0;
}

/** spill_left() - bytes that were put and not fetched yet; any thread */
static inline uint64_t spill_left(const struct spill *spill)
{
	uint64_t fetched = __atomic_load_n(&spill->fetched, __ATOMIC_ACQUIRE);

	return __atomic_load_n(&spill->end, __ATOMIC_RELAXED) - fetched;
}

/**
 * spill_put() - put bytes at the end
 * @spill: it
 * @data: the bytes
 * @size: how many
 * @at: set to where they are
 *
 * Return: 0; -ENOSPC if too little would stay free; another -errno, and from then
 * on it is not possible any more.
 */
int spill_put(struct spill *spill, const void *data, size_t size, uint64_t *at);

/**
 * spill_fetch() - get bytes, once
 * @spill: it
 * @data: where to
 * @size: how many
 * @at: where they are
 *
 * Return: 0 or -errno.
 */
int spill_fetch(struct spill *spill, void *data, size_t size, uint64_t at);

#endif /* SPILL_H */
