/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * State of the display: what is shown, what is selected, and what each key does. It
 * knows nothing about the terminal: page.h makes the text, cmd_top.c shows it.
 */
#ifndef UI_H
#define UI_H

#include <stdbool.h>
#include <stddef.h>

#include "watch/view.h"

/* keys other than characters of ASCII */
enum ui_key {
	UI_KEYS = 256,
	UI_UP,
	UI_DOWN,
	UI_PAGE_UP,
	UI_PAGE_DOWN,
	UI_HOME,
	UI_END,
	UI_LEFT,
	UI_RIGHT,
	UI_ENTER,
	UI_ESCAPE,
	UI_BACKSPACE,
};

enum ui_mode { UI_TABLE, UI_DETAILS, UI_HELP };
enum ui_prompt { UI_NO_PROMPT, UI_FILTER, UI_DELAY };

/* the display */
struct ui {
	struct watch tags;		/* the watch of tags */
	struct watch caches;		/* the watch of caches; read only while it is shown */
	struct view view;		/* the table that is shown; its watch is one of the two */
	int kind;			/* kind of the tags that are added up; -1: all kinds */
	size_t limit;			/* number of rows to show; 0: all */
	double delay;			/* seconds between two refreshes */
	enum ui_mode mode;		/* what is shown */
	enum ui_prompt prompt;		/* what the user is asked for */
	char input[VIEW_FILTER_MAX];	/* what the user has typed so far */
	/* name of the row that is selected, which follows it; NULL: none */
	char *selected;
	size_t first;			/* position of the first row on the screen */
	size_t scroll;			/* first line on the screen, in other modes than UI_TABLE */
	/* characters that names, or lines in other modes, are shifted to the left */
	size_t shift;
	size_t page;			/* number of rows or lines that fit on the screen */
	bool paused;			/* there are no refreshes */
	bool wants_refresh;		/* the user asked for a refresh now */
	bool is_over;			/* the user asked to quit */
	char notice[256];		/* a message to show until the next key; "": none */
};

/**
 * ui_init() - set up the display, and read the module for the first time
 * @u: set up; it must not move. The caller calls ui_exit() later, also after a failure
 * @top: the settings
 * @why: set to the message on failure
 * @size: bytes of @why
 *
 * Return: 0; another value, with @why set.
 */
int ui_init(struct ui *u, const struct top *top, char *why, size_t size);

/** ui_exit() - undo ui_init() */
void ui_exit(struct ui *u);

/**
 * ui_refresh() - read the module again
 * @u: the display
 * @why: set to the message on failure
 * @size: bytes of @why
 *
 * Return: 0; another value, with @why set: the display must end.
 */
int ui_refresh(struct ui *u, char *why, size_t size);

/** ui_page() - set the number of rows or lines that fit on the screen */
void ui_page(struct ui *u, size_t page);

/** ui_key() - handle a key; @key: a character, or an enum ui_key */
void ui_key(struct ui *u, int key);

/** ui_selected() - get the position of the selected row; SIZE_MAX if none is shown */
size_t ui_selected(const struct ui *u);

#endif /* UI_H */
