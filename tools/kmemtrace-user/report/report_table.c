// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdlib.h>

#include "base/die.h"
#include "base/figures.h"
#include "report/losses.h"
#include "report/report.h"

const struct table_column report_columns[COLS] = {
	FIGURE_LIVE, FIGURE_OBJECTS, FIGURE_ALLOCS, FIGURE_FREES,
	FIGURE_TOTAL_REQUESTED, FIGURE_TOTAL, FIGURE_TOTAL_WASTE_PERCENT,
	FIGURE_KIND, FIGURE_SITE,
	FIGURE_TOTAL_WASTE, FIGURE_REQUESTED, FIGURE_FAILED,
	FIGURE_REMOTE_FREES, FIGURE_IMPLICIT, FIGURE_LIVE_LOW, FIGURE_LIVE_HIGH,
	FIGURE_OBJECTS_LOW, FIGURE_OBJECTS_HIGH,
	FIGURE_PEAK, FIGURE_PEAK_LOW, FIGURE_PEAK_HIGH,
};

double report_seconds(const struct report *r)
{
	return r->a.has_time ? (r->a.time_last - r->a.time_first) / 1e9 : 0;
}

/*
 * The uncertainty has two parts:
 *
 * - Lost records. A lost free leaves one allocation too many, a lost allocation leaves
 *   one too few. Each is counted with the size of the largest allocation of the class.
 * - Frees without an event. Such a free is noticed only when the address is used again.
 *   The other live allocations of such a group may be free as well.
 *
 * A group may have had frees without an event although none was noticed. They are in
 * neither part. So the sum is not an upper limit of the error, as the text below the
 * figures notes. The module hooks the functions that free without a tracepoint, as far as
 * the kernel allows.
 */
uint64_t report_uncertain(const struct report *r, enum site_kind class)
{
	const struct analysis_class_sums *s = &r->a.sums[class];
	uint64_t lost, most = UINT64_MAX;

	/* what is live is not below 0, nor above the memory of the machine */
	if (r->a.memory != UINT64_MAX)
		most = s->live > r->a.memory / 2 ? s->live : r->a.memory - s->live;
	if (__builtin_mul_overflow(input_lost(&r->in), s->largest, &lost) ||
	    __builtin_add_overflow(s->uncertain, lost, &lost) || lost > most)
		return most;
	return lost;
}

bool report_is_overwritten(const struct report *r)
{
	return losses_are_overwritten(&r->in);
}

bool report_is_uncertain(const struct report *r)
{
	return !r->no_live && (r->a.lost || r->a.frees_unseen);
}

/* --- the table --------------------------------------------------------------- */

/* A record with @alloc < @req violates the ABI. It counts as no waste. */
static uint64_t wasted(uint64_t alloc, uint64_t req)
{
	return alloc > req ? alloc - req : 0;
}

uint64_t report_tenths_wasted(uint64_t alloc, uint64_t req)
{
	return alloc ? 1000.0 * wasted(alloc, req) / alloc + 0.5 : 0;
}

void report_cell(void *arg, size_t i, struct table_cell *cell)
{
	struct report *r = arg;
	const struct group *g = r->rows[i];
	size_t group = g - r->a.groups.groups;
	uint64_t peak_low = 0, peak_high = 0;
	bool live = !r->no_live;
	struct analysis_bounds b;

	analysis_bounds(&r->a, g, &b);
	if (r->wants_peaks)
		peaks_bounds(&r->peaks, group, &peak_low, &peak_high);
	row_known(cell, live, group_live(g));
	row_known(cell, live, group_objects(g));
	row_number(cell, g->allocs);
	row_number(cell, g->frees);
	row_number(cell, g->req);
	row_number(cell, g->alloc);
	row_number(cell, report_tenths_wasted(g->alloc, g->req));
	report_group_text(cell, r, g);
	row_number(cell, wasted(g->alloc, g->req));
	row_known(cell, live, group_live_req(g));
	row_number(cell, g->failed);
	row_number(cell, g->remote_frees);
	row_number(cell, g->implicit);
	row_known(cell, live, b.low);
	row_known(cell, live, b.high);
	row_known(cell, live, b.objects_low);
	row_known(cell, live, b.objects_high);
	row_known(cell, live, peaks_of(&r->peaks, group));
	row_known(cell, live, peak_low);
	row_known(cell, live, peak_high);
}

static bool is_live(enum column column)
{
	return column <= COL_OBJECTS || column == COL_LIVE_REQ || column >= COL_LOW;
}

static int by_size(const void *x, const void *y)
{
	const struct group *a = *(const struct group **)x;
	const struct group *b = *(const struct group **)y;

	if (a->alloc != b->alloc)
		return a->alloc < b->alloc ? 1 : -1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->type != b->type ? a->type - b->type : a->place - b->place;
}

bool report_is_behind(const struct report *r, enum site_kind class)
{
	return r->in_limit && !(r->peaks.classes >> class & 1);
}

/* Puts the rows of the classes of --at before all others. Then --top counts. */
static void put_asked_first(struct report *r)
{
	struct listing *l = &r->list;
	uint32_t *row = xcalloc(l->nr_rows + 1, sizeof(*row));
	size_t i, count = 0;
	int behind;

	for (behind = 0; behind < 2; behind++)
		for (i = 0; i < l->nr_rows; i++)
			if (report_is_behind(r, analysis_kind_of(r->rows[l->row[i]]->type)) == behind)
				row[count++] = l->row[i];
	free(l->row);
	l->row = row;
	if (r->top && r->top < count)
		l->shown = r->top;
}

void report_sort(struct report *r)
{
	size_t count = r->a.groups.count, i;

	r->rows = xcalloc(count + 1, sizeof(*r->rows));
	for (i = 0; i < count; i++)
		r->rows[i] = &r->a.groups.groups[i];
	qsort(r->rows, count, sizeof(*r->rows), by_size);
	if (r->view == VIEW_ROWS && r->no_live && is_live(r->sort))
		r->sort = COL_ALLOC;
	report_view_list(r);
	if (!r->in_limit || r->view == VIEW_MATRIX) {
		listing_sort(&r->list, report_column(r, r->sort), r->top);
		return;
	}
	listing_sort(&r->list, report_column(r, r->sort), 0);
	put_asked_first(r);
}
