// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "why/target.h"

#define FRAME  "pfn:"
#define DIGITS "0123456789"
#define HEX    DIGITS "abcdefABCDEF"

/* digits of an address, as the kernel prints it without 0x */
#define ADDRESS_DIGITS 16

const char *const target_kind_names[] = {
	[TARGET_SITE] = "site",
	[TARGET_ADDRESS] = "address",
	[TARGET_FRAME] = "frame",
};

/* Read a text of digits; strtoull() would also accept signs, blanks and another "0x". */
static bool read_number(const char *text, int base, uint64_t *number)
{
	if (!*text || text[strspn(text, base == 16 ? HEX : DIGITS)])
		return false;
	errno = 0;
	*number = strtoull(text, NULL, base);
	return !errno;
}

static bool read_frame(const char *text, uint64_t *number)
{
	bool hex = !strncmp(text, "0x", 2) || !strncmp(text, "0X", 2);

	return read_number(text + 2 * hex, hex ? 16 : 10, number);
}

const char *target_parse(struct target *t, const char *text)
{
	bool is_hex = *text && !text[strspn(text, HEX)];

	*t = (struct target){ .text = text };
	if (!strncasecmp(text, FRAME, strlen(FRAME))) {
		t->kind = TARGET_FRAME;
		return read_frame(text + strlen(FRAME), &t->number) ? NULL :
			"names no page frame: write pfn:1234 or pfn:0x4d2";
	}
	t->kind = TARGET_ADDRESS;
	if (!strncmp(text, "0x", 2) || !strncmp(text, "0X", 2))
		return read_number(text + 2, 16, &t->number) ? NULL :
			"is no address: write 0x and up to 16 hexadecimal digits";
	if (is_hex && strlen(text) == ADDRESS_DIGITS)
		return read_number(text, 16, &t->number) ? NULL : "is no address";
	if (is_hex && *text >= '0' && *text <= '9')
		return "may be an address or a page frame: write 0x... for an address, pfn:... for a page frame";
	t->kind = TARGET_SITE;
	return text[strspn(text, " \t\n")] ? NULL :
		"is empty: name a function, a file with its line, an address or a page frame";
}
