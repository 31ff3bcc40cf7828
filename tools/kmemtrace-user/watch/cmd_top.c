// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <errno.h>
#include <jansson.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "account/trust.h"
#include "base/clock.h"
#include "base/cmdline.h"
#include "base/color.h"
#include "base/json.h"
#include "base/listing.h"
#include "base/msg.h"
#include "base/options.h"
#include "base/die.h"
#include "command.h"
#include "watch/page.h"
#include "watch/signals.h"
#include "watch/watch.h"
#include "watch/ui.h"
#include "watch/view.h"

/* the command line */
struct wanted {
	struct top top;	/* the settings */
	bool once;	/* --once was given */
	bool json;	/* --json was given */
	size_t count;	/* end after so many refreshes; 0: never */
};

/* --- output without a screen -------------------------------------------------------- */

static json_t *json_history(const struct watch *w, uint32_t row)
{
	json_t *history = json_array();
	int64_t value[HISTORY_SLOTS];
	size_t i;

	watch_history(w, row, value);
	for (i = 0; i < history_known(&w->clock); i++)
		json_array_append_new(history, json_integer(value[i]));
	return history;
}

static json_t *json_rows(const struct view *v)
{
	json_t *rows = listing_json(&v->list), *json;
	size_t i;

	json_array_foreach(rows, i, json) {
		uint32_t row = view_row(v, i);

		json_object_set_new(json, "site", v->watch->by == WATCH_SITE ?
				    json_string(watch_tag(v->watch, row, 0)->now.location) :
				    json_null());
		json_object_set_new(json, "history", json_history(v->watch, row));
	}
	return rows;
}

