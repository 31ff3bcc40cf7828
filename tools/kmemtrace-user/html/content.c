// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/msg.h"
#include "base/textfile.h"
#include "html/html.h"
#include "leaks/findings.h"
#include "leaks/leakview.h"
#include "leaks/replay.h"
#include "waste/wasteview.h"

/* The page has at most so many rows of waste, and of leaks. */
#define VERDICTS_MAX 200

static const char *kind_name(enum table_kind kind)
{
	static const char *const names[] = {
		[TABLE_BYTES] = "bytes", [TABLE_COUNT] = "count",
		[TABLE_PERCENT] = "percent", [TABLE_AGE] = "age",
		[TABLE_STRING] = "text",
	};

	return names[kind] ? names[kind] : "number";
}

static json_t *json_columns(const struct listing *l)
{
	json_t *columns = json_array();
	size_t i;

	for (i = 0; i < l->nr_columns; i++)
		json_array_append_new(columns,
				      json_pack("[s,s,s,s?]", l->columns[i].key,
						l->columns[i].title,
						kind_name(l->columns[i].kind),
						l->columns[i].help));
	return columns;
}

json_t *tables_json(const struct listing *l)
{
	return json_pack("{s:o,s:I,s:o}", "columns", json_columns(l), "left_out",
			 (json_int_t)(l->nr_rows - l->shown), "rows",
			 listing_json_values(l));
}

static json_int_t sum_from(const json_t *rows, size_t first, const char *key)
{
	json_int_t sum = 0;
	size_t i;

	for (i = first; i < json_array_size(rows); i++)
		sum += json_integer_value(
			json_object_get(json_array_get(rows, i), key));
	return sum;
}

/* @sums: keys whose sums of what is left out the document gets, ended by NULL */
static void tables_cut(json_t *document, const char *name, const char *const *sums)
{
	const size_t max = VERDICTS_MAX;
	json_t *rows = json_object_get(document, name), *left;
	size_t count = json_array_size(rows);

	left = json_pack("{s:I}", "rows",
			 (json_int_t)(count > max ? count - max : 0));
	for (; *sums; sums++)
		json_object_set_new(left, *sums,
				    json_integer(sum_from(rows, max, *sums)));
	while (json_array_size(rows) > max)
		json_array_remove(rows, json_array_size(rows) - 1);
	json_object_set_new(document, "left_out", left);
}

void tables_cut_waste(json_t *waste)
{
	static const char *const sums[] = { "saved", "waste", "live", NULL };

	if (waste)
		tables_cut(waste, "rows", sums);
}

void tables_cut_leaks(json_t *leaks)
{
	static const char *const sums[] = { "live", NULL };

	if (leaks)
		tables_cut(leaks, "sites", sums);
}

json_t *tables_lines(char *text)
{
	json_t *lines = json_array();
	char *save = NULL, *line;

	for (line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		table_clean(line);
		json_array_append_new(lines, json_string(line));
	}
	free(text);
	return lines;
}

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

static json_t *json_why(const char *why)
{
	return json_pack("{s:s}", "why", why);
}

/* Both commands read a file as a whole. Return: NULL, or the reason why they cannot. */
static const char *refusal(const struct content *s)
{
	const struct export *e = &s->e;
	const struct report *r = &s->table[CONTENT_KINDS];

	if (r->no_live)
		return r->no_live;
	if (e->count > 1)
		return "raw files are no recording";
	if (e->expression || e->since || e->until)
		return "the page shows a part of the recording only";
	return NULL;
}

/* --- waste -------------------------------------------------------------------- */

static int add_waste(json_t *document, const struct content *s)
{
	json_t *waste = NULL;
	struct wasteview v = {
		.sort = "saved",
		.format = TABLE_JSON,
		.document = &waste,
	};
	int ret = recorded_waste(&v, s->e.paths[0], s->e.raw_ip,
				 s->e.debuginfo);

	if (waste) {
		tables_cut_waste(waste);
		json_object_set_new(document, "waste", waste);
	}
	return ret == EXIT_LOST ? EXIT_DONE : ret;
}

/* --- leaks -------------------------------------------------------------------- */

static bool is_named(const struct findings *f, const struct sites *sites,
		     uint64_t site)
{
	size_t i;

	for (i = 0; i < f->count; i++)
		if ((f->finding[i].named || f->finding[i].leader) &&
		    findings_is_at(&f->finding[i], sites, site))
			return true;
	return false;
}

static void mark_stacks(struct content *s, const struct findings *f,
			const struct sites *sites)
{
	const struct profile *p = &s->profile;
	size_t i;

	s->leaks = xcalloc(p->count + 1, sizeof(*s->leaks));
	for (i = 0; f->named && i < p->count; i++)
		s->leaks[i] = is_named(f, sites, p->rows[i].site);
}

static void verdicts_judge(json_t *document, struct content *s, const struct replay *r)
{
	struct findings f;
	struct leakview v = { .w = &r->w, .f = &f, .tags = &r->sites.tags,
			      .replay = r };
	json_t *leaks;

	findings_make(&f, &r->w, &r->sites);
	findings_confirm(&f, &r->w);
	mark_stacks(s, &f, &r->sites);
	leaks = leakview_document(&v);
	findings_free(&f);
	/* it has the path of the file, and what the page has elsewhere */
	json_object_del(leaks, "recording");
	tables_cut_leaks(leaks);
	json_object_set_new(document, "leaks", leaks);
}

/* A sentence may begin with the path: the page has the file only. */
static const char *without_directory(const char *why, const char *path)
{
	size_t len = textfile_name(path) - path;

	return strncmp(why, path, len) ? why : why + len;
}

static int add_leaks(json_t *document, struct content *s)
{
	const struct report *r = &s->table[CONTENT_KINDS];
	struct replay replay;
	char why[512];
	int ret;

	if (!r->a.has_time) {
		json_object_set_new(
			document, "leaks",
			json_why(merge_stats(r->in.merge)->events ?
					 "the records have no times" :
					 "there are no records"));
		return EXIT_DONE;
	}
	ret = replay_try(&replay, s->e.paths[0], OBSERVE_SETTLE, why, sizeof(why));
	if (!ret && *why)
		json_object_set_new(document, "leaks", json_why(without_directory(why, s->e.paths[0])));
	else if (!ret) {
		verdicts_judge(document, s, &replay);
		ret = 0;
	}
	replay_free(&replay);
	return ret;
}

int content_judge(json_t *document, struct content *s)
{
	const char *why = refusal(s);
	int ret;

	if (why) {
		json_object_set_new(document, "waste", json_why(why));
		json_object_set_new(document, "leaks", json_why(why));
		return EXIT_DONE;
	}
	ret = add_waste(document, s);
	if (!ret && s->e.raw_ip)
		json_object_set_new(document, "leaks",
				    json_why("leaks names functions, and --raw-ip asks for addresses"));
	else if (!ret)
		ret = add_leaks(document, s);
	return ret;
}
