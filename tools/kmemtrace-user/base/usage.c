// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/usage.h"

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

void usage_print(const struct options *options)
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
		else if (!row->letter)
			printf("\n%s\n", row->help);
	}
	print_option(&help_row, indent);
	if (options->notes) {
		putchar('\n');
		print_wrapped(options->notes, 0, 0);
	}
}
