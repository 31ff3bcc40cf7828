/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KMT_LOCKDOWN_H
#define KMT_LOCKDOWN_H

#include <linux/security.h>

/**
 * kmt_lockdown_open() - check whether a file that shows kernel addresses may be opened
 *
 * On a kernel that is locked down, debugfs refuses to open files that can be written,
 * but opens files of mode 0400. The kernel's own trace is closed to all readers if the
 * kernel is locked down for confidentiality. This function applies the same rule.
 *
 * Context: process.
 *
 * Return: 0 or -EPERM.
 */
static inline int kmt_lockdown_open(void)
{
	return security_locked_down(LOCKDOWN_TRACEFS);
}

#endif /* KMT_LOCKDOWN_H */
