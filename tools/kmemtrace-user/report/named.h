/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recordings on a command line.
 */
#ifndef NAMED_H
#define NAMED_H

#include <stddef.h>

/* recordings */
struct named {
	char **paths;	/* paths of the recordings */
	size_t count;	/* number of recordings */
};

/**
 * named_find() - determine the recordings
 * @named: set to the recordings
 * @paths: operands of the command line
 * @count: number of operands; 0: use the default path of the command record
 *
 * Prints a message if there are no operands and the default path does not exist.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int named_find(struct named *named, char **paths, size_t count);

#endif /* NAMED_H */
