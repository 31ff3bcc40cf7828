/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel shows to user space only, in a file of /proc. */
#ifndef KMT_PROCFILE_H
#define KMT_PROCFILE_H

#include <linux/types.h>

/**
 * kmt_procfile_read() - read a file
 * @path: its path
 * @max: bytes that are read at most; what follows is left out
 *
 * The file is opened with the rights of the task.
 *
 * Context: may sleep.
 * Return: its text, with a zero behind it, which the caller frees with kvfree(); or an
 * ERR_PTR().
 */
char *kmt_procfile_read(const char *path, size_t max);

#endif /* KMT_PROCFILE_H */
