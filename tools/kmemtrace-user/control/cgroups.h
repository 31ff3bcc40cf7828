/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory cgroups, from the module's file cgroups: also those that were removed, but that
 * pages or references keep in memory. And the cgroups of processes, which events have.
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

/** cgroups_path() - find the path of a cgroup; NULL if its id is not known */
const char *cgroups_path(const struct cgroups *c, uint64_t id);

/**
 * cgroups_name() - write the path of a cgroup
 * @c: the cgroups
 * @entry: its id, with KMEMTRACE_CGROUP_REMOVED
 * @to: gets "/path", or "/path (removed)"; "(none)" if @entry is 0
 * @size: size of @to, in bytes
 */
void cgroups_name(const struct cgroups *c, uint64_t entry, char *to, size_t size);

/** cgroups_directory() - write the path of a memory cgroup that exists; "" if there is none */
void cgroups_directory(uint64_t id, char *to, size_t size);

/** cgroups_print() - print how many cgroups are removed, and what keeps them */
void cgroups_print(const struct cgroups *c);

/**
 * cgroups_of_processes() - list the cgroups that processes can be in
 * @dir: descriptor from control_open()
 *
 * Events have the ids of version 2 of cgroups. Its file system has those that exist. The
 * module's file also has removed ones, if the memory controller is in version 2.
 *
 * Return: rows as those of the module's file, some of them twice; the caller frees them. The
 * pages of those that only the file system has are 0.
 */
char *cgroups_of_processes(int dir);

/** cgroups_free() - undo cgroups_read() */
void cgroups_free(struct cgroups *c);

#endif /* CGROUPS_H */
