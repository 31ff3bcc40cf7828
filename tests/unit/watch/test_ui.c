// SPDX-License-Identifier: GPL-2.0-only
#include "tempdir.h"
#include "unit.h"
#include "watch/ui.h"

#define TITLE "kmemtrace tags - version: 1\n"

static struct ui u;
static char why[256];

static void machine(unsigned int second, const char *rows)
{
	char text[1024];

	snprintf(text, sizeof(text), TITLE "%s", rows);
	tempdir_put_text("tags", text);
	tempdir_link("tags_quick", "tags");
	snprintf(text, sizeof(text),
		 "clock_ns %u000000000\naccounting 1\naccounting_since_ns 1\n", second);
	tempdir_put_text("stats", text);
}

static void begin(void)
{
	const struct top top = { .kind = -1, .delay = 1 };

	tempdir_begin();
	machine(1, "slab 300 3 300 3 0 0 1 1 1 a.c:1 func:a\n"
		   "page 200 2 200 2 0 0 1 2 2 b.c:1 func:b\n"
		   "slab 100 1 100 1 0 0 1 3 3 c.c:1 func:c\n");
	ck_assert_int_eq(ui_init(&u, &top, why, sizeof(why)), 0);
	ui_page(&u, 2);
}

static void end(void)
{
	ui_exit(&u);
	tempdir_end();
}

static void type(const char *keys)
{
	for (; *keys; keys++)
		ui_key(&u, *keys);
}

static void press(int key)
{
	ui_key(&u, key);
}

START_TEST(the_selection_follows_its_row)
{
	begin();
	ck_assert_uint_eq(ui_selected(&u), SIZE_MAX);
	press(UI_DOWN);
	ck_assert_uint_eq(ui_selected(&u), 0);
	press(UI_DOWN);
	ck_assert_str_eq(u.selected, "b b.c:1");
	machine(2, "slab 300 3 300 3 0 0 1 1 1 a.c:1 func:a\n"
		   "page 20 2 20 3 1 0 1 2 2 b.c:1 func:b\n"
		   "slab 100 1 100 1 0 0 1 3 3 c.c:1 func:c\n");
	ck_assert_int_eq(ui_refresh(&u, why, sizeof(why)), 0);
	ck_assert_uint_eq(ui_selected(&u), 2);
	ck_assert_uint_eq(u.first, 1); /* and the screen follows it */
	press(UI_HOME);
	ck_assert_uint_eq(u.first, 0);
	press(UI_END);
	ck_assert_uint_eq(ui_selected(&u), 2);
	press(UI_PAGE_UP);
	ck_assert_uint_eq(ui_selected(&u), 0);
	press(UI_UP);
	ck_assert_uint_eq(ui_selected(&u), 0);
	press(UI_PAGE_DOWN);
	press(UI_PAGE_DOWN);
	ck_assert_uint_eq(ui_selected(&u), 2);
	press(UI_ESCAPE);
	ck_assert_uint_eq(ui_selected(&u), SIZE_MAX);
	ck_assert_uint_eq(u.first, 0);
	end();
}
END_TEST

START_TEST(a_row_that_is_filtered_out_is_selected_again_later)
{
	begin();
	press(UI_DOWN);
	type("fb b");
	press(UI_ENTER);
	ck_assert_uint_eq(u.view.list.shown, 1);
	ck_assert_uint_eq(ui_selected(&u), SIZE_MAX);
	type("f");
	press(UI_BACKSPACE);
	press(UI_BACKSPACE);
	press(UI_BACKSPACE);
	press(UI_BACKSPACE);
	press(UI_ENTER);
	ck_assert_uint_eq(ui_selected(&u), 0);
	end();
}
END_TEST

START_TEST(a_filter_has_a_limit)
{
	int i;

	begin();
	type("f");
	for (i = 0; i < 200; i++)
		type("x");
	press(UI_UP); /* no character */
	press('\t');
	press(200);
	ck_assert_uint_eq(strlen(u.input), VIEW_FILTER_MAX - 1);
	press(UI_ENTER);
	ck_assert_uint_eq(u.view.list.shown, 0);
	press(UI_DOWN);
	press(UI_ENTER);
	ck_assert_int_eq(u.mode, UI_TABLE); /* there is no row with details */
	end();
}
END_TEST

START_TEST(groups_without_caches)
{
	begin();
	type("bb");
	ck_assert_int_eq(u.view.watch->by, WATCH_MODULE);
	type("b");
	ck_assert_int_eq(u.view.watch->by, WATCH_KIND);
	ck_assert_ptr_nonnull(strstr(u.notice, "no caches: cannot read"));
	type("B");
	ck_assert_int_eq(u.view.watch->by, WATCH_MODULE);
	type("bb");
	ck_assert_int_eq(u.view.watch->by, WATCH_SITE);
	ck_assert_str_eq(u.notice, "");
	end();
}
END_TEST

