/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands. Each takes its own name as argv[0] and returns EXIT_*; none
 * exits by itself.
 */
#ifndef COMMAND_H
#define COMMAND_H

struct options;

int cmd_record(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_timeline(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_flame(int argc, char **argv);
int cmd_html(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_events(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_allocinfo(int argc, char **argv);
int cmd_waste(int argc, char **argv);
int cmd_codetags(int argc, char **argv);
int cmd_leaks(int argc, char **argv);
int cmd_pages(int argc, char **argv);
int cmd_page_types(int argc, char **argv);
int cmd_pagemap(int argc, char **argv);
int cmd_memory(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_why(int argc, char **argv);

/* The options of each. */
extern const struct options cmd_record_options;
extern const struct options cmd_snapshot_options;
extern const struct options cmd_report_options;
extern const struct options cmd_script_options;
extern const struct options cmd_timeline_options;
extern const struct options cmd_diff_options;
extern const struct options cmd_export_options;
extern const struct options cmd_flame_options;
extern const struct options cmd_html_options;
extern const struct options cmd_check_options;
extern const struct options cmd_info_options;
extern const struct options cmd_events_options;
extern const struct options cmd_status_options;
extern const struct options cmd_allocinfo_options;
extern const struct options cmd_waste_options;
extern const struct options cmd_codetags_options;
extern const struct options cmd_leaks_options;
extern const struct options cmd_pages_options;
extern const struct options cmd_page_types_options;
extern const struct options cmd_pagemap_options;
extern const struct options cmd_memory_options;
extern const struct options cmd_top_options;
extern const struct options cmd_why_options;

/* the questions that commands answer */
enum command_group {
	GROUP_GROWS,
	GROUP_WASTE,
	GROUP_OWNER,
	GROUP_RECORD,
	GROUP_SEND,
	GROUP_CONTROL,
	COMMAND_GROUPS,
};

/**
 * struct command - a command
 * @options: its name and options
 * @run: the command
 * @group: the question that it answers
 * @help: what it does, in one line
 */
struct command {
	const struct options *options;
	int (*run)(int argc, char **argv);
	enum command_group group;
	const char *help;
};

/**
 * complete_run() - print what the shell may offer next, one a line
 * @all: the commands; the last one has no options
 * @what: NULL: the commands; a command: its words and options; \@events,
 *	\@features, \@fields, \@pageflags or another list: that
 * @option: NULL; or an option of the command: option_row.offers of its value; or
 *	"operands": the same of the operands of the command
 *
 * Return: EXIT_DONE; EXIT_FAILED if @option has no value.
 */
int complete_run(const struct command *all, const char *what, const char *option);

#endif /* COMMAND_H */
