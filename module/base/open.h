/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KMT_OPEN_H
#define KMT_OPEN_H

#include <linux/module.h>
#include <linux/security.h>

/**
 * kmt_open_file() - check whether a file in debugfs may be opened
 *
 * A module whose loading fails is freed, even if one of its files is open. The kernel would
 * then call code that is gone when the file is closed. So no file can be opened before
 * nothing can fail any more. Each file's open() calls this function or kmt_open_addresses().
 *
 * Context: any.
 *
 * Return: 0, or -EAGAIN while the module is being loaded.
 */
static inline int kmt_open_file(void)
{
	return READ_ONCE(THIS_MODULE->state) == MODULE_STATE_LIVE ? 0 : -EAGAIN;
}

/**
 * kmt_open_addresses() - check whether a file that shows kernel addresses may be opened
 *
 * On a kernel that is locked down, debugfs refuses to open files that can be written,
 * but opens files of mode 0400. The kernel's own trace is closed to all readers if the
 * kernel is locked down for confidentiality. This function applies the same rule.
 *
 * Context: process.
 *
 * Return: 0, -EPERM, or the errors of kmt_open_file().
 */
static inline int kmt_open_addresses(void)
{
	return kmt_open_file() ?: security_locked_down(LOCKDOWN_TRACEFS);
}

#endif /* KMT_OPEN_H */
