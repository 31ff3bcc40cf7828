// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/die.h"
#include "base/msg.h"
#include "base/options.h"
#include "base/outfile.h"
#include "base/table.h"
#include "base/textfile.h"
#include "compare/state.h"
#include "report/losses.h"
#include "report/report.h"
#include "trace/input.h"

enum form { FORM_RECORDING, FORM_SAVED, FORM_JSON };

/* Return: the kind of a file, by its first bytes; -1 with errno set. */
static int form_of(const char *path)
{
	char first[TAGS_FIRST];

	if (textfile_first(path, first, sizeof(first)))
		return -1;
	if (first[strspn(first, " \t\r\n")] == '{')
		return FORM_JSON;
	return tags_is_saved(first) ? FORM_SAVED : FORM_RECORDING;
}

static int read_json(struct state *s)
{
	char *text = textfile_read(AT_FDCWD, s->path, NULL);
	int ret;

	if (!text)
		return outfile_unreadable(s->path);
	ret = state_read_json(s, text);
	free(text);
	return ret;
}

static uint64_t state_recording_number(struct report *r, size_t row, enum column column)
{
	struct table_cell cell;

	table_get_cell(report_cell, r, row, column, &cell);
	return cell.number;
}

static int64_t state_bound(struct report *r, size_t row, enum column column)
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
		.low = state_bound(r, i, COL_LOW),
		.high = state_bound(r, i, COL_HIGH),
		.objects_low = state_bound(r, i, COL_OBJECTS_LOW),
		.objects_high = state_bound(r, i, COL_OBJECTS_HIGH),
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

static int state_read_recording(struct state *s)
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

static int read_any(struct state *s, const char *path)
{
	switch (form_of(path)) {
	case FORM_JSON:
		return read_json(s);
	case FORM_SAVED:
		return tags_read(&s->tags, path) ? EXIT_FAILED : EXIT_DONE;
	case FORM_RECORDING:
		s->source = STATE_RECORDING;
		return state_read_recording(s);
	}
	if (errno == ESPIPE)
		return msg_error("%s is not a regular file: save it to a file first", path);
	return outfile_unreadable(path);
}

int state_read(struct state *s, const char *path)
{
	int ret, kind;

	*s = (struct state){ .path = path, .source = STATE_ACCOUNTING, .by = "site" };
	ret = read_any(s, path);
	for (kind = 0; kind < SITE_KINDS; kind++)
		s->total[kind] = site_rows_sum(&s->tags.rows, kind);
	return ret;
}

void state_set_kernel(struct state *s, const char *release, const char *build_id)
{
	s->tags.stats = xasprintf(TAGS_KERNEL " %s\n" TAGS_BUILD_ID " %s\n", release, build_id);
}

void state_add_filter(struct state *s, const char *filter, size_t len)
{
	char *all;

	all = xasprintf("%s%s%.*s", s->recorded_if ? s->recorded_if : "",
			s->recorded_if ? "; " : "", (int)len, filter);
	table_clean(all);
	free(s->recorded_if);
	s->recorded_if = all;
}

void state_free(struct state *s)
{
	free(s->filter);
	free(s->recorded_if);
	tags_free(&s->tags);
}

static const char *const source_names[] = {
	[STATE_ACCOUNTING] = "a state of accounting",
	[STATE_RECORDING] = "a recording",
};

/* A filter decides which allocations have a row. */
static bool has_other_filter(const char *a, const char *b, const char *what,
			     char *why, size_t size)
{
	a = a ? a : "";
	b = b ? b : "";
	if (!strcmp(a, b))
		return false;
	snprintf(why, size, "%s differs: '%s' and '%s'", what, a, b);
	return true;
}

bool state_incomparable(const struct state *old, const struct state *now,
			char *why, size_t size)
{
	if (old->source != now->source) {
		snprintf(why, size, "the first one is %s, the second one is %s",
			 source_names[old->source], source_names[now->source]);
		return true;
	}
	if (strcmp(old->by, now->by)) {
		snprintf(why, size, "the rows are by %s in the first one, and by %s in the second one",
			 old->by, now->by);
		return true;
	}
	return has_other_filter(old->filter, now->filter,
				"the expression of report --filter", why, size) ||
	       has_other_filter(old->recorded_if, now->recorded_if,
				"the filter of the recording", why, size);
}
