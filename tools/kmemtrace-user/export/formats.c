// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include <unistd.h>

#include "account/tags.h"
#include "base/msg.h"
#include "base/outfile.h"
#include "export/formats.h"

#define EITHER (EXPORT_RECORDING | EXPORT_STATE)

const struct export_format export_formats[] = {
	{ .name = "folded",
	  .about = "stacks as lines a;b;c N, for flame graphs",
	  .inputs = EITHER,
	  .has_values = true,
	  .write = folded_write },
	{ .name = "speedscope",
	  .about = "stacks as JSON, for speedscope",
	  .inputs = EITHER,
	  .write = speedscope_write },
	{ .name = "pprof",
	  .about = "stacks with labels, for go tool pprof",
	  .inputs = EITHER,
	  .is_binary = true,
	  .write = pprof_write },
	{ .name = "dhat",
	  .about = "stacks with lifetimes as JSON, for valgrind's dh_view.html",
	  .inputs = EXPORT_RECORDING,
	  .write = dhat_write },
	{ .name = "perfetto",
	  .about = "live memory over time as JSON, for Perfetto",
	  .inputs = EXPORT_RECORDING,
	  .write = perfetto_write },
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
		fprintf(out, "%-10s %s%s\n", f->name, f->about,
			f->inputs == EXPORT_RECORDING ? "; recordings only" :
			f->inputs == EXPORT_STATE ? "; states of accounting only" :
						    "");
}

int formats_check_state(const char *command, const struct export *e)
{
	const char *option = e->expression ? "--filter" :
			     e->since	   ? "--since" :
			     e->until	   ? "--until" :
			     e->raw_ip	   ? "--raw-ip" :
			     e->debuginfo  ? "--debuginfo" :
					     NULL;

	return option ? msg_usage(command, "%s needs a recording", option) : EXIT_DONE;
}

int formats_take_inputs(const char *command, struct export *e)
{
	e->input = !e->count || tags_is_saved_file(e->paths[0]) ? EXPORT_STATE :
							 EXPORT_RECORDING;
	if (e->input == EXPORT_STATE && e->count > 1)
		return msg_usage(command, "name one state of accounting");
	if (!(e->format->inputs & e->input))
		return msg_usage(command, "--to %s needs a %s", e->format->name,
				 e->input == EXPORT_STATE ?
					 "recording" :
					 "state of accounting: name no file, or one of allocinfo --save");
	return e->input == EXPORT_STATE ? formats_check_state(command, e) :
					  EXIT_DONE;
}

int formats_write(struct export *e, const char *path)
{
	struct outfile *out;
	int ret;

	if (outfile_create(path, &out))
		return EXIT_FAILED;
	e->out = outfile_stream(out);
	if (e->format->is_binary && isatty(fileno(e->out))) {
		outfile_discard(out);
		return msg_error("%s is not text: write it to a file with -o, or to a pipe",
				 e->format->name);
	}
	ret = e->format->write(e);
	if (ret != EXIT_DONE && ret != EXIT_LOST) {
		outfile_discard(out);
		return ret;
	}
	/* memory ran out meanwhile: the file would be incomplete */
	if (msg_status(ret) == EXIT_FAILED) {
		outfile_discard(out);
		return EXIT_FAILED;
	}
	return outfile_finish(out, 0, false) ? EXIT_FAILED : ret;
}
