/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file `session`: recording that lasts only as long as the file is open. A
 * recorder that is killed cannot switch recording off; the kernel closes its files.
 */
#ifndef KMT_SESSION_H
#define KMT_SESSION_H

struct dentry;

/**
 * kmt_session_create() - make the file
 * @dir: where it goes
 *
 * Context: may sleep.
 * Return: 0, or what debugfs answered.
 */
int kmt_session_create(struct dentry *dir);

#endif /* KMT_SESSION_H */
