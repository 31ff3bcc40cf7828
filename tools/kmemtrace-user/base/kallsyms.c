// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/kallsyms.h"

/* As strtoull(), which would take a quarter of the time to read all symbols. */
static const char *parse_hex(const char *at, uint64_t *value)
{
	uint64_t n = 0;

	for (;; at++) {
		unsigned int digit = *at - '0', letter = (*at | 0x20) - 'a';

		if (digit > 9 && letter > 5)
			break;
		n = n << 4 | (digit > 9 ? letter + 10 : digit);
	}
	*value = n;
	return at;
}

bool kallsyms_parse(const char *line, const char *end, struct symbol *s)
{
	const char *at, *tab;
	char type;

	at = parse_hex(line, &s->addr);
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
