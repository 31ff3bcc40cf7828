/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command that `record` runs.
 */
#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct child - a command
 * @pid: of its process; 0: it is not running
 * @status: as of waitpid(), once it ended
 */
struct child {
	pid_t pid;
	int status;
};

/**
 * child_start() - run a command
 * @c: set to it
 * @command: the command, ended by NULL; NULL: nothing is run
 * @no_output: its standard output goes to standard error
 *
 * Signals that the caller blocked are not blocked there. Prints a message if it
 * fails.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int child_start(struct child *c, char **command, bool no_output);

/** child_ended() - whether the command ended since the last call */
bool child_ended(struct child *c);

/**
 * child_stop() - end the command
 * @c: the command; nothing is done if it is not running
 * @signals: from signalfd(), with SIGCHLD
 *
 * Sends SIGTERM, and SIGKILL if the command has not ended two seconds later or
 * another signal than SIGCHLD comes.
 */
void child_stop(struct child *c, int signals);

/** child_exit_code() - its exit status, or 128 and the number of its signal */
int child_exit_code(const struct child *c);

/**
 * child_interrupted() - whether the user wants an end
 * @signals: from signalfd(); all signals are read from it
 *
 * Return: whether there was another signal than SIGCHLD.
 */
bool child_interrupted(int signals);

#endif /* CHILD_H */
