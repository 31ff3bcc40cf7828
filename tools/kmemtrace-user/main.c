// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "msg.h"

#ifndef KMEMTRACE_VERSION
#define KMEMTRACE_VERSION "unknown"
#endif

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "record", cmd_record, "record allocations and frees into a file" },
	{ "snapshot", cmd_snapshot, "save what the module recorded last" },
	{ "report", cmd_report, "show who allocated what in a recording" },
	{ "script", cmd_script, "show the records of a recording, one by one" },
	{ "check", cmd_check, "validate a recording against the record ABI" },
	{ "info", cmd_info, "show what a recording holds" },
	{ "events", cmd_events, "show and set which events are recorded, and triggers" },
	{ "allocinfo", cmd_allocinfo, "show who holds kernel memory now, by code tag" },
	{ "codetags", cmd_codetags, "give code tags their files and lines" },
	{ "status", cmd_status, "show whether the module is loaded and what it does" },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static int help(void)
{
	size_t i;

	puts("Usage: kmemtrace-user [COMMAND [OPTION]...]\n\n"
	     "Shows who allocates kernel memory. Without a command: status.\n\n"
	     "Commands:");
	for (i = 0; i < COMMANDS; i++)
		printf("  %-9s %s\n", commands[i].name, commands[i].help);
	puts("\n'kmemtrace-user COMMAND --help' tells more of a command; so does "
	     "the man page\nkmemtrace-user(8).");
	return EXIT_DONE;
}

static int run(int argc, char **argv)
{
	size_t i;

	if (argc < 2)
		return cmd_status(1, argv);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help"))
		return help();
	if (!strcmp(argv[1], "--version")) {
		puts("kmemtrace-user " KMEMTRACE_VERSION);
		return EXIT_DONE;
	}
	for (i = 0; i < COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
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
	if (fflush(stdout) || ferror(stdout)) {
		if (errno != EPIPE)
			msg_error("cannot write the output: %s",
				  strerror(errno));
		ret = EXIT_FAILED;
	}
	return ret;
}
