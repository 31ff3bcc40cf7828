// SPDX-License-Identifier: GPL-2.0-only
#include "base/memtext.h"
#include "base/options.h"
#include "base/svg.h"
#include "unit.h"

static struct memtext text;

static void written_is(const char *expected)
{
	char *found = memtext_close(&text, NULL);

	ck_assert_ptr_nonnull(found);
	ck_assert_str_eq(found, expected);
	free(found);
}

START_TEST(markup_and_other_bytes_are_escaped)
{
	svg_escape(memtext_open(&text), "<a & \"b\" 'c'>\n\x1b\xff]]>", SIZE_MAX);
	written_is("&lt;a &amp; &quot;b&quot; &#39;c&#39;&gt;???]]&gt;");
	svg_escape(memtext_open(&text), "\u4e2d\xe4\xb8", SIZE_MAX);
	written_is("\u4e2d??");
}
END_TEST

START_TEST(long_text_is_cut_off)
{
	FILE *out = memtext_open(&text);

	svg_escape(out, "<<<<<", 5);
	fputc(' ', out);
	svg_escape(out, "<<<<<", 4);
	fputc(' ', out);
	svg_escape(out, "<<<<<", 2);
	fputc(' ', out);
	svg_escape(out, "<<<<<", 1);
	fputc(' ', out);
	svg_escape(out, "<<<<<", 0);
	svg_escape(out, "\u4e2d\u6587\u6587", 5);
	written_is("&lt;&lt;&lt;&lt;&lt; &lt;&lt;.. .. . \u4e2d..");
}
END_TEST

START_TEST(a_paragraph_is_broken_at_blanks)
{
	/* 10 characters and the margins */
	const size_t width = 2 * SVG_MARGIN + 10 * SVG_CHARACTER + 1;
	FILE *out = memtext_open(&text);

	ck_assert_uint_eq(svg_paragraph(out, "a", 20, width, "one & two three"), 2);
	written_is("<text class=\"a\" x=\"12\" y=\"20.0\">one &amp; two</text>\n"
		   "<text class=\"a\" x=\"12\" y=\"37.0\">three</text>\n");
	ck_assert_uint_eq(svg_paragraph(NULL, "a", 20, width, "one & two three"), 2);
	ck_assert_uint_eq(svg_paragraph(NULL, "a", 20, width, "0123456789"), 1);
	ck_assert_uint_eq(svg_paragraph(NULL, "a", 20, width, "01234567890"), 2);
	ck_assert_uint_eq(svg_paragraph(NULL, "a", 20, width, ""), 0);
}
END_TEST

START_TEST(a_width_has_limits)
{
	static const struct option_row row = { .name = "width" };
	size_t width = 0;
	struct option_use use = { .command = "test", .row = &row, .text = "240",
				  .to = &width };

	ck_assert_int_eq(svg_take_width(&use), 0);
	ck_assert_uint_eq(width, 240);
	use.text = "20000";
	ck_assert_int_eq(svg_take_width(&use), 0);
	use.text = "239";
	ck_assert_int_eq(svg_take_width(&use), 2);
	use.text = "20001";
	ck_assert_int_eq(svg_take_width(&use), 2);
	use.text = "x";
	ck_assert_int_eq(svg_take_width(&use), 2);
}
END_TEST

UNIT_MAIN("svg", markup_and_other_bytes_are_escaped, long_text_is_cut_off,
	  a_paragraph_is_broken_at_blanks, a_width_has_limits)
