// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any text as an addr-spec, as a list of flags and as a bits-spec: it is refused
 * with a sentence, or what it says is possible.
 */
#include <string.h>

#include "fuzz.h"
#include "pagespec.h"

unsigned long fuzz_accepted;

static const char *const seeds[] = {
	"100",	   "100+20",	  "100,200", "100,",	"+5",	   ",200",
	"lru",	   "lru,active=lru", "lru,~active", "=slab", "0x20,anon",
	"compound", "swap",	  "=",	     "~lru,~slab,0x8000000000000000",
};

const char *fuzz_seed(size_t i)
{
	return i < sizeof(seeds) / sizeof(seeds[0]) ? seeds[i] : NULL;
}

static const char *const tokens[] = {
	",", "+", "=", "~", "0x", "0", "08", "1", "18446744073709551615",
	"18446744073709551616", "-1", " ", "\n", "\x80", "lru", "act", "c",
	"compound_tail", "swap", "mmap_exclusive", "uncached", "LRU", "",
};

const char *fuzz_token(size_t i)
{
	return i < sizeof(tokens) / sizeof(tokens[0]) ? tokens[i] : NULL;
}

/* A sentence, whole, that ends. */
static void check_refusal(const char *why)
{
	size_t len = strnlen(why, PAGESPEC_WHY);

	FUZZ_MUST(len > 10 && len < PAGESPEC_WHY - 1);
}

static void check_range(const char *text, char *why)
{
	struct pagespec_range r;

	if (!pagespec_range(text, &r, why)) {
		check_refusal(why);
		return;
	}
	fuzz_accepted++;
	FUZZ_MUST(r.start <= r.end);
	FUZZ_MUST(strspn(text, "0123456789abcdefABCDEFxX,+") == strlen(text));
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
	/* without numbers, only flags that have names */
	if (strpbrk(text, "0123456789"))
		return;
	for (i = 0; i < PAGEFLAGS; i++)
		FUZZ_MUST(names[i].name || !(flags >> i & 1));
}

static void check_bits(const struct pageflag_name *names, const char *text,
		       char *why)
{
	struct pagespec_bits bits;

	if (!pagespec_bits(names, text, &bits, why)) {
		check_refusal(why);
		return;
	}
	fuzz_accepted++;
	/* it can be met, and need not be */
	FUZZ_MUST(pagespec_fits(&bits, bits.bits));
	FUZZ_MUST(!bits.mask || !pagespec_fits(&bits, ~bits.bits));
	FUZZ_MUST(!(bits.bits & ~bits.mask));
	FUZZ_MUST(!bits.any || !strpbrk(text, "=~"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pageflag_name *names =
		pageflags_names(size % 2 ? "6.1" : "6.12");
	char *text = malloc(size + 1), *why = malloc(PAGESPEC_WHY);

	FUZZ_MUST(text && why);
	memcpy(text, data, size);
	text[size] = 0;
	memset(why, 0xa5, PAGESPEC_WHY);
	check_range(text, why);
	memset(why, 0xa5, PAGESPEC_WHY);
	check_flags(names, text, why);
	memset(why, 0xa5, PAGESPEC_WHY);
	check_bits(names, text, why);
	free(text);
	free(why);
	return 0;
}
