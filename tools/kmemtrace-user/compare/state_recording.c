// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/msg.h"
#include "base/options.h"
#include "base/textfile.h"
#include "compare/state.h"
#include "report/liveness.h"
#include "report/losses.h"
#include "report/report.h"
#include "trace/input.h"

static uint64_t state_recording_number(struct report *r, size_t row, enum column column)
{
	struct table_cell cell;

	table_get_cell(report_cell, r, row, column, &cell);
	return cell.number;
}

static int64_t bound(struct report *r, size_t row, enum column column)
{
	uint64_t n = state_recording_number(r, row, column);

	return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

static void state_recording_add_row(struct site_rows *rows, struct report *r, size_t i)
{
	const char *kind = analysis_types[r->rows[i]->type];
	struct table_cell cell;

	report_name(r, r->rows[i], cell.string, sizeof(cell.string));
	site_rows_add(rows, option_name(site_kind_names, SITE_ALL_KINDS, kind),
		      xstrdup(cell.string))->f = (struct figures){
		.bytes = state_recording_number(r, i, COL_LIVE),
		.objects = state_recording_number(r, i, COL_OBJECTS),
		.requested = state_recording_number(r, i, COL_LIVE_REQ),
		.allocs = state_recording_number(r, i, COL_ALLOCS),
		.frees = state_recording_number(r, i, COL_FREES),
		.oldest_ms = -1,
		.low = bound(r, i, COL_LOW),
		.high = bound(r, i, COL_HIGH),
		.objects_low = bound(r, i, COL_OBJECTS_LOW),
		.objects_high = bound(r, i, COL_OBJECTS_HIGH),
	};
}

/* Join the filters of the recording, which decide what is in it. */
static void take_filters(struct state *s, const char *line)
{
	for (; line; line = textfile_next_line(line))
		if (metaline_has_key(line, "filter"))
			state_add_filter(s, line + strlen("filter="),
					 strcspn(line, "\n") - strlen("filter="));
}

static void take_report(struct state *s, struct report *r)
{
	char *note = losses_text(&r->in), release[256] = "", build_id[128] = "";
	size_t i;

	input_value(r->in.meta, "release", release, sizeof(release));
	input_value(r->in.meta, "build_id", build_id, sizeof(build_id));
	state_set_kernel(s, release, build_id);
	s->seconds = report_seconds(r);
	s->lost = input_lost(&r->in);
	s->is_lossy = losses_exit(&r->in) == EXIT_LOST;
	s->is_uncertain = report_is_uncertain(r);
	take_filters(s, r->in.meta);
	snprintf(s->note, sizeof(s->note), "%s", note);
	free(note);
	for (i = 0; i < SITE_KINDS; i++)
		s->largest[i] = r->a.sums[i].largest;
	for (i = 0; i < r->list.nr_rows; i++)
		state_recording_add_row(&s->tags.rows, r, i);
}

int state_read_recording(struct state *s)
{
	struct report r = { .sort = COL_LIVE };
	char *paths[] = { (char *)s->path };
	int ret = input_open(&r.in, paths, 1);
	const char *no_live;

	if (ret)
		return ret;
	keys_parse(&r.keys, key_names[BY_SITE]);
	no_live = liveness_lost(&r.in);
	ret = no_live ? msg_error("%s cannot be compared: what is live in it is not known, because %s",
				  s->path, no_live) :
			report_read(&r, "diff");
	if (!ret) {
		report_sort(&r);
		take_report(s, &r);
	}
	report_free(&r);
	input_close(&r.in);
	return ret;
}
