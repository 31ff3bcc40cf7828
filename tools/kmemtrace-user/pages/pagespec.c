// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pages/pagespec.h"

/* maximum number of bytes that a message quotes */
#define QUOTE 60

#define COMPOUND (PAGEFLAG(COMPOUND_HEAD) | PAGEFLAG(COMPOUND_TAIL))

static bool wrong(char *why, const char *what, const char *text)
{
	snprintf(why, PAGESPEC_WHY, "%s: '%.*s'", what, QUOTE, text);
	return false;
}

/* Parses a number in C syntax. A character of @ends, or the end of @text, must follow. */
static bool parse_number(const char *text, const char *ends, uint64_t *n,
			 const char **next)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*n = strtoull(text, &end, 0);
	*next = end;
	return !errno && (!*end || strchr(ends, *end));
}

/* --- pages ---------------------------------------------------------------------- */

bool pagespec_range(const char *text, struct pagespec_range *range, char *why)
{
	const char *at = text;
	uint64_t n = 0, m;
	char sign;

	*range = (struct pagespec_range){ 0 };
	if (*at != ',' && *at != '+' && !parse_number(at, ",+", &n, &at))
		goto bad;
	range->start = n;
	sign = *at;
	if (sign)
		at++;
	if (!sign)
		m = 1;
	else if (!*at && at - 1 > text)
		m = UINT64_MAX;
	else if (!parse_number(at, "", &m, &at))
		goto bad;
	if (sign == ',' && m < n)
		return wrong(why, "the range ends before it begins", text);
	if (sign == ',')
		range->end = m;
	else
		range->end = m < UINT64_MAX - n ? n + m : UINT64_MAX;
	return true;
bad:
	return wrong(why,
		     "pages are given as N, N+M, N,M (up to M-1), N, (to the end) "
		     "or ,M (from 0), where numbers are pages",
		     text);
}

/* --- flags ---------------------------------------------------------------------- */

static bool no_flag(const struct pageflag_name *names, const char *text,
		    size_t len, char *why)
{
	char all[PAGEFLAGS_LONG];
	uint64_t known = 0;
	int i;

	for (i = 0; i < PAGEFLAGS; i++)
		if (names[i].name)
			known |= 1ull << i;
	snprintf(why, PAGESPEC_WHY, "there is no flag '%.*s', only %s",
		 (int)(len < QUOTE ? len : QUOTE), text,
		 pageflags_long(names, known, all, sizeof(all)));
	return false;
}

/* Return: the bit with this name, else the first whose name begins with it, else -1. */
static int find_flag(const struct pageflag_name *names, const char *text,
		     size_t len)
{
	int i, found = -1;

	for (i = 0; i < PAGEFLAGS; i++) {
		if (!names[i].name || strncmp(names[i].name, text, len))
			continue;
		if (strlen(names[i].name) == len)
			return i;
		if (found < 0)
			found = i;
	}
	return found;
}

static bool parse_flag(const struct pageflag_name *names, const char *text,
		       size_t len, uint64_t *flags, char *why)
{
	static const char compound[] = "compound";
	const char *end;
	uint64_t number;
	int bit;

	if (!len)
		return true;
	if (len < sizeof(compound) && !strncmp(text, compound, len)) {
		*flags |= COMPOUND;
		return true;
	}
	bit = find_flag(names, text, len);
	if (bit >= 0) {
		*flags |= 1ull << bit;
		return true;
	}
	if (!parse_number(text, ",=", &number, &end) || end != text + len)
		return no_flag(names, text, len, why);
	*flags |= number;
	return true;
}

/* Parses @len bytes. Flags after '~' go to @without; if it is NULL, '~' is an error. */
static bool parse_flags(const struct pageflag_name *names, const char *text,
			size_t len, uint64_t *flags, uint64_t *without,
			char *why)
{
	const char *end = text + len;

	*flags = 0;
	if (without)
		*without = 0;
	while (text <= end) {
		const char *comma = memchr(text, ',', end - text);
		size_t n = (comma ? comma : end) - text;
		bool negative = without && *text == '~';

		if (!parse_flag(names, text + negative, n - negative,
				negative ? without : flags, why))
			return false;
		text += n + 1;
	}
	return true;
}

bool pagespec_flags(const struct pageflag_name *names, const char *text,
		    uint64_t *flags, char *why)
{
	return parse_flags(names, text, strlen(text), flags, NULL, why);
}

bool pagespec_bits(const struct pageflag_name *names, const char *text,
		   struct pagespec_bits *bits, char *why)
{
	const char *equals = strchr(text, '=');
	uint64_t without = 0;

	*bits = (struct pagespec_bits){ 0 };
	if (!equals) {
		if (!parse_flags(names, text, strlen(text), &bits->bits,
				 &without, why))
			return false;
		bits->mask = bits->bits | without;
		if (!bits->mask)
			return wrong(why, "flags are missing", text);
		if (bits->bits & without)
			return wrong(why, "a flag cannot be set and not set",
				     text);
		bits->any = !strchr(text, '~');
		return true;
	}
	if (strchr(text, '~'))
		return wrong(why, "'~' is for conditions without '='", text);
	if (!parse_flags(names, equals + 1, strlen(equals + 1), &bits->bits,
			 NULL, why))
		return false;
	if (equals == text) {
		bits->mask = UINT64_MAX;
		return true;
	}
	if (!parse_flags(names, text, equals - text, &bits->mask, NULL, why))
		return false;
	if (bits->bits & ~bits->mask)
		return wrong(why,
			     "a flag behind the '=' must be before it as well",
			     text);
	return true;
}
