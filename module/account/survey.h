/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The survey visits all page frames and all slabs once, when accounting has been switched on.
 * It charges the memory that was allocated before to the sites of earlier.h, so that all of
 * memory is accounted, and frees match.
 */
#ifndef KMT_SURVEY_H
#define KMT_SURVEY_H

#include <linux/types.h>

struct seq_file;

/**
 * kmt_survey_init() - learn what the survey needs, if the parameter survey is 1
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int kmt_survey_init(void);

/**
 * kmt_survey_read() - read what the survey needs from /proc
 *
 * Does nothing if the parameter survey is 0.
 *
 * Context: may sleep, in a task that can read /proc; no survey runs. kmt_control_mutex is not
 * held: readers of the module's files take it under the lock of a struct seq_file, and a file
 * of /proc has such a lock as well.
 */
void kmt_survey_read(void);

/**
 * kmt_survey_prepare() - arrange that events and the survey agree on what was seen
 *
 * Does nothing if the parameter survey is 0.
 *
 * Context: may sleep; after kmt_survey_read(); no probe is attached, and all counters are zero.
 */
void kmt_survey_prepare(void);

/**
 * kmt_survey_start() - let a worker charge memory that was allocated before
 *
 * Does nothing unless kmt_survey_prepare() has arranged it.
 *
 * Context: any. All probes of accounting are attached.
 */
void kmt_survey_start(void);

/**
 * kmt_survey_stop() - stop the worker, and undo kmt_survey_read() and kmt_survey_prepare()
 *
 * The survey does not charge memory that it has not visited.
 *
 * Context: may sleep.
 */
void kmt_survey_stop(void);

/**
 * kmt_survey_unplug() - tell the survey that memory goes offline
 * @going: true before that; false afterwards, or if it stays online. The kernel does this for
 *	one block of memory at a time, and may tell the end without the beginning
 *
 * Afterwards, the survey does not use memory that has gone offline.
 *
 * Context: may sleep.
 */
void kmt_survey_unplug(bool going);

/**
 * kmt_survey_show() - print the figures of the survey for the file stats
 * @m: the file
 *
 * Context: may sleep.
 */
void kmt_survey_show(struct seq_file *m);

#endif /* KMT_SURVEY_H */
