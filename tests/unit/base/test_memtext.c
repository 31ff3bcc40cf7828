// SPDX-License-Identifier: GPL-2.0-only
#include "base/memtext.h"
#include "unit.h"

/* stdio passes the text on in several parts. */
START_TEST(a_long_text_is_complete)
{
	char expected[60000] = "";
	size_t size, len = 0;
	struct memtext text;
	char *got;
	int i;

	ck_assert_ptr_nonnull(memtext_open(&text));
	for (i = 0; i < 10000; i++) {
		fprintf(text.out, "%d\n", i);
		len += sprintf(expected + len, "%d\n", i);
	}
	got = memtext_close(&text, &size);
	ck_assert_ptr_nonnull(got);
	ck_assert_uint_eq(size, len);
	ck_assert_str_eq(got, expected);
	free(got);
}
END_TEST

/*
 * The NUL at the end needs one more byte than the text, also if the text fills the buffer,
 * which has 256, 512 or 1024 bytes here.
 */
START_TEST(a_text_of_any_size_has_a_nul_at_its_end)
{
	struct memtext text;
	size_t size, n;
	char *got;

	for (n = 0; n < 1100; n++) {
		ck_assert_ptr_nonnull(memtext_open(&text));
		fprintf(text.out, "%*s", (int)n, "");
		got = memtext_close(&text, &size);
		ck_assert_ptr_nonnull(got);
		ck_assert_uint_eq(size, n);
		ck_assert_uint_eq(strlen(got), n);
		free(got);
	}
}
END_TEST

UNIT_MAIN("memtext", a_long_text_is_complete, a_text_of_any_size_has_a_nul_at_its_end)
