/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's file triggers: triggers of foreign events, which are the events of the
 * kernel that kmemtrace does not record. eventfiles.h adds and removes them.
 */
#ifndef FOREIGN_H
#define FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

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

#endif /* FOREIGN_H */
