// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cmdline.h"
#include "base/msg.h"
#include "base/outfile.h"
#include "command.h"
#include "control/cpulist.h"
#include "record/settings.h"
#include "report/event_filter.h"
#include "report/lines.h"
#include "report/livefeed.h"
#include "report/losses.h"
#include "report/named.h"
#include "report/render.h"
#include "report/when.h"
#include "trace/input.h"

/* options and state of the command */
struct script {
	const char *fields;		/* value of --fields; NULL: default fields */
	const char *expression;		/* value of --filter; NULL: all records */
	const char *cpus;		/* value of --cpus; NULL: all CPUs */
	const char *since;		/* value of --since; NULL: from the beginning */
	const char *until;		/* value of --until; NULL: to the end */
	bool raw_ip;			/* print addresses instead of symbols */
	bool json;			/* print JSON */
	/* --follow: go on at the end of the file until the recording ends */
	bool follow;
	struct livefeed live;		/* the recording that --follow without a file makes */
	char part[4096];		/* path of FILE.part, if --follow reads it */
	const char *debuginfo;		/* value of --debuginfo, or NULL */
	struct input in;		/* the recording */
	struct lines *lines;		/* source lines, from @debuginfo */
	struct event_filter *filter;	/* the compiled @expression */
	struct extra extra;		/* further values of the current record */
	struct render render;		/* prints records */
	uint64_t lost;			/* losses that were not printed yet */
	uint64_t known;			/* all losses before the current record */
};

/* Prints the losses since the last printed record. */
static void show_losses(struct script *s)
{
	if (s->lost && input_gaps_are_losses(&s->in))
		render_lost(&s->render, s->lost);
	s->lost = 0;
}

static bool is_wanted(struct script *s, const struct merged *record,
		      struct kmt_event *ev)
{
	if (!cpulist_contains(s->cpus, record->cpu))
		return false;
	extra_take(&s->extra, record);
	return !s->filter || event_filter_match(s->filter, ev, &s->extra);
}

static void show_record(struct script *s, const struct merged *record)
{
	struct kmt_event ev = record->ev;

	s->lost += record->lost;
	s->known += record->lost;
	if (!is_wanted(s, record, &ev))
		return;
	show_losses(s);
	render_record(&s->render, &ev, &s->extra);
}

static void show_records(struct script *s)
{
	bool stream = input_is_stream(&s->in);
	const struct window *w;
	size_t i;

	render_head(&s->render);
	do {
		/* the next records of a stream may come much later */
		if (stream)
			outbuf_flush(&s->render.out);
		w = s->render.out.error ? NULL : input_next(&s->in);
		for (i = 0; w && i < w->count && !s->render.out.error; i++)
			show_record(s, &w->events[i]);
	} while (w);
	if (s->render.out.error || s->in.err)
		return;
	/* the losses after the last record */
	s->lost += merge_stats(s->in.merge)->missing - s->known;
	show_losses(s);
}

/* Does all that can fail before the first record. */
static int script_prepare(struct script *s)
{
	int ret = EXIT_DONE;

	render_init(&s->render, s->json ? RENDER_JSON : RENDER_TRACE, s->in.names);
	s->render.raw_ip = s->raw_ip;
	if (s->fields)
		ret = render_choose(&s->render, s->fields);
	if (!ret)
		ret = when_limit(&s->in, "script", s->since, "--until", s->until);
	if (!ret && s->expression)
		ret = event_filter_create(&s->filter, s->expression, &s->in);
	if (!ret)
		ret = input_begin(&s->in, true);
	return ret;
}

static int script_show(struct script *s)
{
	int ret = script_prepare(s);

	if (ret)
		return ret;
	extra_init(&s->extra, &s->in);
	show_records(s);
	if (outbuf_flush(&s->render.out)) {
		if (s->in.err)
			return EXIT_FAILED;
		if (when_check_records(&s->in))
			return EXIT_FAILED;
		losses_note(&s->in);
		if (s->filter)
			event_filter_note(s->filter);
		return losses_exit(&s->in);
	}
	if (s->render.out.error != EPIPE)
		msg_error("cannot write the output: %s",
			  strerror(s->render.out.error));
	return EXIT_FAILED;
}

static int take_cpus(const struct option_use *use)
{
	struct script *s = use->to;

	s->cpus = use->text;
	return cpulist_valid(use->text) ?
		       EXIT_DONE :
		       option_wrong(use, "a list as 0-3,7");
}

