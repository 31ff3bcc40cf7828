/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What of shared memory is in swap. No page table says so: a page of tmpfs that
 * is swapped out is just not mapped any more.
 */
#ifndef SHMSWAP_H
#define SHMSWAP_H

#include <stdbool.h>
#include <stdint.h>

#include "process/process.h"

/** shmswap_possible() - whether this machine has swap areas at all */
bool shmswap_possible(void);

/**
 * shmswap_open() - open the file of a mapping, if it is shared memory
 * @p: the process
 * @m: its mapping
 *
 * Return: a file descriptor; -ENXIO if no file of its device is shared memory;
 * -ENOENT if this one is not, or is not mapped any more; another -errno if that
 * cannot be known: -EPERM without CAP_SYS_ADMIN.
 */
int shmswap_open(const struct process *p, const struct mapping *m);

/**
 * shmswap_count() - how many pages of a file are in swap
 * @fd: from shmswap_open()
 * @first: page of the file
 * @n: how many pages
 *
 * Return: how many, or -errno.
 */
int64_t shmswap_count(int fd, uint64_t first, uint64_t n);

#endif /* SHMSWAP_H */
