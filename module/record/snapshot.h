/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Snapshots. A snapshot exchanges the two channels: recording goes on in one, and the
 * other one keeps the records that were not read yet. Readers read them from
 * snapshot_cpu<n>.
 */
#ifndef KMT_SNAPSHOT_H
#define KMT_SNAPSHOT_H

#include <linux/types.h>

struct seq_file;

/* reason of a snapshot */
enum kmt_snapshot_reason {
	KMT_SNAPSHOT_REQUEST,	/* a write to the file snapshot */
	KMT_SNAPSHOT_TRIGGER,	/* a trigger */
	KMT_SNAPSHOT_OOM,	/* the kernel is out of memory */
};

/**
 * kmt_snapshot_take() - take a snapshot
 * @reason: stored with the snapshot
 *
 * It replaces the previous snapshot. If that one is open, or cannot be read yet, or if
 * the channel for snapshots is not allocated, the new snapshot is counted as missed.
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h).
 * Return: false if it was missed.
 */
bool kmt_snapshot_take(enum kmt_snapshot_reason reason);

/**
 * kmt_snapshot_write() - write to the file snapshot
 * @text: "1": take a snapshot, and wait until it can be read; "0": drop the snapshot,
 *	and free its channel unless overwrite=1 or a trigger needs it; another number:
 *	drop the snapshot
 *
 * Context: may sleep.
 * Return: 0; -EBUSY if the snapshot is open, or a trigger is taking one; -EINVAL, -ERANGE
 * or -ENOMEM. The error log has the reason.
 */
int kmt_snapshot_write(char *text);

/**
 * kmt_snapshot_show() - print the file snapshot
 * @m: gets "name value", one in a line
 *
 * Context: any.
 */
void kmt_snapshot_show(struct seq_file *m);

/**
 * kmt_snapshot_open() - keep the snapshot, for a reader
 *
 * Context: any.
 * Return: 0: the snapshot stays until kmt_snapshot_close(); -ENODATA if there is no
 * snapshot that can be read.
 */
int kmt_snapshot_open(void);

/**
 * kmt_snapshot_close() - undo kmt_snapshot_open()
 *
 * Context: any.
 */
void kmt_snapshot_close(void);

/**
 * kmt_snapshot_missed() - count the snapshots that could not be taken
 *
 * Context: any.
 */
u64 kmt_snapshot_missed(void);

/**
 * kmt_snapshot_init() - take a snapshot whenever the kernel runs out of memory
 *
 * Only with overwrite=1, while recording is on, and unless snapshot_on_oom=0. A snapshot
 * with records that were not read is kept, and the new one is counted as missed.
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int kmt_snapshot_init(void);

/**
 * kmt_snapshot_exit() - undo kmt_snapshot_init()
 *
 * Context: may sleep; nothing is recorded any more.
 */
void kmt_snapshot_exit(void);

#endif /* KMT_SNAPSHOT_H */
