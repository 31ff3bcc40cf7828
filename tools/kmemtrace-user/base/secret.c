// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "base/options.h"
#include "base/secret.h"

static int too_long(const struct option_use *use, size_t size)
{
	return msg_usage(use->command, "--%s takes at most %zu bytes: choose a shorter %s",
			 use->row->name, size - 1, use->row->value);
}

static int take_text(const struct option_use *use, const char *text, char *to,
		     size_t size)
{
	size_t len = strlen(text);

	if (!len)
		return msg_usage(use->command, "--%s takes a text that is not empty, not '%s'",
				 use->row->name, use->text);
	if (len >= size)
		return too_long(use, size);
	memcpy(to, text, len + 1);
	return EXIT_DONE;
}

static int take_variable(const struct option_use *use, const char *name, char *to,
			 size_t size)
{
	const char *text = getenv(name);

	if (!text)
		return msg_usage(use->command, "--%s: there is no environment variable '%s': set and export it",
				 use->row->name, name);
	if (!*text)
		return msg_usage(use->command, "--%s: the environment variable '%s' is empty",
				 use->row->name, name);
	return take_text(use, text, to, size);
}

/* Reads no more than needed: the file may be a terminal, or have no end. */
static int read_line(FILE *in, char *to, size_t size)
{
	size_t len = 0;
	int c;

	errno = 0;
	while ((c = getc(in)) != EOF && c != '\n' && len < size)
		to[len++] = c;
	if (ferror(in))
		return errno ? -errno : -EIO;
	return len;
}

static int take_line(const struct option_use *use, const char *path, char *to,
		     size_t size)
{
	FILE *in = fopen(path, "re");
	int len = in ? read_line(in, to, size) : -errno;

	if (in)
		fclose(in);
	if (len < 0)
		return msg_error("cannot read %s, for --%s: %s", path,
				 use->row->name, strerror(-len));
	if ((size_t)len >= size)
		return too_long(use, size);
	to[len] = '\0';
	if (!len)
		return msg_error("the first line of %s is empty: write the %s for --%s there",
				 path, use->row->value, use->row->name);
	if (strlen(to) < (size_t)len)
		return msg_error("%s is not a text: its first line has a byte 0", path);
	return EXIT_DONE;
}

int secret_take(const struct option_use *use, char *to, size_t size)
{
	if (!strncmp(use->text, "file:", 5))
		return take_line(use, use->text + 5, to, size);
	if (!strncmp(use->text, "env:", 4))
		return take_variable(use, use->text + 4, to, size);
	return take_text(use, use->text + (strncmp(use->text, "pass:", 5) ? 0 : 5),
			 to, size);
}
