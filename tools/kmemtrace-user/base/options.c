// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/msg.h"
#include "base/options.h"

/* Set @rest to the text after the number. Return: false if there is no number. */
static bool take_number(const char *text, uint64_t *n, char **rest)
{
	errno = 0;
	*n = strtoull(text, rest, 10);
	return *text >= '0' && *text <= '9' && !errno;
}

bool option_count(const char *text, size_t *n)
{
	char *rest;

	return take_number(text, n, &rest) && !*rest;
}

bool option_kib(const char *text, uint64_t max, uint64_t *kib)
{
	uint64_t n, unit;
	char *rest;

	if (!take_number(text, &n, &rest))
		return false;
	*kib = n / 1024 + !!(n % 1024);
	if (!*rest)
		return *kib && *kib <= max;
	if (!strcasecmp(rest, "g") || !strcasecmp(rest, "gib"))
		unit = 1 << 20;
	else if (!strcasecmp(rest, "m") || !strcasecmp(rest, "mib"))
		unit = 1 << 10;
	else if (!strcasecmp(rest, "k") || !strcasecmp(rest, "kib"))
		unit = 1;
	else
		return false;
	*kib = n * unit;
	return n && n <= max / unit;
}

int option_wrong(const struct option_use *use, const char *takes)
{
	return msg_usage(use->command, "--%s takes %s, not '%s'", use->row->name,
			 takes, use->text);
}

int option_take_true(const struct option_use *use)
{
	*(bool *)use->to = true;
	return EXIT_DONE;
}

int option_take_number(const struct option_use *use)
{
	*(int *)use->to = use->row->number;
	return EXIT_DONE;
}

int option_take_text(const struct option_use *use)
{
	*(const char **)use->to = use->text;
	return EXIT_DONE;
}

int option_take_word(const struct option_use *use)
{
	option_take_text(use);
	return *use->text ? EXIT_DONE : option_wrong(use, "a text that is not empty");
}

int option_take_count(const struct option_use *use)
{
	if (option_count(use->text, use->to))
		return EXIT_DONE;
	return option_wrong(use, "a number");
}

int option_take_tenths(const struct option_use *use)
{
	char *end;
	double percent = strtod(use->text, &end);

	if (end == use->text || (strcmp(end, "%") && *end) ||
	    !(percent >= 0 && percent <= 100))
		return option_wrong(use, "a percentage from 0 to 100");
	*(unsigned int *)use->to = percent * 10 + 0.5;
	return EXIT_DONE;
}

const struct option_row option_json_rows[] = {
	{ 0, "json", NULL, "the same, as JSON", .take = option_take_true },
	{ 0 },
};

int option_name(const char *const *names, int count, const char *text)
{
	int i;

	for (i = 0; i < count; i++)
		if (!strcmp(names[i], text))
			return i;
	return -1;
}

bool option_end(const struct option_row *row)
{
	return !row->help;
}
