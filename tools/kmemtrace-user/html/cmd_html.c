// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/tags.h"
#include "base/asset.h"
#include "base/cmdline.h"
#include "base/die.h"
#include "base/duration.h"
#include "base/json.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/outfile.h"
#include "command.h"
#include "export/formats.h"
#include "html/html.h"
#include "leaks/observe.h"
#include "report/named.h"
#include "report/timeline_view.h"
#include "trace/anonymized.h"

/* the command line */
struct wanted {
	struct content s;	/* the recording */
	const char *path;	/* value of --output */
	bool live;		/* --live was given */
	double seconds;		/* value of --for; 0: not given */
};

static int take_seconds(const struct option_use *use)
{
	if (duration_seconds(use->text, 1, OBSERVE_SECONDS_MAX, use->to))
		return EXIT_DONE;
	return option_wrong(use, DURATION_FORMS);
}

static const struct option_row rows[] = {
	{ 'o', "output", "FILE", "output file; default: kmemtrace.html",
	  OPTION_TEXT(struct wanted, path), .offers = "files" },
	{ 0, "live", NULL, "live memory now, from accounting; takes no file",
	  OPTION_TRUE(struct wanted, live) },
	{ 0, "for", "TIME",
	  "with --live: observe for this time, as leaks does, and show what leaks",
	  .take = take_seconds, .to = OPTION_MEMBER(struct wanted, seconds, double) },
	EXPORT_OPTIONS(struct wanted, s.e),
	{ 0 },
};

const struct options cmd_html_options = {
	.command = "html",
	.synopsis = (const char *const[]){ "[OPTION]... [FILE]",
					   "[OPTION]... cpu0.out cpu1.out...",
					   "--live [--for TIME] [OPTION]...", NULL },
	.about = "Writes a recording as one HTML page for a browser, which loads nothing else. Without FILE, it reads kmemtrace.kmt. The page has a summary, live memory over time, stacks, a tree map, and tables of sites, caches, processes, waste and leaks. With --live, the page has the present memory of this machine: code tags, caches, processes, waste, the use of all memory, and with --for also leaks. If FILE is from allocinfo --save, the page has the live memory of each code tag.",
	.rows = rows,
	.notes = "The exit status is 3 if events were lost.",
	.operands = "files",
};

/* --- stacks --------------------------------------------------------------------- */

/* The page has at most so many stacks. */
#define STACKS_MAX 10000

/* the rows of the page */
struct graph {
	const struct content *s;	/* the content */
	const struct profile *p;	/* the profile */
	uint32_t *order;		/* numbers of the rows of @p, by ranking_make() */
	size_t shown;			/* number of rows that are stacks */
};

static void graph_sort(struct graph *g)
{
	const struct profile *p = g->p;
	struct ranked *items = xcalloc(p->count + 1, sizeof(*items));
	size_t i;

	for (i = 0; i < p->count; i++)
		items[i] = (struct ranked){
			.peak = p->rows[i].value[PROFILE_PEAK_BYTES],
			.alloc = p->rows[i].value[PROFILE_ALLOC_BYTES],
		};
	g->order = ranking_make(items, p->count);
	g->shown = p->count < STACKS_MAX ? p->count : STACKS_MAX;
	free(items);
}

static size_t type_of(const struct profile_row *row)
{
	size_t i;

	for (i = 0; i + 1 < ANALYSIS_TYPES; i++)
		if (!strcmp(row->label[PROFILE_KIND], analysis_types[i]))
			break;
	return i;
}

/* A function is [name, module] or [name, module, source line]. */
static json_t *json_frames(const struct profile *p)
{
	json_t *all = json_array(), *frame;
	size_t i;

	for (i = 0; i < p->nr_frames; i++) {
		const struct profile_frame *f = &p->frames[i];

		frame = json_pack("[s,s]", f->name,
				  f->module == PROFILE_NO_MODULE ?
					  "" :
					  p->modules[f->module].name);
		if (f->source)
			json_array_append_new(frame, json_string(f->source));
		json_array_append_new(all, frame);
	}
	return all;
}

/* The outermost function first. */
static json_t *json_stack(const struct profile *p, const struct profile_row *row)
{
	json_t *stack = json_array();
	size_t depth;
	const uint64_t *frames = stacks_at(&p->stacks, row->stack, &depth);

	while (depth--)
		json_array_append_new(stack, json_integer(frames[depth]));
	return stack;
}

