/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands. Each takes its own name as argv[0] and returns EXIT_*; none
 * exits by itself.
 */
#ifndef COMMAND_H
#define COMMAND_H

#include <getopt.h>

int cmd_record(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_events(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_allocinfo(int argc, char **argv);
int cmd_codetags(int argc, char **argv);
int cmd_pages(int argc, char **argv);
int cmd_page_types(int argc, char **argv);
int cmd_pagemap(int argc, char **argv);
int cmd_memory(int argc, char **argv);

/* The options of each, and the words that may follow it; NULL ends those. */
extern const struct option cmd_record_options[];
extern const struct option cmd_snapshot_options[];
extern const struct option cmd_report_options[];
extern const struct option cmd_script_options[];
extern const struct option cmd_check_options[];
extern const struct option cmd_info_options[];
extern const struct option cmd_events_options[];
extern const struct option cmd_allocinfo_options[];
extern const struct option cmd_codetags_options[];
extern const struct option cmd_pages_options[];
extern const struct option cmd_page_types_options[];
extern const struct option cmd_pagemap_options[];
extern const struct option cmd_memory_options[];
extern const char *const cmd_events_words[];
extern const char *const cmd_codetags_words[];

/**
 * struct command - a command
 * @name: of it
 * @run: the command
 * @options: its options; NULL: --help alone
 * @words: that may follow, ended by NULL; NULL: none
 * @help: what it does
 */
struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const struct option *options;
	const char *const *words;
	const char *help;
};

/**
 * complete_run() - print what may come next, one a line, for the shell
 * @all: the commands; the last one has no name
 * @what: NULL: the commands; a command: its words and options; \@events,
 *	\@features, \@fields or \@pageflags: those
 *
 * Return: EXIT_DONE.
 */
int complete_run(const struct command *all, const char *what);

#endif /* COMMAND_H */
