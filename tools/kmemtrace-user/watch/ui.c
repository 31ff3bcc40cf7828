// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "watch/watch.h"
#include "watch/ui.h"

static struct watch *shown(struct ui *u)
{
	return u->view.watch == &u->caches ? &u->caches : &u->tags;
}

/* --- the table ------------------------------------------------------------------ */

/* Keep the selected row on the screen, and the screen full. */
static void scroll_table(struct ui *u)
{
	size_t at = ui_selected(u), rows = u->view.list.shown;

	if (at != SIZE_MAX) {
		if (at < u->first)
			u->first = at;
		if (at >= u->first + u->page)
			u->first = at + 1 - u->page;
	}
	if (u->first + u->page > rows)
		u->first = rows > u->page ? rows - u->page : 0;
}

static void update(struct ui *u)
{
	view_update(&u->view, u->limit);
	scroll_table(u);
}

void ui_page(struct ui *u, size_t page)
{
	u->page = page ? page : 1;
	scroll_table(u);
}

size_t ui_selected(const struct ui *u)
{
	return u->selected ? view_position(&u->view, u->selected) : SIZE_MAX;
}

static void deselect(struct ui *u)
{
	free(u->selected);
	u->selected = NULL;
	u->first = 0;
}

static void select_row(struct ui *u, size_t position)
{
	size_t rows = u->view.list.shown;
	const char *name;
	char *copy;

	if (!rows)
		return;
	if (position >= rows)
		position = rows - 1;
	name = u->view.watch->row[view_row(&u->view, position)].name;
	copy = xstrdup(name);
	free(u->selected);
	u->selected = copy;
	scroll_table(u);
}

/* Move the selection. Without one, begin at the first row on the screen. */
static void move(struct ui *u, long by)
{
	size_t at = ui_selected(u);

	if (at == SIZE_MAX) {
		select_row(u, u->first);
		return;
	}
	if (by < 0 && (size_t)-by > at) {
		select_row(u, 0);
		return;
	}
	select_row(u, at + by);
}

/* --- reading -------------------------------------------------------------------- */

static int read_first(struct ui *u, struct watch *w, enum watch_by by, char *why,
		      size_t size)
{
	if (!w->slots.slot)
		watch_init(w, by);
	watch_group(w, by, u->kind);
	return source_refresh(w, why, size);
}

int ui_init(struct ui *u, const struct top *top, char *why, size_t size)
{
	bool caches = top->by == WATCH_CACHE;
	struct watch *w = caches ? &u->caches : &u->tags;

	*u = (struct ui){
		.view = { .watch = w, .sort = top->sort },
		.kind = top->kind,
		.limit = top->rows,
		.delay = top->delay,
		.page = 1,
	};
	if (top->filter)
		snprintf(u->view.filter, sizeof(u->view.filter), "%s", top->filter);
	if (read_first(u, w, top->by, why, size))
		return -1;
	update(u);
	return 0;
}

void ui_exit(struct ui *u)
{
	view_exit(&u->view);
	watch_exit(&u->tags);
	watch_exit(&u->caches);
	free(u->selected);
}

int ui_refresh(struct ui *u, char *why, size_t size)
{
	struct watch *w = shown(u);
	uint64_t restarts = w->restarts;

	u->wants_refresh = false;
	if (source_refresh(w, why, size))
		return -1;
	if (w->restarts != restarts)
		snprintf(u->notice, sizeof(u->notice),
			 "accounting was restarted: changes, histories and the mark begin anew");
	update(u);
	return 0;
}

/* --- keys of the table ---------------------------------------------------------- */

/* Show caches. If the module cannot list them, say so, and show what was shown. */
static bool show_caches(struct ui *u)
{
	char why[160];

	if (read_first(u, &u->caches, WATCH_CACHE, why, sizeof(why))) {
		snprintf(u->notice, sizeof(u->notice), "no caches: %s", why);
		return false;
	}
	u->view.watch = &u->caches;
	return true;
}

/* Show tags. They may not have been read yet, or long ago: a refresh follows. */
static void show_tags(struct ui *u, enum watch_by by)
{
	u->wants_refresh = u->wants_refresh || u->view.watch != &u->tags;
	if (!u->tags.slots.slot)
		watch_init(&u->tags, by);
	u->view.watch = &u->tags;
	watch_group(&u->tags, by, u->kind);
}

static void change_group(struct ui *u, int by_step)
{
	enum watch_by by = u->view.watch->by;

	by = (by + WATCH_BYS + by_step) % WATCH_BYS;
	deselect(u);
	if (by == WATCH_CACHE && !show_caches(u))
		by = (by + WATCH_BYS + by_step) % WATCH_BYS;
	if (by != WATCH_CACHE)
		show_tags(u, by);
	update(u);
}

static void change_kind(struct ui *u)
{
	if (u->view.watch->by == WATCH_CACHE) {
		snprintf(u->notice, sizeof(u->notice),
			 "caches contain memory of the kind slab only");
		return;
	}
	u->kind = u->kind + 1 < SITE_KINDS ? u->kind + 1 : -1;
	watch_group(&u->tags, u->tags.by, u->kind);
	update(u);
}

static void change_sort(struct ui *u, int step)
{
	u->view.sort = (u->view.sort + VIEW_COLUMNS_TEXT + step) %
		       VIEW_COLUMNS_TEXT;
	update(u);
}

