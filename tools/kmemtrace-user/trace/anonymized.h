/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A temporary copy of a recording without addresses or names, for a command that reads it.
 */
#ifndef ANONYMIZED_H
#define ANONYMIZED_H

#include <limits.h>
#include <stddef.h>

#include "base/die.h"
#include "trace/anonymize.h"

/* bytes of a name of a file, with the 0 at its end */
#define ANONYMIZED_NAME (NAME_MAX + 1)

/**
 * struct anonymized - a temporary copy
 * @directory: its directory; NULL: there is none
 * @path: path of the copy, which has the name that anonymized_name() gives the recording
 * @undo: removes both
 */
struct anonymized {
	char *directory;
	char *path;
	struct undo undo;
};

/**
 * anonymized_make() - copy a recording to a temporary file, for a command that reads it
 * @a: set to the copy, must not move; the caller calls anonymized_remove() in any case
 * @how: what to remove; if nothing, there is no copy
 * @paths: the recordings of the command
 * @count: number of recordings
 * @filter: text of --filter, or NULL. The command applies it to the copy, and may write it
 *	to its output. So it must not compare what is replaced
 *
 * The file is in $TMPDIR; without this variable, in /var/tmp or /tmp. It is removed however
 * the tool ends.
 *
 * Return: EXIT_DONE; EXIT_FAILED with a message.
 */
int anonymized_make(struct anonymized *a, const struct anonymize *how,
		    char **paths, size_t count, const char *filter);

/** anonymized_remove() - remove the temporary file and its directory */
void anonymized_remove(struct anonymized *a);

/**
 * anonymized_name() - get the name that outputs have for a file
 * @how: what to remove
 * @path: the file
 * @name: set to the name, without a directory; with anonymize.names, it is a hash, because
 *	files are often named after their host
 *
 * Return: EXIT_DONE; EXIT_FAILED with a message.
 */
int anonymized_name(const struct anonymize *how, const char *path,
		    char name[ANONYMIZED_NAME]);

#endif /* ANONYMIZED_H */
