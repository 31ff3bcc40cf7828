// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account/sites.h"
#include "account/tags.h"
#include "base/cmdline.h"
#include "base/duration.h"
#include "base/msg.h"
#include "base/options.h"
#include "base/outfile.h"
#include "base/textfile.h"
#include "command.h"
#include "control/control.h"
#include "leaks/findings.h"
#include "leaks/leakview.h"
#include "leaks/observe.h"
#include "leaks/replay.h"
#include "leaks/rounds.h"
#include "leaks/saved.h"
#include "leaks/witness.h"
#include "report/lines.h"
#include "trace/reader.h"

/* the options */
struct wanted {
	double seconds;		/* duration of --for */
	double settle;		/* --settle, in seconds */
	double stacks;		/* --stacks, in seconds; 0: record no call paths */
	size_t repeat;		/* rounds of --repeat; 0: not given */
	size_t top;		/* number of rows of --top; 0: all */
	const char *debuginfo;	/* value of --debuginfo, or NULL */
	bool reclaim;		/* --reclaim was given */
	bool json;		/* --json was given */
};

/* --- the commands ----------------------------------------------------------------- */

static int set_mark(const struct wanted *wanted, const struct cmdline *line)
{
	const char *why;
	int dir, err;

	(void)wanted;
	if (line->count > 1)
		return msg_usage("leaks", "mark takes no argument: '%s'", line->words[1]);
	dir = control_open(&why);
	if (dir < 0)
		return msg_error("%s", why);
	err = control_write(dir, "mark", "1");
	close(dir);
	if (!err)
		return EXIT_DONE;
	msg_error("cannot set the mark: %s", strerror(-err));
	control_explain();
	return EXIT_FAILED;
}

/* Without call paths, the verdict is as good. Return: NULL if there are none. */
static const struct witness *ask_witness(struct witness *witness, const struct findings *f,
					 const struct sites *sites,
					 const struct wanted *wanted)
{
	struct witness_reading how = { .debuginfo = wanted->debuginfo };
	bool *tags = findings_wanted(f, sites, WITNESS_SITES);
	int ret = witness_record(witness, &sites->tags, tags, wanted->stacks, &how);

	free(tags);
	if (!ret)
		return witness;
	msg_note("the call paths are missing, because they could not be recorded");
	return NULL;
}

/* Return: 0; not 0, with a message. */
static int check_again(const struct wanted *wanted, const struct findings *f,
		       struct observation *w)
{
	if (!f->suspects && !(wanted->reclaim && f->caches))
		return 0;
	return (wanted->reclaim && observe_reclaim(w)) || observe_again(w);
}

static int leaks_judge(const struct wanted *wanted, struct observation *w,
		       const struct sites *sites)
{
	struct leakview view = { .w = w, .tags = &sites->tags, .top = wanted->top };
	struct witness witness = { 0 };
	struct findings f;
	int ret = EXIT_FAILED;

	view.f = &f;
	findings_make(&f, w, sites);
	if (!check_again(wanted, &f, w)) {
		findings_confirm(&f, w);
		if (f.texts && wanted->stacks)
			view.witness = ask_witness(&witness, &f, sites, wanted);
		ret = wanted->json ? leakview_json(&view) :
				     (leakview_print(&view), EXIT_DONE);
	}
	witness_free(&witness);
	findings_free(&f);
	return ret;
}

static int observe_and_judge(const struct wanted *wanted)
{
	struct observation w;
	struct sites sites = { 0 };
	int ret = EXIT_FAILED;

	if (!observe_run(&w, wanted->seconds, wanted->settle)) {
		if (!sites_read(&sites)) {
			observe_merge(&w, &sites);
			ret = leaks_judge(wanted, &w, &sites);
		}
		sites_free(&sites);
	}
	observe_free(&w);
	return ret;
}

static int leaks_observe(const struct wanted *wanted, const struct cmdline *line)
{
	int ret = observe_check();

	(void)line;
	return ret ? ret : observe_and_judge(wanted);
}

static int read_witness(struct witness *witness, const struct findings *f,
			const struct replay *r, const char *debuginfo)
{
	bool *wanted = findings_wanted(f, &r->sites, SIZE_MAX);
	int ret = witness_read_tags(witness, r->file, &r->sites.tags, wanted, debuginfo);

	free(wanted);
	return ret;
}

