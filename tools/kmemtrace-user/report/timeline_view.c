// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/figures.h"
#include "base/msg.h"
#include "base/textfile.h"
#include "report/liveness.h"
#include "report/timeline_view.h"
#include "report/when.h"

struct table_column timeline_columns[TIMELINE_COLS] = {
	FIGURE_PEAK, FIGURE_PEAK_AT, FIGURE_LIVE, FIGURE_KIND, FIGURE_SITE,
};

const struct timeline_series *timeline_view_series(const struct timeline_view *v,
						   size_t row)
{
	return &v->t.groups[v->list.row[row]];
}

static void timeline_view_get_cell(void *arg, size_t group, struct table_cell *cell)
{
	struct timeline_view *v = arg;
	const struct timeline_series *s = &v->t.groups[group];
	const struct group *g = &v->r.a.groups.groups[group];

	row_number(cell, s->peak);
	row_format(cell, "%.9f", s->peak_time / 1e9);
	row_number(cell, s->live);
	row_text(cell, analysis_types[g->type]);
	if (!row_wants(cell))
		return;
	report_name(&v->r, g, cell->string, sizeof(cell->string));
	/* the only key may be a number */
	cell->number = strtoll(cell->string, NULL, 10);
}

void timeline_view_cell(const struct timeline_view *v, size_t row, size_t column,
			struct table_cell *cell)
{
	table_get_cell(timeline_view_get_cell, (void *)v, v->list.row[row], column, cell);
}

bool timeline_view_mixes(const struct timeline_view *v)
{
	unsigned int seen = 0;
	size_t i;

	for (i = 0; i < v->t.nr_groups; i++)
		if (v->t.groups[i].peak)
			seen |= 1u << analysis_kind_of(
					v->r.a.groups.groups[i].type);
	return seen >> SITE_SLAB & 1 && seen >> SITE_PAGE & 1;
}

/* --- rows ----------------------------------------------------------------- */

/* Groups with equal peaks are in the order of their first allocation. */
static void timeline_view_make_rows(struct timeline_view *v)
{
	size_t i;

	v->list = LISTING(timeline_columns, v->t.nr_groups, timeline_view_get_cell, v);
	listing_sort_by(&v->list, "peak", v->top);
	for (i = 0; i < v->t.nr_groups; i++)
		v->count += v->t.groups[i].peak > 0;
	if (v->list.shown > v->count)
		v->list.shown = v->count;
}

/* --- reading -------------------------------------------------------------- */

static int read_timeline(struct timeline_view *v, const char *command)
{
	const char *no_live = liveness_lost(&v->r.in);
	int ret;

	if (no_live)
		return msg_error("what is live is not known: %s", no_live);
	ret = report_read(&v->r, command);
	if (ret)
		return ret;
	if (!v->r.a.has_time)
		return when_no_times(&v->r.in);
	timeline_columns[TIMELINE_NAME] = report_name_column(&v->r);
	timeline_finish(&v->t);
	timeline_view_make_rows(v);
	return EXIT_DONE;
}

void timeline_view_init(struct timeline_view *v)
{
	*v = (struct timeline_view){ 0 };
	keys_parse(&v->r.keys, key_names[BY_SITE]);
}

int timeline_view_read(struct timeline_view *v, char **paths, size_t count,
		       const char *command)
{
	int ret = input_open(&v->r.in, paths, count);

	if (ret)
		return ret;
	v->is_open = true;
	v->name = textfile_name(paths[0]);
	v->r.timeline = &v->t;
	return read_timeline(v, command);
}

int timeline_view_end(struct timeline_view *v, int ret)
{
	if (v->is_open)
		ret = report_end(&v->r, ret);
	listing_free(&v->list);
	timeline_exit(&v->t);
	return ret;
}
