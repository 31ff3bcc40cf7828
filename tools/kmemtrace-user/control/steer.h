/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record --filter and --trigger: set in the module while recording, and then
 * put back.
 */
#ifndef STEER_H
#define STEER_H

#include "control/eventfiles.h"

#define STEER_MAX 32

/**
 * struct steer - filters and triggers of a recording
 * @filters: expressions; an event's filter is made up of those that it has
 *	the fields for
 * @triggers: each EVENT:TRIGGER
 * @nr_filters: how many
 * @nr_triggers: how many
 * @able: for each filter, the mask of events that have its fields
 * @old: filters that were in force before, by kind; NULL: not changed
 * @added: triggers that are set, the first ones
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
 * steer_add_filter() - take in --filter
 * @s: what was taken in so far
 * @text: the expression; stays with the caller
 *
 * Says what is wrong.
 *
 * Return: EXIT_DONE, EXIT_FAILED or EXIT_USAGE.
 */
int steer_add_filter(struct steer *s, const char *text);

/**
 * steer_keep_frees() - leave out filters that would lose frees
 * @s: all filters
 * @events: as of --events; NULL: all
 *
 * Says that frees are recorded whether they match or not, or that the recording
 * cannot tell what is live.
 */
void steer_keep_frees(struct steer *s, const char *events);

/** steer_add_trigger() - take in --trigger, as steer_add_filter() */
int steer_add_trigger(struct steer *s, const char *text);

/** steer_takes_snapshots() - whether one of the triggers is snapshot */
bool steer_takes_snapshots(const struct steer *s);

/**
 * steer_set_filters() - put the filters in force
 * @s: the filters and triggers
 * @dir: from control_open()
 *
 * Says what the module has against it; then steer_restore_filters() is due
 * nonetheless.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int steer_set_filters(struct steer *s, int dir);

/**
 * steer_note_others() - say which filters and triggers restrict a recording
 * @s: the filters and triggers of this recording, after steer_set_filters()
 * @dir: from control_open()
 *
 * A recorder that was killed leaves some. Prints a note for each that is in force
 * and was not asked for, with the command that removes it.
 */
void steer_note_others(const struct steer *s, int dir);

/** steer_may_switch() - whether an event has a trigger traceon or traceoff */
bool steer_may_switch(int dir);

/**
 * steer_set_triggers() - add the triggers, which may fire at once
 * @s: the filters and triggers
 * @dir: from control_open()
 *
 * Says what the module has against it; then steer_restore_triggers() is due
 * nonetheless.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int steer_set_triggers(struct steer *s, int dir);

/** steer_restore_triggers() - remove what was added; may be repeated */
void steer_restore_triggers(struct steer *s, int dir);

/** steer_restore_filters() - put filters back as they were; may be repeated */
void steer_restore_filters(struct steer *s, int dir);

#endif /* STEER_H */
