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

/*
 * Recordings without addresses or names. Which symbols a recording needs is only known at
 * its end. So the recorder writes FILE.private, which has everything. At the end, this
 * file is copied to FILE without what is to be removed, and is then deleted.
 */

/**
 * private_path() - get the file that the recorder writes
 * @how: what is to be removed
 * @file: the file of the command line
 *
 * Prints a message on failure. A pipe or standard output is refused.
 *
 * Return: the path, which the caller frees: FILE.private, or a copy of @file if nothing is
 * to be removed; NULL on failure.
 */
char *private_path(const struct anonymize *how, const char *file);

/**
 * private_finish() - make the copy, and delete the file from which it was made
 * @how: what is to be removed; if nothing, there is nothing to do
 * @path: from private_path(), complete
 * @file: the file of the command line
 *
 * If it fails, FILE.private remains, and the message names it. It also remains if a signal
 * ends the tool.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int private_finish(const struct anonymize *how, const char *path,
		   const char *file);

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
