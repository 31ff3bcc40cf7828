// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cmdline.h"
#include "base/duration.h"
#include "base/msg.h"
#include "command.h"
#include "control/cpulist.h"
#include "kmt_field.h"
#include "record/settings.h"
#include "record/recorder.h"
#include "trace/trace_format.h"

/* The module accepts 32 bits, in KiB. It reports sizes that are too large itself. */
#define BUFFER_KB_MAX UINT32_MAX
#define MEMORY_KB_MAX (UINT64_MAX / 1024)

static int take_memory(const struct option_use *use)
{
	struct recorder_options *options = use->to;

	if (option_kib(use->text, MEMORY_KB_MAX, &options->memory_kb) &&
	    options->memory_kb)
		return EXIT_DONE;
	return option_wrong(use, "a size, for example 256M");
}

static int take_buffer_size(const struct option_use *use)
{
	struct recorder_options *options = use->to;

	if (option_kib(use->text, BUFFER_KB_MAX, &options->settings.buffer_kb))
		return EXIT_DONE;
	return option_wrong(use, "a size below 4096G, for example 10M");
}

/**
 * struct wanted - the options
 * @recorder: options of the recorder
 * @features: features of --features
 * @text: names of @features
 */
struct wanted {
	struct recorder_options recorder;
	u32 features;
	char text[FEATURES_TEXT];
};

static int take_features(const struct option_use *use)
{
	const struct kmt_feature_name *f;
	struct wanted *w = use->to;
	char known[128] = "";
	const char *wrong;

	if (features_change(use->text, &w->features, &wrong))
		return EXIT_DONE;
	if (!wrong)
		return msg_usage(use->command,
				 "--features takes either names, which replace the default, or +names, which are added to it, not both: '%s'",
				 use->text);
	for (f = kmt_feature_names; f->name; f++)
		snprintf(known + strlen(known), sizeof(known) - strlen(known),
			 "%s, ", f->name);
	return msg_usage(use->command,
			 "there is no feature '%.*s': --features takes %sall or none",
			 (int)strcspn(wrong, " ,"), wrong, known);
}

static int take_duration(const struct option_use *use)
{
	struct recorder_options *options = use->to;

	return duration_seconds(use->text, 1e-9, INFINITY, &options->seconds) ?
		       EXIT_DONE :
		       option_wrong(use, DURATION_FORMS);
}

static int take_cpus(const struct option_use *use)
{
	struct recorder_options *options = use->to;

	options->cpus = use->text;
	return cpulist_valid(use->text) ? EXIT_DONE :
					  option_wrong(use, "a list as 0-3,7");
}

static int take_events(const struct option_use *use)
{
	struct recorder_options *options = use->to;

	options->settings.events = use->text;
	if (use->text[strspn(use->text, ", \t\n")])
		return EXIT_DONE;
	return msg_usage(use->command,
			 "--events names no event: nothing would be recorded");
}

static int take_order(const struct option_use *use)
{
	struct recorder_options *options = use->to;

	options->settings.order = use->text;
	if (!strcmp(use->text, "time") || !strcmp(use->text, "sequence"))
		return EXIT_DONE;
	return option_wrong(use, "time or sequence");
}

static int take_filter(const struct option_use *use)
{
	struct recorder_options *options = use->to;

	return steer_add_filter(&options->steer, use->text);
}

static int take_trigger(const struct option_use *use)
{
	struct recorder_options *options = use->to;

	return steer_add_trigger(&options->steer, use->text);
}

static const struct option_row rows[] = {
	{ 'o', "output", "FILE", "output file; default kmemtrace.kmt",
	  OPTION_TEXT(struct wanted, recorder.file), .offers = "files" },
	{ 'd', "duration", "TIME",
	  "record for this time, for example 90, 500ms, 10m or 2h", .take = take_duration },
	{ 0, "buffer-size", "SIZE",
	  "size of the kernel buffer of each CPU, for example 10M or 512K",
	  .take = take_buffer_size },
	{ 0, "memory", "SIZE",
	  "maximum memory of the recorder; default 128M, more with very many CPUs",
	  .take = take_memory },
	{ 'C', "cpus", "LIST", "record only these CPUs, for example 0-3,7", .take = take_cpus },
	{ 'e', "events", "LIST",
	  "record only these events, for example\nkmem:kmalloc,kmem:kfree",
	  .take = take_events, .offers = ",@events" },
	{ 'F', "features", "LIST",
	  "optional parts of records: time, cache, page, task, cgroup, stack; all; none; default time,cache,page. A list replaces the default; +task adds to it, -page removes from it",
	  .repeats = true, .take = take_features, .offers = ",@features" },
	{ 'f', "filter", "EXPR",
	  "record only events that match, for example\n'bytes_req > 4K'; events without these fields, and all frees of what is recorded, are recorded as well",
	  .repeats = true, .take = take_filter },
	{ 0, "trigger", "EVENT:TRIGGER",
	  "action to run when EVENT fires, for example\n'kmalloc:stacktrace if bytes_req > 64K'",
	  .repeats = true, .take = take_trigger },
	{ 0, "order", "ORDER",
	  "order the events of all CPUs by their time stamps (time), or by one counter for all CPUs (sequence); default: time, if the kernel trusts the time stamp counter",
	  .take = take_order },
	{ 0, "flight", NULL,
	  "a full buffer overwrites its oldest records; the file is written at the end",
	  OPTION_TRUE(struct wanted, recorder.settings.flight) },
	ANONYMIZE_OPTIONS(struct wanted, recorder.anonymize),
	{ 0 },
};

const struct options cmd_record_options = {
	.command = "record",
	.synopsis = (const char *const[]){ "[OPTION]... [-- COMMAND [ARGUMENT]...]",
					   NULL },
	.about = "Records allocations and frees of kernel memory, of the whole machine, until COMMAND ends, the duration is over, or Ctrl-C is pressed.",
	.rows = rows,
	.notes = "The exit status is that of COMMAND if COMMAND ends by itself with another status than 0. Otherwise it is 3 if the recording is good but events were lost.",
	.operands = "",
	.stops = true,
};

int cmd_record(int argc, char **argv)
{
	struct wanted w = { .recorder.file = TRACE_FILE_DEFAULT };
	struct recorder_options *options = &w.recorder;
	struct cmdline line;

	kmt_features_parse(FEATURES_DEFAULT, &w.features);
	line = cmdline_parse(&cmd_record_options, argc, argv, &w);
	if (line.is_over)
		return line.ret;
	features_text(w.features, w.text);
	options->settings.features = w.text;
	if (!options->settings.flight && steer_takes_snapshots(&options->steer))
		return msg_usage("record", "a snapshot takes records that the recorder has not read yet; for a trigger snapshot use record --flight");
	if (line.count)
		options->command = line.words;
	steer_keep_frees(&options->steer, options->settings.events);
	return recorder_run(options);
}
