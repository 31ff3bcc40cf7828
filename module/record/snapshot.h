/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Snapshots: there are two channels. One records; a snapshot exchanges them.
 * The other one then holds what was recorded and was not read, to be read from
 * snapshot_cpu<n>, while recording goes on.
 */
#ifndef KMT_SNAPSHOT_H
#define KMT_SNAPSHOT_H

#include <linux/types.h>

struct seq_file;

/* why a snapshot is taken */
enum kmt_snapshot_reason {
	KMT_SNAPSHOT_REQUEST,	/* a write to the file snapshot */
	KMT_SNAPSHOT_TRIGGER,	/* a trigger */
	KMT_SNAPSHOT_OOM,	/* the kernel is out of memory */
};

/**
 * kmt_snapshot_take() - freeze what was recorded
 * @reason: why
 *
 * It replaces the snapshot before it. If that one is being read, or cannot be
 * read yet, or if there is no channel for snapshots, it is counted as missed.
 *
 * Context: any.
 */
void kmt_snapshot_take(enum kmt_snapshot_reason reason);

/**
 * kmt_snapshot_write() - the file snapshot
 * @text: "1": take one, and wait until it can be read; "0": drop it, and free
 *	the channel unless overwrite=1 or a trigger needs it; another number:
 *	drop it
 *
 * Context: may sleep.
 * Return: 0; -EBUSY if it is being read; -EINVAL, -ERANGE or -ENOMEM. The error
 * log says why.
 */
int kmt_snapshot_write(char *text);

/**
 * kmt_snapshot_show() - what the file snapshot shows
 * @m: gets "name value", one a line
 *
 * Context: may sleep.
 */
void kmt_snapshot_show(struct seq_file *m);

/**
 * kmt_snapshot_open() - begin to read the snapshot
 *
 * Context: any.
 * Return: 0; then kmt_snapshot_close() is due, and the channel stays until then.
 * -ENODATA if there is none.
 */
int kmt_snapshot_open(void);

/**
 * kmt_snapshot_close() - undo kmt_snapshot_open()
 *
 * Context: may sleep.
 */
void kmt_snapshot_close(void);

/**
 * kmt_snapshot_missed() - snapshots that could not be taken
 *
 * Context: any.
 */
u64 kmt_snapshot_missed(void);

/**
 * kmt_snapshot_init() - listen for the kernel running out of memory
 *
 * Context: may sleep.
 * Return: 0 or an error.
 */
int kmt_snapshot_init(void);

/**
 * kmt_snapshot_exit() - undo kmt_snapshot_init()
 *
 * Context: may sleep; nothing is recorded any more.
 */
void kmt_snapshot_exit(void);

#endif /* KMT_SNAPSHOT_H */
