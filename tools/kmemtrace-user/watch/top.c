// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "watch/top.h"

bool top_delay(const char *text, double *delay)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds >= TOP_DELAY_MIN) ||
	    !(seconds <= TOP_DELAY_MAX))
		return false;
	*delay = seconds;
	return true;
}
