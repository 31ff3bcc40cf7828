/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Module parameters with the functions of the control files, in force from the first
 * event on. modprobe reads them from the kernel's command line as well
 * (kmemtrace.set_event= and so on), also in an initramfs.
 */
#ifndef KMT_BOOT_H
#define KMT_BOOT_H

/**
 * kmt_boot_init() - apply the parameters
 *
 * Logs wrong values.
 *
 * Context: may sleep; nothing is recorded yet.
 * Return: 0; -EINVAL for a wrong value; -ENOMEM; an error of the tracepoints.
 */
int kmt_boot_init(void);

#endif /* KMT_BOOT_H */
