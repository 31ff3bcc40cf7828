/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list of page-types: pages one by one or in ranges, in the format of the kernel's
 * page-types, or as JSON.
 */
#ifndef PAGELIST_H
#define PAGELIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/jsonstream.h"
#include "base/outbuf.h"
#include "frames/pageflags.h"
#include "pagetypes/pageruns.h"

enum pagelist_kind { PAGELIST_NONE, PAGELIST_RANGES, PAGELIST_EACH };

/**
 * struct pagelist - form and state of the list
 * @kind: PAGELIST_RANGES or PAGELIST_EACH; PAGELIST_NONE: no list
 * @page: title of the column for the page in the address space or file; NULL: no column
 * @cgroup: show the cgroup
 * @count: show the number of mappings
 * @json: write an array of JSON
 * @names: names of the flags
 * @file: path of the file of the pages, for JSON; NULL: none
 * @run: the range that has not been written yet; none if @run.n is 0
 * @out: buffer of the output; data that is written past it must be flushed before
 * @json_out: writes to @out, if @json is set
 */
struct pagelist {
	enum pagelist_kind kind;
	const char *page;
	bool cgroup;
	bool count;
	bool json;
	const struct pageflag_name *names;
	const char *file;
	struct pagerun run;
	struct outbuf out;
	struct jsonstream json_out;
};

/** pagelist_titles() - write the titles of the columns */
void pagelist_titles(struct pagelist *l);

/** pagelist_add() - add pages to the list; @run has the flags to show */
void pagelist_add(struct pagelist *l, const struct pagerun *run);

/** pagelist_flush() - write the last range; the next pages begin another range */
void pagelist_flush(struct pagelist *l);

#endif /* PAGELIST_H */
