// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account/tags.h"
#include "base/msg.h"
#include "base/options.h"
#include "base/outfile.h"
#include "export/formats.h"
#include "export/outdir.h"
#include "report/named.h"
#include "report/report.h"
#include "trace/anonymized.h"

#define EITHER (EXPORT_RECORDING | EXPORT_STATE)

const struct export_format export_formats[] = {
	{ .name = "folded",
	  .about = "stacks as lines a;b;c N, for flame graphs",
	  .inputs = EITHER,
	  .has_values = true,
	  .write = folded_write },
	{ .name = "pprof",
	  .about = "stacks with labels, for go tool pprof, speedscope and Perfetto",
	  .inputs = EITHER,
	  .is_binary = true,
	  .begins = "\x1f\x8b\x08",
	  .write = pprof_write },
	{ .name = "perfetto",
	  .about = "live memory over time as JSON, for Perfetto",
	  .inputs = EXPORT_RECORDING,
	  .begins = "{\"traceEvents\":[",
	  .write = perfetto_write },
	{ .name = "allocinfo",
	  .about = "the text of mainline's /proc/allocinfo",
	  .inputs = EXPORT_STATE,
	  .begins = "allocinfo - version: ",
	  .write = allocinfo_write },
	{ .name = "prometheus",
	  .about = "metrics as text, for Prometheus and node_exporter",
	  .inputs = EXPORT_STATE,
	  .has_top = true,
	  .begins = "# HELP kmemtrace_",
	  .write = prometheus_write },
	{ .name = "sqlite",
	  .about = "a database of events, sites and live memory, for SQLite",
	  .inputs = EITHER,
	  .output = EXPORT_FILE,
	  .begins = "SQLite format 3",
	  .write = sqlite_write },
	{ .name = "ctf",
	  .about = "all events in the Common Trace Format 1.8, for babeltrace2",
	  .inputs = EXPORT_RECORDING,
	  .output = EXPORT_DIRECTORY,
	  .write = ctf_write },
	{ .name = "recording",
	  .about = "a recording without addresses or names, to be given to others",
	  .inputs = EXPORT_RECORDING,
	  .output = EXPORT_COPY },
	{ 0 },
};

