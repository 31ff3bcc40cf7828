// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "html/content.h"
#include "html/tables.h"

/* The page has at most so many rows of a table, and of the sizes of all sites. */
#define ROWS_MAX  5000
#define SIZES_MAX 2000

const char *const content_tables[CONTENT_TABLES] = {
	[CONTENT_KINDS] = "kinds",
	[CONTENT_SITES] = "sites",
	[CONTENT_CACHES] = "caches",
	[CONTENT_PROCESSES] = "processes",
	[CONTENT_SIZES] = "sizes",
};

/* The module of a site goes into the tree map. */
static const char *const table_keys[CONTENT_TABLES] = {
	[CONTENT_KINDS] = "kind",
	[CONTENT_SITES] = "site,module",
	[CONTENT_CACHES] = "cache",
	[CONTENT_PROCESSES] = "process",
	[CONTENT_SIZES] = "site,size",
};

static void content_prepare(struct report *r, const struct export *e, const char *keys)
{
	r->expression = e->expression;
	r->since = e->since;
	r->until = e->until;
	r->debuginfo = e->debuginfo;
	r->keys.raw_ip = e->raw_ip;
	r->wants_peaks = true;
	r->sort = COL_PEAK;
	r->top = ROWS_MAX;
	keys_parse(&r->keys, keys);
}

static void init_timeline(struct timeline *t)
{
	t->has_flows = true;
}

/* a report.watch */
static void watch_ages(struct report *r)
{
	ages_begin(r->watch_arg, r);
}

static int read_table(struct content *s, enum content_table table)
{
	struct report *r = &s->table[table];
	int ret;

	content_prepare(r, &s->e, table_keys[table]);
	if (table == CONTENT_SIZES) {
		r->top = SIZES_MAX;
	} else {
		init_timeline(&s->timeline[table]);
		r->timeline = &s->timeline[table];
	}
	if (table == CONTENT_SITES) {
		r->watch = watch_ages;
		r->watch_arg = &s->ages;
	}
	ret = input_open(&r->in, s->e.paths, s->e.count);
	if (ret)
		return ret;
	s->is_open[table] = true;
	if (input_is_stream(&r->in))
		return msg_error("html reads the recording several times, and a pipe can be read only once: save the recording to a file");
	ret = report_read(r, "html");
	if (ret)
		return ret;
	if (r->timeline)
		timeline_finish(r->timeline);
	if (r->watch)
		ages_finish(&s->ages);
	report_sort(r);
	return EXIT_DONE;
}

/* A table that needs a feature which was not recorded has no rows. */
json_t *content_table(const struct report *r)
{
	const char *lack = keys_lack(&r->keys, &r->in);

	return lack ? json_pack("{s:s}", "lack", lack) : tables_json(&r->list);
}

static int read_sizes(struct content *s)
{
	struct report *r = &s->table[CONTENT_SIZES];
	int ret = read_table(s, CONTENT_SIZES);

	if (ret)
		return ret;
	s->sizes = content_table(r);
	report_free(r);
	input_close(&r->in);
	memset(r, 0, sizeof(*r));
	s->is_open[CONTENT_SIZES] = false;
	return EXIT_DONE;
}

/* Without profile_merge(): a row is a group, and has one kind of memory. */
static int read_stacks(struct content *s)
{
	profile_init(&s->profile);
	return profile_read_recording(&s->profile, &s->e,
				      PROFILE_ALL, false);
}

/* The bound of the figures is that of report, which has call sites. */
static void take_bounds(struct content *s)
{
	struct analysis *kinds = &s->table[CONTENT_KINDS].a;
	const struct analysis *sites = &s->table[CONTENT_SITES].a;
	int i;

	for (i = 0; i < SITE_KINDS; i++)
		kinds->sums[i].uncertain = sites->sums[i].uncertain;
}

int content_read(struct content *s)
{
	int ret = EXIT_DONE, i;

	init_timeline(&s->stacks);
	s->stacks.has_no_points = true;
	s->e.timeline = &s->stacks;
	for (i = 0; !ret && i < CONTENT_SIZES; i++)
		ret = read_table(s, i);
	if (!ret)
		ret = read_sizes(s);
	take_bounds(s);
	return ret ? ret : read_stacks(s);
}

int content_end(struct content *s, int ret)
{
	int i;

	free(s->leaks);
	json_decref(s->sizes);
	ages_exit(&s->ages);
	timeline_exit(&s->stacks);
	profile_free(&s->profile);
	for (i = 0; i < CONTENT_TABLES; i++)
		timeline_exit(&s->timeline[i]);
	for (i = CONTENT_TABLES - 1; i > 0; i--) {
		report_free(&s->table[i]);
		if (s->is_open[i])
			input_close(&s->table[i].in);
	}
	return s->is_open[0] ? report_end(&s->table[0], ret) : ret;
}

bool content_has_timeline(const struct content *s)
{
	const struct report *r = &s->table[CONTENT_KINDS];

	return r->a.has_time && !r->no_live;
}