/* What was confirmed by the second check is looked up in the recording again. */
static int judge_recording(const struct wanted *wanted, struct replay *r)
{
	struct leakview view = { .w = &r->w, .tags = &r->sites.tags, .top = wanted->top,
				 .replay = r };
	struct witness witness = { 0 };
	struct findings f;
	int ret;

	view.f = &f;
	findings_make(&f, &r->w, &r->sites);
	findings_confirm(&f, &r->w);
	if (f.texts && wanted->stacks &&
	    !read_witness(&witness, &f, r, wanted->debuginfo))
		view.witness = &witness;
	else if (f.texts && wanted->stacks)
		msg_note("the call paths are missing, because they could not be read");
	ret = wanted->json ? leakview_json(&view) : (leakview_print(&view), EXIT_DONE);
	witness_free(&witness);
	findings_free(&f);
	return ret ? ret : r->status;
}

static int read_recording(const struct wanted *wanted, char *path)
{
	struct replay r;
	int ret = replay_read(&r, path, wanted->settle);

	if (!ret)
		ret = judge_recording(wanted, &r);
	replay_free(&r);
	return ret;
}

/* --- the command line --------------------------------------------------------------- */

static int take_time(const struct option_use *use)
{
	if (duration_seconds(use->text, 0, OBSERVE_SECONDS_MAX, use->to))
		return EXIT_DONE;
	return option_wrong(use, DURATION_FORMS);
}

#define TIME(member) .take = take_time, .to = OPTION_MEMBER(struct wanted, member, double)

static const struct option_row rows[] = {
	{ 0, "for", "TIME", "observe for this time, for example 90s, 10m or 2h; default 60s",
	  TIME(seconds) },
	{ 0, "settle", "TIME",
	  "judge only memory that is at least so old, and check suspects again after this time; default 8s, which is longer than kfree_rcu() delays a free",
	  TIME(settle) },
	{ 0, "stacks", "TIME",
	  "record the call paths of what leaks for this time; 0: do not; default 10s; of a recording: 0: do not look for them",
	  TIME(stacks) },
	{ 0, "repeat", "N",
	  "run COMMAND N times, at least 4, and show what each round leaves behind; the first third does not count, because caches fill",
	  OPTION_COUNT(struct wanted, repeat) },
	{ 0, "reclaim", NULL,
	  "before suspects are checked again, or after each round of --repeat, ask the kernel to free its caches (sync, and drop_caches): what then stays is no cache. This slows the machine down until they are filled again",
	  OPTION_TRUE(struct wanted, reclaim) },
	{ 'n', "top", "N", "show this many sites; 0: all whose old memory grew; default 10",
	  OPTION_COUNT(struct wanted, top) },
	{ 0, "debuginfo", "PATH", LINES_HELP, OPTION_TEXT(struct wanted, debuginfo),
	  .offers = "files" },
	{ 0, "json", NULL, "everything, as JSON", OPTION_TRUE(struct wanted, json) },
	{ 0 },
};

static const char *const words[] = { "mark", NULL };

const struct options cmd_leaks_options = {
	.command = "leaks",
	.synopsis = (const char *const[]){
		"[OPTION]...", "--repeat N [OPTION]... -- COMMAND [ARGUMENT]...",
		"[OPTION]... RECORDING", "[OPTION]... STATE STATE...", "mark",
		NULL },
	.about = "Observes live memory by age, or reads a recording, and names the code whose memory grows and is not freed.",
	.rows = rows,
	.words = words,
	.operands = "files",
};

static int leaks_repeat(const struct wanted *w, const struct cmdline *line)
{
	struct rounds_wanted rounds = { .rounds = w->repeat, .settle = w->settle,
					.command = line->words, .top = w->top,
					.reclaim = w->reclaim, .json = w->json };
	int ret;

	if (!line->count)
		return msg_usage("leaks", "--repeat needs a command, after --");
	if (w->repeat < ROUNDS_MIN || w->repeat > 10000)
		return msg_usage("leaks", "--repeat takes a number from %d to 10000", ROUNDS_MIN);
	ret = observe_check();
	return ret ? ret : rounds_run(&rounds);
}

