// SPDX-License-Identifier: GPL-2.0-only
#include <crypt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/pseudonym.h"
#include "base/words.h"

/* SHA-256, so often that many keys cannot be tried; a salt that is always the same */
#define SETTING "$5$rounds=1000$kmemtrace$"
/* crypt() refuses longer texts */
#define NAME_MAX_BYTES 256

/**
 * struct pseudonyms - hashes so far
 * @key: the key
 * @names: names with a hash
 * @hashes: their hashes
 * @nr_hashes: number of hashes
 * @data: memory of crypt_r()
 */
struct pseudonyms {
	char *key;
	struct words names;
	char (*hashes)[PSEUDONYM_SIZE];
	size_t nr_hashes;
	struct crypt_data data;
};

struct pseudonyms *pseudonyms_create(const char *key)
{
	struct pseudonyms *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->key = strdup(key);
	if (p->key && words_init(&p->names))
		return p;
	pseudonyms_destroy(p);
	return NULL;
}

void pseudonyms_destroy(struct pseudonyms *p)
{
	if (!p)
		return;
	free(p->key);
	words_exit(&p->names);
	free(p->hashes);
	free(p);
}

/* A long name is hashed in parts, of which each continues the hash of the part before. */
static bool hash(struct pseudonyms *p, const char *name,
		 char to[PSEUDONYM_SIZE])
{
	char text[2 * NAME_MAX_BYTES + PSEUDONYM_SIZE + 2];
	const char *result;
	char *at;

	to[0] = '\0';
	do {
		int part = strnlen(name, NAME_MAX_BYTES / 2);

		snprintf(text, sizeof(text), "%.*s\n%s\n%.*s", NAME_MAX_BYTES,
			 p->key, to, part, name);
		result = crypt_r(text, SETTING, &p->data);
		if (!result || result[0] == '*')
			return false;
		snprintf(to, PSEUDONYM_SIZE, "h-%.10s",
			 strrchr(result, '$') + 1);
		/* a slash would separate parts of a path, or of the name of a kworker */
		for (at = to; *at; at++)
			if (*at == '/' || *at == '.')
				*at = '_';
		name += part;
	} while (*name);
	return true;
}

const char *pseudonym(struct pseudonyms *p, const char *name)
{
	uint32_t number;

	if (!*name)
		return "";
	number = words_get(&p->names, name);
	if (number == WORDS_NONE)
		return NULL;
	if (number < p->nr_hashes)
		return p->hashes[number];
	if (!array_reserve(p->hashes, p->nr_hashes) ||
	    !hash(p, name, p->hashes[p->nr_hashes]))
		return NULL;
	return p->hashes[p->nr_hashes++];
}
