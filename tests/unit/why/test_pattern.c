// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"
#include "why/target.h"

static bool matches(const char *text, const char *location)
{
	struct pattern p;
	bool ok;

	pattern_parse(&p, text);
	ck_assert_msg(!pattern_is_empty(&p), "'%s'", text);
	ok = pattern_matches(&p, location);
	pattern_free(&p);
	return ok;
}

#define YES(text, location) ck_assert(matches(text, location))
#define NO(text, location)  ck_assert(!matches(text, location))

START_TEST(functions)
{
	YES("ring_entry", "ring_entry+0x1e [ring] func:ring_entry");
	YES("ring_entry", "drivers/ring.c:12 [ring] func:ring_entry");
	YES("ring_entry", "ring_entry.cold+0x1e [ring] func:ring_entry");
	YES("ring_entry", "ring_entry.constprop.0+0x4");
	YES("ring_entry_noprof", "mm/a.c:1 func:ring_entry");
	YES("  ring_entry", "mm/a.c:1 func:ring_entry");
	NO("ring", "ring_entry+0x1e [ring] func:ring_entry");
	NO("ring_entry2", "ring_entry+0x1e func:ring_entry");
	NO("RING_ENTRY", "ring_entry+0x1e func:ring_entry");
	NO("ring_entry", "[ring]+0x1e");
}
END_TEST

START_TEST(offsets)
{
	YES("f+0x1e", "f+0x1e func:f");
	YES("f+0x1e/0x40", "f+0x1e func:f");
	YES("f+0x1e/0x40 [m]", "f+0x1e [m] func:f");
	NO("f+0x1e", "f+0x1f func:f");
	NO("f+0x1e", "f.cold+0x1e func:f");
	NO("f+0x1e", "a.c:30 func:f");
	YES("f+0x0", "f+0x0");
	NO("f+0x0", "f+0x1");
}
END_TEST

START_TEST(modules)
{
	YES("f [m]", "f+0x1 [m] func:f");
	YES("f", "f+0x1 [m] func:f");
	NO("f [m]", "f+0x1 func:f");
	NO("f [m]", "f+0x1 [mm] func:f");
	YES("a.c:3 [m]", "x/a.c:3 [m] func:f");
	NO("a.c:3 [n]", "x/a.c:3 [m] func:f");
}
END_TEST

START_TEST(files)
{
	YES("mm/slub.c:12", "mm/slub.c:12 func:f");
	YES("slub.c:12", "mm/slub.c:12 func:f");
	NO("lub.c:12", "mm/slub.c:12 func:f");
	NO("slub.c:1", "mm/slub.c:12 func:f");
	NO("m/slub.c:12", "mm/slub.c:12 func:f");
	NO("x/mm/slub.c:12", "mm/slub.c:12 func:f");
	NO("slub.c:12", "slub+0xc func:slub");
	YES("mm/slub.c:12 func:f", "mm/slub.c:12 func:f");
	NO("mm/slub.c:12 func:g", "mm/slub.c:12 func:f");
}
END_TEST

START_TEST(tails)
{
	YES("f", "f+0x1 [m] func:f (unloaded) #1");
	YES("f+0x1 [m] func:f (unloaded) #1", "f+0x1 [m] func:f (unloaded) #1");
	NO("f+0x1 [m] func:f (unloaded) #1", "f+0x1 [m] func:f (unloaded) #2");
	NO("f+0x1 [m] func:f (unloaded) #1", "f+0x1 [m] func:f");
}
END_TEST

/* Each location finds itself, and no other one that differs in a part. */
START_TEST(locations_find_themselves)
{
	static const char *const all[] = {
		"mm/a.c:1 func:f",	     "mm/a.c:2 func:f",	    "mm/b.c:1 func:f",
		"mm/a.c:1 func:g",	     "mm/a.c:1 [m] func:g", "f+0x1 [m] func:f",
		"f+0x2 [m] func:f",	     "g+0x1 [m] func:g",    "f+0x1 [n] func:f",
		"f+0x1 [m] func:f (gone) #1", "f.cold+0x1 [m] func:f",
	};
	const size_t n = sizeof(all) / sizeof(*all);
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++)
			if (i == k)
				YES(all[i], all[k]);
			/* a text without module or tail matches any */
			else if (strncmp(all[k], all[i], strlen(all[i])) &&
				 !(i == 3 && k == 4))
				NO(all[i], all[k]);
}
END_TEST

START_TEST(nothing_is_named)
{
	static const char *const texts[] = { "", " ", "[m]", "+0x12", "+0x", "+0xg" };
	struct pattern p;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		pattern_parse(&p, texts[i]);
		ck_assert_msg(pattern_is_empty(&p), "'%s'", texts[i]);
		pattern_free(&p);
	}
}
END_TEST

/* No text makes the parser read beyond its end; ASan checks it. */
START_TEST(random_texts)
{
	static const char letters[] = "af:+0x1/ []#.c\tfunc:";
	uint32_t seed = 1;
	char text[40];
	struct pattern p;
	int i, k;

	for (i = 0; i < 50000; i++) {
		for (k = 0; k < i % 39; k++) {
			seed = seed * 1103515245 + 12345;
			text[k] = letters[(seed >> 16) % (sizeof(letters) - 1)];
		}
		text[k] = '\0';
		pattern_parse(&p, text);
		pattern_matches(&p, text);
		pattern_matches(&p, "mm/a.c:1 [m] func:f");
		pattern_free(&p);
	}
}
END_TEST

UNIT_MAIN("pattern", functions, offsets, modules, files, tails, locations_find_themselves,
	  nothing_is_named, random_texts)