/* The figures of a row of the page: those of the profile, and what leaks. */
enum {
	VALUE_LEAKED_OBJECTS = PROFILE_VALUES,
	VALUE_LEAKED,
	VALUES,
};

static bool is_value_known(const struct content *s, int value)
{
	return value < PROFILE_VALUES ? s->profile.have & PROFILE_BIT(value) :
				       !!s->leaks;
}

/* Adds the figures of a row. The live memory of a call site that leaks is leaked. */
static void add_values(uint64_t to[VALUES], const struct content *s, size_t row)
{
	const uint64_t *value = s->profile.rows[row].value;
	int i;

	for (i = 0; i < PROFILE_VALUES; i++)
		to[i] += value[i];
	if (!s->leaks || !s->leaks[row])
		return;
	to[VALUE_LEAKED_OBJECTS] += value[PROFILE_LIVE_OBJECTS];
	to[VALUE_LEAKED] += value[PROFILE_LIVE_BYTES];
}

/* Values that are not known, in all rows, are null. */
static json_t *json_values(const struct content *s, const uint64_t value[VALUES])
{
	json_t *values = json_array();
	int i;

	for (i = 0; i < VALUES; i++)
		json_array_append_new(values, is_value_known(s, i) ?
						      json_integer(value[i]) :
						      json_null());
	return values;
}

static json_t *json_rows(const struct graph *g)
{
	uint64_t other[ANALYSIS_TYPES][VALUES] = { 0 };
	json_t *all = json_array();
	size_t i;

	for (i = 0; i < g->p->count; i++) {
		const struct profile_row *row = &g->p->rows[g->order[i]];
		uint64_t value[VALUES] = { 0 };

		add_values(i < g->shown ? value : other[type_of(row)], g->s,
			   g->order[i]);
		if (i < g->shown)
			json_array_append_new(all, json_pack("[s,o,o]", row->label[PROFILE_KIND],
							     json_stack(g->p, row),
							     json_values(g->s, value)));
	}
	for (i = 0; g->shown < g->p->count && i < ANALYSIS_TYPES; i++)
		json_array_append_new(all, json_pack("[s,o,o]", analysis_types[i], json_null(),
						     json_values(g->s, other[i])));
	return all;
}

static json_t *json_flows(const struct graph *g)
{
	const struct timeline *t = &g->s->stacks;
	struct flows other[ANALYSIS_TYPES] = { 0 };
	json_t *all = json_array();
	size_t i;

	if (!content_has_timeline(g->s))
		return all;
	for (i = 0; i < g->p->count; i++) {
		const struct profile_row *row = &g->p->rows[g->order[i]];
		struct flows f = { 0 };

		flows_add(i < FLOWS_SERIES ? &f : &other[type_of(row)], t,
			  row->group);
		if (i < FLOWS_SERIES)
			json_array_append_new(
				all, flows_json(&f, i, row->label[PROFILE_KIND]));
	}
	for (i = 0; i < ANALYSIS_TYPES; i++)
		json_array_append_new(all, flows_json(&other[i], -1,
						      analysis_types[i]));
	return all;
}

static json_t *graph_json(const struct content *s)
{
	struct graph g = { .s = s, .p = &s->profile };
	json_t *values = json_array(), *all;
	int i;

	graph_sort(&g);
	for (i = 0; i < VALUES; i++)
		json_array_append_new(values, json_string(i == VALUE_LEAKED_OBJECTS ? "leaked_objects" :
							  i == VALUE_LEAKED	    ? "leaked" :
										      profile_names[i]));
	all = json_pack("{s:o,s:I,s:o,s:o,s:o}", "values", values, "left_out",
			(json_int_t)(s->profile.count - g.shown), "frames",
			json_frames(&s->profile), "rows", json_rows(&g), "flows",
			json_flows(&g));
	free(g.order);
	return all;
}

/* sites with a line in the timeline */
#define SERIES_MAX 8

/* --- tables --------------------------------------------------------------- */

static json_t *json_table(const struct content *s, enum content_table table)
{
	const struct report *r = &s->table[table];
	json_t *made = content_table(r);

	if (json_object_get(made, "rows"))
		json_object_set_new(made, "flows",
				    content_has_timeline(s) ?
					    flows_of_table(r, r->timeline) :
					    json_null());
	if (table == CONTENT_SITES)
		json_object_set_new(made, "ages", ages_of_recording(&s->ages, r));
	return made;
}

