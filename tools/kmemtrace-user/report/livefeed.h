/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording of this machine that is read while it is made. A child process records to
 * a pipe, which becomes the standard input of this process.
 */
#ifndef LIVEFEED_H
#define LIVEFEED_H

#include <sys/types.h>

/**
 * struct livefeed - the recording process
 * @pid: its number; 0: none
 */
struct livefeed {
	pid_t pid;
};

/**
 * livefeed_start() - start to record, and wait for the first bytes
 * @f: set
 * @features: names of the features to record, in the format of the module's file
 *
 * The recording process prints a message if it fails.
 *
 * Return: EXIT_DONE; otherwise EXIT_FAILED, and livefeed_end() need not be called.
 */
int livefeed_start(struct livefeed *f, const char *features);

/**
 * livefeed_end() - end the recording if it goes on, and wait for the process
 * @f: the process
 *
 * The process restores the settings of the module.
 *
 * Return: EXIT_DONE, EXIT_LOST or EXIT_FAILED.
 */
int livefeed_end(struct livefeed *f);

#endif /* LIVEFEED_H */
