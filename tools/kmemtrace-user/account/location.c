// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "account/location.h"

void location_parse(struct location *l, const char *text)
{
	const char *func = strstr(text, " func:"), *open = strstr(text, " [");
	const char *rest = "";

	memset(l, 0, sizeof(*l));
	l->has_line = sscanf(text, "%255[^: ]:%u", l->file, &l->line) == 2;
	l->has_offset = !l->has_line && sscanf(text, "%255[^+ ]+0x%x", l->file,
					       &l->offset) == 2;
	if (open && open < func)
		sscanf(open, " [%63[^]]", l->module);
	if (!func)
		return;
	sscanf(func, " func:%255s", l->function);
	rest = strchr(func + strlen(" func:"), ' ');
	if (rest)
		snprintf(l->suffix, sizeof(l->suffix), "%s", rest + 1);
}
