// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/cmdline.h"
#include "base/msg.h"
#include "unit.h"

struct object {
	bool flag;
	int number;
	const char *text;
	size_t count;
};

static int take_nothing(const struct option_use *use)
{
	return option_wrong(use, "nothing");
}

static const struct option_row rows[] = {
	{ 'f', "flag", NULL, "a flag", OPTION_TRUE(struct object, flag) },
	OPTION_HEADING("Others:"),
	{ 0, "number", NULL, "a number", OPTION_NUMBER(struct object, number, 7) },
	{ 't', "text", "TEXT", "a text", OPTION_TEXT(struct object, text) },
	{ 'n', "count", "N", "a count", OPTION_COUNT(struct object, count) },
	{ 'm', "more", "N", "a count", .repeats = true,
	  OPTION_COUNT(struct object, count) },
	{ 0, "nothing", "X", "refuses all", .take = take_nothing },
	{ 0 },
};

static const struct options with_words = {
	.command = "test",
	.synopsis = (const char *const[]){ "", NULL },
	.about = "A test.",
	.rows = rows,
	.operands = "",
};

static const struct options without_words = {
	.command = "test",
	.synopsis = (const char *const[]){ "", NULL },
	.about = "A test.",
	.rows = rows,
};

static const struct options stopping = {
	.command = "test",
	.synopsis = (const char *const[]){ "", NULL },
	.about = "A test.",
	.rows = rows,
	.operands = "",
	.stops = true,
};

#define WORDS 8

static char *words[WORDS + 2];
static struct object object;

/* @text: the words of the command line, separated by blanks */
static struct cmdline parse(const struct options *options, const char *text)
{
	static char room[200];
	int n = 0;
	char *word;

	memset(&object, 0, sizeof(object));
	memset(words, 0, sizeof(words));
	snprintf(room, sizeof(room), "test %s", text);
	for (word = strtok(room, " "); word && n < WORDS; word = strtok(NULL, " "))
		words[n++] = word;
	return cmdline_parse(options, n, words, &object);
}

START_TEST(stores)
{
	struct cmdline line = parse(&with_words, "-f --number -t abc --count=3");

	ck_assert(!line.is_over && line.ret == EXIT_DONE && !line.count);
	ck_assert(object.flag && object.number == 7 && object.count == 3);
	ck_assert_str_eq(object.text, "abc");

	line = parse(&with_words, "-fn5 --te x");
	ck_assert(!line.is_over && object.flag && object.count == 5);
	ck_assert_str_eq(object.text, "x");

	/* the value that counts is clear */
	line = parse(&with_words, "-f -f -n 1 -n 2");
	ck_assert(line.is_over && line.ret == EXIT_USAGE);
	line = parse(&with_words, "-m 1 --more 2");
	ck_assert(!line.is_over && object.count == 2);
}
END_TEST

START_TEST(options_given_are_known)
{
	struct cmdline line = parse(&with_words, "--number -n 0");

	ck_assert(cmdline_has(&line, &with_words, "number"));
	ck_assert(cmdline_has(&line, &with_words, "count"));
	ck_assert(!cmdline_has(&line, &with_words, "flag"));
	ck_assert(!cmdline_has(&line, &with_words, "moon"));
}
END_TEST

START_TEST(operands)
{
	struct cmdline line = parse(&with_words, "one -f two -- -n");

	ck_assert(!line.is_over && object.flag && line.count == 3);
	ck_assert_str_eq(line.words[0], "one");
	ck_assert_str_eq(line.words[1], "two");
	ck_assert_str_eq(line.words[2], "-n");

	line = parse(&stopping, "-f one -n --moon");
	ck_assert(!line.is_over && object.flag && line.count == 3);
	ck_assert_str_eq(line.words[0], "one");
	ck_assert_str_eq(line.words[1], "-n");

	line = parse(&without_words, "-f one");
	ck_assert(line.is_over && line.ret == EXIT_USAGE);
}
END_TEST

START_TEST(refuses)
{
	static const char *const bad[] = {
		"--moon", "-x", "-fx", "--text", "-t", "-n x", "--count=", "--flag=1",
		"--n 1", "--help=1", "--nothing 1", "--coutn 3",
	};
	struct cmdline line;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		line = parse(&with_words, bad[i]);
		ck_assert_msg(line.is_over && line.ret == EXIT_USAGE, "'%s'", bad[i]);
	}
}
END_TEST

START_TEST(helps)
{
	static const char *const asks[] = { "--help", "-h", "-fh", "one --help", "--he" };
	struct cmdline line;
	size_t i;

	for (i = 0; i < sizeof(asks) / sizeof(asks[0]); i++) {
		line = parse(&with_words, asks[i]);
		ck_assert_msg(line.is_over && line.ret == EXIT_DONE, "'%s'", asks[i]);
	}
	line = parse(&stopping, "one --help");
	ck_assert(!line.is_over);
}
END_TEST

UNIT_MAIN("cmdline", stores, options_given_are_known, operands, refuses, helps)
