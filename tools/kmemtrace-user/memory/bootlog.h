/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel's log says of the kernel's start.
 */
#ifndef BOOTLOG_H
#define BOOTLOG_H

#include <stdint.h>

/**
 * bootlog_hash_bytes() - how much the hash tables of the kernel's start take
 * @log: text of the kernel's log
 * @page_size: of this machine; each table is of whole pages
 *
 * Of those alone that are pages of the allocator: tables from before there was
 * one are no part of MemTotal, those of vmalloc() are counted there.
 *
 * Return: bytes; 0 if the log has lost its begin.
 */
uint64_t bootlog_hash_bytes(const char *log, uint64_t page_size);

/**
 * bootlog_read() - read the log
 *
 * With KMEMTRACE_PROC in the environment, the file kmsg there.
 *
 * Return: the text, to be freed; NULL if it cannot be read.
 */
char *bootlog_read(void);

#endif /* BOOTLOG_H */
