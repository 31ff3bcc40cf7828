/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list of page-types: pages one by one or in ranges, as the kernel's tool
 * has it, or as JSON.
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
 * struct pagelist - how pages are listed
 * @kind: in ranges or each
 * @page: title of the column of where a page is mapped or cached; NULL: none
 * @cgroup: with their cgroups
 * @count: with how often they are mapped
 * @json: as an array of JSON
 * @names: of the flags
 * @file: that the pages are of, for JSON; NULL: none
 * @run: the range that was not written yet; n 0: there is none
 * @out: where they go; what else goes there must be flushed before
 * @json_out: @out, if @json is set
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

/** pagelist_add() - list pages; their flags are those to be shown */
void pagelist_add(struct pagelist *l, const struct pagerun *run);

/** pagelist_flush() - end a range: what comes next begins another one */
void pagelist_flush(struct pagelist *l);

#endif /* PAGELIST_H */
