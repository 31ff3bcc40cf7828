/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Other modules, as they come and go: their static tags (kmemtrace_tag.h) are
 * listed when they are loaded, and when they leave, what they leave behind is
 * told, and addresses inside them mean nothing any more.
 */
#ifndef KMT_CLIENT_H
#define KMT_CLIENT_H

#include <linux/types.h>

/**
 * kmt_client_init() - watch modules from here on
 *
 * Context: may sleep.
 * Return: 0 or an error of the notifier.
 */
int kmt_client_init(void);

/**
 * kmt_client_exit() - watch no longer
 *
 * Context: may sleep.
 */
void kmt_client_exit(void);

/**
 * kmt_client_leaks() - tags that were live when their module was unloaded
 *
 * Context: any.
 */
u64 kmt_client_leaks(void);

/**
 * kmt_client_leaked_bytes() - bytes that were live at these tags
 *
 * Context: any.
 */
u64 kmt_client_leaked_bytes(void);

#endif /* KMT_CLIENT_H */
