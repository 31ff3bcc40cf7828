// SPDX-License-Identifier: GPL-2.0-only
#include "account/siterows.h"
#include "unit.h"

static struct sitename n;

static void parse(const char *location)
{
	sitename_free(&n);
	sitename_parse(&n, location);
}

START_TEST(lines)
{
	parse("mm/a.c:7 [m] func:f");
	ck_assert_str_eq(n.file, "mm/a.c");
	ck_assert_uint_eq(n.line, 7);
	ck_assert_str_eq(n.module, "m");
	ck_assert_str_eq(n.function, "f");
	ck_assert_str_eq(n.tail, "");
	ck_assert(!n.has_offset);
	parse("b.c:1 func:g");
	ck_assert_str_eq(n.file, "b.c");
	ck_assert_str_eq(n.module, "");
	sitename_free(&n);
}
END_TEST

START_TEST(offsets)
{
	parse("f.constprop.0+0x1e [m] func:f (unloaded) #12");
	ck_assert_ptr_null(n.file);
	ck_assert(n.has_offset);
	ck_assert_uint_eq(n.offset, 0x1e);
	ck_assert_str_eq(n.module, "m");
	ck_assert_str_eq(n.function, "f.constprop.0");
	ck_assert_str_eq(n.plain, "f");
	ck_assert_str_eq(n.tail, "(unloaded) #12");
	parse("g+0xff [driver]");
	ck_assert_str_eq(n.function, "g");
	ck_assert_str_eq(n.module, "driver");
	ck_assert_uint_eq(n.offset, 0xff);
	sitename_free(&n);
}
END_TEST

/* Lines that a report shows only with debug information make no difference. */
START_TEST(offsets_with_lines)
{
	static const char *const names[] = {
		"g+0xff [driver] d/a.c:7",
		"g+0xff [driver] d/a.c:7, include/linux/slab.h:12 in kzalloc",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		parse(names[i]);
		ck_assert_str_eq(n.function, "g");
		ck_assert_str_eq(n.module, "driver");
		ck_assert_uint_eq(n.offset, 0xff);
		ck_assert_ptr_null(n.file);
		ck_assert_str_eq(n.tail, "");
	}
	parse("h+0x1 mm/a.c:7");
	ck_assert_str_eq(n.function, "h");
	ck_assert_uint_eq(n.offset, 1);
	sitename_free(&n);
}
END_TEST

START_TEST(names_without_what_differs_between_builds)
{
	static const struct {
		const char *location;
		const char *plain;
		enum site_part part;
	} names[] = {
		{ "f+0x1", "f", SITE_WHOLE },
		{ "f.isra.0+0x1", "f", SITE_WHOLE },
		{ "f.part.3+0x1", "f", SITE_PART },
		{ "f.cold+0x1", "f", SITE_COLD },
		{ "f.part.0.cold+0x1", "f", SITE_COLD },
		{ "kmalloc_noprof+0x1", "kmalloc", SITE_WHOLE },
		{ "f_noprof.isra.0+0x1", "f", SITE_WHOLE },
		{ "_noprof+0x1", "_noprof", SITE_WHOLE },
		{ ".text+0x1", ".text", SITE_WHOLE },
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		parse(names[i].location);
		ck_assert_str_eq(n.plain, names[i].plain);
		ck_assert_int_eq(n.part, names[i].part);
	}
	sitename_free(&n);
}
END_TEST

START_TEST(other_texts_have_no_parts)
{
	static const char *const others[] = {
		"", "0xffffffff81000010", "(unknown)", "[m]+0x10", "kmalloc-64",
		"f+0x", "f+0x10z", "a.c:7", "x:1",
	};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(*others); i++) {
		parse(others[i]);
		ck_assert_str_eq(n.function, "");
		ck_assert_str_eq(n.plain, "");
		ck_assert_ptr_null(n.file);
		ck_assert(!n.has_offset);
	}
	parse("a+0x1:7 func:b"); /* a file may have any name */
	ck_assert_str_eq(n.file, "a+0x1");
	ck_assert_str_eq(n.function, "b");
	sitename_free(&n);
}
END_TEST

UNIT_MAIN("sitename", lines, offsets, offsets_with_lines, names_without_what_differs_between_builds,
	  other_texts_have_no_parts)
