// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdlib.h>

#include "base/cmdline.h"
#include "base/msg.h"
#include "base/outfile.h"
#include "command.h"
#include "html/document.h"
#include "html/page.h"
#include "html/content.h"
#include "report/named.h"
#include "report/when.h"

/**
 * struct wanted - the command line
 * @s: the recording
 * @path: value of --output
 */
struct wanted {
	struct content s;
	const char *path;
};

static const struct option_row rows[] = {
	{ 'o', "output", "FILE", "output file; default: kmemtrace.html",
	  OPTION_TEXT(struct wanted, path), .offers = "files" },
	{ 'f', "filter", "EXPR",
	  EVENT_FILTER_HELP,
	  OPTION_TEXT(struct wanted, s.e.expression) },
	{ 0, "since", "TIME", WHEN_SINCE, OPTION_TEXT(struct wanted, s.e.since) },
	{ 0, "until", "TIME", WHEN_UNTIL, OPTION_TEXT(struct wanted, s.e.until) },
	{ 0, "raw-ip", NULL, "addresses instead of symbols",
	  OPTION_TRUE(struct wanted, s.e.raw_ip) },
	{ 0, "debuginfo", "PATH",
	  LINES_HELP,
	  OPTION_TEXT(struct wanted, s.e.debuginfo), .offers = "files" },
	{ 0 },
};

const struct options cmd_html_options = {
	.command = "html",
	.synopsis = (const char *const[]){ "[OPTION]... [FILE]",
					   "[OPTION]... cpu0.out cpu1.out...", NULL },
	.about = "Writes a recording as one HTML page for a browser, which loads nothing else: a summary, live memory over time, stacks, a tree map, and tables of sites, caches and processes.",
	.rows = rows,
	.notes = "The exit status is 3 if events were lost.",
	.operands = "files",
};

/* The page is written after the recording was read, so that a failure leaves no file. */
static int write_page(struct content *s, const char *path)
{
	json_t *document = document_make(s);
	struct outfile *out;

	if (!document || msg_status(EXIT_DONE)) {
		json_decref(document);
		return msg_oom();
	}
	if (outfile_create(path, &out)) {
		json_decref(document);
		return EXIT_FAILED;
	}
	page_write(outfile_stream(out), document);
	json_decref(document);
	if (msg_status(EXIT_DONE)) {
		outfile_discard(out);
		return EXIT_FAILED;
	}
	return outfile_finish(out, 0, false) ? EXIT_FAILED : EXIT_DONE;
}

int cmd_html(int argc, char **argv)
{
	struct wanted *w = calloc(1, sizeof(*w));
	struct cmdline line;
	struct named named;
	int ret;

	if (!w)
		return msg_oom();
	w->path = "kmemtrace.html";
	line = cmdline_parse(&cmd_html_options, argc, argv, w);
	ret = line.ret;
	if (!line.is_over)
		ret = named_find(&named, line.words, line.count);
	if (!line.is_over && !ret) {
		w->s.e.input = EXPORT_RECORDING;
		w->s.e.paths = named.paths;
		w->s.e.count = named.count;
		ret = content_read(&w->s);
		if (!ret)
			ret = write_page(&w->s, w->path);
		ret = content_end(&w->s, ret);
	}
	free(w);
	return ret;
}
