// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/msg.h"
#include "base/options.h"
#include "base/process_setup.h"
#include "base/similar.h"
#include "command.h"
#include "control/control.h"

#ifndef KMEMTRACE_VERSION
#define KMEMTRACE_VERSION "unknown"
#endif

static const struct command commands[] = {
	{ &cmd_record_options, cmd_record,
	  "record allocations and frees into a file" },
	{ &cmd_snapshot_options, cmd_snapshot,
	  "save what the module recorded last" },
	{ &cmd_report_options, cmd_report,
	  "show which code allocated what in a recording" },
	{ &cmd_timeline_options, cmd_timeline,
	  "draw live memory over time" },
	{ &cmd_script_options, cmd_script,
	  "show the records of a recording, one by one" },
	{ &cmd_diff_options, cmd_diff,
	  "compare two recordings, or two states of accounting" },
	{ &cmd_export_options, cmd_export,
	  "convert a recording, or live memory, for other tools" },
	{ &cmd_flame_options, cmd_flame,
	  "draw stacks as a flame graph" },
	{ &cmd_html_options, cmd_html,
	  "write a recording as one page for a browser" },
	{ &cmd_check_options, cmd_check,
	  "validate a recording against the record ABI" },
	{ &cmd_info_options, cmd_info,
	  "show what a recording holds" },
	{ &cmd_events_options, cmd_events,
	  "show and set which events are recorded, and triggers" },
	{ &cmd_allocinfo_options, cmd_allocinfo,
	  "show which code holds kernel memory now, by code tag" },
	{ &cmd_leaks_options, cmd_leaks,
	  "name the code that leaks kernel memory" },
	{ &cmd_waste_options, cmd_waste,
	  "show what was allocated and not requested, and how to save it" },
	{ &cmd_why_options, cmd_why,
	  "show everything known about one call site, address or page frame" },
	{ &cmd_top_options, cmd_top,
	  "watch which code allocates and frees memory, live" },
	{ &cmd_codetags_options, cmd_codetags,
	  "give code tags their files and lines" },
	{ &cmd_pages_options, cmd_pages,
	  "show which code allocated each page, and its use now" },
	{ &cmd_page_types_options, cmd_page_types,
	  "show which flags page frames have" },
	{ &cmd_pagemap_options, cmd_pagemap,
	  "show the memory of processes" },
	{ &cmd_memory_options, cmd_memory,
	  "show the use of all memory of the machine" },
	{ &cmd_status_options, cmd_status,
	  "show the state of the module" },
	{ 0 },
};

static int help(void)
{
	const struct command *c;

	puts("Usage: kmemtrace-user [COMMAND [OPTION]...]\n\n"
	     "Shows which code allocates kernel memory. Without a command: status.\n\n"
	     "Commands:");
	for (c = commands; c->options; c++)
		printf("  %-10s %s\n", c->options->command, c->help);
	puts("\n'kmemtrace-user help COMMAND' describes a command, 'man kmemtrace-user' all of\n"
	     "them. 'kmemtrace-user --version' prints the version.\n\n"
	     "Exit status: 0 done, 1 failed, 2 wrong usage, 3 done but events were lost.");
	return EXIT_DONE;
}

static const struct command *find(const char *name)
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
	fprintf(stderr, "kmemtrace-user: there is no command '%s'", name);
	if (s.best)
		fprintf(stderr, "; did you mean '%s'?", s.best);
	fputs("\nTry 'kmemtrace-user --help'.\n", stderr);
	return EXIT_USAGE;
}

static int help_for(char *name)
{
	char *argv[] = { name, "--help", NULL };
	const struct command *c = find(name);

	return c ? c->run(2, argv) : no_command(name);
}

static int run(int argc, char **argv)
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
	c = find(argv[1]);
	return c ? c->run(argc - 1, argv + 1) : no_command(argv[1]);
}

int main(int argc, char **argv)
{
	int ret;

	process_setup();
	json_prepare();
	ret = msg_status(run(argc, argv));
	if (ret == EXIT_FAILED)
		control_explain();
	if (fflush(stdout) || ferror(stdout)) {
		if (errno != EPIPE)
			msg_error("cannot write the output: %s",
				  strerror(errno));
		ret = EXIT_FAILED;
	}
	return ret;
}
