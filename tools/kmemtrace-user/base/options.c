// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#include "base/options.h"

/* Return: whether there is a number; @rest is set to what is behind it. */
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
