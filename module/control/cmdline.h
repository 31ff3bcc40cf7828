/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parameters on the kernel's command line that are not the module's own, which
 * nobody passes to the module.
 */
#ifndef KMT_CMDLINE_H
#define KMT_CMDLINE_H

#include <linux/types.h>

/**
 * kmt_cmdline_get() - find a parameter on the kernel's command line
 * @name: the parameter; a dot in it may be a slash on the command line
 * @value: set to its value, or to the last one if it is there several times; cut
 *	to @size
 * @size: of @value, in bytes
 *
 * Parameters behind "--" are not the kernel's, and do not count.
 *
 * Context: may sleep.
 * Return: 0; -ENOENT if it is not there, or the command line cannot be read;
 * -ENOMEM.
 */
int kmt_cmdline_get(const char *name, char *value, size_t size);

#endif /* KMT_CMDLINE_H */
