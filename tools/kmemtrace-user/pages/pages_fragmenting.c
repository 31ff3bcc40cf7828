// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/figures.h"
#include "base/msg.h"
#include "pages/pages.h"
#include "pages/shares.h"

/**
 * struct fragmenting - the table
 * @w: the walk
 * @s: the pageblocks that each site spoils
 * @row: number of the site in each row
 * @movable: number of the migratetype Movable
 * @block_bytes: bytes of a pageblock
 * @block: number of the current pageblock
 * @blocks: number of movable pageblocks
 * @is_movable: the current pageblock is movable, and matches the filter
 */
struct fragmenting {
	struct survey w;
	struct shares s;
	uint32_t *row;
	int movable;
	uint64_t block_bytes;
	uint64_t block;
	uint64_t blocks;
	bool is_movable;
};

static const struct table_column columns[] = {
	FIGURE_FRAGMENTED, FIGURE_FRAGMENTED_ALONE, FIGURE_SPOILED,
	FIGURE_PAGES, FIGURE_OLDEST, FIGURE_SITE,
};

static void pages_fragmenting_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct fragmenting *f = arg;
	const struct share *s = &f->s.share[f->row[i]];

	row_number(cell, s->alone + s->together);
	row_number(cell, s->alone);
	row_number(cell, (s->alone + s->together) * f->block_bytes);
	row_number(cell, s->items);
	row_known(cell, s->ages, s->oldest * 10);
	row_text(cell, f->w.sites.location[f->row[i]]);
}

static void print_below(void *arg)
{
	const struct fragmenting *f = arg;
	char b[2][16];

	printf("%" PRIu64 " of %" PRIu64
	       " movable pageblocks (of %s each) have pages that cannot be moved: %s\n"
	       "that cannot become huge pages. A pageblock that several sites spoil is in the\n"
	       "row of each; ALONE are those that no other site spoils.\n",
	       f->s.blocks, f->blocks,
	       table_human(b[0], sizeof(b[0]), f->block_bytes, 1),
	       table_human(b[1], sizeof(b[1]), f->s.cost, 1));
}

static json_t *json_below(void *arg)
{
	const struct fragmenting *f = arg;

	return json_pack("{s:I,s:I,s:I,s:I}", "movable_blocks",
			 (json_int_t)f->blocks, "spoiled_blocks",
			 (json_int_t)f->s.blocks, "spoiled_bytes",
			 (json_int_t)f->s.cost, "block_bytes",
			 (json_int_t)f->block_bytes);
}

/* --- the walk ------------------------------------------------------------------ */

/* The page is in use, and the kernel cannot move its content to another frame. */
static bool is_unmovable(const struct page *page)
{
	switch (page->kind) {
	case KIND_HOLE:
	case KIND_OFFLINE:
	case KIND_FREE:
	case KIND_HUGETLB:
	case KIND_ANON:
	case KIND_SHMEM:
	case KIND_FILE:
	case KIND_MOVABLE:
		return false;
	case KIND_UNKNOWN: /* without a reference, it is in the free list of a CPU */
		return page->owner->refs > 0;
	default:
		return true;
	}
}

static void next_block(struct fragmenting *f, const struct page *page)
{
	shares_settle(&f->s, f->block_bytes);
	f->block = page->pfn >> f->w.zones.block_order;
	f->is_movable = page->owner->migratetype == f->movable &&
			survey_wants(&f->w, page);
	f->blocks += f->is_movable;
}

static int pages_fragmenting_walk(struct fragmenting *f)
{
	struct page page;
	int ret;

	f->block = UINT64_MAX;
	while ((ret = survey_next(&f->w, &page)) > 0) {
		if (page.pfn >> f->w.zones.block_order != f->block)
			next_block(f, &page);
		if (f->is_movable && is_unmovable(&page))
			shares_hold(&f->s, page.site, pages_bytes(1),
				    page.owner->age);
	}
	shares_settle(&f->s, f->block_bytes);
	return ret ? EXIT_FAILED : EXIT_DONE;
}

static int find_movable(struct fragmenting *f)
{
	const struct zones *z = &f->w.zones;

	if (z->block_order < 0)
		return msg_error("/proc/pagetypeinfo lacks the size of a pageblock");
	for (f->movable = 0; f->movable < MIGRATETYPES_MAX; f->movable++)
		if (!strcmp(z->migratetype[f->movable], "Movable"))
			break;
	if (f->movable == MIGRATETYPES_MAX)
		return msg_error("/proc/pagetypeinfo names no type Movable");
	f->block_bytes = pages_bytes(1) << z->block_order;
	return EXIT_DONE;
}

int pages_fragmenting(const struct pages_options *o)
{
	int column = pages_sort_column(o, columns, TABLE_COLUMNS(columns), "blocks");
	struct page_filter filter = o->filter;
	struct fragmenting f = { 0 };
	struct listing l = { columns, TABLE_COLUMNS(columns), TABLE_COLUMNS(columns), 0,
			     pages_fragmenting_cell, &f, NULL, 0 };
	int ret = EXIT_FAILED;

	if (column < 0)
		return EXIT_USAGE;
	filter.site = NULL; /* pages of other sites decide whether a site is alone */
	if (!survey_open(&f.w, &filter) && !survey_check_site(&f.w, o->filter.site))
		ret = find_movable(&f);
	if (!ret) {
		shares_init(&f.s, f.w.sites.count);
		ret = pages_fragmenting_walk(&f);
	}
	progress_end(&f.w.progress);
	if (!ret) {
		pages_list_shares(o, &f.w.sites, &f.s, &f.row, &l.nr_rows);
		ret = pages_show(o, &l, column, print_below, json_below, &f.w);
	}
	free(f.row);
	shares_exit(&f.s);
	survey_close(&f.w);
	return ret;
}
