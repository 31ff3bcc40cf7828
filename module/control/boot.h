/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parameters that do what the files do, from the first event on. modprobe takes them
 * from the kernel's command line (kmemtrace.set_event= and so on), also in an
 * initramfs.
 */
#ifndef KMT_BOOT_H
#define KMT_BOOT_H

/**
 * kmt_boot_init() - do what the parameters ask for
 *
 * Context: may sleep; nothing is recorded yet.
 * Return: 0, or -EINVAL and other errors: then the log says what is wrong.
 */
int kmt_boot_init(void);

#endif /* KMT_BOOT_H */
