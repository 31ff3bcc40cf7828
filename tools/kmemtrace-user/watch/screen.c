// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/color.h"
#include "base/msg.h"
#include "base/undo.h"
#include "watch/page.h"
#include "watch/screen.h"
#include "watch/signals.h"
#include "watch/ui.h"

/* number of a colour pair of ncurses: red on the terminal's default background */
#define RED 1

/*
 * Arrow and function keys send Esc and more characters. If no more follow within this
 * time, in ms, the key was Esc itself.
 */
#define ESCAPE_MS 50

/**
 * struct screen - the terminal
 * @terminal: handle of ncurses
 * @signals: signals to wait for
 * @page: the text that the terminal shows
 * @size: size of the terminal, as the kernel has it
 * @width: columns when @page was made, as ncurses has them
 * @height: lines when @page was made, as ncurses has them
 * @ui: state of the display
 * @utf8: the terminal shows UTF-8
 * @next: time of the next refresh, in seconds of CLOCK_MONOTONIC
 * @undo: restores the terminal
 */
struct screen {
	SCREEN *terminal;
	struct signals signals;
	struct page page;
	struct winsize size;
	int width;
	int height;
	struct ui ui;
	bool utf8;
	double next;
	struct undo undo;
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
static void resize(struct screen *s)
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
static int loop(struct screen *s, char *why, size_t size)
{
	double delay = s->ui.delay;
	unsigned int happened;

	s->next = clock_now() + delay;
	while (!s->ui.is_over) {
		resize(s);
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
	ret = loop(s, why, size);
	undo_now(&s->undo);
	return ret;
}

int screen_run(const struct top *top)
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