START_TEST(groups_with_caches)
{
	begin();
	tempdir_put_text("caches_live", "dentry 4 800\n");
	type("bbb");
	ck_assert_int_eq(u.view.watch->by, WATCH_CACHE);
	ck_assert_uint_eq(u.view.list.shown, 1);
	ck_assert(!u.wants_refresh);
	type("b");
	ck_assert_int_eq(u.view.watch->by, WATCH_KIND);
	ck_assert(u.wants_refresh); /* the tags are old */
	ck_assert_uint_eq(u.view.list.shown, 2);
	end();
}
END_TEST

START_TEST(tags_after_caches_alone)
{
	const struct top top = { .by = WATCH_CACHE, .kind = -1, .delay = 1 };

	tempdir_begin();
	machine(1, "slab 300 3 300 3 0 0 1 1 1 a.c:1 func:a\n");
	tempdir_put_text("caches_live", "dentry 4 800\n");
	ck_assert_int_eq(ui_init(&u, &top, why, sizeof(why)), 0);
	type("b");
	ck_assert_uint_eq(u.view.list.shown, 0);
	ck_assert_int_eq(ui_refresh(&u, why, sizeof(why)), 0);
	ck_assert_uint_eq(u.view.list.shown, 1);
	end();
}
END_TEST

START_TEST(kinds)
{
	begin();
	type("k");
	ck_assert_uint_eq(u.view.list.shown, 2);
	type("k");
	ck_assert_uint_eq(u.view.list.shown, 1);
	type("k");
	ck_assert_uint_eq(u.view.list.shown, 0);
	type("k");
	ck_assert_uint_eq(u.view.list.shown, 3);
	end();
}
END_TEST

START_TEST(the_sort_wraps)
{
	int i;

	begin();
	type("S");
	ck_assert_int_eq(u.view.sort, VIEW_NAME);
	for (i = 0; i < VIEW_COLUMNS_TEXT; i++)
		type(">");
	ck_assert_int_eq(u.view.sort, VIEW_NAME);
	type("s");
	ck_assert_int_eq(u.view.sort, VIEW_BYTES);
	type("R");
	ck_assert_str_eq(u.view.watch->row[view_row(&u.view, 0)].name, "c c.c:1");
	end();
}
END_TEST

START_TEST(modes)
{
	begin();
	type("p ");
	ck_assert(u.paused && u.wants_refresh);
	press(UI_ENTER);
	ck_assert_int_eq(u.mode, UI_DETAILS);
	type("h");
	ck_assert_int_eq(u.mode, UI_HELP);
	type("q");
	ck_assert_int_eq(u.mode, UI_TABLE);
	ck_assert(!u.is_over);
	type("m");
	ck_assert_uint_eq(u.view.watch->mark_ns, 1000000000);
	type("M");
	ck_assert_uint_eq(u.view.watch->mark_ns, 0);
	type("d2.5");
	press(UI_ENTER);
	ck_assert_double_eq(u.delay, 2.5);
	type("dx");
	press(UI_ENTER);
	ck_assert_double_eq(u.delay, 2.5);
	ck_assert_str_ne(u.notice, "");
	type("q");
	ck_assert(u.is_over);
	end();
}
END_TEST

START_TEST(a_restart_is_noticed)
{
	begin();
	type("m");
	tempdir_put_text("stats", "clock_ns 9000000000\naccounting 1\naccounting_since_ns 2\n");
	ck_assert_int_eq(ui_refresh(&u, why, sizeof(why)), 0);
	ck_assert_ptr_nonnull(strstr(u.notice, "accounting was restarted"));
	ck_assert_uint_eq(u.tags.mark_ns, 0);
	end();
}
END_TEST

START_TEST(an_unloaded_module_is_noticed)
{
	begin();
	tempdir_end();
	ck_assert_int_ne(ui_refresh(&u, why, sizeof(why)), 0);
	ck_assert_ptr_nonnull(strstr(why, "the module was unloaded"));
	ui_exit(&u);
}
END_TEST

UNIT_MAIN("ui", the_selection_follows_its_row,
	  a_row_that_is_filtered_out_is_selected_again_later, a_filter_has_a_limit,
	  groups_without_caches, groups_with_caches, tags_after_caches_alone, kinds,
	  the_sort_wraps, modes, a_restart_is_noticed, an_unloaded_module_is_noticed)
