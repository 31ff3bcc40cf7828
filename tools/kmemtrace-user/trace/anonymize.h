/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies a recording without what should not be known to others. The copy has new
 * addresses, see addrmap.h, the symbols that they need, and no others. On request, names
 * of the host and of processes are replaced by hashes, see pseudonym.h. Reports of the
 * copy have the same figures.
 */
#ifndef ANONYMIZE_H
#define ANONYMIZE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct anonymize - what to remove
 * @addresses: replace addresses
 * @key: replace names by hashes with this key; NULL: keep names
 */
struct anonymize {
	bool addresses;
	const char *key;
};

/*
 * Options of a command: rows for struct option_row.
 *
 * @object: the struct of the command's options
 * @member: its member of type struct anonymize
 */
#define ANONYMIZE_OPTIONS(object, member)                                      \
	{ 0, "no-addresses", NULL,                                             \
	  "replace all addresses by others, and leave out symbols that are not needed, so that the output can be given to others", \
	  OPTION_TRUE(object, member.addresses) },                             \
	{ 0, "hash-names", "KEY",                                              \
	  "replace the names of the host and of processes by hashes; the same KEY gives the same hashes", \
	  OPTION_WORD(object, member.key) }

/**
 * anonymize_recording() - copy a recording
 * @how: what to remove, not nothing
 * @from: the recording: a file, because it is read twice
 * @to: path of the copy, as for trace_writer_create()
 *
 * The copy has the same chunks, but for those that are damaged or unknown. A file that is
 * cut short gives a copy that is cut short. Prints a message on failure: there is no copy
 * then, nor if a signal ends the tool.
 *
 * Return: EXIT_DONE; EXIT_LOST if the copy is complete, but events were lost before;
 * EXIT_FAILED.
 */
int anonymize_recording(const struct anonymize *how, const char *from,
			const char *to);

/**
 * struct anonymized - a temporary copy
 * @directory: its directory; NULL: there is none
 * @path: path of the copy, which has the name of the recording
 */
struct anonymized {
	char *directory;
	char *path;
};

/**
 * anonymized_make() - copy a recording to a temporary file, for a command that reads it
 * @a: set to the copy; the caller calls anonymized_remove() in any case
 * @how: what to remove; if nothing, there is no copy
 * @paths: the recordings of the command
 * @count: number of recordings
 *
 * The file is in $TMPDIR; without this variable, in /var/tmp or /tmp. A signal that ends the
 * tool removes it.
 *
 * Return: EXIT_DONE; EXIT_FAILED with a message.
 */
int anonymized_make(struct anonymized *a, const struct anonymize *how,
		    char **paths, size_t count);

/** anonymized_remove() - remove the temporary file and its directory */
void anonymized_remove(struct anonymized *a);

#endif /* ANONYMIZE_H */
