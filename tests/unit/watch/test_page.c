// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "tempdir.h"
#include "unit.h"
#include "watch/page.h"

static struct ui u;

/* names with sequences of a terminal, and longer than any screen */
static void begin(unsigned int rows)
{
	const struct top top = { .kind = -1, .delay = 1 };
	char why[256], *text = malloc(1 << 20), *at = text;
	unsigned int i;

	tempdir_begin();
	at += sprintf(at, "kmemtrace tags - version: 1\n");
	for (i = 0; i < rows; i++)
		at += sprintf(at,
			      "slab %u 1 1 1 0 1 7 %x %u \033[31m%0*d\303.c:%u func:f\377\n",
			      1u << i % 31, i + 1, i + 1, i % 9 * 80, 0, i);
	tempdir_put_text("tags", text);
	tempdir_link("tags_quick", "tags");
	tempdir_put_text("stats", "clock_ns 5\naccounting 1\nhole \033[2J\377 open\n");
	ck_assert_int_eq(ui_init(&u, &top, why, sizeof(why)), 0);
	free(text);
}

static void end(void)
{
	ui_exit(&u);
	tempdir_end();
}

/* Return: the width of a line, which must be printable ASCII and blocks only. */
static size_t width(const char *text, bool utf8)
{
	size_t n = 0;

	for (; *text; n++) {
		if (utf8 && !strncmp(text, "\xe2\x96", 2)) {
			ck_assert_int_ge((unsigned char)text[2], 0x81);
			ck_assert_int_le((unsigned char)text[2], 0x88);
			text += 3;
		} else {
			ck_assert_int_ge(*text, ' ');
			ck_assert_int_le(*text, '~');
			text++;
		}
	}
	return n;
}

static void check(size_t columns, size_t lines, bool utf8)
{
	struct page p;
	size_t i;

	page_init(&p, columns, lines, utf8);
	ui_page(&u, page_rows(&p, u.mode));
	page_draw(&p, &u);
	ck_assert_uint_ge(page_rows(&p, u.mode), 1);
	for (i = 0; i < p.height; i++)
		ck_assert_uint_le(width(p.line[i].text, utf8), columns);
	ck_assert_int_le(p.cursor, (int)columns);
	page_exit(&p);
}

static void check_sizes(void)
{
	static const size_t columns[] = { 1,  2,  7,  12, 19, 20, 33, 40,
					  51, 66, 79, 80, 81, 99, 160, 300 };
	static const size_t lines[] = { 1, 2, 4, 5, 9, 10, 24 };
	size_t i, j;

	for (i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		for (j = 0; j < sizeof(lines) / sizeof(*lines); j++)
			check(columns[i], lines[j], (i + j) % 2);
}

START_TEST(no_line_is_wider_than_the_terminal)
{
	begin(40);
	check_sizes();
	ui_key(&u, UI_END);
	ui_key(&u, UI_RIGHT);
	check_sizes();
	ui_key(&u, 'f');
	check_sizes();
	ui_key(&u, UI_ESCAPE);
	ui_key(&u, 'm');
	ui_key(&u, UI_ENTER);
	check_sizes();
	ui_key(&u, 'h');
	check_sizes();
	check(5000, 5000, true);
	end();
}
END_TEST

START_TEST(text_is_scrolled_to_its_end_at_most)
{
	struct page p;

	begin(1);
	ui_key(&u, 'h');
	u.scroll = 1000;
	page_init(&p, 80, 10, false);
	page_draw(&p, &u);
	ck_assert_str_eq(p.line[8].text, "q           leave details and help; quit");
	ck_assert_uint_lt(u.scroll, 40);
	ui_key(&u, UI_HOME);
	ui_key(&u, UI_END);
	ui_key(&u, UI_PAGE_DOWN); /* before the page is drawn */
	page_draw(&p, &u);
	ck_assert_str_eq(p.line[8].text, "q           leave details and help; quit");
	ui_key(&u, 'q');
	ui_key(&u, UI_ENTER);
	page_draw(&p, &u);
	ck_assert_uint_eq(u.scroll, 0);
	ui_key(&u, UI_END);
	page_draw(&p, &u);
	ck_assert_uint_gt(u.scroll, 0);
	page_exit(&p);
	end();
}
END_TEST

START_TEST(an_empty_table)
{
	begin(0);
	check_sizes();
	ui_key(&u, UI_ENTER);
	check_sizes();
	end();
}
END_TEST

START_TEST(details_of_a_row_that_is_gone)
{
	char why[256];
	struct page p;

	begin(1);
	ui_key(&u, UI_ENTER);
	tempdir_put_text("stats", "clock_ns 4\naccounting 1\n"); /* another boot */
	tempdir_put_text("tags", "kmemtrace tags - version: 1\n");
	tempdir_link("tags_quick", "tags");
	ck_assert_int_eq(ui_refresh(&u, why, sizeof(why)), 0);
	page_init(&p, 80, 10, false);
	page_draw(&p, &u);
	ck_assert_ptr_nonnull(strstr(p.line[0].text, "does not exist any more"));
	page_exit(&p);
	check_sizes();
	end();
}
END_TEST

UNIT_MAIN("page", no_line_is_wider_than_the_terminal,
	  text_is_scrolled_to_its_end_at_most, an_empty_table,
	  details_of_a_row_that_is_gone)
