/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The text of the display: one line for each line of the terminal.
 */
#ifndef PAGE_H
#define PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/chart.h"
#include "watch/ui.h"

/* a wider or higher terminal is not used completely */
#define PAGE_WIDTH_MAX	512
#define PAGE_HEIGHT_MAX 512

enum page_style {
	PAGE_PLAIN,
	PAGE_BOLD,
	PAGE_WARNING,
	PAGE_TITLES,
	PAGE_SELECTED,
};

/* a line */
struct page_line {
	enum page_style style;							/* how to show it */
	/*
	 * the text: printable ASCII, and the characters of sparklines. It is not wider than the
	 * terminal
	 */
	char text[PAGE_WIDTH_MAX + HISTORY_SLOTS * CHART_CHARACTER + 1];
};

/* a page */
struct page {
	size_t width;		/* width of the terminal, in characters */
	size_t height;		/* number of lines */
	bool utf8;		/* sparklines have characters other than ASCII */
	int cursor;		/* column of the cursor in the last line; -1: there is no cursor */
	struct page_line *line;	/* the lines */
};

/**
 * page_init() - make a page for a terminal
 * @p: the page; the caller calls page_exit() later, also after a failure
 * @width: columns of the terminal, at least 1
 * @height: lines of the terminal, at least 1
 * @utf8: the terminal shows UTF-8
 */
void page_init(struct page *p, size_t width, size_t height, bool utf8);

/** page_exit() - undo page_init() */
void page_exit(struct page *p);

/** page_rows() - get the number of rows or lines between the head and the last line */
size_t page_rows(const struct page *p, enum ui_mode mode);

/**
 * page_draw() - write the text of the display
 * @p: the page
 * @u: the display; ui_page() knows page_rows(). Its scroll is corrected
 */
void page_draw(struct page *p, struct ui *u);

#endif /* PAGE_H */
