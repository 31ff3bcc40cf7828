/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recordings that a command line names.
 */
#ifndef NAMED_H
#define NAMED_H

#include <stddef.h>

/**
 * struct named - recordings
 * @paths: their paths
 * @count: how many
 */
struct named {
	char **paths;
	size_t count;
};

/**
 * named_find() - determine the recordings
 * @named: set to them
 * @paths: what is left of the command line
 * @count: how many; 0: the recording that `record` makes by default
 *
 * Prints a message if none is named, and there is none of the default name.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int named_find(struct named *named, char **paths, size_t count);

#endif /* NAMED_H */
