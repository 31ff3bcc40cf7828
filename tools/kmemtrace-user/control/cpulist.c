// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

#include "cpulist.h"

/* Read "A" or "A-B" and move behind it. */
static bool take_range(const char **at, long *first, long *last)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	*first = *last = strtol(*at, &end, 10);
	if (*end == '-') {
		if (!isdigit((unsigned char)end[1]))
			return false;
		*last = strtol(end + 1, &end, 10);
	}
	*at = end;
	return *first <= *last && *last < INT_MAX;
}

bool cpulist_valid(const char *list)
{
	long first, last;

	for (;;) {
		if (!take_range(&list, &first, &last))
			return false;
		if (!*list)
			return true;
		if (*list++ != ',')
			return false;
	}
}

bool cpulist_contains(const char *list, int cpu)
{
	long first, last;

	if (!list)
		return true;
	while (take_range(&list, &first, &last)) {
		if (cpu >= first && cpu <= last)
			return true;
		if (*list++ != ',')
			break;
	}
	return false;
}