/* A refresh is one line. */
static int top_print_json(const struct view *v)
{
	const struct watch *w = v->watch;
	json_t *all = json_pack(
		"{s:i,s:s,s:b,s:o,s:I,s:I,s:I,s:o,s:o,s:o}", "version", JSON_VERSION, "by",
		watch_by_names[w->by], "accounting", !!trust_counter(&w->stats, "accounting"),
		"interval_ns", w->step_ns ? json_integer(w->step_ns) : json_null(),
		"change_ns", (json_int_t)(w->ns - w->start_ns), "restarts",
		(json_int_t)w->restarts, "slot_ns", (json_int_t)HISTORY_SLOT_NS, "rows",
		json_rows(v), "error", trust_json(&w->stats), "holes",
		trust_json_holes(&w->stats));

	json_dumpf(all, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(all);
	/* main() prints the message */
	return fflush(stdout) || ferror(stdout) ? EXIT_FAILED : EXIT_DONE;
}

static int top_print(const struct wanted *t, const struct view *v)
{
	if (t->json)
		return top_print_json(v);
	listing_print(&v->list, TABLE_TEXT);
	putchar('\n');
	if (t->top.kind < 0 && t->top.by != WATCH_CACHE)
		puts(SITE_KINDS_NOTE);
	trust_write(&v->watch->stats, stdout);
	return EXIT_DONE;
}

static int top_refresh(struct watch *w)
{
	char why[256];

	return source_refresh(w, why, sizeof(why)) ? msg_error("%s", why) :
						     EXIT_DONE;
}

/* SIGINT ends the process at once, so that it does not wait for a reader of its output. */
static int print_each(const struct wanted *t, struct view *v, struct watch *w)
{
	struct timespec delay = top_timespec(t->top.delay);
	size_t done = 0;
	int ret = top_refresh(w);

	while (!ret) {
		nanosleep(&delay, NULL);
		ret = top_refresh(w);
		if (!ret) {
			view_update(v, t->top.rows);
			ret = top_print(t, v);
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

/* --- the screen ----------------------------------------------------------------- */

/* number of a colour pair of ncurses: red on the terminal's default background */
#define RED 1

/*
 * Arrow and function keys send Esc and more characters. If no more follow within this
 * time, in ms, the key was Esc itself.
 */
#define ESCAPE_MS 50

/* the terminal */
struct screen {
	SCREEN *terminal;	/* handle of ncurses */
	struct signals signals;	/* signals to wait for */
	struct page page;	/* the text that the terminal shows */
	struct winsize size;	/* size of the terminal, as the kernel has it */
	int width;		/* columns when @page was made, as ncurses has them */
	int height;		/* lines when @page was made, as ncurses has them */
	struct ui ui;		/* state of the display */
	bool utf8;		/* the terminal shows UTF-8 */
	double next;		/* time of the next refresh, in seconds of CLOCK_MONOTONIC */
	struct undo undo;	/* restores the terminal */
};

/* --- the terminal --------------------------------------------------------------- */

/*
 * keypad() makes the terminal send other sequences for these keys. A key that was typed
 * before has its old sequence, which terminfo may lack.
 */
static void define_keys(void)
{
	define_key("\033[A", KEY_UP);
	define_key("\033[B", KEY_DOWN);
	define_key("\033[C", KEY_RIGHT);
	define_key("\033[D", KEY_LEFT);
	define_key("\033[H", KEY_HOME);
	define_key("\033[F", KEY_END);
}

static bool open_terminal(struct screen *s)
{
	setlocale(LC_CTYPE, "");
	s->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	s->terminal = newterm(NULL, stdout, stdin);
	if (!s->terminal)
		return false;
	set_term(s->terminal);
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	define_keys();
	nodelay(stdscr, TRUE);
	if (color_wanted(stdout) && has_colors() && start_color() == OK) {
		use_default_colors();
		init_pair(RED, COLOR_RED, -1);
	}
	return true;
}

static void restore_terminal(void *arg)
{
	const struct screen *s = arg;

	endwin();
	delscreen(s->terminal);
}

/*
 * Make a page of the size of the terminal, if the size has changed. No signal reports this
 * after the process was stopped: SIGWINCH is for the processes in the foreground.
 */
static void screen_resize(struct screen *s)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col &&
	    (size.ws_row != s->size.ws_row || size.ws_col != s->size.ws_col)) {
		/* at first, LINES and COLUMNS of the environment count */
		if (s->size.ws_row)
			resizeterm(size.ws_row, size.ws_col);
		s->size = size;
	}
	if (s->width == COLS && s->height == LINES)
		return;
	s->width = COLS;
	s->height = LINES;
	page_exit(&s->page);
	page_init(&s->page, COLS, LINES, s->utf8);
}

static attr_t attribute(enum page_style style)
{
	switch (style) {
	case PAGE_BOLD:
		return A_BOLD;
	case PAGE_WARNING:
		return color_wanted(stdout) && has_colors() ?
			       A_BOLD | COLOR_PAIR(RED) :
			       A_BOLD;
	case PAGE_TITLES:
		return A_REVERSE;
	case PAGE_SELECTED:
		return A_REVERSE | A_BOLD;
	default:
		return A_NORMAL;
	}
}

static void screen_draw(struct screen *s)
{
	size_t i;

	ui_page(&s->ui, page_rows(&s->page, s->ui.mode));
	page_draw(&s->page, &s->ui);
	erase();
	for (i = 0; i < s->page.height; i++) {
		attrset(attribute(s->page.line[i].style));
		mvaddstr(i, 0, s->page.line[i].text);
	}
	attrset(A_NORMAL);
	curs_set(s->page.cursor >= 0);
	if (s->page.cursor >= 0)
		move(LINES - 1, s->page.cursor);
	refresh();
}

/* Return: the key for ui_key(); 0 for a key that has no meaning. */
static int key_of(int key)
{
	switch (key) {
	case KEY_UP:
		return UI_UP;
	case KEY_DOWN:
		return UI_DOWN;
	case KEY_PPAGE:
		return UI_PAGE_UP;
	case KEY_NPAGE:
		return UI_PAGE_DOWN;
	case KEY_HOME:
		return UI_HOME;
	case KEY_END:
		return UI_END;
	case KEY_LEFT:
		return UI_LEFT;
	case KEY_RIGHT:
		return UI_RIGHT;
	case '\r':
	case '\n':
	case KEY_ENTER:
		return UI_ENTER;
	case '\033':
		return UI_ESCAPE;
	case '\b':
	case 127:
	case KEY_BACKSPACE:
		return UI_BACKSPACE;
	case KEY_F(1): /* the function keys are those of htop */
		return 'h';
	case KEY_F(4):
		return 'f';
	case KEY_F(6):
		return 's';
	case KEY_F(10):
		return 'q';
	default:
		return key < UI_KEYS ? key : 0;
	}
}

/* --- the loop ------------------------------------------------------------------- */

/* Read all keys that were typed. */
static void read_keys(struct screen *s)
{
	int typed, key;

	while (!s->ui.is_over && (typed = getch()) != ERR) {
		key = key_of(typed); /* 0 for KEY_RESIZE, which resizeterm() makes */
		if (key)
			ui_key(&s->ui, key);
	}
}

/* Return: seconds until the next refresh. In a pause, only keys and signals matter. */
static double time_left(const struct screen *s)
{
	double left = s->next - clock_now();

	if (s->ui.wants_refresh)
		return 0;
	if (s->ui.paused)
		return TOP_DELAY_MAX;
	return left > 0 ? left : 0;
}

static int refresh_if_due(struct screen *s, char *why, size_t size)
{
	if (time_left(s) > 0)
		return 0;
	s->next = clock_now() + s->ui.delay;
	return ui_refresh(&s->ui, why, size);
}

/*
 * Show the display until the user quits or a signal ends it.
 * Return: 0; another value on failure, with @why set to the message.
 */
static int screen_loop(struct screen *s, char *why, size_t size)
{
	double delay = s->ui.delay;
	unsigned int happened;

	s->next = clock_now() + delay;
	while (!s->ui.is_over) {
		screen_resize(s);
		screen_draw(s);
		happened = signals_wait(&s->signals, STDIN_FILENO, time_left(s));
		if (happened & SIGNALS_END)
			return 0;
		read_keys(s);
		if (s->ui.delay != delay)
			s->next = clock_now() + s->ui.delay;
		delay = s->ui.delay;
		if (!s->ui.is_over && refresh_if_due(s, why, size))
			return -1;
	}
	return 0;
}

static int screen_show(struct screen *s, const struct top *top, char *why, size_t size)
{
	int ret = ui_init(&s->ui, top, why, size);

	if (ret)
		return ret;
	if (!open_terminal(s)) {
		snprintf(why, size, "cannot use this terminal (TERM=%s): set TERM, or use --once or --json",
			 getenv("TERM") ? getenv("TERM") : "");
		return -1;
	}
	undo_push(&s->undo, restore_terminal, s);
	ret = screen_loop(s, why, size);
	undo_now(&s->undo);
	return ret;
}

static int screen_run(const struct top *top)
{
	struct screen s = { 0 };
	char why[256];
	int ret;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return msg_error("standard input and output are not a terminal: use --once or --json");
	if (!signals_open(&s.signals))
		return msg_error("cannot wait for signals: %s", strerror(errno));
	ret = screen_show(&s, top, why, sizeof(why));
	page_exit(&s.page);
	ui_exit(&s.ui);
	signals_close(&s.signals);
	return ret ? msg_error("%s", why) : EXIT_DONE;
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

	t->top.kind = site_kind_option(use->text);
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
	if (t.top.by == WATCH_CACHE && t.top.kind > SITE_SLAB)
		return msg_usage("top", "caches contain memory of the kind slab only");
	if (t.count && (t.once || !t.json))
		return msg_usage("top", "--count needs --json, and no --once");
	if (t.once)
		t.count = 1;
	if (t.once && !t.json && !cmdline_has(&line, &cmd_top_options, "top"))
		t.top.rows = 25;
	return t.once || t.json ? print_refreshes(&t) : screen_run(&t.top);
}
