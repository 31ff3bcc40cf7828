// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "base/duration.h"

#define SECOND 1000000000ull

static const struct {
	const char *name;
	uint64_t ns;
} units[] = {
	{ "", SECOND },	     { "ns", 1 },	 { "us", 1000 },
	{ "ms", 1000000 },   { "s", SECOND },	 { "m", 60 * SECOND },
	{ "min", 60 * SECOND }, { "h", 3600 * SECOND },
};

bool duration_number(const char **text, struct duration_number *n)
{
	const char *at = *text;
	uint64_t scale = SECOND;
	bool any = false;

	*n = (struct duration_number){ 0 };
	for (; isdigit((unsigned char)*at); at++, any = true)
		if (__builtin_mul_overflow(n->whole, 10, &n->whole) ||
		    __builtin_add_overflow(n->whole, *at - '0', &n->whole))
			n->whole = UINT64_MAX;
	if (*at == '.')
		for (at++; isdigit((unsigned char)*at); at++, any = true)
			n->billionths += (*at - '0') * (scale /= 10);
	*text = at;
	return any;
}

uint64_t duration_ns(const struct duration_number *n, uint64_t unit)
{
	unsigned __int128 ns = (unsigned __int128)n->whole * unit;

	ns += (unsigned __int128)n->billionths * unit / SECOND;
	return ns < UINT64_MAX ? ns : UINT64_MAX;
}

bool duration_parse(const char *text, uint64_t *ns)
{
	struct duration_number n;
	size_t i;

	if (!duration_number(&text, &n))
		return false;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(text, units[i].name)) {
			*ns = duration_ns(&n, units[i].ns);
			return true;
		}
	return false;
}

bool duration_seconds(const char *text, double min, double max,
		      double *seconds)
{
	double value;
	uint64_t ns;

	if (!duration_parse(text, &ns) || ns == UINT64_MAX)
		return false;
	value = ns / 1e9;
	if (value < min || value > max)
		return false;
	*seconds = value;
	return true;
}
