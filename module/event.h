/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events, and what is done with them.
 *
 * An event is a tracepoint of the kernel and two probes: one of charge.c, which
 * is attached while accounting is on, and one of probe.c, which is attached
 * while recording is on and the event is wanted. Otherwise nothing is left in the way of an allocation. So are the
 * hooks (hook.h) that stand in where an event has no tracepoint.
 */
#ifndef KMT_EVENT_TABLE_H
#define KMT_EVENT_TABLE_H

#include <linux/types.h>

struct tracepoint;
struct seq_file;

/* what is done with an event: each has a probe of its own */
enum kmt_use {
	KMT_ACCOUNT,
	KMT_RECORD,
	KMT_USES
};

enum kmt_event_id {
	KMT_EVENT_KMALLOC,
	KMT_EVENT_KMEM_CACHE_ALLOC,
	KMT_EVENT_KFREE,
	KMT_EVENT_KMEM_CACHE_FREE,
	KMT_EVENT_MM_PAGE_ALLOC,
	KMT_EVENT_MM_PAGE_FREE,
	KMT_EVENT_PERCPU_ALLOC,
	KMT_EVENT_PERCPU_FREE,
	KMT_EVENTS
};

/**
 * struct kmt_event_type - one event
 * @system: as in event tracing
 * @name: of the event and of its tracepoint
 * @probe: what is attached, for each use
 * @tracepoint: what it is attached to; NULL where the kernel lacks it
 * @frees: it tells of frees
 * @wanted: record it when recording is on; under event_lock
 * @attached: whether each probe is attached; written under event_lock
 */
struct kmt_event_type {
	const char *system;
	const char *name;
	void *probe[KMT_USES];
	struct tracepoint *tracepoint;
	bool frees;
	bool wanted;
	bool attached[KMT_USES];
};

extern struct kmt_event_type kmt_events[KMT_EVENTS];

/**
 * kmt_event_init() - find the tracepoints
 *
 * Context: may sleep.
 * Return: 0, or -ENOENT if the kernel lacks one that is needed.
 */
int kmt_event_init(void);

/**
 * kmt_event_exit() - switch all off, and wait until no probe runs
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
 * kmt_event_account() - switch accounting on or off
 * @on: whether to account
 *
 * It begins with nothing known to be live. When it was switched off no probe
 * accounts any more, and the numbers stay as they are.
 *
 * Context: may sleep.
 * Return: 0, or an error of the tracepoints; then it is off.
 */
int kmt_event_account(bool on);

/**
 * kmt_event_accounting() - whether accounting is on
 *
 * Context: any.
 */
bool kmt_event_accounting(void);

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
