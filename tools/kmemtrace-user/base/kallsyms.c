// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/kallsyms.h"

/*
 * strtoull() would take a quarter of the time to read all symbols. It is only called for
 * what the kernel does not write: a sign, 0x, or more than 16 digits.
 */
static const char *parse_hex(const char *text, uint64_t *value)
{
	const char *at = text;
	char *end;

	for (*value = 0;; at++) {
		unsigned int digit = *at - '0', letter = (*at | 0x20) - 'a';

		if (digit > 9 && letter > 5)
			break;
		*value = *value << 4 | (digit > 9 ? letter + 10 : digit);
	}
	if (at > text && at - text <= 16 && *at == ' ')
		return at;
	*value = strtoull(text, &end, 16);
	return end;
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
