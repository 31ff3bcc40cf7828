/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's files events/SYSTEM/EVENT/... The tool checks a filter or trigger before
 * it is written. The parsers are those of the module. The tool can therefore show the
 * position of an error.
 */
#ifndef EVENTFILES_H
#define EVENTFILES_H

#include <stdbool.h>
#include <stddef.h>

#include "kmt_field.h"
#include "kmt_filter.h"
#include "kmt_trigger.h"

/*
 * Messages for errors in expressions of lib/kmt_filter.h.
 */

/* number of CPUs of an unknown machine: the largest CONFIG_NR_CPUS */
#define FILTER_CPUS_MAX 8192

/**
 * filter_error_draw() - print an error and its position on stderr
 * @option: option whose value is the expression
 * @text: the expression
 * @error: the error
 * @groups: mask of the groups of fields that the expression may use, or
 *	KMT_FOREIGN_GROUPS; if a field is
 *	unknown, the message lists the fields of these groups
 */
void filter_error_draw(const char *option, const char *text,
		       const struct kmt_filter_error *error, u32 groups);

/*
 * The module's file triggers: triggers of foreign events, which are the events of the
 * kernel that kmemtrace does not record. eventfiles.h adds and removes them.
 */

/**
 * struct foreign_trigger - a trigger of a foreign event
 * @event: SYSTEM:EVENT
 * @trigger: the trigger, as the file trigger of an event shows it
 */
struct foreign_trigger {
	char *event;
	char *trigger;
};

/**
 * struct foreign - all triggers of foreign events
 * @text: content of the file
 * @trigger: the triggers; those of an event follow each other
 * @count: number of triggers
 */
struct foreign {
	char *text;
	struct foreign_trigger *trigger;
	size_t count;
};

/**
 * foreign_read() - read the file triggers
 * @dir: descriptor from control_open()
 * @f: set to the triggers
 *
 * Prints a message on failure.
 *
 * Return: EXIT_DONE: the caller calls foreign_free(); EXIT_FAILED.
 */
int foreign_read(int dir, struct foreign *f);

/** foreign_try() - as foreign_read(), but returns 0 or -errno, and prints nothing */
int foreign_try(int dir, struct foreign *f);

/** foreign_free() - undo foreign_read() */
void foreign_free(struct foreign *f);

/**
 * foreign_name() - check whether a text has the form of the name of a foreign event
 * @text: the text
 *
 * Return: whether it is SYSTEM:EVENT. The system may lack such an event.
 */
bool foreign_name(const char *text);

/* mask of kinds of events: 1 << KMT_EVENT_KIND() */
#define EVENTFILES_ALL ((1u << KMT_EVENT_KINDS) - 1)

/**
 * eventfiles_find() - find the kinds of events for a name
 * @name: EVENT or SYSTEM:EVENT; or SYSTEM, for all events of this system. Not terminated
 *	by a 0.
 * @len: bytes in @name
 *
 * Return: mask of the kinds; 0 if there is no such event or system.
 */
u32 eventfiles_find(const char *name, size_t len);

/**
 * eventfiles_one() - get the only kind in a mask
 * @kinds: mask of kinds
 *
 * Return: the kind; KMT_EVENT_KINDS if the mask does not contain exactly one.
 */
unsigned int eventfiles_one(u32 kinds);

/** eventfiles_groups() - get the groups of fields that the events in a mask have */
u32 eventfiles_groups(u32 kinds);

/**
 * eventfiles_read() - read a file of an event
 * @dir: descriptor from control_open()
 * @kind: kind of the event
 * @name: name of the file
 *
 * Return: the text, which the caller frees; NULL with errno set.
 */
char *eventfiles_read(int dir, unsigned int kind, const char *name);

/**
 * eventfiles_filter() - read the filter that is in force for an event
 * @dir: descriptor from control_open()
 * @kind: kind of the event
 *
 * Return: the filter, or "none", which the caller frees; NULL with errno set.
 */
char *eventfiles_filter(int dir, unsigned int kind);

/**
 * eventfiles_next_trigger() - get the next trigger from the text of a file trigger
 * @text: the text; set to the text after the trigger. The newline after the trigger is
 *	replaced by a 0.
 *
 * Return: the trigger; NULL if the text contains no more triggers.
 */
char *eventfiles_next_trigger(char **text);

/**
 * eventfiles_compile() - compile a filter
 * @room: buffer of kmt_filter_room() bytes; set to the compiled filter
 * @text: the filter
 * @groups: mask of the groups of fields that the filter may use
 * @error: set to the error, on failure
 *
 * Accepts any name as the name of a function, because only the module knows the
 * functions.
 *
 * Return: false if the filter is not valid.
 */
bool eventfiles_compile(struct kmt_filter *room, const char *text, u32 groups,
			struct kmt_filter_error *error);

/**
 * eventfiles_check_filter() - check whether events can have a filter
 * @option: option that the filter was given to, for the message
 * @text: the filter
 * @kinds: mask of the events
 * @able: set to the mask of the events that can have the filter
 *
 * If none of the events can have the filter, prints the error and its position. Accepts
 * any name as the name of a function, as eventfiles_compile() does.
 *
 * Return: EXIT_DONE; EXIT_USAGE if no event can have it.
 */
int eventfiles_check_filter(const char *option, const char *text, u32 kinds,
			    u32 *able);

/**
 * eventfiles_set_filter() - set the filter of an event
 * @dir: descriptor from control_open()
 * @kind: kind of the event
 * @text: the filter; "0": none
 *
 * If the module refuses the filter, prints the module's message.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int eventfiles_set_filter(int dir, unsigned int kind, const char *text);

/**
 * eventfiles_check_trigger() - check whether an event can have a trigger
 * @option: option that the trigger was given to, for the message
 * @text: the trigger
 * @kind: kind of the event; KMT_FOREIGN: @text is SYSTEM:EVENT:TRIGGER, of an event that
 *	kmemtrace does not record
 *
 * If the trigger is not valid, prints the error and its position.
 *
 * Return: EXIT_DONE; EXIT_USAGE if it is not valid.
 */
int eventfiles_check_trigger(const char *option, const char *text, int kind);

/**
 * eventfiles_set_trigger() - add or remove a trigger
 * @dir: descriptor from control_open()
 * @kind: kind of the event; KMT_FOREIGN: as for eventfiles_check_trigger()
 * @text: the trigger to add; after a '!': the trigger to remove
 *
 * If the module refuses the trigger, prints the module's message.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int eventfiles_set_trigger(int dir, int kind, const char *text);

#endif /* EVENTFILES_H */
