// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/msg.h"
#include "base/process_setup.h"
#include "command.h"
#include "control/control.h"

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
	puts("\n'kmemtrace-user help COMMAND' and the man page kmemtrace-user(8) describe a "
	     "command.\n'kmemtrace-user --version' prints the version.");
	return EXIT_DONE;
}

static const struct command *find(const char *name)
{
	const struct command *c;

	for (c = commands; c->name; c++)
		if (!strcmp(name, c->name))
			return c;
	return NULL;
}

/*
 * Letters to insert, to remove or to replace until two words are the same
 * (Levenshtein's distance), with one row of the matrix at a time.
 */
static size_t distance(const char *a, const char *b)
{
	size_t row[32], i, j, n = strlen(b), diagonal, above;

	if (n >= sizeof(row) / sizeof(row[0]))
		return n;
	for (j = 0; j <= n; j++)
		row[j] = j;
	for (i = 0; a[i]; i++) {
		diagonal = row[0];
		row[0] = i + 1;
		for (j = 1; j <= n; j++) {
			above = row[j];
			row[j] = diagonal + (a[i] != b[j - 1]);
			if (above + 1 < row[j])
				row[j] = above + 1;
			if (row[j - 1] + 1 < row[j])
				row[j] = row[j - 1] + 1;
			diagonal = above;
		}
	}
	return row[n];
}

static int no_command(const char *name)
{
	const struct command *c, *like = NULL;
	size_t best = 3, d;

	for (c = commands; c->name; c++) {
		d = distance(name, c->name);
		if (!strncmp(name, c->name, strlen(name)))
			d = 1;
		if (d < best) {
			best = d;
			like = c;
		}
	}
	fprintf(stderr, "kmemtrace-user: there is no command '%s'", name);
	if (like)
		fprintf(stderr, "; did you mean '%s'?", like->name);
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
		return complete_run(commands, argv[2]);
	c = find(argv[1]);
	return c ? c->run(argc - 1, argv + 1) : no_command(argv[1]);
}

int main(int argc, char **argv)
{
	int ret;

	process_setup();
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
