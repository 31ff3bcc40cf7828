/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tool says when something is wrong: one sentence on stderr, with the
 * tool's name in front.
 */
#ifndef MSG_H
#define MSG_H

/* What a command returns; main.c makes it the exit code. */
#define EXIT_DONE   0
#define EXIT_FAILED 1
#define EXIT_USAGE  2
#define EXIT_LOST   3 /* done, but events were lost */

/**
 * msg_error() - say what went wrong
 * @format: as printf, without a newline
 *
 * Return: EXIT_FAILED, so that a command can return it.
 */
int msg_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * msg_usage() - say what is wrong with the command line
 * @command: name of the command
 * @format: as printf, without a newline
 *
 * Return: EXIT_USAGE.
 */
int msg_usage(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * msg_note() - say something that is no error
 * @format: as printf, without a newline
 */
void msg_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* MSG_H */
