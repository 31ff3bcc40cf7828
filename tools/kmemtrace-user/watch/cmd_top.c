// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "account/trust.h"
#include "base/cmdline.h"
#include "base/listing.h"
#include "base/msg.h"
#include "base/options.h"
#include "base/outbuf.h"
#include "command.h"
#include "watch/document.h"
#include "watch/screen.h"
#include "watch/source.h"
#include "watch/top.h"

/**
 * struct wanted - the command line
 * @top: the settings
 * @once: --once was given
 * @json: --json was given
 * @count: end after so many refreshes; 0: never
 */
struct wanted {
	struct top top;
	bool once;
	bool json;
	size_t count;
};

/* --- output without a screen -------------------------------------------------------- */

static int top_print(const struct wanted *t, const struct view *v, struct outbuf *out)
{
	if (!t->json) {
		listing_print(&v->list, TABLE_TEXT);
		putchar('\n');
		if (t->top.kind < 0 && t->top.by != WATCH_CACHE)
			puts(TAG_KINDS_NOTE);
		trust_write(&v->watch->stats, stdout);
		return EXIT_DONE;
	}
	document_write(v, out);
	if (outbuf_flush(out))
		return EXIT_DONE;
	if (out->error == EPIPE)
		return EXIT_FAILED;
	return msg_error("cannot write the output: %s", strerror(out->error));
}

static int refresh(struct watch *w)
{
	char why[256];

	return source_refresh(w, why, sizeof(why)) ? msg_error("%s", why) :
						     EXIT_DONE;
}

/* SIGINT ends the process at once, so that it does not wait for a reader of its output. */
static int print_each(const struct wanted *t, struct view *v, struct watch *w)
{
	struct timespec delay = top_timespec(t->top.delay);
	struct outbuf out;
	size_t done = 0;
	int ret = refresh(w);

	outbuf_init(&out, STDOUT_FILENO);
	while (!ret) {
		nanosleep(&delay, NULL);
		ret = refresh(w);
		if (!ret) {
			view_update(v, t->top.rows);
			ret = top_print(t, v, &out);
		}
		if (++done == t->count)
			break;
	}
	return ret;
}

static int print_refreshes(const struct wanted *t)
{
	struct watch w;
	struct view v = { .watch = &w, .sort = t->top.sort };
	int ret;

	if (t->top.filter)
		snprintf(v.filter, sizeof(v.filter), "%s", t->top.filter);
	watch_init(&w, t->top.by);
	watch_group(&w, t->top.by, t->top.kind);
	ret = print_each(t, &v, &w);
	view_exit(&v);
	watch_exit(&w);
	return ret;
}

/* --- the command line ----------------------------------------------------------------- */

static int take_by(const struct option_use *use)
{
	struct wanted *t = use->to;
	int n = option_name(watch_by_names, WATCH_BYS, use->text);

	if (n < 0)
		return option_wrong(use, "site, function, module, cache or kind");
	t->top.by = n;
	return EXIT_DONE;
}

static int take_sort(const struct option_use *use)
{
	struct wanted *t = use->to;
	int n = option_name(view_sort_names, VIEW_COLUMNS_TEXT, use->text);

	if (n < 0)
		return option_wrong(use, "bytes, rate, change, allocs, frees, waste, oldest or name");
	t->top.sort = n;
	return EXIT_DONE;
}

static int take_kind(const struct option_use *use)
{
	struct wanted *t = use->to;

	t->top.kind = tag_kind_option(use->text);
	return t->top.kind >= 0 ? EXIT_DONE :
				  option_wrong(use, "slab, pages or percpu");
}

static int take_filter(const struct option_use *use)
{
	struct wanted *t = use->to;

	if (strlen(use->text) >= VIEW_FILTER_MAX)
		return option_wrong(use, "a text of up to 63 bytes");
	t->top.filter = use->text;
	return EXIT_DONE;
}

static int take_delay(const struct option_use *use)
{
	struct wanted *t = use->to;

	return top_delay(use->text, &t->top.delay) ?
		       EXIT_DONE :
		       option_wrong(use, TOP_DELAY_FORMS);
}

static const struct option_row rows[] = {
	{ 'b', "by", "KEY",
	  "what a row is: site (default), function, module, cache or kind",
	  .take = take_by, .offers = "@topkeys" },
	{ 's', "sort", "KEY",
	  "largest first: live (default), rate, change, allocs, frees, waste, oldest; or by name",
	  .take = take_sort, .offers = "@topsorts" },
	{ 'n', "top", "N",
	  "show N rows; 0 is all; default all, with --once 25",
	  OPTION_COUNT(struct wanted, top.rows) },
	{ 'f', "filter", "TEXT",
	  "show only rows whose name contains TEXT, in upper or lower case",
	  .take = take_filter },
	{ 'k', "kind", "KIND", "add up only memory of this kind: slab, pages or percpu",
	  .take = take_kind, .offers = "@tagkinds" },
	{ 'd', "delay", "TIME", "time between two refreshes, for example 500ms or 1m; default 1s",
	  .take = take_delay },
	{ 0, "once", NULL, "print one table after one interval, and exit",
	  OPTION_TRUE(struct wanted, once) },
	{ 0, "json", NULL, "print each refresh as one line of JSON",
	  OPTION_TRUE(struct wanted, json) },
	{ 0, "count", "N", "with --json: exit after N refreshes",
	  OPTION_COUNT(struct wanted, count) },
	{ 0 },
};

const struct options cmd_top_options = {
	.command = "top",
	.synopsis = (const char *const[]){ "[OPTION]...", NULL },
	.about = "Shows on the whole terminal which code holds kernel memory now, and how this changes. It needs no recording. The key h explains the keys.",
	.rows = rows,
};

int cmd_top(int argc, char **argv)
{
	struct wanted t = { .top = { .kind = -1, .delay = 1 } };
	struct cmdline line = cmdline_parse(&cmd_top_options, argc, argv, &t);

	if (line.is_over)
		return line.ret;
	if (t.top.by == WATCH_CACHE && t.top.kind > TAG_SLAB)
		return msg_usage("top", "caches contain memory of the kind slab only");
	if (t.count && (t.once || !t.json))
		return msg_usage("top", "--count needs --json, and no --once");
	if (t.once)
		t.count = 1;
	if (t.once && !t.json && !cmdline_has(&line, &cmd_top_options, "top"))
		t.top.rows = 25;
	return t.once || t.json ? print_refreshes(&t) : screen_run(&t.top);
}
