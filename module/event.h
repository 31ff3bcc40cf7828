/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events that can be recorded, and whether they are.
 *
 * An event is a tracepoint of the kernel and a probe of probe.c. A probe is
 * attached while its event is wanted and recording is on, and only then: when
 * nothing is recorded, nothing is left in the way of an allocation.
 */
#ifndef KMT_EVENT_TABLE_H
#define KMT_EVENT_TABLE_H

#include <linux/types.h>

struct tracepoint;
struct seq_file;

/**
 * struct kmt_event_type - one event
 * @system: as in event tracing
 * @name: of the event and of its tracepoint
 * @probe: what is attached
 * @tracepoint: what it is attached to; NULL where the kernel lacks it
 * @wanted: record it when recording is on; under kmt_event_lock
 * @attached: the probe is attached; under kmt_event_lock
 */
struct kmt_event_type {
	const char *system;
	const char *name;
	void *probe;
	struct tracepoint *tracepoint;
	bool wanted;
	bool attached;
};

/**
 * kmt_event_init() - find the tracepoints
 *
 * Context: may sleep.
 * Return: 0, or -ENOENT if the kernel lacks one that is needed.
 */
int kmt_event_init(void);

/**
 * kmt_event_exit() - switch recording off, and wait until no probe runs
 *
 * Context: may sleep.
 */
void kmt_event_exit(void);

/**
 * kmt_event_record() - switch recording on or off
 * @on: whether to record
 *
 * Losses are counted from zero when it is switched on. When it was switched
 * off no probe runs any more, and the last record is in its buffer.
 *
 * Context: may sleep.
 * Return: 0, or an error of the tracepoints; then nothing is recorded.
 */
int kmt_event_record(bool on);

/**
 * kmt_event_recording() - whether recording is on
 *
 * Context: any; it stays so while kmt_channel_sem is held.
 */
bool kmt_event_recording(void);

/**
 * kmt_event_set() - want events, or no longer
 * @pattern: "system:event", "system:*", "*:*", or "event"; with a "!" in
 *	front, no longer
 *
 * Context: may sleep.
 * Return: 0; -EINVAL if there is no such event; an error of the tracepoints.
 */
int kmt_event_set(const char *pattern);

/**
 * kmt_event_clear() - want no event
 *
 * Context: may sleep.
 */
void kmt_event_clear(void);

/**
 * kmt_event_show() - list events, one a line
 * @m: where to
 * @wanted_only: only those that are wanted
 *
 * Context: may sleep.
 */
void kmt_event_show(struct seq_file *m, bool wanted_only);

#endif /* KMT_EVENT_TABLE_H */
