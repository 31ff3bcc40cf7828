// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "record/private.h"
#include "trace/source.h"

static bool is_off(const struct anonymize *how)
{
	return !how->addresses && !how->key;
}

char *private_path(const struct anonymize *how, const char *file)
{
	char *path = NULL;

	if (!is_off(how) && source_is_stream(file)) {
		msg_error("a recording is read again to replace addresses or names: write it to a file, not to a pipe");
		return NULL;
	}
	if (asprintf(&path, "%s%s", file, is_off(how) ? "" : ".private") >= 0)
		return path;
	msg_oom();
	return NULL;
}

int private_finish(const struct anonymize *how, const char *path,
		   const char *file)
{
	int ret;

	if (is_off(how))
		return EXIT_DONE;
	ret = anonymize_recording(how, path, file);
	if (ret && ret != EXIT_LOST) {
		msg_note("%s has the recording, with all addresses and names; to try again: kmemtrace-user export --to recording -o FILE %s%s%s",
			 path, how->addresses ? "--no-addresses " : "",
			 how->key ? "--hash-names KEY " : "", path);
		return ret;
	}
	unlink(path);
	return EXIT_DONE;
}
