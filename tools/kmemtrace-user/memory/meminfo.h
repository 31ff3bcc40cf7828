/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel says about its memory: figures of /proc/meminfo, and its log of the boot.
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

/**
 * bootlog_hash_bytes() - get the memory of the hash tables that are allocated at boot
 * @log: text of the kernel's log
 * @page_size: page size of this machine in bytes; each table has whole pages
 *
 * Only tables from the page allocator count. Earlier tables are not part of MemTotal.
 * Tables from vmalloc() count as memory of vmalloc().
 *
 * Return: bytes; 0 if the start of the log was overwritten.
 */
uint64_t bootlog_hash_bytes(const char *log, uint64_t page_size);

/**
 * bootlog_read() - read the kernel's log
 *
 * If KMEMTRACE_PROC is in the environment, reads the file kmsg in that directory.
 *
 * Return: the text, which the caller frees; NULL if the log cannot be read.
 */
char *bootlog_read(void);

#endif /* MEMINFO_H */
