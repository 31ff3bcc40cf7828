// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/msg.h"
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
	{ .name = "sqlite",
	  .about = "a database of events, sites and live memory, for SQLite",
	  .inputs = EITHER,
	  .output = EXPORT_FILE,
	  .write = sqlite_write },
	{ .name = "ctf",
	  .about = "all events in the Common Trace Format 1.8, for babeltrace2",
	  .inputs = EXPORT_RECORDING,
	  .output = EXPORT_DIRECTORY,
	  .write = ctf_write },
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
