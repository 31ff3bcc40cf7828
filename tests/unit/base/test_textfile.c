// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/textfile.h"
#include "tempdir.h"

START_TEST(lines_are_stepped_through)
{
	const char *line = "one\n\ntwo\n";

	line = textfile_next_line(line);
	ck_assert_str_eq(line, "\ntwo\n");
	line = textfile_next_line(line);
	ck_assert_str_eq(line, "two\n");
	ck_assert_ptr_null(textfile_next_line(line));
	ck_assert_ptr_null(textfile_next_line("no newline"));
}
END_TEST

START_TEST(a_value_has_the_whole_name)
{
	static const char text[] = "key: 1\nkey 2\nkeys=3\nmy key=4\nkey=5\nkey=6";

	ck_assert_int_eq(*textfile_value(text, "key", 3, ' '), '2');
	ck_assert_int_eq(*textfile_value(text, "key", 3, '='), '5');
	ck_assert_int_eq(*textfile_value(text, "key: 1", 3, ':'), ' ');
	ck_assert_ptr_null(textfile_value(text, "ke", 2, '='));
	ck_assert_ptr_null(textfile_value(text, "key", 3, '\t'));
	ck_assert_ptr_null(textfile_value("", "key", 3, '='));
	ck_assert_ptr_null(textfile_value(NULL, "key", 3, '='));
	/* the text ends directly after the separator, without a newline */
	ck_assert_str_eq(textfile_value("a=1\nb=", "b", 1, '='), "");
}
END_TEST

/* sscanf() would go on in the next line. */
START_TEST(a_scan_ends_with_the_line)
{
	char word[8] = "", long_line[2048];
	int n = 0, used = 0;

	ck_assert_int_eq(
		textfile_scan("a 1%\nb", "%7s %d%%%n", word, &n, &used), 2);
	ck_assert_str_eq(word, "a");
	ck_assert_int_eq(n, 1);
	ck_assert_int_eq(used, 4);
	ck_assert_int_eq(textfile_scan("a\n2", "%7s %d", word, &n), 1);
	ck_assert_int_eq(textfile_scan("\na 2", "%7s %d", word, &n), EOF);
	ck_assert_int_eq(textfile_scan("", "%7s", word), EOF);
	memset(long_line, ' ', sizeof(long_line));
	memcpy(long_line + 1021, "123\n", 5);
	ck_assert_int_eq(textfile_scan(long_line, "%d", &n), 1);
	ck_assert_int_eq(n, 12);
}
END_TEST

START_TEST(a_number_is_found)
{
	uint64_t n = 5;

	ck_assert(!textfile_number("events 1\n", "event", &n));
	ck_assert(!textfile_number(NULL, "event", &n));
	ck_assert_uint_eq(n, 5);
	ck_assert(textfile_number("lost 3\nevents 18446744073709551615\n",
				  "events", &n));
	ck_assert_uint_eq(n, UINT64_MAX);
}
END_TEST

START_TEST(a_number_of_a_cpu_is_parsed)
{
	static const char *const others[] = {
		"lost 7\n", "lost.cpu 7\n", "lost.cpu3\n", "lost.cpu3 \n8\n",
		"lost.cpu3=7\n", "lost.cpux 7\n", "lost.cpu-1 7\n", "lost", "",
		"a lost.cpu3 7\n", "losts.cpu3 7\n", "lost.cpu3 -1\n",
	};
	unsigned int cpu = 9;
	uint64_t n = 5;
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ck_assert_msg(!textfile_cpu_number(others[i], "lost", ' ', &cpu, &n),
			      "%s", others[i]);
	ck_assert_uint_eq(n, 5);
	ck_assert(textfile_cpu_number("lost.cpu3 7\nlost.cpu4 8\n", "lost", ' ',
				      &cpu, &n));
	ck_assert_uint_eq(cpu, 3);
	ck_assert_uint_eq(n, 7);
	ck_assert(textfile_cpu_number("lost.cpu12=18446744073709551615", "lost",
				      '=', &cpu, &n));
	ck_assert_uint_eq(cpu, 12);
	ck_assert_uint_eq(n, UINT64_MAX);
}
END_TEST

START_TEST(a_file_is_read_whole)
{
	static char text[200000];
	size_t size, i;
	char *got;

	for (i = 0; i < sizeof(text); i++)
		text[i] = 'a' + i % 26;
	tempdir_begin();
	tempdir_put("text", text, sizeof(text));
	got = textfile_read(AT_FDCWD, tempdir_path("text"), &size);
	ck_assert_ptr_nonnull(got);
	ck_assert_uint_eq(size, sizeof(text));
	ck_assert(!memcmp(got, text, size));
	ck_assert_int_eq(got[size], 0);
	free(got);
	got = textfile_read_proc("text", NULL);
	ck_assert_ptr_nonnull(got);
	ck_assert_uint_eq(strlen(got), sizeof(text));
	free(got);
	errno = 0;
	ck_assert_ptr_null(textfile_read_proc("missing", NULL));
	ck_assert_int_eq(errno, ENOENT);
	tempdir_end();
}
END_TEST

START_TEST(a_file_without_end_is_refused)
{
	ck_assert_ptr_null(textfile_read(AT_FDCWD, "/dev/zero", NULL));
	ck_assert_int_eq(errno, EFBIG);
}
END_TEST

START_TEST(the_first_bytes_are_read)
{
	char first[5];

	tempdir_begin();
	tempdir_put_text("long", "abcdefgh");
	ck_assert_int_eq(textfile_first(tempdir_path("long"), first, sizeof(first)), 0);
	ck_assert_str_eq(first, "abcd");
	tempdir_put_text("short", "ab");
	ck_assert_int_eq(textfile_first(tempdir_path("short"), first, sizeof(first)), 0);
	ck_assert_str_eq(first, "ab");
	ck_assert_int_eq(textfile_first(tempdir_path("nowhere"), first, sizeof(first)), -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_int_eq(textfile_first("/", first, sizeof(first)), -1);
	ck_assert_int_eq(errno, EISDIR);
	/* it has no writer: to open it would wait for one */
	ck_assert_int_eq(mkfifo(tempdir_path("pipe"), 0600), 0);
	ck_assert_int_eq(textfile_first(tempdir_path("pipe"), first, sizeof(first)), -1);
	ck_assert_int_eq(errno, ESPIPE);
	tempdir_end();
}
END_TEST

UNIT_MAIN("textfile", lines_are_stepped_through, a_value_has_the_whole_name,
	  a_scan_ends_with_the_line, a_number_is_found,
	  a_number_of_a_cpu_is_parsed, a_file_is_read_whole,
	  a_file_without_end_is_refused, the_first_bytes_are_read)
