/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Information about the boot from the kernel's log.
 */
#ifndef BOOTLOG_H
#define BOOTLOG_H

#include <stdint.h>

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

#endif /* BOOTLOG_H */
