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
#include "base/msg.h"
#include "base/outfile.h"
#include "command.h"
#include "export/formats.h"
#include "html/content.h"
#include "html/document.h"
#include "html/state.h"
#include "html/verdicts.h"
#include "leaks/observe.h"
#include "report/named.h"
#include "trace/anonymized.h"

/**
 * struct wanted - the command line
 * @s: the recording
 * @path: value of --output
 * @live: --live was given
 * @seconds: value of --for; 0: not given
 */
struct wanted {
	struct content s;
	const char *path;
	bool live;
	double seconds;
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
	int ret = verdicts_add(verdicts, s);

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
