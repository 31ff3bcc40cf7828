// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/trust.h"
#include "base/cmdline.h"
#include "base/duration.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/options.h"
#include "command.h"
#include "report/lines.h"
#include "why/why.h"

/* sites that are shown in full, unless --top says otherwise */
#define TOP 5

#define SECONDS_MIN 0.001
#define SECONDS_MAX 3600.0

static int take_seconds(const struct option_use *use)
{
	if (duration_seconds(use->text, SECONDS_MIN, SECONDS_MAX, use->to))
		return EXIT_DONE;
	return option_wrong(use, "a time such as 10s or 2m, up to an hour");
}

static const struct option_row rows[] = {
	{ 'i', "input", "FILE",
	  "show the callers of the site, and where its objects are freed, from FILE, a recording of this machine; all other figures are those of now",
	  OPTION_TEXT(struct why_options, input), .offers = "files" },
	{ 0, "for", "TIME",
	  "observe the calls of the site for this time, as 10s: its callers, and where its objects are freed",
	  .take = take_seconds, .to = OPTION_MEMBER(struct why_options, seconds, double) },
	{ 'n', "top", "N", "show N of the sites that match in full; 0: all; default 5",
	  OPTION_COUNT(struct why_options, top) },
	{ 0, "debuginfo", "PATH",
	  LINES_HELP,
	  OPTION_TEXT(struct why_options, debuginfo), .offers = "files" },
	{ 'v', "verbose", NULL, "also print each kind of error",
	  OPTION_TRUE(struct why_options, verbose) },
	{ 0, "json", NULL, "everything, as JSON", OPTION_TRUE(struct why_options, json) },
	{ 0 },
};

const struct options cmd_why_options = {
	.command = "why",
	.synopsis = (const char *const[]){ "[OPTION]... SITE|ADDRESS|pfn:N", NULL },
	.about = "Shows everything known about one item: a call site that allocates, a kernel address, or a page frame.",
	.rows = rows,
	.notes = "SITE is FUNCTION, FUNCTION+0x12, FILE:LINE or a location of allocinfo, each also with [MODULE]. ADDRESS begins with 0x. A function that calls another one as its last step may jump there (a tail call): call paths do not have it then, but its caller. The exit status is 3 if events were lost while callers were observed.",
	.operands = "",
};

int why_end(struct why *y, const struct tags *tags)
{
	if (!trust_counter(tags, "accounting"))
		sheet_note(&y->sheet, "what was allocated since accounting was switched off: " TRUST_SWITCH_ON);
	if (y->code.hidden)
		sheet_note(&y->sheet, "names of functions: the kernel hides their addresses (sysctl kernel.kptr_restrict=1)");
	if (y->o.json) {
		json_object_set_new(y->sheet.root, "error", trust_json(tags));
	} else {
		puts("\nThe parts are read one after the other: on a busy machine they are not of one moment.\n");
		trust_print(tags, y->o.verbose);
	}
	return sheet_end(&y->sheet);
}

/* A location has blanks; it need not be quoted. Return: the words. */
static char *why_join(const struct cmdline *line)
{
	struct memtext text;
	FILE *out = memtext_open(&text);
	size_t i;

	for (i = 0; i < line->count; i++)
		fprintf(out, "%s%s", i ? " " : "", line->words[i]);
	return memtext_close(&text, NULL);
}

static int answer(struct why *y)
{
	int ret = code_open(&y->code, y->o.debuginfo);

	sheet_begin(&y->sheet, y->o.json);
	if (!ret) {
		json_object_set_new(y->sheet.root, "target", json_string(y->target.text));
		json_object_set_new(y->sheet.root, "type",
				    json_string(target_kind_names[y->target.kind]));
		ret = y->target.kind == TARGET_SITE  ? why_site(y) :
		      y->target.kind == TARGET_FRAME ? why_frame(y) :
						       why_address(y);
	}
	sheet_drop(&y->sheet);
	code_close(&y->code);
	return ret;
}

static int why_explain(struct why *y, const char *text)
{
	const char *why = target_parse(&y->target, text);

	if (why)
		return msg_usage("why", "'%s' %s", text, why);
	if (y->o.input && y->o.seconds)
		return msg_usage("why", "--input and --for exclude each other");
	if (y->target.kind == TARGET_FRAME && (y->o.input || y->o.seconds))
		return msg_usage("why", "a page frame has no callers: --input and --for need a site");
	return answer(y);
}

int cmd_why(int argc, char **argv)
{
	struct why y = { .o.top = TOP };
	struct cmdline line = cmdline_parse(&cmd_why_options, argc, argv, &y.o);
	char *text;
	int ret;

	if (line.is_over)
		return line.ret;
	if (!line.count)
		return msg_usage("why", "name a site, an address (0x...) or a page frame (pfn:N)");
	text = why_join(&line);
	ret = why_explain(&y, text);
	free(text);
	return ret;
}
