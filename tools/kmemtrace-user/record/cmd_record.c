// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "base/options.h"
#include "command.h"
#include "control/cpulist.h"
#include "kmt_field.h"
#include "record/recorder.h"
#include "trace/trace_format.h"

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

/* The module takes up to 32 bits of KiB, and says what is too much for it. */
#define BUFFER_KB_MAX UINT32_MAX

static int take_buffer_size(struct recorder_options *options, const char *text)
{
	if (option_kib(text, BUFFER_KB_MAX, &options->settings.buffer_kb))
		return EXIT_DONE;
	return msg_usage("record", "--buffer-size takes a size as 10M, below 4096G, not '%s'",
			 text);
}

static int take_features(struct recorder_options *options, const char *text)
{
	const struct kmt_feature_name *f;
	uint32_t features = 0;
	const char *wrong = kmt_features_parse(text, &features);
	char known[128] = "";

	options->settings.features = text;
	if (!wrong)
		return EXIT_DONE;
	for (f = kmt_feature_names; f->name; f++)
		snprintf(known + strlen(known), sizeof(known) - strlen(known),
			 "%s, ", f->name);
	return msg_usage("record", "there is no feature '%.*s': --features takes %sall or none",
			 (int)strcspn(wrong, " ,"), wrong, known);
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
		return take_buffer_size(options, optarg);
	case 'C':
		options->cpus = optarg;
		if (!cpulist_valid(optarg))
			return msg_usage("record", "--cpus takes a list as 0-3,7, not '%s'",
					 optarg);
		return EXIT_DONE;
	case 'e':
		options->settings.events = optarg;
		if (!optarg[strspn(optarg, ", \t\n")])
			return msg_usage("record", "--events names no event: nothing would be recorded");
		return EXIT_DONE;
	case 'F':
		return take_features(options, optarg);
	case 'f':
		return steer_add_filter(&options->steer, optarg);
	case OPT_TRIGGER:
		return steer_add_trigger(&options->steer, optarg);
	case OPT_FLIGHT:
		options->settings.flight = true;
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
		.file = TRACE_FILE_DEFAULT,
		.settings.features = "time cache page",
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
	if (!options.settings.flight && steer_takes_snapshots(&options.steer))
		return msg_usage("record", "a snapshot takes away what was not read yet; for a trigger snapshot use record --flight");
	if (optind < argc)
		options.command = argv + optind;
	steer_keep_frees(&options.steer, options.settings.events);
	return recorder_run(&options);
}
