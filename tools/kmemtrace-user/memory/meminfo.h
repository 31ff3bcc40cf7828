/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Figures of /proc/meminfo.
 */
#ifndef MEMINFO_H
#define MEMINFO_H

#include <stdbool.h>
#include <stdint.h>

/**
 * meminfo_sum() - add up figures
 * @text: text of /proc/meminfo
 * @formula: names of the figures, for example "Buffers + Cached - Shmem"
 * @bytes: set to the sum in bytes
 *
 * Return: whether @text has all these figures.
 */
bool meminfo_sum(const char *text, const char *formula, int64_t *bytes);

/**
 * meminfo_read() - read /proc/meminfo
 *
 * First makes the kernel add its per-CPU counts to the totals. Otherwise, some figures
 * may be wrong by hundreds of pages.
 *
 * Return: the text, which the caller frees; NULL after a message.
 */
char *meminfo_read(void);

#endif /* MEMINFO_H */