static int leaks_compare(const struct wanted *w, const struct cmdline *line)
{
	struct saved s;
	int ret = EXIT_FAILED;
	size_t i;

	for (i = 0; i < line->count; i++)
		if (trace_reader_is_recording(line->words[i]) > 0)
			return msg_usage("leaks", "%s is a recording, and only one can be read at a time",
					 line->words[i]);
	if (!saved_read(&s, line->words, line->count))
		ret = saved_print(&s, w->top, w->json);
	saved_free(&s);
	return ret;
}

static int one_file(const struct wanted *w, const struct cmdline *line)
{
	char *path = line->words[0], first[TAGS_FIRST] = "";

	/* to see what a pipe has would consume it */
	if (textfile_first(path, first, sizeof(first)) && errno == ESPIPE)
		return msg_error("%s is not a regular file: save it to a file first", path);
	if (tags_is_saved(first))
		return msg_usage("leaks", "%s is a saved state; growth needs two of them",
				 path);
	return read_recording(w, path);
}

/* --- the choice of the command ---------------------------------------------------- */

/* what the command does */
struct mode {
	const char *name;						/* its name in messages */
	int (*run)(const struct wanted *w, const struct cmdline *line);	/* does it */
	/* options that it would ignore, and the reason, ended by NULL */
	struct { const char *option, *why; } without[8];
};

#define MARK_ONLY "it only sets the mark"

static const struct mode live = { "live memory", leaks_observe, { { 0 } } };

static const struct mode mark = {
	"mark", set_mark,
	{ { "for", MARK_ONLY }, { "settle", MARK_ONLY }, { "stacks", MARK_ONLY },
	  { "reclaim", MARK_ONLY }, { "top", MARK_ONLY }, { "debuginfo", MARK_ONLY },
	  { "json", MARK_ONLY } },
};

static const struct mode rounds = {
	"--repeat", leaks_repeat,
	{ { "for", "the rounds take the time that they need" },
	  { "stacks", "no call paths are recorded of rounds" },
	  { "debuginfo", "no call paths are recorded of rounds" } },
};

static const struct mode recording = {
	"a recording", one_file,
	{ { "for", "a recording is read as a whole" },
	  { "reclaim", "a recording cannot be checked again" } },
};

static const struct mode states = {
	"saved states", leaks_compare,
	{ { "for", "the states are from fixed moments" },
	  { "settle", "saved states have no ages" },
	  { "stacks", "saved states have no call paths" },
	  { "reclaim", "saved states cannot be checked again" },
	  { "debuginfo", "saved states have no call paths" } },
};

static const struct mode *leaks_choose(const struct cmdline *line)
{
	if (cmdline_has(line, &cmd_leaks_options, "repeat"))
		return &rounds;
	if (line->count && !strcmp(line->words[0], "mark"))
		return &mark;
	if (!line->count)
		return &live;
	return line->count == 1 ? &recording : &states;
}

/* A user may have forgotten --repeat, or -- after it. */
static int check_words(const struct mode *mode, const struct cmdline *line)
{
	const char *word = line->count ? line->words[0] : NULL;

	if (mode == &rounds && word && strchr(word, '/') && access(word, X_OK))
		return msg_error("cannot run %s: %s", word, strerror(errno));
	if ((mode == &recording || mode == &states) && access(word, F_OK) &&
	    strcmp(word, "-"))
		return outfile_explain_part(word) ?
			       EXIT_FAILED :
			       msg_usage("leaks", "'%s' is neither mark nor a file; a command needs --repeat",
					 word);
	return EXIT_DONE;
}

int cmd_leaks(int argc, char **argv)
{
	struct wanted w = { .seconds = 60, .settle = OBSERVE_SETTLE, .stacks = 10,
			    .top = 10 };
	struct cmdline line = cmdline_parse(&cmd_leaks_options, argc, argv, &w);
	const struct mode *mode;
	size_t i;

	if (line.is_over)
		return line.ret;
	if (w.json && !cmdline_has(&line, &cmd_leaks_options, "top"))
		w.top = 0;
	mode = leaks_choose(&line);
	line.ret = check_words(mode, &line);
	if (line.ret)
		return line.ret;
	for (i = 0; mode->without[i].option; i++)
		if (cmdline_has(&line, &cmd_leaks_options, mode->without[i].option))
			return msg_usage("leaks", "--%s cannot be combined with %s: %s",
					 mode->without[i].option, mode->name,
					 mode->without[i].why);
	line.ret = lines_check(w.debuginfo);
	return line.ret ? line.ret : mode->run(&w, &line);
}
