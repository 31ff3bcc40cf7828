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

#include "base/pseudonym.h"

/**
 * struct anonymize - what to remove
 * @addresses: replace addresses
 * @names: replace names by hashes
 * @key: the key of the hashes
 */
struct anonymize {
	bool addresses;
	bool names;
	char key[PSEUDONYM_KEY_MAX + 1];
};

/*
 * Options of a command: rows for struct option_row.
 *
 * @object: the struct of the command's options
 * @member: its member of type struct anonymize
 */
#define ANONYMIZE_OPTIONS(object, member)                                      \
	ANONYMIZE_ADDRESSES(object, member),                                   \
	{ 0, "hash-names", "KEY",                                              \
	  "replace the names of the host, of processes, of cgroups and of the input by hashes; the same KEY gives the same hashes. Other users see KEY in the list of processes, but not with file:PATH, which takes it from the first line of a file, or env:VARIABLE. pass:KEY is for a KEY that begins with one of these words", \
	  .take = anonymize_take_key,                                          \
	  .to = OPTION_MEMBER(object, member, struct anonymize) }

/* the first of these options alone, for an output without names */
#define ANONYMIZE_ADDRESSES(object, member)                                    \
	{ 0, "no-addresses", NULL,                                             \
	  "replace all addresses by others, and leave out symbols that are not needed, so that the output can be given to others", \
	  OPTION_TRUE(object, member.addresses) }

struct option_use;

/** anonymize_take_key() - parse --hash-names into a struct anonymize; as option_row.take */
int anonymize_take_key(const struct option_use *use);

/** anonymize_is_on() - whether anything is to be removed */
static inline bool anonymize_is_on(const struct anonymize *how)
{
	return how->addresses || how->names;
}

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
 * anonymize_temporary() - as anonymize_recording(), but for a temporary copy
 * @how: what to remove, not nothing
 * @from: the recording
 * @to: path of the copy
 */
int anonymize_temporary(const struct anonymize *how, const char *from,
			const char *to);

#endif /* ANONYMIZE_H */
