/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parser of command lines. It uses the table of a command's options (options.h).
 */
#ifndef CMDLINE_H
#define CMDLINE_H

#include "base/options.h"

/**
 * struct cmdline - a command line
 * @is_over: the command must end, because the help text or a message was printed
 * @ret: if @is_over: the value that the command returns: EXIT_*
 * @words: the operands
 * @count: number of operands
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
 * @options: the options of the command
 * @argc: number of words
 * @argv: the command's name, and the words that follow it; their order may change
 * @object: object that the options store their values in
 *
 * Prints the help text for --help, and a message if the command line is wrong.
 */
struct cmdline cmdline_parse(const struct options *options, int argc, char **argv,
			     void *object);

/**
 * cmdline_has() - check whether an option was given
 * @line: the command line
 * @options: its table
 * @name: the option's name, without "--"
 */
bool cmdline_has(const struct cmdline *line, const struct options *options,
		 const char *name);

#endif /* CMDLINE_H */
