/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command page-types: it walks over pages, and lists, counts and changes those that
 * were selected.
 */
#ifndef PAGETYPES_H
#define PAGETYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "pagetypes/pagelist.h"
#include "pagetypes/pagemark.h"
#include "pagetypes/pageruns.h"
#include "pagetypes/pageselect.h"
#include "pagetypes/pagespec.h"
#include "pagetypes/pagesum.h"
#include "process/process.h"

#define PAGETYPES_RANGES 1024

/**
 * struct pagetypes - the request, and the state of the command
 * @select: selection of pages by their flags, and the flags to show
 * @range: ranges of pages
 * @nr_ranges: number of ranges; 0: all pages
 * @by_cgroup: select only pages of the memory cgroup @cgroup
 * @cgroup: inode number of the memory cgroup; 0: pages without a memory cgroup
 * @process: walk over the pages of this process, given by number or name; or NULL
 * @file: walk over the cached pages of this file or directory; or NULL
 * @kpageflags: file to read instead of /proc/kpageflags, or NULL
 * @marks: changes to make to the pages: mask of PAGEMARK_*
 * @no_summary: print no summary
 * @list: the list; @list.json also applies to the summary
 * @walk: the walk over the pages
 * @p: the process
 * @st: status of the file
 * @incomplete: a file could not be read, and a message was printed
 * @mark: the files for the changes
 * @sum: the summary
 */
struct pagetypes {
	struct pageselect select;
	struct pagespec_range range[PAGETYPES_RANGES];
	size_t nr_ranges;
	bool by_cgroup;
	uint64_t cgroup;
	const char *process;
	const char *file;
	const char *kpageflags;
	unsigned int marks;
	bool no_summary;
	struct pagelist list;
	struct pageruns walk;
	struct process p;
	struct stat st;
	bool incomplete;
	struct pagemark mark;
	struct pagesum sum;
};

/**
 * pagetypes_show() - run the command
 * @t: the request is set, the rest is 0
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int pagetypes_show(struct pagetypes *t);

#endif /* PAGETYPES_H */
