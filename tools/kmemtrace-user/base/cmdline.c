// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/cmdline.h"
#include "base/msg.h"
#include "base/options.h"
#include "base/similar.h"

/* --- help ----------------------------------------------------------------------- */

/* the longest line */
#define COLUMNS 79
/* the last column at which the text of an option may begin */
#define INDENT_MAX 28

static const struct option_row help_row = {
	'h', "help", NULL, "show this help", .take = NULL,
};

/* Make the left side of an option, "  -n, --top N". Return: its length. */
static size_t synopsis(const struct option_row *row, char *to, size_t size)
{
	char letter[] = "    ";

	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	return snprintf(to, size, "  %s--%s%s%s", letter, row->name,
			row->value ? " " : "", row->value ? row->value : "");
}

/*
 * Print a text. Break the line when it is full, and at each newline of the text.
 */
static void print_wrapped(const char *text, size_t column, size_t indent)
{
	size_t word;
	bool first = true;

	while (*text) {
		word = strcspn(text, " \n");
		if (!first && column + 1 + word > COLUMNS) {
			printf("\n%*s", (int)indent, "");
			column = indent;
			first = true;
		}
		column += printf("%s%.*s", first ? "" : " ", (int)word, text);
		first = false;
		text += word;
		if (*text == '\n') {
			text++;
			if (*text && *text != '\n')
				printf("\n%*s", (int)indent, "");
			else
				putchar('\n');
			column = indent;
			first = true;
		} else if (*text) {
			text++;
		}
	}
	putchar('\n');
}

static void print_option(const struct option_row *row, size_t indent)
{
	char left[80], text[800];
	size_t length = synopsis(row, left, sizeof(left));

	snprintf(text, sizeof(text), "%s%s", row->help,
		 row->repeats ? "; may be repeated" : "");
	fputs(left, stdout);
	if (length + 2 > indent) {
		putchar('\n');
		length = 0;
	}
	printf("%*s", (int)(indent - length), "");
	print_wrapped(text, indent, indent);
}

static size_t find_indent(const struct options *options)
{
	const struct option_row *row;
	size_t indent = 0, length;
	char left[80];

	for (row = options->rows; !option_end(row); row++) {
		length = row->name ? synopsis(row, left, sizeof(left)) + 2 : 0;
		if (length > indent && length <= INDENT_MAX)
			indent = length;
	}
	length = synopsis(&help_row, left, sizeof(left)) + 2;
	return length > indent ? length : indent;
}

static void print_synopsis(const struct options *options)
{
	const char *const *form;

	for (form = options->synopsis; *form; form++)
		printf("%s kmemtrace-user %s%s%s\n",
		       form == options->synopsis ? "Usage:" : "      ",
		       options->command, **form ? " " : "", *form);
}

static void usage_print(const struct options *options)
{
	size_t indent = find_indent(options);
	const struct option_row *row;

	print_synopsis(options);
	putchar('\n');
	print_wrapped(options->about, 0, 0);
	putchar('\n');
	for (row = options->rows; !option_end(row); row++) {
		if (row->name)
			print_option(row, indent);
		else
			printf("\n%s\n", row->help);
	}
	print_option(&help_row, indent);
	if (options->notes) {
		putchar('\n');
		print_wrapped(options->notes, 0, 0);
	}
}

/* --- parsing -------------------------------------------------------------------- */

/* getopt_long() returns LONG + the number of the row for a long option. */
#define LONG 256
#define HELP (LONG + OPTIONS_MAX)

/**
 * struct known - the table in the format of getopt_long()
 * @longs: the long options, terminated by zeros
 * @letters: the short options
 */
struct known {
	struct option longs[OPTIONS_MAX + 2];
	char letters[2 + 2 * OPTIONS_MAX + 2];
};

static void make_known(const struct options *options, struct known *k)
{
	const struct option_row *row;
	struct option *o = k->longs;
	char *letter = k->letters;

	memset(k, 0, sizeof(*k));
	if (options->stops)
		*letter++ = '+';
	*letter++ = ':';
	for (row = options->rows; !option_end(row); row++) {
		if (row->letter)
			*letter++ = row->letter;
		if (row->letter && row->value)
			*letter++ = ':';
		if (row->name)
			*o++ = (struct option){
				.name = row->name,
				.has_arg = row->value ? required_argument :
							no_argument,
				.val = LONG + (row - options->rows),
			};
	}
	*letter++ = 'h';
	*o = (struct option){ .name = "help", .val = HELP };
}

/* @value: the value of getopt_long(). Return: the row of the option, or NULL. */
static const struct option_row *find_row(const struct options *options, int value)
{
	const struct option_row *row;

	if (value >= LONG)
		return &options->rows[value - LONG];
	for (row = options->rows; !option_end(row); row++)
		if (value && row->letter == value)
			return row;
	return NULL;
}

