// SPDX-License-Identifier: GPL-2.0-only
#include "pages/pagemark.h"
#include "tempdir.h"

#define DEBUGFS "kernel/debug/hwpoison/"
#define BITMAP	"kernel/mm/page_idle/bitmap"

static void put_files(void)
{
	tempdir_put_text(DEBUGFS "corrupt-pfn", "");
	tempdir_put_text(DEBUGFS "unpoison-pfn", "");
	tempdir_put_text(BITMAP, "");
}

static void check_text(const char *name, const char *expected)
{
	char text[128];
	FILE *file = fopen(tempdir_path(name), "r");
	size_t n = fread(text, 1, sizeof(text) - 1, file);

	text[n] = '\0';
	fclose(file);
	ck_assert_str_eq(text, expected);
}

START_TEST(pages_are_poisoned)
{
	struct pagemark m;

	tempdir_begin();
	put_files();
	ck_assert_int_eq(pagemark_open(&m, PAGEMARK_POISON), 0);
	pagemark_frames(&m, 0x1fff, 2);
	pagemark_frames(&m, 7, 1);
	ck_assert_int_eq(pagemark_close(&m), 0);
	check_text(DEBUGFS "corrupt-pfn", "0x1fff\n0x2000\n0x7\n");
	check_text(DEBUGFS "unpoison-pfn", "");
	ck_assert_int_eq(pagemark_open(&m, PAGEMARK_UNPOISON), 0);
	pagemark_frames(&m, 7, 1);
	ck_assert_int_eq(pagemark_close(&m), 0);
	check_text(DEBUGFS "unpoison-pfn", "0x7\n");
	check_text(BITMAP, "");
	tempdir_end();
}
END_TEST

START_TEST(pages_are_marked_idle)
{
	struct pagemark m;

	tempdir_begin();
	put_files();
	ck_assert_int_eq(pagemark_open(&m, PAGEMARK_IDLE), 0);
	pagemark_frames(&m, 0, 1);
	pagemark_frames(&m, 62, 4);
	pagemark_frames(&m, 200, 1);
	pagemark_frames(&m, 130, 1);
	ck_assert_int_eq(pagemark_close(&m), 0);
	ck_assert_uint_eq(tempdir_get(BITMAP, 0), 1 | 3ull << 62);
	ck_assert_uint_eq(tempdir_get(BITMAP, 1), 3);
	ck_assert_uint_eq(tempdir_get(BITMAP, 2), 4);
	ck_assert_uint_eq(tempdir_get(BITMAP, 3), 1 << 8);
	tempdir_end();
}
END_TEST

START_TEST(nothing_is_marked)
{
	struct pagemark m;

	tempdir_begin();
	ck_assert_int_eq(pagemark_open(&m, 0), 0);
	pagemark_frames(&m, 5, 3);
	ck_assert_int_eq(pagemark_close(&m), 0);
	/* the bitmap does not exist */
	ck_assert_int_eq(pagemark_open(&m, PAGEMARK_IDLE), -1);
	ck_assert_int_eq(pagemark_close(&m), 0);
	/* all writes fail */
	put_files();
	unlink(tempdir_path(DEBUGFS "corrupt-pfn"));
	ck_assert_int_eq(symlink("/dev/full",
				 tempdir_path(DEBUGFS "corrupt-pfn")), 0);
	ck_assert_int_eq(pagemark_open(&m, PAGEMARK_POISON), 0);
	pagemark_frames(&m, 5, 3);
	ck_assert_uint_eq(m.failed, 3);
	ck_assert_int_eq(pagemark_close(&m), -1);
	tempdir_end();
}
END_TEST

UNIT_MAIN("pagemark", pages_are_poisoned, pages_are_marked_idle,
	  nothing_is_marked)
