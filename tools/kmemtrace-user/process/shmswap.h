/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pages of shared memory that are in swap. Page tables do not show them: a page of
 * tmpfs that is swapped out is not mapped any more.
 */
#ifndef SHMSWAP_H
#define SHMSWAP_H

#include <stdbool.h>
#include <stdint.h>

#include "process/process.h"

/** shmswap_possible() - whether this machine has swap areas */
bool shmswap_possible(void);

/**
 * shmswap_open() - open the file of a mapping, if it is shared memory
 * @p: the process
 * @m: the mapping
 *
 * Return: a file descriptor; -ENXIO if no file of the device is shared memory; -ENOENT if
 * this file is not, or is not mapped any more; another -errno if it cannot be determined,
 * for example -EPERM without CAP_SYS_ADMIN.
 */
int shmswap_open(const struct process *p, const struct mapping *m);

/**
 * shmswap_count() - count the pages of a file that are in swap
 * @fd: from shmswap_open()
 * @first: number of the first page in the file
 * @n: number of pages to check
 *
 * Return: number of pages in swap, or -errno.
 */
int64_t shmswap_count(int fd, uint64_t first, uint64_t n);

#endif /* SHMSWAP_H */