/* --- the timeline --------------------------------------------------------- */

/* Times are relative to the first record: a number in JavaScript has 53 bits. */
static json_t *json_ends(const struct timeline *t)
{
	json_t *ends = json_array();
	size_t i;

	for (i = 0; i <= t->bucket; i++)
		json_array_append_new(ends,
				      json_integer(timeline_end(t, i) - t->start));
	return ends;
}

/* The series of the first rows of a table. */
static json_t *json_series(const struct report *r, const struct timeline *t,
			   size_t max)
{
	json_t *all = json_array(), *series;
	size_t i;

	for (i = 0; i < r->list.shown && i < max; i++) {
		size_t group = flows_group(r, i);

		if (group >= t->nr_groups || !t->groups[group].peak)
			continue;
		series = json_pack("{s:I}", "row", (json_int_t)i);
		timeline_json_series(series, t, &t->groups[group]);
		json_array_append_new(all, series);
	}
	return all;
}

static json_t *json_timeline(const struct content *s)
{
	const struct report *kinds = &s->table[CONTENT_KINDS];
	const struct report *sites = &s->table[CONTENT_SITES];
	const struct timeline *t = &s->timeline[CONTENT_KINDS];

	if (!content_has_timeline(s))
		return json_null();
	return json_pack("{s:I,s:b,s:I,s:o,s:o,s:o,s:o}", "start_ns",
			 (json_int_t)t->start, "counts_twice",
			 peaks_mix(&kinds->peaks), "step",
			 (json_int_t)TIMELINE_FLOW, "ends", json_ends(t), "total",
			 timeline_json_total(t), "kinds",
			 json_series(kinds, t, kinds->list.shown), "sites",
			 json_series(sites, &s->timeline[CONTENT_SITES],
				     SERIES_MAX));
}

/* --- all memory of the machine ----------------------------------------------- */

/* Raw files of 2008 have no MemTotal. */
static json_t *json_memory(const struct content *s)
{
	uint64_t total;

	if (!input_number(s->table[CONTENT_KINDS].in.meta, "mem_total", &total) ||
	    total > INT64_MAX)
		return json_pack("{s:s}", "why",
				 "the recording lacks MemTotal");
	return json_pack("{s:I}", "total", (json_int_t)total);
}

/* --- the document --------------------------------------------------------- */

static json_t *json_words(const struct report *r)
{
	struct memtext text;
	FILE *out = memtext_open(&text);

	report_words(r, out);
	return tables_lines(memtext_close(&text, NULL));
}

static json_t *document_make(const struct content *s)
{
	const struct report *kinds = &s->table[CONTENT_KINDS];
	json_t *all;
	int i;

	all = json_pack("{s:i,s:s,s:o,s:o}", "version", JSON_VERSION, "title",
			s->profile.title, "report", report_json(kinds), "words",
			json_words(kinds));
	for (i = 0; i < CONTENT_SIZES; i++)
		json_object_set_new(all, content_tables[i],
				    json_table(s, i));
	json_object_set(all, content_tables[CONTENT_SIZES], s->sizes);
	json_object_set_new(all, "timeline", json_timeline(s));
	json_object_set_new(all, "memory", json_memory(s));
	json_object_set_new(all, "stacks", graph_json(s));
	return all;
}

/* --- the page ------------------------------------------------------------------- */

/* how each page begins */
#define PAGE_BEGINS                                                            \
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" \
	"<meta http-equiv=\"Content-Security-Policy\""

ASSET(asset_page, "html/page.html");
ASSET(asset_style, "html/style.css");
ASSET(asset_base, "html/base.js");
ASSET(asset_data, "html/data.js");
ASSET(asset_words, "html/words.js");
ASSET(asset_summary, "html/summary.js");
ASSET(asset_timeline, "html/timeline.js");
ASSET(asset_graph, "html/graph.js");
ASSET(asset_table, "html/table.js");
ASSET(asset_details, "html/details.js");
ASSET(asset_treemap, "html/treemap.js");
ASSET(asset_conclusions, "html/conclusions.js");
ASSET(asset_main, "html/main.js");

/* in the order in which they run */
static const char *const asset_scripts[] = {
	asset_base,    asset_data,    asset_words,   asset_summary,	asset_timeline,
	asset_graph,   asset_table,   asset_details, asset_treemap,	asset_conclusions,
	asset_main,    NULL,
};

