// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/die.h"
#include "base/msg.h"
#include "base/options.h"
#include "base/outfile.h"
#include "base/pseudonym.h"
#include "base/textfile.h"
#include "kmt_field.h"
#include "trace/anonymized.h"
#include "trace/reader.h"
#include "trace/trace_format.h"

/* --- the file that a recorder copies at its end --------------------------- */

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

/* --- anonymized ----------------------------------------------------------- */

/* --- the key -------------------------------------------------------------------- */

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

static int secret_take(const struct option_use *use, char *to, size_t size)
{
	if (!strncmp(use->text, "file:", 5))
		return take_line(use, use->text + 5, to, size);
	if (!strncmp(use->text, "env:", 4))
		return take_variable(use, use->text + 4, to, size);
	return take_text(use, use->text + (strncmp(use->text, "pass:", 5) ? 0 : 5),
			 to, size);
}

int anonymize_take_key(const struct option_use *use)
{
	struct anonymize *how = use->to;

	how->names = true;
	return secret_take(use, how->key, sizeof(how->key));
}

int anonymized_name(const struct anonymize *how, const char *path,
		    char name[ANONYMIZED_NAME])
{
	struct pseudonyms *hashes;

	path = textfile_name(path);
	if (!how->names) {
		snprintf(name, ANONYMIZED_NAME, "%s", path);
		return EXIT_DONE;
	}
	if (pseudonyms_create(how->key, &hashes))
		return EXIT_FAILED;
	snprintf(name, ANONYMIZED_NAME, "%s", pseudonym(hashes, path));
	pseudonyms_destroy(hashes);
	return EXIT_DONE;
}

/* Return: a new directory in @root; NULL with errno set. */
static char *new_directory(const char *root)
{
	char *path = xasprintf("%s/kmemtrace-XXXXXX", root);

	if (mkdtemp(path))
		return path;
	free(path);
	return NULL;
}

static void remove_copy(void *arg)
{
	const struct anonymized *a = arg;

	unlink(a->path);
	rmdir(a->directory);
}

static bool make_directory(struct anonymized *a, const char *name)
{
	const char *root = getenv("TMPDIR");

	a->directory = new_directory(root && *root ? root : "/var/tmp");
	/* a small system may not have /var/tmp */
	if (!a->directory && !(root && *root))
		a->directory = new_directory("/tmp");
	if (!a->directory)
		return false;
	a->path = xasprintf("%s/%s", a->directory, name);
	undo_push(&a->undo, remove_copy, a);
	return true;
}

/* --- filters ------------------------------------------------------------------------- */

static bool is_number_compared(const char *at)
{
	if (!strncmp(at, ".function", 9))
		at += 9;
	at += strspn(at, " \t=!<>&~");
	return isdigit((unsigned char)*at) || *at == '-';
}

static size_t word_length(const char *at)
{
	size_t len = 0;

	while (isalnum((unsigned char)at[len]) || at[len] == '_')
		len++;
	return len;
}

/* Return: the option that replaces the values of a field, or NULL. */
static const char *replacing(const struct anonymize *how, const char *word, size_t len)
{
	static const char *const addresses[] = { "call_site", "ptr", "stack" };
	size_t i;

	if (how->names && len == 4 && !strncasecmp(word, "comm", 4))
		return "--hash-names";
	for (i = 0; how->addresses && i < sizeof(addresses) / sizeof(addresses[0]); i++)
		if (kmt_is_word(word, len, addresses[i]) &&
		    is_number_compared(word + len))
			return "--no-addresses";
	return NULL;
}

static int check_filter(const struct anonymize *how, const char *at)
{
	const char *option, *quote;

	while (at && *at) {
		size_t len = word_length(at);

		option = replacing(how, at, len);
		if (option)
			return msg_error("--filter compares %.*s, whose values %s replaces: copy the recording with export --to recording, and filter the copy by the new values",
					 (int)len, at, option);
		quote = *at == '"' || *at == '\'' ? strchr(at + 1, *at) : NULL;
		at = quote ? quote + 1 : at + (len ? len : 1);
	}
	return EXIT_DONE;
}

/* ------------------------------------------------------------------------------------- */

int anonymized_make(struct anonymized *a, const struct anonymize *how,
		    char **paths, size_t count, const char *filter)
{
	char name[ANONYMIZED_NAME];
	bool is_made;
	int ret;

	*a = (struct anonymized){ 0 };
	if (!anonymize_is_on(how))
		return EXIT_DONE;
	if (count != 1)
		return msg_error("only one recording can be written without addresses or names; raw files of CPUs have no symbols");
	if (trace_reader_is_recording(paths[0]) == 0)
		return msg_error("only a recording can be written without addresses or names, and %s is none; raw files of CPUs have no symbols",
				 paths[0]);
	if (check_filter(how, filter) || anonymized_name(how, paths[0], name))
		return EXIT_FAILED;
	undo_hold();
	is_made = make_directory(a, name);
	undo_release();
	if (!is_made)
		return msg_error("cannot make a temporary directory: %s; set TMPDIR to another place",
				 strerror(errno));
	ret = anonymize_temporary(how, paths[0], a->path);
	return ret == EXIT_LOST ? EXIT_DONE : ret;
}

void anonymized_remove(struct anonymized *a)
{
	undo_now(&a->undo);
	free(a->path);
	free(a->directory);
}
