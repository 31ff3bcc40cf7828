/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parsing of a command line by the table of a command's options.
 */
#ifndef CMDLINE_H
#define CMDLINE_H

#include "base/options.h"

/**
 * struct cmdline - a command line
 * @is_over: the command ends: help was printed, or a message
 * @ret: what it then returns: EXIT_*
 * @words: the operands
 * @count: how many
 * @given: a bit for each row of the table whose option was given
 */
struct cmdline {
	bool is_over;
	int ret;
	char **words;
	size_t count;
	uint32_t given;
};

/**
 * cmdline_parse() - parse the command line of a command
 * @options: what may be on it
 * @argc: number of words
 * @argv: the command's name, and the words that follow it; their order is changed
 * @object: what the options store their values in
 *
 * Prints the help text if it is asked for, and a message if something is wrong.
 */
struct cmdline cmdline_parse(const struct options *options, int argc, char **argv,
			     void *object);

/**
 * cmdline_has() - whether an option was given
 * @line: the command line
 * @options: its table
 * @name: the option's name, without "--"
 */
bool cmdline_has(const struct cmdline *line, const struct options *options,
		 const char *name);

#endif /* CMDLINE_H */