/* "<" occurs in strings only. */
static int write_escaped(const char *text, size_t size, void *arg)
{
	FILE *out = arg;
	const char *less;

	while ((less = memchr(text, '<', size))) {
		fwrite(text, 1, less - text, out);
		fputs("\\u003c", out);
		size -= less + 1 - text;
		text = less + 1;
	}
	fwrite(text, 1, size, out);
	return 0;
}

/* Return: the text after a word, up to which it is written. */
static const char *write_until(const char *text, const char *word, FILE *out)
{
	const char *place = strstr(text, word);

	fwrite(text, 1, place - text, out);
	return place + strlen(word);
}

static void write_assets(const json_t *document, FILE *out)
{
	const char *text = write_until(asset_page, "@STYLE@", out);
	const char *const *script;

	fputs(asset_style, out);
	text = write_until(text, "@DATA@", out);
	json_dump_callback(document, write_escaped, out,
			   JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));
	text = write_until(text, "@SCRIPT@", out);
	for (script = asset_scripts; *script; script++)
		fputs(*script, out);
	fputs(text, out);
}

/* The page is written after all was read, so that a failure leaves no file. */
static int write_page(json_t *document, const char *path)
{
	struct outfile *out;

	if (outfile_create(path, PAGE_BEGINS, &out))
		return EXIT_FAILED;
	write_assets(document, outfile_stream(out));
	return outfile_finish(out, 0, false) ? EXIT_FAILED : EXIT_DONE;
}

/* The stacks need the verdicts. */
static int make_document(struct content *s, json_t **document)
{
	json_t *verdicts = json_object();
	int ret = content_judge(verdicts, s);

	*document = ret ? NULL : document_make(s);
	if (!ret)
		json_object_update(*document, verdicts);
	json_decref(verdicts);
	return ret;
}

static int read_recording(struct wanted *w)
{
	json_t *document = NULL;
	int ret = content_read(&w->s);

	if (!ret)
		ret = make_document(&w->s, &document);
	if (!ret)
		ret = write_page(document, w->path);
	json_decref(document);
	if (!ret)
		profile_exit(&w->s.profile);
	return content_end(&w->s, ret);
}

static int run_recording(struct wanted *w, const struct cmdline *line)
{
	struct anonymized copy;
	struct named named;
	int ret = w->seconds ? msg_usage("html", "--for needs --live") :
			       named_find(&named, line->words, line->count);

	if (ret)
		return ret;
	w->s.e.input = EXPORT_RECORDING;
	w->s.e.paths = named.paths;
	w->s.e.count = named.count;
	ret = formats_check_output("html", &w->s.e, w->path);
	if (ret)
		return ret;
	ret = anonymized_make(&copy, &w->s.e.anonymize, named.paths,
			      named.count, w->s.e.expression);
	if (copy.path)
		w->s.e.paths = &copy.path;
	if (!ret)
		ret = read_recording(w);
	anonymized_remove(&copy);
	return ret;
}

static int check_state(const struct wanted *w, size_t count)
{
	if (w->live && count)
		return msg_usage("html", "--live takes no file");
	if (!w->live && w->seconds)
		return msg_usage("html", "--for needs --live");
	if (count > 1)
		return msg_usage("html", "name one state of accounting");
	return formats_check_state("html", &w->s.e);
}

static int run_state(struct wanted *w, const struct cmdline *line)
{
	json_t *document = NULL;
	int ret = check_state(w, line->count), written;

	w->s.e.paths = line->words;
	w->s.e.count = line->count;
	if (!ret)
		ret = formats_check_output("html", &w->s.e, w->path);
	if (!ret)
		ret = state_document(w->live ? NULL : line->words[0], w->seconds,
				     &w->s.e.anonymize, &document);
	if (document) {
		written = write_page(document, w->path);
		ret = written ? written : ret;
	}
	json_decref(document);
	return ret;
}

int cmd_html(int argc, char **argv)
{
	struct wanted *w = xcalloc(1, sizeof(*w));
	struct cmdline line;
	int ret;

	w->path = "kmemtrace.html";
	line = cmdline_parse(&cmd_html_options, argc, argv, w);
	ret = line.ret;
	if (!line.is_over)
		ret = w->live || (line.count && tags_is_saved_file(line.words[0])) ?
			      run_state(w, &line) :
			      run_recording(w, &line);
	free(w);
	return ret;
}
