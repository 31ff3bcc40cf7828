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

/**
 * msg_no_memory() - note that memory ran out where the command goes on
 *
 * The command's output may then lack something, which msg_status() reports. Code that
 * fails with a message of its own need not call it.
 *
 * Context: any thread.
 */
void msg_no_memory(void);

/**
 * msg_status() - what a command that has ended should return
 * @status: what it returned
 *
 * Says so if it succeeded, but msg_no_memory() was called meanwhile, and forgets that.
 *
 * Return: EXIT_FAILED then; else @status.
 */
int msg_status(int status);

#endif /* MSG_H */
