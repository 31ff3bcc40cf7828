// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/figures.h"
#include "base/json.h"
#include "base/msg.h"
#include "base/textfile.h"
#include "report/losses.h"
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

/* --- CSV ------------------------------------------------------------------ */

static const struct table_column csv_columns[] = {
	FIGURE_TIME, FIGURE_KIND, FIGURE_NAME, FIGURE_HIGHEST, FIGURE_LIVE, FIGURE_LOST,
	FIGURE_LIVE_LOW, FIGURE_LIVE_HIGH,
};

/* For each bucket, the first line is the sum. */
static void timeline_data_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct timeline_view *v = arg;
	size_t lines = v->list.shown + 1, bucket = i / lines, line = i % lines, c;
	const struct timeline_loss *loss = &v->t.losses[bucket];
	const struct timeline_series *s =
		line ? timeline_view_series(v, line - 1) : &v->t.all;

	row_number(cell, timeline_end(&v->t, bucket));
	for (c = TIMELINE_KIND; c <= TIMELINE_NAME; c++) {
		if (!line)
			row_text(cell, "total");
		else if (row_wants(cell))
			timeline_view_cell(v, line - 1, c, cell);
	}
	row_number(cell, s->points[bucket].highest);
	row_number(cell, s->points[bucket].live);
	row_existing(cell, !line, loss->lost);
	row_existing(cell, !line, loss->low);
	row_existing(cell, !line, loss->high);
}

void timeline_print_csv(const struct timeline_view *v)
{
	table_print_csv(csv_columns, TABLE_COLUMNS(csv_columns),
			(v->t.bucket + 1) * (v->list.shown + 1), timeline_data_cell, (void *)v);
}

/* --- JSON ----------------------------------------------------------------- */

void timeline_json_series(json_t *object, const struct timeline *t,
			  const struct timeline_series *s)
{
	json_t *highest = json_array(), *live = json_array();
	size_t i;

	for (i = 0; i <= t->bucket; i++) {
		json_array_append_new(highest,
				      json_integer(s->points[i].highest));
		json_array_append_new(live, json_integer(s->points[i].live));
	}
	json_object_set_new(object, "peak", json_integer(s->peak));
	json_object_set_new(object, "peak_ns",
			    s->peak ? json_integer(s->peak_time) : json_null());
	json_object_set_new(object, "highest", highest);
	json_object_set_new(object, "live", live);
}

json_t *timeline_json_total(const struct timeline *t)
{
	json_t *total = json_object(), *lost = json_array();
	json_t *low = json_array(), *high = json_array();
	size_t i;

	timeline_json_series(total, t, &t->all);
	for (i = 0; i <= t->bucket; i++) {
		json_array_append_new(lost, json_integer(t->losses[i].lost));
		json_array_append_new(low, json_integer(t->losses[i].low));
		json_array_append_new(high, json_integer(t->losses[i].high));
	}
	json_object_set_new(total, "lost", lost);
	json_object_set_new(total, "live_low", low);
	json_object_set_new(total, "live_high", high);
	return total;
}

static json_t *json_rows(const struct timeline_view *v)
{
	json_t *rows = json_array(), *row;
	struct table_cell cell;
	size_t i, c;

	for (i = 0; i < v->list.shown; i++) {
		row = json_object();
		for (c = TIMELINE_KIND; c <= TIMELINE_NAME; c++) {
			timeline_view_cell(v, i, c, &cell);
			json_object_set_new(row, timeline_columns[c].key,
					    timeline_columns[c].kind == TABLE_STRING ?
						    json_string(cell.string) :
						    json_integer(cell.number));
		}
		timeline_json_series(row, &v->t, timeline_view_series(v, i));
		json_array_append_new(rows, row);
	}
	return rows;
}

static json_t *json_times(const struct timeline *t)
{
	json_t *times = json_array();
	size_t i;

	for (i = 0; i <= t->bucket; i++)
		json_array_append_new(times, json_integer(timeline_end(t, i)));
	return times;
}

int timeline_print_json(const struct timeline_view *v)
{
	const struct input *in = &v->r.in;

	return json_print(json_pack(
			"{s:I,s:I,s:I,s:I,s:b,s:o,s:o,s:o,s:o,s:s*}", "from_ns",
			(json_int_t)v->t.start, "to_ns",
			(json_int_t)v->t.a->time_last, "bucket_ns",
			(json_int_t)1 << v->t.shift, "lost_events",
			(json_int_t)input_lost(in), "counts_twice",
			timeline_view_mixes(v), "note", losses_json(&v->r.in),
			"times_ns", json_times(&v->t), "total",
			timeline_json_total(&v->t), "rows", json_rows(v), "skipped",
			losses_skipped(in)));
}
