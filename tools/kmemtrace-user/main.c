// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/die.h"
#include "base/json.h"
#include "base/msg.h"
#include "base/options.h"
#include "base/outfile.h"
#include "base/process_setup.h"
#include "base/similar.h"
#include "command.h"
#include "control/control.h"

#ifndef KMEMTRACE_VERSION
#define KMEMTRACE_VERSION "unknown"
#endif

static const char *const group_titles[COMMAND_GROUPS] = {
	[GROUP_GROWS] = "Memory grows",
	[GROUP_WASTE] = "Memory is wasted",
	[GROUP_OWNER] = "Who owns this memory",
	[GROUP_RECORD] = "Record, and look later",
	[GROUP_SEND] = "Send it elsewhere",
	[GROUP_CONTROL] = "Control",
};

static const struct command commands[] = {
	{ &cmd_allocinfo_options, cmd_allocinfo, GROUP_GROWS,
	  "show which code holds kernel memory now, by code tag" },
	{ &cmd_top_options, cmd_top, GROUP_GROWS,
	  "watch which code allocates and frees memory, live" },
	{ &cmd_leaks_options, cmd_leaks, GROUP_GROWS,
	  "name the code that leaks kernel memory" },
	{ &cmd_diff_options, cmd_diff, GROUP_GROWS,
	  "compare two recordings, or two states of accounting" },
	{ &cmd_waste_options, cmd_waste, GROUP_WASTE,
	  "show what was allocated and not requested, and how to save it" },
	{ &cmd_memory_options, cmd_memory, GROUP_OWNER,
	  "show the use of all memory of the machine" },
	{ &cmd_why_options, cmd_why, GROUP_OWNER,
	  "show everything known about one call site, address or page frame" },
	{ &cmd_pages_options, cmd_pages, GROUP_OWNER,
	  "show which code allocated each page, and its use now" },
	{ &cmd_page_types_options, cmd_page_types, GROUP_OWNER,
	  "show which flags page frames have" },
	{ &cmd_pagemap_options, cmd_pagemap, GROUP_OWNER,
	  "show the memory of processes" },
	{ &cmd_record_options, cmd_record, GROUP_RECORD,
	  "record allocations and frees into a file" },
	{ &cmd_snapshot_options, cmd_snapshot, GROUP_RECORD,
	  "save what the module recorded last" },
	{ &cmd_report_options, cmd_report, GROUP_RECORD,
	  "show which code allocated what in a recording" },
	{ &cmd_timeline_options, cmd_timeline, GROUP_RECORD,
	  "draw live memory over time" },
	{ &cmd_script_options, cmd_script, GROUP_RECORD,
	  "show the records of a recording, one by one" },
	{ &cmd_flame_options, cmd_flame, GROUP_RECORD,
	  "draw stacks as a flame graph" },
	{ &cmd_html_options, cmd_html, GROUP_RECORD,
	  "write a recording as one page for a browser" },
	{ &cmd_info_options, cmd_info, GROUP_RECORD,
	  "show what a recording holds" },
	{ &cmd_check_options, cmd_check, GROUP_RECORD,
	  "validate a recording against the record ABI" },
	{ &cmd_export_options, cmd_export, GROUP_SEND,
	  "convert a recording, or live memory, for other tools" },
	{ &cmd_events_options, cmd_events, GROUP_CONTROL,
	  "show and set which events are recorded, and triggers" },
	{ &cmd_codetags_options, cmd_codetags, GROUP_CONTROL,
	  "give code tags their files and lines" },
	{ &cmd_status_options, cmd_status, GROUP_CONTROL,
	  "show the state of the module" },
	{ 0 },
};

static void print_group(enum command_group group)
{
	const struct command *c;

	printf("\n%s:\n", group_titles[group]);
	for (c = commands; c->options; c++)
		if (c->group == group)
			printf("  %-10s %s\n", c->options->command, c->help);
}

static int help(void)
{
	enum command_group group;

	puts("Usage: kmemtrace-user [COMMAND [OPTION]...]\n\n"
	     "Shows which code allocates kernel memory. Without a command: status.\n\n"
	     "  kmemtrace-user allocinfo --top 5             which code holds memory now?\n"
	     "  kmemtrace-user leaks                         which code does not free it?\n"
	     "  kmemtrace-user leaks --repeat 9 -- COMMAND   what does each run leave behind?\n"
	     "  kmemtrace-user why FUNCTION                  what is known about this code?\n"
	     "  kmemtrace-user record -- COMMAND             what does it allocate? then:\n"
	     "  kmemtrace-user report kmemtrace.kmt");
	for (group = 0; group < COMMAND_GROUPS; group++)
		print_group(group);
	puts("\n'kmemtrace-user help COMMAND' describes a command, 'man kmemtrace-user' all of\n"
	     "them. 'kmemtrace-user --version' prints the version.\n\n"
	     "Exit status: 0 done, 1 failed, 2 wrong usage, 3 done but events were lost.");
	return EXIT_DONE;
}

static const struct command *main_find(const char *name)
{
	const struct command *c;

	for (c = commands; c->options; c++)
		if (!strcmp(name, c->options->command))
			return c;
	return NULL;
}

static int no_command(const char *name)
{
	const struct command *c;
	struct similar s;

	similar_init(&s, name);
	for (c = commands; c->options; c++)
		similar_offer(&s, c->options->command);
	msg_note("there is no command '%s'%s%s%s", name, s.best ? "; did you mean '" : "",
		 s.best ? s.best : "", s.best ? "'?" : "");
	fputs("Try 'kmemtrace-user --help'.\n", stderr);
	return EXIT_USAGE;
}

static int help_for(char *name)
{
	char *argv[] = { name, "--help", NULL };
	const struct command *c = main_find(name);

	return c ? c->run(2, argv) : no_command(name);
}

static int main_run(int argc, char **argv)
{
	const struct command *c;

	if (argc < 2)
		return cmd_status(1, argv);
	if (!strcmp(argv[1], "help") && argc > 2)
		return help_for(argv[2]);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help"))
		return help();
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("kmemtrace-user " KMEMTRACE_VERSION);
		return EXIT_DONE;
	}
	if (!strcmp(argv[1], "--complete"))
		return complete_run(commands, argv[2],
				    argc > 3 ? argv[3] : NULL);
	c = main_find(argv[1]);
	return c ? c->run(argc - 1, argv + 1) : no_command(argv[1]);
}

int main(int argc, char **argv)
{
	int ret, err;

	process_setup();
	json_prepare();
	ret = main_run(argc, argv);
	undo_all();
	if (ret == EXIT_FAILED)
		control_explain();
	err = outfile_write_error(stdout);
	if (err && err != -EPIPE)
		msg_error("cannot write the output: %s", strerror(-err));
	return err ? EXIT_FAILED : ret;
}
