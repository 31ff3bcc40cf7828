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
 * @text: of /proc/meminfo
 * @formula: their names, "Buffers + Cached - Shmem"
 * @bytes: set to the sum
 *
 * Return: whether all of them are there.
 */
bool meminfo_sum(const char *text, const char *formula, int64_t *bytes);

/**
 * meminfo_read() - read it
 *
 * The kernel is told first to add up what its CPUs have counted by themselves;
 * else some figures lag behind by hundreds of pages.
 *
 * Return: the text, to be freed; NULL after a message.
 */
char *meminfo_read(void);

#endif /* MEMINFO_H */
