/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's files events/SYSTEM/EVENT/...: what is written there is checked
 * first, by the module's own engine, so that a person sees where it is wrong.
 */
#ifndef EVENTFILES_H
#define EVENTFILES_H

#include <stdbool.h>

#include "kmt_field.h"
#include "kmt_filter.h"
#include "kmt_trigger.h"

/* mask of kinds of events: 1 << KMT_EVENT_KIND() */
#define EVENTFILES_ALL ((1u << KMT_EVENT_KINDS) - 1)

/**
 * eventfiles_find() - the kinds of events that a name stands for
 * @name: EVENT or SYSTEM:EVENT, not ended by a 0; or SYSTEM, which is all of it
 * @len: bytes in it
 *
 * Return: mask of the kinds; 0 if there is no such event.
 */
u32 eventfiles_find(const char *name, size_t len);

/**
 * eventfiles_one() - the kind that is alone in a mask
 * @kinds: mask
 *
 * Return: the kind; KMT_EVENT_KINDS if there is not exactly one.
 */
unsigned int eventfiles_one(u32 kinds);

/** eventfiles_groups() - the groups of fields that events of a mask have */
u32 eventfiles_groups(u32 kinds);

/**
 * eventfiles_read() - read a file of an event
 * @dir: from control_open()
 * @kind: of event
 * @name: of the file
 *
 * Return: the text, to be freed; NULL with errno set.
 */
char *eventfiles_read(int dir, unsigned int kind, const char *name);

/**
 * eventfiles_filter() - the filter that is in force for an event
 * @dir: from control_open()
 * @kind: of event
 *
 * Return: the filter, "none" if there is none, to be freed; NULL with errno set.
 */
char *eventfiles_filter(int dir, unsigned int kind);

/**
 * eventfiles_next_trigger() - go through the text of a file trigger
 * @text: the text; gets a 0 where the line ends; set to what follows
 *
 * Return: a trigger, or NULL if there is none left.
 */
char *eventfiles_next_trigger(char **text);

/**
 * eventfiles_compile() - compile a filter, taking any name for a function
 * @room: kmt_filter_room() bytes; gets the filter
 * @text: the filter
 * @groups: of fields that there are
 * @error: set to what is wrong
 *
 * Return: false if it is not a filter.
 */
bool eventfiles_compile(struct kmt_filter *room, const char *text, u32 groups,
			struct kmt_filter_error *error);

/**
 * eventfiles_check_filter() - whether events can have a filter
 * @option: that it was given to, for the message
 * @text: the filter
 * @kinds: mask of the events
 * @able: set to the mask of those that have its fields
 *
 * Says what is wrong, and where, if it is a filter of none of them. Functions
 * are known to the module only: any name is taken.
 *
 * Return: EXIT_DONE, EXIT_FAILED or EXIT_USAGE.
 */
int eventfiles_check_filter(const char *option, const char *text, u32 kinds,
			    u32 *able);

/**
 * eventfiles_set_filter() - put a filter in force
 * @dir: from control_open()
 * @kind: of event
 * @text: the filter; "0": none
 *
 * Says what the module has against it.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int eventfiles_set_filter(int dir, unsigned int kind, const char *text);

/**
 * eventfiles_check_trigger() - whether an event can have a trigger
 * @option: that it was given to, for the message
 * @text: the trigger
 * @kind: of event
 *
 * Says what is wrong, and where.
 *
 * Return: EXIT_DONE, EXIT_FAILED or EXIT_USAGE.
 */
int eventfiles_check_trigger(const char *option, const char *text,
			     unsigned int kind);

/**
 * eventfiles_set_trigger() - add a trigger, or remove it
 * @dir: from control_open()
 * @kind: of event
 * @text: the trigger; with a '!' in front it is removed
 *
 * Says what the module has against it.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int eventfiles_set_trigger(int dir, unsigned int kind, const char *text);

#endif /* EVENTFILES_H */
