/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is steered by parameters of the module, so that it holds from the first
 * event on: on the kernel's command line as kmemtrace.set_event= and so on,
 * which modprobe passes on, also in an initramfs.
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
