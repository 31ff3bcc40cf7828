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

/** msg_oom() - report that memory ran out; return EXIT_FAILED */
int msg_oom(void);

/**
 * msg_no_memory() - note that memory ran out, but that the command continues
 *
 * The output of the command may then be incomplete. msg_status() reports this. Code that
 * fails with its own message need not call this function.
 *
 * Context: any thread.
 */
void msg_no_memory(void);

/**
 * msg_status() - correct the status of a command for which memory ran out
 * @status: value that the command returned: EXIT_*
 *
 * If the command succeeded, but msg_no_memory() was called, prints a message. Also
 * forgets the call.
 *
 * Return: EXIT_FAILED if it printed the message; else @status.
 */
int msg_status(int status);

#endif /* MSG_H */
