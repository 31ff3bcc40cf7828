/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the tracepoint of any event of the kernel and of its modules by the name that the
 * event has in event tracing.
 */
#ifndef KMT_TRACEPOINTS_H
#define KMT_TRACEPOINTS_H

#include <linux/types.h>

struct module;
struct trace_event_file;
struct tracepoint;

/* the function that the probe of a tracepoint must have */
enum kmt_tracepoint_type {
	KMT_TRACEPOINT_ANY,
	KMT_TRACEPOINT_SYS_ENTER, /* TP_PROTO() of raw_syscalls:sys_enter */
	KMT_TRACEPOINT_SYS_EXIT,
};

/**
 * struct kmt_tracepoint - the tracepoint of an event
 * @tp: the tracepoint
 * @type: its type
 * @syscall: the event is that of the system call with this number; -1: it is not
 * @file: keeps the module of the tracepoint; may be NULL
 */
struct kmt_tracepoint {
	struct tracepoint *tp;
	enum kmt_tracepoint_type type;
	int syscall;
	struct trace_event_file *file;
};

/**
 * kmt_tracepoint_get() - find the tracepoint of an event
 * @name: "system:event". The system "tracepoints" has all tracepoints by their own names,
 *	also those that have no event
 * @t: set to the tracepoint
 * @why: set to the reason, if the result is -EINVAL
 *
 * The tracepoint may disappear at once: see __kmt_tracepoint_owner().
 *
 * Context: may sleep; takes the mutex of event tracing.
 * Return: 0: the caller must call kmt_tracepoint_put(); -EINVAL if there is no such event,
 * or a probe cannot be attached to it; -ENOMEM.
 */
int kmt_tracepoint_get(const char *name, struct kmt_tracepoint *t,
		       const char **why);

/**
 * kmt_tracepoint_put() - undo kmt_tracepoint_get()
 * @t: the tracepoint
 *
 * Context: may sleep; takes the mutex of event tracing.
 */
void kmt_tracepoint_put(const struct kmt_tracepoint *t);

/**
 * __kmt_tracepoint_owner() - find the module that a tracepoint belongs to
 * @tp: the tracepoint
 * @owner: set to the module; NULL: the tracepoint is the kernel's own
 *
 * Context: may sleep; under kmt_event_lock(). The result is valid as long as the lock is
 * held, and then until kmt_tracepoints_init() reports the module.
 * Return: false if neither the kernel nor a module has this tracepoint.
 */
bool __kmt_tracepoint_owner(const struct tracepoint *tp, struct module **owner);

/**
 * kmt_tracepoints_init() - begin to watch for modules with tracepoints
 * @going: called with a module that is being unloaded, under kmt_event_lock(), if
 *	__kmt_tracepoint_owner() has returned it. No probe may be attached to its tracepoints
 *	afterwards
 *
 * Context: may sleep.
 * Return: 0, or an error of the notifier.
 */
int kmt_tracepoints_init(void (*going)(const struct module *module));

/**
 * kmt_tracepoints_exit() - undo kmt_tracepoints_init()
 *
 * Context: may sleep; takes kmt_event_lock().
 */
void kmt_tracepoints_exit(void);

#endif /* KMT_TRACEPOINTS_H */
