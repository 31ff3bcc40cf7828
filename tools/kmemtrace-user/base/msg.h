/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of the tool: one sentence on stderr, after the name of the tool.
 */
#ifndef MSG_H
#define MSG_H

/* Values that commands return; main.c uses them as exit status. */
#define EXIT_DONE   0
#define EXIT_FAILED 1
#define EXIT_USAGE  2
#define EXIT_LOST   3 /* done, but events were lost */

/**
 * msg_error() - print a message about an error
 * @format: as printf, without a newline
 *
 * Return: EXIT_FAILED, so that a command can return it.
 */
int msg_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * msg_usage() - print a message about an error in the command line
 * @command: name of the command
 * @format: as printf, without a newline
 *
 * Return: EXIT_USAGE.
 */
int msg_usage(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * msg_note() - print a message that is not an error
 * @format: as printf, without a newline
 */
void msg_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* MSG_H */
