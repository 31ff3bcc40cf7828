// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "command.h"
#include "cpulist.h"
#include "msg.h"
#include "recorder.h"

static const char help[] =
	"Usage: kmemtrace-user record [OPTION]... [-- COMMAND [ARGUMENT]...]\n\n"
	"Records allocations and frees of kernel memory, of the whole machine, until\n"
	"COMMAND ends, --duration is over, or Ctrl-C.\n\n"
	"  -o, --output FILE       where to; default kmemtrace.kmt\n"
	"  -d, --duration SECONDS  how long\n"
	"  -b, --buffer-size SIZE  kernel buffer of each CPU, as 10M or 512K\n"
	"  -C, --cpus LIST         only these CPUs, as 0-3,7\n"
	"  -e, --events LIST       only these events, as kmem:kmalloc,kmem:kfree\n"
	"  -F, --features LIST     what records carry: time,cache,page (default), task,\n"
	"                          cgroup, stack; all; none\n"
	"  -f, --filter EXPR       record only events that match, as 'bytes_req > 4K';\n"
	"                          events without these fields, and all frees of what\n"
	"                          is recorded, are recorded as well; may be repeated\n"
	"      --trigger EVENT:TRIGGER  what an event brings about, as\n"
	"                          'kmalloc:stacktrace if bytes_req > 64K'; may be\n"
	"                          repeated\n"
	"      --flight            overwrite the oldest records when the buffers are\n"
	"                          full; write the file at the end\n"
	"      --no-compress       do not compress the file\n"
	"  -h, --help              this text\n";

enum { OPT_NO_COMPRESS = 256, OPT_TRIGGER, OPT_FLIGHT };

const struct option cmd_record_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "duration", required_argument, NULL, 'd' },
	{ "buffer-size", required_argument, NULL, 'b' },
	{ "cpus", required_argument, NULL, 'C' },
	{ "events", required_argument, NULL, 'e' },
	{ "features", required_argument, NULL, 'F' },
	{ "filter", required_argument, NULL, 'f' },
	{ "trigger", required_argument, NULL, OPT_TRIGGER },
	{ "flight", no_argument, NULL, OPT_FLIGHT },
	{ "no-compress", no_argument, NULL, OPT_NO_COMPRESS },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

/* "10M" in KiB; 0 is an error. */
static uint64_t parse_kb(const char *text)
{
	unsigned long long n;
	char *end;

	if (*text == '-')
		return 0;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno || end == text)
		return 0;
	if (!strcasecmp(end, "g") || !strcasecmp(end, "gib"))
		return n << 20;
	if (!strcasecmp(end, "m") || !strcasecmp(end, "mib"))
		return n << 10;
	if (!strcasecmp(end, "k") || !strcasecmp(end, "kib"))
		return n;
	return *end ? 0 : (n + 1023) / 1024;
}

static int take_option(struct recorder_options *options, int option)
{
	char *end;

	switch (option) {
	case 'o':
		options->file = optarg;
		return EXIT_DONE;
	case 'd':
		options->seconds = strtod(optarg, &end);
		if (*end || end == optarg || !(options->seconds > 0))
			return msg_usage("record", "--duration takes seconds, not '%s'",
					 optarg);
		return EXIT_DONE;
	case 'b':
		options->buffer_kb = parse_kb(optarg);
		if (!options->buffer_kb)
			return msg_usage("record", "--buffer-size takes a size as 10M, not '%s'",
					 optarg);
		return EXIT_DONE;
	case 'C':
		options->cpus = optarg;
		if (!cpulist_valid(optarg))
			return msg_usage("record", "--cpus takes a list as 0-3,7, not '%s'",
					 optarg);
		return EXIT_DONE;
	case 'e':
		options->events = optarg;
		return EXIT_DONE;
	case 'F':
		options->features = optarg;
		return EXIT_DONE;
	case 'f':
		return steer_add_filter(&options->steer, optarg);
	case OPT_TRIGGER:
		return steer_add_trigger(&options->steer, optarg);
	case OPT_FLIGHT:
		options->flight = true;
		return EXIT_DONE;
	case OPT_NO_COMPRESS:
		options->compress = false;
		return EXIT_DONE;
	}
	return msg_usage("record", "that is not an option");
}

int cmd_record(int argc, char **argv)
{
	struct recorder_options options = {
		.file = "kmemtrace.kmt",
		.features = "time cache page",
		.compress = true,
	};
	int option, ret;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, "+:o:d:b:C:e:F:f:h",
				     cmd_record_options, NULL)) != -1) {
		if (option == 'h') {
			fputs(help, stdout);
			return EXIT_DONE;
		}
		if (option == ':' || option == '?')
			return msg_bad_option("record", option, argv);
		ret = take_option(&options, option);
		if (ret)
			return ret;
	}
	if (!options.flight && steer_takes_snapshots(&options.steer))
		return msg_usage("record", "a snapshot takes away what was not read yet; for a trigger snapshot use record --flight");
	if (optind < argc)
		options.command = argv + optind;
	steer_keep_frees(&options.steer, options.events);
	return recorder_run(&options);
}
