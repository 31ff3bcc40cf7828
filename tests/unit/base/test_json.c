// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/msg.h"
#include "unit.h"

/* Print a document. Return: the text; the caller frees it. */
static char *print(json_t *members, int *ret)
{
	FILE *old = stdout;
	char *text = NULL;
	size_t size;

	stdout = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(stdout);
	*ret = json_print(members);
	fclose(stdout);
	stdout = old;
	return text;
}

START_TEST(a_document_begins_with_its_version)
{
	char *text;
	int ret;

	text = print(json_pack("{s:i,s:[s]}", "b", 1, "a", "x\"y"), &ret);
	ck_assert_str_eq(text, "{\n \"version\": 1,\n \"b\": 1,\n \"a\": [\n"
			       "  \"x\\\"y\"\n ]\n}\n");
	ck_assert_int_eq(ret, EXIT_DONE);
	free(text);
}
END_TEST

START_TEST(a_full_disk_is_for_main_to_report)
{
	FILE *old = stdout;

	stdout = fopen("/dev/full", "w");
	ck_assert_ptr_nonnull(stdout);
	setbuf(stdout, NULL);
	ck_assert_int_eq(json_print(json_pack("{s:i}", "b", 1)), EXIT_DONE);
	ck_assert(ferror(stdout));
	fclose(stdout);
	stdout = old;
}
END_TEST

UNIT_MAIN("json", a_document_begins_with_its_version,
	  a_full_disk_is_for_main_to_report)
