// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/kmemtrace.h>

#include "base/cmdline.h"
#include "base/msg.h"
#include "base/table.h"
#include "base/textfile.h"
#include "command.h"
#include "control/control.h"

static void print_file(int dir, const char *label, const char *name)
{
	char *text = control_read(dir, name, NULL), *c;

	for (c = text; c && *c; c++)
		if (*c == '\n')
			*c = c[1] ? ' ' : '\0';
	if (text)
		table_clean(text);
	printf("%-12s %s\n", label, text ? text : "?");
	free(text);
}

/* Switching accounting on again forgets what was live. */
static void print_restart(const char *stats, bool on)
{
	uint64_t starts = 0, since = 0, now = 0, forgotten = 0;

	textfile_number(stats, "accounting_starts", &starts);
	textfile_number(stats, "accounting_since_ns", &since);
	textfile_number(stats, "clock_ns", &now);
	textfile_number(stats, "forgotten_objects", &forgotten);
	if (!on)
		printf("%-12s the counters keep their values; switching it on again forgets all live objects\n",
		       "");
	if (on && starts > 1)
		printf("%-12s started again %.0f s ago; %" PRIu64
		       " live objects were forgotten\n",
		       "", now > since ? (now - since) / 1e9 : 0, forgotten);
}

static void print_accounting(const char *stats)
{
	uint64_t on = 0, slab = 0, pages = 0, large = 0;
	char b[2][16];

	if (!textfile_number(stats, "live_slab_bytes", &slab)) {
		printf("%-12s off for good (mem_profiling=never)\n",
		       "accounting");
		return;
	}
	textfile_number(stats, "accounting", &on);
	textfile_number(stats, "live_page_bytes", &pages);
	textfile_number(stats, "live_large_bytes", &large);
	printf("%-12s %s, live: slab %s, pages %s\n", "accounting",
	       on ? "on" : "off", table_human(b[0], 16, slab, 1),
	       table_human(b[1], 16, pages + large, 1));
	print_restart(stats, on);
}

static int print_status(int dir)
{
	unsigned long long buffer, events, lost;
	uint64_t recording = 0, value = 0;
	char *stats = control_read(dir, "stats", NULL);

	if (!stats)
		return msg_error("cannot read the module's file stats: %s",
				 strerror(errno));
	print_accounting(stats);
	textfile_number(stats, "recording", &recording);
	printf("%-12s %s\n", "recording", recording ? "on" : "off");
	events = textfile_number(stats, "events", &value) ? value : 0;
	lost = textfile_number(stats, "lost_events", &value) ? value : 0;
	printf("%-12s %llu, lost %llu\n", "events", events, lost);
	buffer = textfile_number(stats, "buffer_bytes_per_cpu", &value) ? value :
									  0;
	printf("%-12s %llu KiB for each CPU\n", "buffers", buffer / 1024);
	free(stats);
	print_file(dir, "features", "features");
	print_file(dir, "set_event", "set_event");
	print_file(dir, "abi_version", "abi_version");
	if (!control_read_u64(dir, "abi_version", &value) &&
	    value > KMEMTRACE_ABI_VERSION)
		printf("This tool knows abi_version %d: reports skip what is newer. Use the tool that\n"
		       "came with the module.\n",
		       KMEMTRACE_ABI_VERSION);
	if (!recording)
		puts("\nNext: kmemtrace-user allocinfo, or kmemtrace-user record -- COMMAND");
	return EXIT_DONE;
}

const struct options cmd_status_options = {
	.command = "status",
	.synopsis = (const char *const[]){ "", NULL },
	.about = "Shows whether the module is loaded and what it does. It is the default command.",
	.rows = (const struct option_row[]){ { 0 } },
};

int cmd_status(int argc, char **argv)
{
	struct cmdline line = cmdline_parse(&cmd_status_options, argc, argv, NULL);
	const char *why;
	int dir, ret;

	if (line.is_over)
		return line.ret;
	dir = control_open(&why);
	if (dir < 0) {
		msg_error("%s", why);
		fputs("Try 'kmemtrace-user --help'. 'report FILE' needs neither module nor root.\n",
		      stderr);
		return EXIT_FAILED;
	}
	ret = print_status(dir);
	close(dir);
	return ret;
}
