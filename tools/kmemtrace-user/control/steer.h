/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record --filter and --trigger. The recorder sets the filters and triggers in the module
 * for the time of the recording, and restores the previous ones afterwards.
 */
#ifndef STEER_H
#define STEER_H

#include <stdbool.h>

#include "control/eventfiles.h"
#include "kmt_field.h"

/*
 * Events that free objects, and filters that must pass them. A report shows live objects
 * only if the recording contains the frees of all recorded allocations.
 */

#define FREES_KIND(type)                                                       \
	(1u << KMT_EVENT_KIND(KMEMTRACE_EVENT_FREE, KMEMTRACE_TYPE_##type))

/* mask of the events that free objects */
#define FREES_KINDS                                                            \
	(FREES_KIND(KMALLOC) | FREES_KIND(CACHE) | FREES_KIND(PAGES) |         \
	 FREES_KIND(PERCPU))

/**
 * frees_pass() - check whether a filter that passes an allocation also passes its free
 * @text: the filter
 *
 * Return: true if the filter uses only fields that have the same value in an allocation
 * and in its free: the address and the cache.
 */
bool frees_pass(const char *text);

/**
 * frees_are_complete() - check whether all allocations in a mask have their frees in it
 * @kinds: mask of the events that are recorded
 */
bool frees_are_complete(u32 kinds);

#define STEER_MAX 32

/**
 * struct steer - filters and triggers of a recording
 * @filters: expressions. The filter of an event joins all expressions that are set for
 *	it; see @able.
 * @triggers: triggers, in the form EVENT:TRIGGER; the event may be a foreign one
 *	(eventfiles.h)
 * @nr_filters: number of filters
 * @nr_triggers: number of triggers
 * @able: for each filter: mask of the events to set it for; they have its fields
 * @old: filters that were in force before the recording, by kind; NULL: not changed
 * @added: number of triggers that are set in the module; these are the first ones
 */
struct steer {
	const char *filters[STEER_MAX];
	const char *triggers[STEER_MAX];
	unsigned int nr_filters;
	unsigned int nr_triggers;
	u32 able[STEER_MAX];
	char *old[KMT_EVENT_KINDS];
	unsigned int added;
};

/**
 * steer_add_filter() - check and store a value of --filter
 * @s: the filters and triggers
 * @text: the expression; it must live as long as @s
 *
 * Prints a message on failure.
 *
 * Return: EXIT_DONE, EXIT_FAILED or EXIT_USAGE.
 */
int steer_add_filter(struct steer *s, const char *text);

/**
 * steer_keep_frees() - exempt frees from filters that would drop them
 * @s: all filters
 * @events: the value of --events; NULL: all events
 *
 * Prints a note if frees are recorded although they do not match, if other events are recorded
 * because they lack the fields of a filter, or if the recording will not show live objects,
 * because it lacks frees.
 */
void steer_keep_frees(struct steer *s, const char *events);

/** steer_add_trigger() - check and store a value of --trigger, as steer_add_filter() */
int steer_add_trigger(struct steer *s, const char *text);

/** steer_takes_snapshots() - check whether one of the triggers takes snapshots */
bool steer_takes_snapshots(const struct steer *s);

/**
 * steer_set_filters() - set the filters in the module
 * @s: the filters and triggers
 * @dir: descriptor from control_open()
 *
 * Prints a message on failure. The caller calls steer_restore_filters() later, also
 * after a failure.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int steer_set_filters(struct steer *s, int dir);

/**
 * steer_note_others() - note filters and triggers that do not belong to this recording
 * @s: the filters and triggers of this recording, after steer_set_filters(), and before
 *	steer_set_triggers()
 * @dir: descriptor from control_open()
 *
 * A recorder that was killed leaves filters and triggers, which restrict the recording.
 * Prints a note for each, with the command that removes it.
 */
void steer_note_others(const struct steer *s, int dir);

/**
 * steer_may_switch() - check whether an event has a trigger traceon or traceoff
 * @dir: descriptor from control_open()
 *
 * Return: true also if the triggers cannot be read.
 */
bool steer_may_switch(int dir);

/**
 * steer_set_triggers() - add the triggers in the module; they may fire at once
 * @s: the filters and triggers
 * @dir: descriptor from control_open()
 *
 * Prints a message on failure. The caller calls steer_restore_triggers() later, also
 * after a failure.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int steer_set_triggers(struct steer *s, int dir);

/** steer_restore_triggers() - remove the added triggers; may be called again */
void steer_restore_triggers(struct steer *s, int dir);

/** steer_restore_filters() - restore the previous filters; may be called again */
void steer_restore_filters(struct steer *s, int dir);

#endif /* STEER_H */
