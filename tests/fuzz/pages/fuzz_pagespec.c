// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any text as an addr-spec, as a list of flags and as a bits-spec. It is refused with a
 * message, or its values are possible.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "pages/pagespec.h"

/* The message must be complete and terminated. */
static void check_refusal(const char *why)
{
	size_t len = strnlen(why, PAGESPEC_WHY);

	FUZZ_MUST(len > 10 && len < PAGESPEC_WHY - 1);
}

/* The functions below return true if the text was accepted. */

static bool check_range(const char *text, char *why)
{
	struct pagespec_range r;

	if (!pagespec_range(text, &r, why)) {
		check_refusal(why);
		return false;
	}
	FUZZ_MUST(r.start <= r.end);
	FUZZ_MUST(strspn(text, "0123456789abcdefABCDEFxX,+") == strlen(text));
	return true;
}

static void check_flags(const struct pageflag_name *names, const char *text,
			char *why)
{
	uint64_t flags;
	size_t i;

	if (!pagespec_flags(names, text, &flags, why)) {
		check_refusal(why);
		return;
	}
	FUZZ_MUST(!strpbrk(text, "~= \n"));
	/* a text without numbers can only set flags with names */
	if (strpbrk(text, "0123456789"))
		return;
	for (i = 0; i < PAGEFLAGS; i++)
		FUZZ_MUST(names[i].name || !(flags >> i & 1));
}

static bool check_bits(const struct pageflag_name *names, const char *text,
		       char *why)
{
	struct pagespec_bits bits;

	if (!pagespec_bits(names, text, &bits, why)) {
		check_refusal(why);
		return false;
	}
	/* some flags fit, and others do not */
	FUZZ_MUST(pagespec_fits(&bits, bits.bits));
	FUZZ_MUST(!bits.mask || !pagespec_fits(&bits, ~bits.bits));
	FUZZ_MUST(!(bits.bits & ~bits.mask));
	FUZZ_MUST(!bits.any || !strpbrk(text, "=~"));
	return true;
}

bool fuzz_one(const uint8_t *data, size_t size)
{
	const struct pageflag_name *names =
		pageflags_names(size % 2 ? "6.1" : "6.12");
	char *text = fuzz_text(data, size), *why = malloc(PAGESPEC_WHY);
	bool range, bits;

	FUZZ_MUST(why);
	memset(why, 0xa5, PAGESPEC_WHY);
	range = check_range(text, why);
	memset(why, 0xa5, PAGESPEC_WHY);
	check_flags(names, text, why);
	memset(why, 0xa5, PAGESPEC_WHY);
	bits = check_bits(names, text, why);
	free(text);
	free(why);
	return range || bits;
}
