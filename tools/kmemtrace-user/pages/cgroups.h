/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory cgroups, from the module's file cgroups: also those that were removed, but that
 * pages or references keep in memory.
 */
#ifndef CGROUPS_H
#define CGROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct cgroups - the cgroups
 * @text: text of the file
 * @row: the rows in it, by ascending id
 * @count: number of @row
 * @removed: number of removed cgroups
 * @empty: number of these that no page is charged to
 */
struct cgroups {
	char *text;
	struct cgroups_row {
		uint64_t id;
		const char *path;
	} *row;
	size_t count;
	size_t removed;
	size_t empty;
};

/**
 * cgroups_read() - read the cgroups
 * @c: set up; the caller calls cgroups_free() later, also after a failure
 *
 * Return: 0; -1 after a message.
 */
int cgroups_read(struct cgroups *c);

/**
 * cgroups_parse() - parse the text of the file
 * @c: @c->text is set, and changes
 */
void cgroups_parse(struct cgroups *c);

/**
 * cgroups_name() - write the path of a cgroup
 * @c: the cgroups
 * @entry: its id, with KMEMTRACE_CGROUP_REMOVED
 * @to: gets "/path", or "/path (removed)"; "(none)" if @entry is 0
 * @size: size of @to, in bytes
 */
void cgroups_name(const struct cgroups *c, uint64_t entry, char *to, size_t size);

/** cgroups_print() - print how many cgroups are removed, and what keeps them */
void cgroups_print(const struct cgroups *c);

/** cgroups_free() - undo cgroups_read() */
void cgroups_free(struct cgroups *c);

#endif /* CGROUPS_H */
