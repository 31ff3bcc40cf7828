// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "control.h"
#include "msg.h"

#ifndef KMEMTRACE_VERSION
#define KMEMTRACE_VERSION "unknown"
#endif

static const struct command commands[] = {
	{ "record", cmd_record, cmd_record_options, NULL,
	  "record allocations and frees into a file" },
	{ "snapshot", cmd_snapshot, cmd_snapshot_options, NULL,
	  "save what the module recorded last" },
	{ "report", cmd_report, cmd_report_options, NULL,
	  "show who allocated what in a recording" },
	{ "script", cmd_script, cmd_script_options, NULL,
	  "show the records of a recording, one by one" },
	{ "check", cmd_check, cmd_check_options, NULL,
	  "validate a recording against the record ABI" },
	{ "info", cmd_info, cmd_info_options, NULL,
	  "show what a recording holds" },
	{ "events", cmd_events, cmd_events_options, cmd_events_words,
	  "show and set which events are recorded, and triggers" },
	{ "allocinfo", cmd_allocinfo, cmd_allocinfo_options, NULL,
	  "show who holds kernel memory now, by code tag" },
	{ "codetags", cmd_codetags, cmd_codetags_options, cmd_codetags_words,
	  "give code tags their files and lines" },
	{ "pages", cmd_pages, cmd_pages_options, NULL,
	  "show who allocated each page, and what it is now" },
	{ "page-types", cmd_page_types, cmd_page_types_options, NULL,
	  "show which flags page frames have" },
	{ "pagemap", cmd_pagemap, cmd_pagemap_options, NULL,
	  "show what processes have in memory" },
	{ "memory", cmd_memory, cmd_memory_options, NULL,
	  "show what all memory of the machine is used for" },
	{ "status", cmd_status, NULL, NULL,
	  "show whether the module is loaded and what it does" },
	{ 0 },
};

static int help(void)
{
	const struct command *c;

	puts("Usage: kmemtrace-user [COMMAND [OPTION]...]\n\n"
	     "Shows who allocates kernel memory. Without a command: status.\n\n"
	     "Commands:");
	for (c = commands; c->name; c++)
		printf("  %-10s %s\n", c->name, c->help);
	puts("\n'kmemtrace-user COMMAND --help' tells more of a command; so does "
	     "the man page\nkmemtrace-user(8).");
	return EXIT_DONE;
}

static int run(int argc, char **argv)
{
	const struct command *c;

	if (argc < 2)
		return cmd_status(1, argv);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help"))
		return help();
	if (!strcmp(argv[1], "--version")) {
		puts("kmemtrace-user " KMEMTRACE_VERSION);
		return EXIT_DONE;
	}
	if (!strcmp(argv[1], "--complete"))
		return complete_run(commands, argv[2]);
	for (c = commands; c->name; c++)
		if (!strcmp(argv[1], c->name))
			return c->run(argc - 1, argv + 1);
	fprintf(stderr,
		"kmemtrace-user: there is no command '%s'\n"
		"Try 'kmemtrace-user --help'.\n",
		argv[1]);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	int ret;

	/* a write to a closed pipe is an error like any other */
	signal(SIGPIPE, SIG_IGN);
	ret = run(argc, argv);
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
