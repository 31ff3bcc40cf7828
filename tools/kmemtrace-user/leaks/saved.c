// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/changes.h"
#include "account/trust.h"
#include "base/die.h"
#include "base/figures.h"
#include "base/json.h"
#include "base/listing.h"
#include "base/msg.h"
#include "base/textfile.h"
#include "leaks/findings.h"
#include "leaks/saved.h"

/* states from which on the slope has limits */
#define LIMITS_MIN 4

/* --- reading -------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
	const struct saved_state *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

static int read_state(struct saved_state *to, const char *path)
{
	uint64_t clock;

	if (tags_read(&to->tags, path))
		return -1;
	if (!textfile_number(to->tags.stats, "clock_ns", &clock)) {
		msg_error("%s has no time: save it with this version of the tool", path);
		return -1;
	}
	to->time = clock / 1e9;
	tags_join_loads(&to->tags);
	return 0;
}

static int check_pair(const struct saved *s, size_t i)
{
	const char *why = tags_incomparable(&s->state[i].tags, &s->state[i - 1].tags);

	if (why)
		msg_error("these states cannot be compared: %s", why);
	else if (s->time[i] == s->time[i - 1])
		msg_error("two of these states are of the same moment");
	return why || s->time[i] == s->time[i - 1] ? -1 : 0;
}

static int read_states(struct saved *s, char **paths, size_t count)
{
	size_t i;
	int err = 0;

	while (!err && s->count < count) {
		err = read_state(&s->state[s->count], paths[s->count]);
		s->count++;
	}
	if (!err)
		qsort(s->state, count, sizeof(*s->state), by_time);
	for (i = 0; !err && i < count; i++) {
		s->time[i] = s->state[i].time;
		err = i ? check_pair(s, i) : 0;
	}
	return err;
}

/* --- growth --------------------------------------------------------------------------- */

static int by_growth(const void *a, const void *b)
{
	const struct saved_row *x = a, *y = b;

	if (x->trend.low != y->trend.low)
		return x->trend.low > y->trend.low ? -1 : 1;
	if (x->growth != y->growth)
		return x->growth > y->growth ? -1 : 1;
	return strcmp(x->site->location, y->site->location);
}

/*
 * Add the row of a site of the last state, if it grew. Rows earlier/ grow if the survey was
 * running at an earlier state.
 */
static void saved_add_row(struct saved *s, const struct site_row *site, double *bytes)
{
	struct saved_row *row = &s->row[s->rows];
	const struct site_row *old = NULL;
	size_t i = s->count;

	*row = (struct saved_row){ .site = site };
	while (i--) {
		old = site_rows_find(&s->state[i].tags.rows, site);
		bytes[i] = old ? old->f.bytes : 0;
	}
	row->growth = site->f.bytes - bytes[0];
	row->objects = site->f.objects - (old ? old->f.objects : 0);
	if (row->growth <= 0 || findings_is_earlier(site->location))
		return;
	s->rows++;
	if (s->count >= LIMITS_MIN) {
		trend_of(&row->trend, s->time, bytes, s->count);
		return;
	}
	row->trend.slope = row->growth / (s->time[s->count - 1] - s->time[0]);
}

/* A site that is not in the last state has not grown. So the others follow the last one. */
static void match_sites(struct saved *s)
{
	size_t i;

	for (i = 0; i + 1 < s->count; i++)
		changes_follow(&s->state[i].tags.rows, &s->state[s->count - 1].tags.rows);
	for (i = 0; i < s->count; i++)
		site_rows_merge(&s->state[i].tags.rows);
}

static void saved_make_rows(struct saved *s, double *bytes)
{
	const struct site_rows *last = &s->state[s->count - 1].tags.rows;
	size_t i;

	s->row = xcalloc(last->count + 1, sizeof(*s->row));
	for (i = 0; i < last->count; i++)
		saved_add_row(s, &last->row[i], bytes);
	qsort(s->row, s->rows, sizeof(*s->row), by_growth);
}

static void compute(struct saved *s)
{
	double *bytes = xcalloc(s->count, sizeof(*bytes));

	match_sites(s);
	saved_make_rows(s, bytes);
	free(bytes);
}

int saved_read(struct saved *s, char **paths, size_t count)
{
	*s = (struct saved){ .state = xcalloc(count, sizeof(*s->state)),
			     .time = xcalloc(count, sizeof(*s->time)) };
	if (read_states(s, paths, count))
		return -1;
	compute(s);
	return 0;
}

void saved_free(struct saved *s)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		tags_free(&s->state[i].tags);
	free(s->state);
	free(s->time);
	free(s->row);
}

/* --- output --------------------------------------------------------------------------- */

static const struct table_column columns[] = {
	FIGURE_GROWTH, FIGURE_GROWTH_LOW, FIGURE_GROWTH_HIGH, FIGURE_LIVE_CHANGE,
	FIGURE_OBJECTS_CHANGE, FIGURE_LIVE, FIGURE_KIND, FIGURE_SITE,
};

static void saved_cell(void *arg, size_t i, struct table_cell *cell)
{
	const struct saved *s = arg;
	const struct saved_row *r = &s->row[i];
	bool limits = s->count >= LIMITS_MIN;

	row_number(cell, llround(r->trend.slope * TREND_HOUR));
	row_known(cell, limits, llround(r->trend.low * TREND_HOUR));
	row_known(cell, limits, llround(r->trend.high * TREND_HOUR));
	row_number(cell, llround(r->growth));
	row_number(cell, llround(r->objects));
	row_number(cell, llround(r->site->f.bytes));
	row_text(cell, site_kind_names[r->site->kind]);
	row_text(cell, r->site->location);
}

static void saved_print_text(const struct saved *s, const struct listing *l)
{
	printf("%zu states over %.0f s; growth of live memory", s->count,
	       s->time[s->count - 1] - s->time[0]);
	puts(s->count < LIMITS_MIN ? "; limits need four states\n" :
				     ", with 95 % confidence\n");
	if (l->nr_rows)
		listing_print(l, TABLE_TEXT);
	else
		puts("no site grew");
	puts("\nSaved states have no ages, so none is named as a leak. Pages include those that slabs are made of.");
	trust_print(&s->state[s->count - 1].tags, false);
}

static int saved_print_json(const struct saved *s, const struct listing *l)
{
	json_t *root = json_pack("{s:I,s:I}", "states", (json_int_t)s->count, "seconds",
				 (json_int_t)llround(s->time[s->count - 1] - s->time[0]));

	json_object_set_new(root, "sites", listing_json(l));
	json_object_set_new(root, "error", trust_json(&s->state[s->count - 1].tags));
	return json_print(root);
}

int saved_print(const struct saved *s, size_t top, bool json)
{
	struct listing l = LISTING(columns, s->rows, saved_cell, s);
	int ret = EXIT_DONE;

	listing_keep(&l, top);
	if (json)
		ret = saved_print_json(s, &l);
	else
		saved_print_text(s, &l);
	listing_free(&l);
	return ret;
}