static const struct option_row rows[] = {
	{ 'f', "filter", "EXPR",
	  EVENT_FILTER_HELP,
	  OPTION_TEXT(struct script, expression) },
	{ 0, "fields", "LIST",
	  "show these fields as columns; 'help' lists all fields",
	  OPTION_TEXT(struct script, fields), .offers = ",@fields" },
	{ 'C', "cpus", "LIST", "only these CPUs, for example 0-3,7", .take = take_cpus },
	{ 0, "since", "TIME", WHEN_SINCE, OPTION_TEXT(struct script, since) },
	{ 0, "until", "TIME", WHEN_UNTIL, OPTION_TEXT(struct script, until) },
	{ 0, "follow", NULL,
	  "wait at the end of FILE until the recording ends; without FILE, record and show the events of this machine until Ctrl-C",
	  OPTION_TRUE(struct script, follow) },
	{ 0, "raw-ip", NULL, "addresses instead of symbols",
	  OPTION_TRUE(struct script, raw_ip) },
	{ 0, "debuginfo", "PATH",
	  LINES_HELP,
	  OPTION_TEXT(struct script, debuginfo), .offers = "files" },
	{ 0, "json", NULL, "one JSON object for each line",
	  OPTION_TRUE(struct script, json) },
	{ 0 },
};

const struct options cmd_script_options = {
	.command = "script",
	.synopsis = (const char *const[]){ "[OPTION]... [FILE]",
					   "[OPTION]... cpu0.out cpu1.out...", NULL },
	.about = "Shows one line for each record of a recording (- is standard input), or of raw cpu<n> files: time (or number), CPU, task if it was recorded, event, and the fields of the event; below it the stack trace, if it was recorded.",
	.rows = rows,
	.notes = "The exit status is 3 if events were lost.",
	.operands = "files",
};

/* --- --follow ------------------------------------------------------------- */

/* Return: the groups of all fields that a text names; too many, if a string has a name. */
static u32 groups_named(const char *text)
{
	const struct kmt_field *f;
	u32 groups = 0;
	size_t len;

	for (; text && *text; text += len + !!text[len]) {
		len = strspn(text, "abcdefghijklmnopqrstuvwxyz_");
		f = len ? kmt_field_find(text, len, EXTRA_GROUPS) : NULL;
		groups |= f ? f->group : 0;
	}
	return groups;
}

/* Records what the options need, and the task, which trace_pipe shows as well. */
static int start_live(struct script *s)
{
	u32 features = groups_named(s->fields) | groups_named(s->expression);
	char text[FEATURES_TEXT];
	u32 all = 0;

	kmt_features_parse(FEATURES_DEFAULT, &all);
	features_text((features & KMT_FEATURES_ALL) | all | KMT_FEATURE_TASK,
		      text);
	return livefeed_start(&s->live, text);
}

/*
 * The recorder calls the file FILE.part until it is complete. Without a recorder, FILE is
 * complete, or FILE.part was left by a recorder that was killed.
 */
static void find_part(struct script *s, struct named *named)
{
	static char *paths[1];
	const char *file = named->paths[0];

	if (!strcmp(file, "-") || named->count != 1 ||
	    snprintf(s->part, sizeof(s->part), "%s.part", file) >=
		    (int)sizeof(s->part))
		return;
	if (access(s->part, F_OK) ||
	    (!access(file, F_OK) && !outfile_is_written(s->part)))
		return;
	paths[0] = s->part;
	named->paths = paths;
}

static int open_followed(struct script *s, const struct cmdline *line)
{
	static char *standard_input[] = { "-" };
	struct named named = { standard_input, 1 };
	int ret = EXIT_DONE;

	if (!line->count) {
		ret = start_live(s);
	} else {
		named = (struct named){ line->words, line->count };
		find_part(s, &named);
	}
	return ret ? ret : input_follow(&s->in, named.paths, named.count, s->live.pid);
}

static int open_input(struct script *s, const struct cmdline *line)
{
	struct named named;
	int ret;

	if (s->follow)
		return open_followed(s, line);
	ret = named_find(&named, line->words, line->count);
	return ret ? ret : input_open(&s->in, named.paths, named.count);
}

int cmd_script(int argc, char **argv)
{
	struct script s = { 0 };
	struct cmdline line = cmdline_parse(&cmd_script_options, argc, argv, &s);
	int ret, recorded;

	if (line.is_over)
		return line.ret;
	if (s.fields && !strcmp(s.fields, "help"))
		return render_list_fields(s.json);
	ret = open_input(&s, &line);
	if (!ret) {
		ret = lines_open(&s.lines, s.in.names, s.in.meta, s.debuginfo);
		if (!ret)
			ret = script_show(&s);
		render_exit(&s.render);
		event_filter_destroy(s.filter);
		lines_close(s.lines);
		input_close(&s.in);
	}
	recorded = livefeed_end(&s.live);
	return ret == EXIT_DONE ? recorded : ret;
}
