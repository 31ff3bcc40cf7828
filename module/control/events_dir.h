/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * debugfs/kmemtrace/events/: a directory for each system, which has a directory for
 * each of its events, as in event tracing.
 */
#ifndef KMT_EVENTS_DIR_H
#define KMT_EVENTS_DIR_H

struct dentry;

/**
 * kmt_events_dir_init() - create the directories and their files
 * @dir: the directory to create events/ in; its removal removes them
 *
 * Context: may sleep; called once.
 * Return: 0, or an error of debugfs.
 */
int kmt_events_dir_init(struct dentry *dir);

#endif /* KMT_EVENTS_DIR_H */
