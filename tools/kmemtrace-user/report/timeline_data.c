// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>

#include "base/figures.h"
#include "base/json.h"
#include "report/losses.h"
#include "report/timeline_view.h"

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
