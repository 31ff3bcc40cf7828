/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * debugfs/kmemtrace/events/: a directory for each system, in it one for each
 * event, as in event tracing.
 */
#ifndef KMT_EVENTS_DIR_H
#define KMT_EVENTS_DIR_H

struct dentry;

/**
 * kmt_events_dir_init() - make the directories and their files
 * @dir: where to; removing it removes them
 *
 * Context: may sleep.
 * Return: 0, or what debugfs answered.
 */
int kmt_events_dir_init(struct dentry *dir);

#endif /* KMT_EVENTS_DIR_H */
