// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>

#include "base/utf8.h"

uint32_t utf8_character(const char *text, size_t *len)
{
	static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	const unsigned char *at = (const unsigned char *)text;
	size_t more = *at < 0xc0 ? 0 : *at < 0xe0 ? 1 : *at < 0xf0 ? 2 : 3, i;
	uint32_t code = more ? *at & 0x3f >> more : *at < 0x80 ? *at : 0;

	for (i = 1; i <= more; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (at[i] & 0x3f);
	}
	*len = more + 1;
	return *at > 0xf4 || code < least[more] || code > 0x10ffff || code >> 11 == 27 ?
		       0 :
		       code;
}

size_t utf8_printable(const char *text)
{
	size_t len = 1;
	uint32_t c = utf8_character(text, &len);
	bool controls = c < ' ' || (c >= 0x7f && c < 0xa0) ||
			(c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);

	return controls ? 0 : len;
}
