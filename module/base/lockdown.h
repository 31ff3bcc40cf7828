/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KMT_LOCKDOWN_H
#define KMT_LOCKDOWN_H

#include <linux/security.h>

/**
 * kmt_lockdown_open() - may a file be opened that shows kernel addresses?
 *
 * debugfs closes files that can be written, and leaves files of mode 0400 open. But
 * a kernel that is locked down for confidentiality does not show its own trace.
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
