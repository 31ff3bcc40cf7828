// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "base/msg.h"
#include "pagetypes/pagesum.h"

struct pagesum_row *pagesum_row(struct pagesum *sum, uint64_t flags)
{
	unsigned int i = flags % PAGESUM_ROWS, tried;

	if (!flags)
		return &sum->row[0];
	for (tried = 1; tried < PAGESUM_ROWS; tried++, i++) {
		if (!i || i == PAGESUM_ROWS)
			i = 1;
		if (!sum->row[i].flags)
			sum->row[i].flags = flags;
		if (sum->row[i].flags == flags)
			return &sum->row[i];
	}
	msg_error("more than %d combinations of flags: these are not the flags of pages",
		  PAGESUM_ROWS - 1);
	return NULL;
}

static uint64_t megabytes(uint64_t pages, uint64_t page_size)
{
	return pages * page_size >> 20;
}

void pagesum_print(const struct pagesum *sum,
		   const struct pageflag_name *names, uint64_t page_size)
{
	char letters[PAGEFLAGS + 1], text[PAGEFLAGS_LONG];
	const struct pagesum_row *row;

	printf("%18s\t%10s %8s  symbolic-flags\t\t\tlong-symbolic-flags\n",
	       "flags", "page-count", "MB");
	for (row = sum->row; row < sum->row + PAGESUM_ROWS; row++)
		if (row->pages)
			printf("0x%016" PRIx64 "\t%10" PRIu64 " %8" PRIu64
			       "  %s\t%s\n",
			       row->flags, row->pages,
			       megabytes(row->pages, page_size),
			       pageflags_short(names, row->flags, letters),
			       pageflags_long(names, row->flags, text,
					      sizeof(text)));
	printf("%18s\t%10" PRIu64 " %8" PRIu64 "\n", "total", sum->total,
	       megabytes(sum->total, page_size));
}

static json_t *json_row(const struct pagesum_row *row,
			const struct pageflag_name *names, uint64_t page_size)
{
	char hex[20], letters[PAGEFLAGS + 1];

	snprintf(hex, sizeof(hex), "0x%" PRIx64, row->flags);
	return json_pack("{s:s,s:s,s:o,s:I,s:I}", "flags", hex, "short",
			 pageflags_short(names, row->flags, letters), "names",
			 pageflags_json(names, row->flags), "pages",
			 (json_int_t)row->pages, "bytes",
			 (json_int_t)(row->pages * page_size));
}

json_t *pagesum_json(const struct pagesum *sum,
		     const struct pageflag_name *names, uint64_t page_size)
{
	const struct pagesum_row *row;
	json_t *rows = json_array();

	for (row = sum->row; row < sum->row + PAGESUM_ROWS; row++)
		if (row->pages)
			json_array_append_new(rows,
					      json_row(row, names, page_size));
	return rows;
}
