/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files ages and mark: live memory of each tag by age, and since a mark
 * (uapi/linux/kmemtrace_ages.h).
 */
#ifndef KMT_AGES_H
#define KMT_AGES_H

struct dentry;

/**
 * kmt_ages_create() - create the files
 * @dir: directory of debugfs; the files are removed with it
 *
 * Sets the mark to the present time.
 *
 * Context: may sleep.
 * Return: 0 or an error of debugfs.
 */
int kmt_ages_create(struct dentry *dir);

#endif /* KMT_AGES_H */
