// SPDX-License-Identifier: GPL-2.0-only
#include <unistd.h>

#include "base/msg.h"
#include "base/outfile.h"
#include "report/named.h"
#include "trace/trace_format.h"

static char default_path[] = TRACE_FILE_DEFAULT;
static char *default_paths[] = { default_path };

int named_find(struct named *named, char **paths, size_t count)
{
	*named = (struct named){ paths, count };
	if (count)
		return EXIT_DONE;
	if (access(default_path, F_OK))
		return outfile_explain_part(default_path) ?
			       EXIT_FAILED :
			       msg_error("no recording was given, and there is no %s here: give a file, or create one with kmemtrace-user record",
					 default_path);
	*named = (struct named){ default_paths, 1 };
	return EXIT_DONE;
}
