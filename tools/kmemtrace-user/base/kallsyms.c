// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/kallsyms.h"

bool kallsyms_parse(const char *line, const char *end, struct symbol *s)
{
	const char *at, *tab;
	char *stop;
	char type;

	s->addr = strtoull(line, &stop, 16);
	at = stop;
	if (at == line || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return false;
	type = at[1] | 0x20;
	if (type != 't' && type != 'w')
		return false;
	s->name = at + 3;
	tab = memchr(s->name, '\t', end - s->name);
	s->name_len = (tab ? tab : end) - s->name;
	s->module = NULL;
	s->module_len = 0;
	if (tab && end - tab > 3 && tab[1] == '[' && end[-1] == ']') {
		s->module = tab + 2;
		s->module_len = end - 1 - s->module;
	}
	return s->addr != 0;
}
