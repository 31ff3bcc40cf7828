// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any text as the argument of why, and as /proc/slabinfo. A text is one of the three kinds
 * of items, or is refused with a reason. The text of a site has all the parts that it names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "why/target.h"
#include "why/slabcaches.h"

static bool check_target(const char *text)
{
	struct target t;
	const char *why = target_parse(&t, text);

	if (why) {
		FUZZ_MUST(strlen(why) > 10);
		return false;
	}
	FUZZ_MUST(t.kind == TARGET_SITE || t.kind == TARGET_ADDRESS || t.kind == TARGET_FRAME);
	/* a site is no number: neither of these forms, nor digits alone */
	if (t.kind == TARGET_SITE)
		FUZZ_MUST(strncmp(text, "0x", 2) && strncmp(text, "pfn:", 4) &&
			  text[strspn(text, "0123456789")]);
	return t.kind == TARGET_SITE;
}

/* Locations with and without the parts of the pattern. */
static void check_pattern(const char *text)
{
	char *location;
	struct pattern p;

	pattern_parse(&p, text);
	if (!pattern_is_empty(&p) && !*p.name.tail && !strchr(p.name.function, ' ') &&
	    !strstr(p.name.function, "+0x") && !strchr(p.name.function, ':') &&
	    *p.name.function && !p.name.file && !strchr(p.name.module, ' ') &&
	    *p.name.function != '[') {
		FUZZ_MUST(asprintf(&location, "%s+0x%llx%s%s%s", p.name.function,
				   (unsigned long long)p.name.offset,
				   *p.name.module ? " [" : "", p.name.module,
				   *p.name.module ? "]" : "") >= 0);
		FUZZ_MUST(pattern_matches(&p, location));
		free(location);
		FUZZ_MUST(!pattern_matches(&p, "another_function+0x7fffffffffffffff [other]") ||
			  !strncmp(p.name.plain, "another_function", 16));
	}
	pattern_matches(&p, text);
	pattern_free(&p);
}

static void check_caches(const char *text)
{
	struct slabcaches c;
	size_t i;

	slabcaches_parse(&c, text);
	for (i = 0; i < c.count; i++)
		FUZZ_MUST(c.cache[i].name && *c.cache[i].name);
	slabcaches_free(&c);
}

bool fuzz_one(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	bool site = check_target(text);

	check_pattern(text);
	check_caches(text);
	free(text);
	return site;
}
