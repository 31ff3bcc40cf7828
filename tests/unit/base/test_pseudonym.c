// SPDX-License-Identifier: GPL-2.0-only
#include <crypt.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/msg.h"
#include "base/pseudonym.h"
#include "unit.h"

static bool refuses;

/* Replaces crypt_r() of the library, as if the system did not allow SHA-256. */
char *crypt_r(const char *phrase, const char *setting, struct crypt_data *data)
{
	char *(*real)(const char *phrase, const char *setting,
		      struct crypt_data *data);

	if (refuses) {
		errno = EPERM;
		return NULL;
	}
	*(void **)&real = dlsym(dlopen("libcrypt.so.1", RTLD_NOW), "crypt_r");
	return real(phrase, setting, data);
}

/* The hash of a name with a key. */
static void hash(const char *key, const char *name, char to[PSEUDONYM_SIZE])
{
	struct pseudonyms *p;

	ck_assert_int_eq(pseudonyms_create(key, &p), EXIT_DONE);
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
	char copy[PSEUDONYM_SIZE], name[32];
	struct pseudonyms *p;
	const char *first;
	int i;

	ck_assert_int_eq(pseudonyms_create("", &p), EXIT_DONE);
	first = pseudonym(p, "first");
	strcpy(copy, first);
	for (i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		ck_assert_str_ne(pseudonym(p, name), copy);
	}
	ck_assert_str_eq(pseudonym(p, "first"), copy);
	pseudonyms_destroy(p);
}
END_TEST

/* All of the longest key counts. */
START_TEST(long_keys_count)
{
	static char key[PSEUDONYM_KEY_MAX + 1];
	char one[PSEUDONYM_SIZE], two[PSEUDONYM_SIZE];

	memset(key, 'k', PSEUDONYM_KEY_MAX);
	hash(key, "bash", one);
	key[PSEUDONYM_KEY_MAX - 1] = 'l';
	hash(key, "bash", two);
	ck_assert_str_ne(one, two);
}
END_TEST

START_TEST(a_refusal_is_no_lack_of_memory)
{
	static char text[256];
	struct pseudonyms *p;
	FILE *old = stderr;

	refuses = true;
	stderr = fmemopen(text, sizeof(text), "w");
	ck_assert_int_eq(pseudonyms_create("key", &p), EXIT_FAILED);
	fclose(stderr);
	stderr = old;
	refuses = false;
	ck_assert(!p);
	ck_assert(strstr(text, "refuses SHA-256: Operation not permitted"));
	ck_assert(!strstr(text, "memory"));
}
END_TEST

UNIT_MAIN("pseudonym", the_same_key_gives_the_same_hashes, hashes_are_short_names,
	  names_are_hashed_once, long_keys_count,
	  a_refusal_is_no_lack_of_memory)
