// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/pseudonym.h"
#include "unit.h"

/* The hash of a name with a key. */
static void hash(const char *key, const char *name, char to[PSEUDONYM_SIZE])
{
	struct pseudonyms *p = pseudonyms_create(key);

	ck_assert(p);
	strcpy(to, pseudonym(p, name));
	pseudonyms_destroy(p);
}

/* Recordings that were made at different times can be compared. */
START_TEST(the_same_key_gives_the_same_hashes)
{
	char one[PSEUDONYM_SIZE], two[PSEUDONYM_SIZE];

	hash("key", "bash", one);
	hash("key", "bash", two);
	ck_assert_str_eq(one, two);
	hash("other", "bash", two);
	ck_assert_str_ne(one, two);
	hash("key", "dash", two);
	ck_assert_str_ne(one, two);
}
END_TEST

START_TEST(hashes_are_short_names)
{
	static char name[2000];
	char one[PSEUDONYM_SIZE], two[PSEUDONYM_SIZE];

	hash("key", "kworker/0:1", one);
	ck_assert_uint_eq(strlen(one), PSEUDONYM_SIZE - 1);
	ck_assert(!strncmp(one, "h-", 2));
	ck_assert(!strpbrk(one, "/. "));
	hash("key", "", one);
	ck_assert_str_eq(one, "");
	/* all of a long name counts */
	memset(name, 'x', sizeof(name) - 1);
	hash("key", name, one);
	name[sizeof(name) - 2] = 'y';
	hash("key", name, two);
	ck_assert_str_ne(one, two);
}
END_TEST

/* Names that came before keep their hashes, in the same memory. */
START_TEST(names_are_hashed_once)
{
	struct pseudonyms *p = pseudonyms_create("");
	const char *first = pseudonym(p, "first");
	char copy[PSEUDONYM_SIZE], name[32];
	int i;

	strcpy(copy, first);
	for (i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		ck_assert_str_ne(pseudonym(p, name), copy);
	}
	ck_assert_str_eq(pseudonym(p, "first"), copy);
	pseudonyms_destroy(p);
}
END_TEST

UNIT_MAIN("pseudonym", the_same_key_gives_the_same_hashes, hashes_are_short_names,
	  names_are_hashed_once)