const struct export_format *formats_find(const char *name)
{
	const struct export_format *f;

	for (f = export_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

void formats_print(FILE *out)
{
	const struct export_format *f;

	for (f = export_formats; f->name; f++)
		fprintf(out, "%-11s %s%s\n", f->name, f->about,
			f->inputs == EXPORT_RECORDING ? "; recordings only" :
			f->inputs == EXPORT_STATE ? "; states of accounting only" :
						    "");
}

/* Return: an option for the analysis of a recording that was given; NULL: none. */
static const char *analysing(const struct export *e)
{
	return e->expression ? "--filter" :
	       e->since	     ? "--since" :
	       e->until	     ? "--until" :
	       e->raw_ip     ? "--raw-ip" :
	       e->debuginfo  ? "--debuginfo" :
			       NULL;
}

int formats_check_state(const char *command, const struct export *e)
{
	const char *option = analysing(e);

	return option ? msg_usage(command, "%s needs a recording", option) : EXIT_DONE;
}

int formats_check_output(const char *command, const struct export *e,
			 const char *path)
{
	size_t i;

	if (!*path)
		return msg_usage(command, "--output takes the name of a file");
	for (i = 0; i < e->count; i++)
		if (outfile_is(path, e->paths[i]))
			return msg_usage(command, "%s would replace its input: name another file with --output",
					 path);
	return EXIT_DONE;
}

static int check_copy(const struct export *e)
{
	const char *option = e->classes ? "--kind" : analysing(e);

	if (e->count > 1)
		return msg_usage("export", "name one recording");
	if (option)
		return msg_usage("export", "--to recording copies all records: it takes no %s",
				 option);
	if (!anonymize_is_on(&e->anonymize))
		return msg_usage("export", "--to recording needs --no-addresses or --hash-names: without them, copy the file");
	return EXIT_DONE;
}

/* A state has at most one file; without one it is that of the module. */
static int find_input(const char *command, struct export *e)
{
	bool only_states = e->format->inputs == EXPORT_STATE;
	struct named named;
	int ret;

	if (e->is_live && e->count)
		return msg_usage(command, "--live takes no file");
	e->input = e->is_live || (only_states && !e->count) ||
				   (e->count && tags_is_saved_file(e->paths[0])) ?
			   EXPORT_STATE :
			   EXPORT_RECORDING;
	if (e->input == EXPORT_STATE && e->count > 1)
		return msg_usage(command, "name one state of accounting");
	if (!(e->format->inputs & e->input))
		return msg_usage(command, "--to %s needs a %s", e->format->name,
				 e->input == EXPORT_STATE ?
					 "recording" :
					 "state of accounting: name no file, or one of allocinfo --save");
	if (e->input == EXPORT_STATE)
		return formats_check_state(command, e);
	ret = named_find(&named, e->paths, e->count);
	e->paths = named.paths;
	e->count = named.count;
	return ret;
}

int formats_take_inputs(const char *command, struct export *e, const char *path)
{
	int ret = find_input(command, e);

	if (!ret && e->format->output == EXPORT_COPY)
		ret = check_copy(e);
	return ret ? ret : formats_check_output(command, e, path);
}

static bool is_complete(int ret)
{
	return ret == EXIT_DONE || ret == EXIT_LOST;
}

static int write_directory(struct export *e)
{
	int ret;

	if (outdir_create(e->name, &e->dir))
		return EXIT_FAILED;
	ret = e->format->write(e);
	if (!is_complete(ret))
		outdir_discard(e->dir);
	else if (outdir_finish(e->dir))
		ret = EXIT_FAILED;
	return ret;
}

static int refuse_pipe(const struct export *e)
{
	return msg_error("%s needs a file: name one with -o that is no pipe and no device",
			 e->format->name);
}

/* Return: EXIT_DONE if the format can write to this file. */
static int check_file(struct export *e, const struct outfile *out)
{
	FILE *stream = outfile_stream(out);

	if (e->format->output == EXPORT_FILE && !outfile_part(out))
		return refuse_pipe(e);
	if (e->format->is_binary && isatty(fileno(stream)))
		return msg_error("%s is not text: write it to a file with -o, or to a pipe",
				 e->format->name);
	if (e->format->output == EXPORT_FILE)
		e->path = outfile_part(out);
	else
		e->out = stream;
	return EXIT_DONE;
}

/* A pipe that the format cannot use is not opened, because this waits for its reader. */
static int create_file(const struct export *e, struct outfile **out)
{
	if (e->format->output == EXPORT_FILE && outfile_is_direct(e->name))
		return refuse_pipe(e);
	return outfile_create(e->name, e->format->begins, out) ? EXIT_FAILED : EXIT_DONE;
}

static int write_file(struct export *e)
{
	struct outfile *out;
	int ret = create_file(e, &out);

	if (ret)
		return EXIT_FAILED;
	ret = check_file(e, out);
	if (!ret)
		ret = e->format->write(e);
	if (!is_complete(ret))
		outfile_discard(out);
	else if (outfile_finish(out, 0, false))
		ret = EXIT_FAILED;
	return ret;
}

static int write_output_to(struct export *e, const char *path)
{
	e->name = path;
	if (e->format->output == EXPORT_STREAM)
		return write_file(e);
	if (!strcmp(path, "-"))
		return msg_usage("export", e->format->output == EXPORT_FILE ?
				 "--to %s writes a file: name it with -o FILE" :
				 "--to %s writes a directory: name it with -o DIRECTORY",
				 e->format->name);
	return e->format->output == EXPORT_FILE ? write_file(e) : write_directory(e);
}

static int write_recording(struct export *e, const char *path)
{
	struct anonymized copy;
	int ret;

	if (e->format->output == EXPORT_COPY)
		return anonymize_recording(&e->anonymize, e->paths[0], path);
	ret = anonymized_make(&copy, &e->anonymize, e->paths, e->count,
			      e->expression);
	if (!ret && copy.path)
		e->paths = &copy.path;
	if (!ret)
		ret = write_output_to(e, path);
	anonymized_remove(&copy);
	return ret;
}

static int write_state(struct export *e, const char *path)
{
	char name[ANONYMIZED_NAME];

	if (!e->count)
		return write_output_to(e, path);
	if (anonymized_name(&e->anonymize, e->paths[0], name))
		return EXIT_FAILED;
	e->title = name;
	return write_output_to(e, path);
}

int formats_write(struct export *e, const char *path)
{
	return e->input == EXPORT_RECORDING ? write_recording(e, path) :
					      write_state(e, path);
}

int formats_read_tags(const struct export *e, struct tags *tags)
{
	int err = tags_read_quick(tags, e->count ? e->paths[0] : NULL);

	if (!err && e->anonymize.addresses)
		tags_drop_addresses(tags);
	return err;
}

