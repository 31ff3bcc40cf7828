// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/die.h"
#include "base/msg.h"
#include "base/outfile.h"
#include "record/private.h"
#include "trace/trace_format.h"

char *private_path(const struct anonymize *how, const char *file)
{
	struct outfile *copy;
	char *path;

	if (anonymize_is_on(how) && outfile_is_direct(file)) {
		msg_error("a recording is read again to replace addresses or names: name a file with -o that is no pipe and no device");
		return NULL;
	}
	path = xasprintf("%s%s", file, anonymize_is_on(how) ? ".private" : "");
	if (!anonymize_is_on(how))
		return path;
	/* an error of the copy is found before the recording is made */
	if (!access(path, F_OK)) {
		msg_error("%s is left from an earlier recording, with all addresses and names: remove it, or copy it with kmemtrace-user export --to recording",
			  path);
	} else if (!outfile_create(file, TRACE_MAGIC, &copy)) {
		outfile_discard(copy);
		return path;
	}
	free(path);
	return NULL;
}

int private_finish(const struct anonymize *how, const char *path,
		   const char *file)
{
	int ret;

	if (!anonymize_is_on(how))
		return EXIT_DONE;
	ret = anonymize_recording(how, path, file);
	if (ret && ret != EXIT_LOST) {
		msg_note("%s has the recording, with all addresses and names; to try again: kmemtrace-user export --to recording -o FILE %s%s%s",
			 path, how->addresses ? "--no-addresses " : "",
			 how->names ? "--hash-names KEY " : "", path);
		return ret;
	}
	if (unlink(path))
		return msg_error("cannot remove %s, which has all addresses and names: %s",
				 path, strerror(errno));
	return EXIT_DONE;
}