/* Set @list to the options that begin with @name. Return: the number of them. */
static size_t list_beginning(const struct known *k, const char *name, size_t length,
			     char *list, size_t size)
{
	const struct option *o;
	size_t n = 0, at = 0;

	for (o = k->longs; o->name && at < size; o++)
		if (!strncmp(name, o->name, length))
			at += snprintf(list + at, size - at, "%s--%s",
				       n++ ? ", " : "", o->name);
	return n;
}

static int unknown_long(const struct options *options, const struct known *k,
			const char *word)
{
	size_t length = strcspn(word + 2, "=");
	const struct option *o;
	char list[200], name[64];
	struct similar s;

	snprintf(name, sizeof(name), "%.*s", (int)length, word + 2);
	if (list_beginning(k, word + 2, length, list, sizeof(list)) > 1)
		return msg_usage(options->command, "--%s may be one of %s", name,
				 list);
	similar_init(&s, name);
	for (o = k->longs; o->name; o++)
		similar_offer(&s, o->name);
	if (s.best)
		return msg_usage(options->command,
				 "there is no option --%s; did you mean --%s?",
				 name, s.best);
	return msg_usage(options->command, "there is no option --%s", name);
}

/* @option: the value of getopt_long(); @word: the last word that it parsed */
static int wrong_option(const struct options *options, const struct known *k,
			int option, const char *word)
{
	const struct option_row *row = NULL;

	if (optopt != HELP)
		row = find_row(options, optopt);
	if (option == ':' && optopt < LONG)
		return msg_usage(options->command, "-%c needs a value", optopt);
	if (option == ':')
		return msg_usage(options->command, "--%s needs a value",
				 row->name);
	if (optopt >= LONG)
		return msg_usage(options->command, "--%s takes no value",
				 row ? row->name : "help");
	if (optopt)
		return msg_usage(options->command, "there is no option -%c",
				 optopt);
	return unknown_long(options, k, word);
}

/*
 * Options that store different numbers in one place exclude each other. Return: such an
 * option that was given before @row, or NULL.
 */
static const struct option_row *find_other(const struct options *options,
					   const struct option_row *row, uint32_t given)
{
	const struct option_row *other;

	if (row->take != option_take_number)
		return NULL;
	for (other = options->rows; !option_end(other); other++)
		if (given >> (other - options->rows) & 1 && other->to == row->to &&
		    other->take == row->take && other->number != row->number)
			return other;
	return NULL;
}

/* @given: the options before @row */
static int cmdline_take(const struct options *options, const struct option_row *row,
			void *object, uint32_t given)
{
	const struct option_row *other = find_other(options, row, given);
	const struct option_use use = {
		.command = options->command,
		.row = row,
		.text = row->value ? optarg : NULL,
		.to = (char *)object + row->to,
	};

	if (other)
		return msg_usage(options->command, "--%s cannot be combined with --%s",
				 other->name, row->name);
	if (row->value && !row->repeats && given >> (row - options->rows) & 1)
		return msg_usage(options->command, "--%s can be given only once",
				 row->name);
	return row->take(&use);
}

struct cmdline cmdline_parse(const struct options *options, int argc, char **argv,
			     void *object)
{
	struct cmdline line = { 0 };
	const struct option_row *row;
	struct known known;
	int option;

	make_known(options, &known);
	opterr = 0;
	optind = 0;
	while (!line.is_over && (option = getopt_long(argc, argv, known.letters,
						      known.longs, NULL)) != -1) {
		if (option == 'h' || option == HELP) {
			usage_print(options);
			line.is_over = true;
			return line;
		}
		if (option == ':' || option == '?') {
			line.ret = wrong_option(options, &known, option,
						argv[optind - 1]);
		} else {
			row = find_row(options, option);
			line.ret = cmdline_take(options, row, object, line.given);
			line.given |= UINT32_C(1) << (row - options->rows);
		}
		line.is_over = line.ret != EXIT_DONE;
	}
	line.words = argv + optind;
	line.count = argc - optind;
	if (!line.is_over && line.count && !options->operands) {
		line.ret = msg_usage(options->command,
				     "it takes no argument: '%s'", *line.words);
		line.is_over = true;
	}
	return line;
}

bool cmdline_has(const struct cmdline *line, const struct options *options,
		 const char *name)
{
	const struct option_row *row;

	for (row = options->rows; !option_end(row); row++)
		if (row->name && !strcmp(name, row->name))
			return line->given >> (row - options->rows) & 1;
	return false;
}
