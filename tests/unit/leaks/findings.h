/* SPDX-License-Identifier: GPL-2.0-only */
/* An observation of five sites that is made by hand, and its findings. */
#ifndef UNIT_FINDINGS_H
#define UNIT_FINDINGS_H

#include <math.h>

#include "leaks/findings.h"
#include "unit.h"

#define N      40
#define LEVELS 3

static const char text[] =
	"kmemtrace tags - version: 1\n"
	"slab 0 0 0 0 0 0 - ffffffff81000010 1 a.c:1 func:leaks\n"
	"page 0 0 0 0 0 0 - ffffffff81000020 2 b.c:1 func:do_anonymous_page\n"
	"page 0 0 0 0 0 0 - ffffffff81000030 3 c.c:1 func:allocate_slab\n"
	"slab 0 0 0 0 0 0 - ffffffff81000040 4 d.c:1 func:alloc_empty_file\n"
	"slab 0 0 0 0 0 0 - ffffffff81000050 5 e.c:1 func:leaks_more\n";

/* row 4 has the pages of areas of vmalloc(), of which each takes an object of rows 0 and 3 */
static const char area_text[] =
	"kmemtrace tags - version: 1\n"
	"slab 0 0 0 0 0 0 - ffffffff81000010 1 a.c:1 func:alloc_vmap_area\n"
	"page 0 0 0 0 0 0 - ffffffff81000020 2 b.c:1 func:do_anonymous_page\n"
	"page 0 0 0 0 0 0 - ffffffff81000030 3 c.c:1 func:allocate_slab\n"
	"slab 0 0 0 0 0 0 - ffffffff81000040 4 d.c:1 func:__get_vm_area_node\n"
	"page 0 0 0 0 0 0 - ffffffff81000050 5 e.c:1 [m] func:driver_map\n"
	"slab 0 0 0 0 0 0 - ffffffff81000050 6 e.c:1 [m] func:driver_map\n";

static double times[N + 1], values[5][2 * (LEVELS + 1)][N + 1];
static struct observed rows[5];
static struct sites sites;
static struct findings f;
static struct observation w = { .n = N, .time = times, .step = 4, .levels = LEVELS,
				.births = 3, .row = rows, .count = 5 };

/* Row @i of tag @i + 1 grows by @rate objects of 10 bytes in a second. */
static inline void make_row(int i, double rate)
{
	struct observed *row = &rows[i];
	int k, l;

	*row = (struct observed){ .id = sites_of(&sites, i + 1), .slab = i == 2,
				  .allocs = { 900, 800, 700, 500 },
				  .older = { 80, 60, 30 } };
	row->live.bytes = values[i][0];
	row->live.objects = values[i][1];
	for (l = 0; l < LEVELS; l++) {
		row->level[l].bytes = values[i][2 + 2 * l];
		row->level[l].objects = values[i][3 + 2 * l];
	}
	for (l = 0; l <= LEVELS; l++)
		for (k = 0; k <= N; k++) {
			values[i][2 * l + 1][k] = 100 + floor(rate * k);
			values[i][2 * l][k] = 10 * values[i][2 * l + 1][k];
		}
}

/* Row @i is of a cache that the kernel can reclaim, except for @rest objects since the start. */
static inline void be_cache(int i, double rest)
{
	rows[i].reclaimable[0] = rows[i].live.objects[0];
	rows[i].reclaimable[1] = rows[i].live.objects[N - 1] - rest;
}

static inline void begin_with(const char *rows_text)
{
	static const double rates[] = { 2, 50, 7, 0, 3 };
	struct tags tags;
	char why[128];
	int i;

	ck_assert_int_eq(tags_parse(&tags, rows_text, why, sizeof(why)), 0);
	sites_init(&sites, &tags);
	for (i = 0; i <= N; i++)
		times[i] = i;
	for (i = 0; i < 5; i++)
		make_row(i, rates[i]);
	w.sites = &sites;
	w.reclaimed = false;
}

static inline void begin(void)
{
	begin_with(text);
}

static inline void confirm(void)
{
	findings_make(&f, &w, &sites);
	findings_confirm(&f, &w);
}

static inline void clean(void)
{
	findings_free(&f);
	sites_free(&sites);
}

#endif /* UNIT_FINDINGS_H */