static void ui_mark(struct ui *u, bool set)
{
	struct watch *w = shown(u);

	if (set)
		watch_mark(w);
	else
		watch_unmark(w);
	snprintf(u->notice, sizeof(u->notice),
		 set ? "marked: +MARK is the net growth since now; M removes the mark" :
		       "no mark: +START is the change since the start");
	update(u);
}

static void shift(struct ui *u, bool right)
{
	if (right)
		u->shift += 8;
	else
		u->shift = u->shift > 8 ? u->shift - 8 : 0;
}

static void begin_prompt(struct ui *u, enum ui_prompt prompt)
{
	u->prompt = prompt;
	*u->input = '\0';
	if (prompt == UI_FILTER)
		snprintf(u->input, sizeof(u->input), "%s", u->view.filter);
}

static void open_details(struct ui *u)
{
	if (ui_selected(u) == SIZE_MAX)
		select_row(u, u->first);
	if (!u->selected || !u->view.list.shown)
		return;
	u->mode = UI_DETAILS;
	u->scroll = u->shift = 0;
}

static void move_key(struct ui *u, int key)
{
	switch (key) {
	case UI_UP:
		move(u, -1);
		return;
	case UI_DOWN:
		move(u, 1);
		return;
	case UI_PAGE_UP:
		move(u, -(long)u->page);
		return;
	case UI_PAGE_DOWN:
		move(u, u->page);
		return;
	case UI_HOME:
		select_row(u, 0);
		return;
	case UI_END:
		select_row(u, SIZE_MAX);
		return;
	case UI_LEFT:
	case UI_RIGHT:
		shift(u, key == UI_RIGHT);
		return;
	default:
		return;
	}
}

/* Keys of the table and of the details. */
static void common_key(struct ui *u, int key)
{
	switch (key) {
	case ' ':
		u->wants_refresh = true;
		return;
	case 'p':
	case 'Z':
		u->paused = !u->paused;
		return;
	case 'm':
	case 'M':
		ui_mark(u, key == 'm');
		return;
	case 'd':
		begin_prompt(u, UI_DELAY);
		return;
	case 'h':
	case '?':
		u->mode = UI_HELP;
		u->scroll = u->shift = 0;
		return;
	default:
		return;
	}
}

static void table_key(struct ui *u, int key)
{
	switch (key) {
	case 'q':
		u->is_over = true;
		return;
	case 's':
	case '>':
		change_sort(u, 1);
		return;
	case 'S':
	case '<':
		change_sort(u, -1);
		return;
	case 'R':
	case 'I':
		u->view.reverse = !u->view.reverse;
		update(u);
		return;
	case 'b':
		change_group(u, 1);
		return;
	case 'B':
		change_group(u, -1);
		return;
	case 'k':
		change_kind(u);
		return;
	case 'f':
	case '/':
		begin_prompt(u, UI_FILTER);
		return;
	case UI_ESCAPE:
		deselect(u);
		return;
	case UI_ENTER:
		open_details(u);
		return;
	default:
		if (key > UI_KEYS)
			move_key(u, key);
		else
			common_key(u, key);
		return;
	}
}

/* --- keys elsewhere ------------------------------------------------------------- */

static void prompt_key(struct ui *u, int key)
{
	size_t len = strlen(u->input);

	if (key == UI_ESCAPE) {
		u->prompt = UI_NO_PROMPT;
	} else if (key == UI_BACKSPACE) {
		if (len)
			u->input[len - 1] = '\0';
	} else if (key == UI_ENTER) {
		if (u->prompt == UI_FILTER)
			strcpy(u->view.filter, u->input);
		else if (!top_delay(u->input, &u->delay))
			snprintf(u->notice, sizeof(u->notice),
				 "the delay is " TOP_DELAY_FORMS);
		u->prompt = UI_NO_PROMPT;
		update(u);
		return;
	} else if (key < 128 && isprint(key) && len + 1 < sizeof(u->input)) {
		u->input[len] = key;
		u->input[len + 1] = '\0';
	}
}

/* Help and details are pages of lines. */
static void text_key(struct ui *u, int key)
{
	switch (key) {
	case 'q':
	case UI_ESCAPE:
	case UI_ENTER:
		u->mode = UI_TABLE;
		u->shift = 0;
		return;
	case UI_UP:
		u->scroll -= u->scroll > 0;
		return;
	case UI_DOWN:
		u->scroll++;
		return;
	case UI_PAGE_UP:
		u->scroll -= u->scroll < u->page ? u->scroll : u->page;
		return;
	case UI_PAGE_DOWN:
		u->scroll += u->page;
		return;
	case UI_HOME:
	case UI_END: /* far beyond the text; the page keeps it on the screen */
		u->scroll = key == UI_END ? SIZE_MAX / 2 : 0;
		return;
	case UI_LEFT:
	case UI_RIGHT:
		shift(u, key == UI_RIGHT);
		return;
	default:
		common_key(u, key);
	}
}

void ui_key(struct ui *u, int key)
{
	if (u->prompt != UI_NO_PROMPT) {
		prompt_key(u, key);
		return;
	}
	*u->notice = '\0';
	if (u->mode == UI_TABLE)
		table_key(u, key);
	else
		text_key(u, key);
}
