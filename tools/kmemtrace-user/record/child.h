/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command that the subcommand "record" runs.
 */
#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct child - a command
 * @pid: PID of the command; 0: it is not running
 * @status: status from waitpid(), after the command has ended
 */
struct child {
	pid_t pid;
	int status;
};

/**
 * child_start() - run a command
 * @c: set to the command
 * @command: words of the command, the last one NULL; NULL: run nothing
 * @no_output: redirect standard output of the command to standard error
 *
 * In the command, no signal is blocked. Prints a message on failure.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int child_start(struct child *c, char **command, bool no_output);

/** child_ended() - check whether the command ended since the last call */
bool child_ended(struct child *c);

/**
 * child_stop() - terminate the command, if it is running
 * @c: the command
 * @signals: descriptor from signalfd(), with SIGCHLD
 *
 * Sends SIGTERM. Sends SIGKILL if the command does not end within 2 s, or if this process
 * gets another signal than SIGCHLD.
 */
void child_stop(struct child *c, int signals);

/** child_exit_code() - get the exit status, or 128 + the number of the signal */
int child_exit_code(const struct child *c);

/**
 * child_interrupted() - check whether this process got a signal to end
 * @signals: descriptor from signalfd(); all pending signals are read
 *
 * Return: true if there was another signal than SIGCHLD.
 */
bool child_interrupted(int signals);

#endif /* CHILD_H */
