// SPDX-License-Identifier: GPL-2.0-only
#include <crypt.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "base/msg.h"
#include "base/pseudonym.h"
#include "base/words.h"

/* SHA-256, so often that many keys cannot be tried; a salt that is always the same */
#define SETTING "$5$rounds=1000$kmemtrace$"
/* bytes of a name that are hashed at a time: crypt() takes up to 511 bytes with the key */
#define PART_MAX 128

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
	char text[PSEUDONYM_KEY_MAX + PART_MAX + PSEUDONYM_SIZE + 2];
	const char *result;
	char *at;

	to[0] = '\0';
	do {
		int part = strnlen(name, PART_MAX);

		snprintf(text, sizeof(text), "%s\n%s\n%.*s", p->key, to, part,
			 name);
		errno = 0;
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

/* Whether crypt() takes SHA-256 does not depend on the name. */
static int try(struct pseudonyms *p)
{
	char to[PSEUDONYM_SIZE];

	if (hash(p, "name", to))
		return EXIT_DONE;
	return msg_error("cannot hash names: crypt() of this system refuses SHA-256: %s",
			 errno ? strerror(errno) : "it gives no reason");
}

int pseudonyms_create(const char *key, struct pseudonyms **ret)
{
	struct pseudonyms *p = xcalloc(1, sizeof(*p));
	int err;

	*ret = p;
	p->key = xstrdup(key);
	words_init(&p->names);
	err = try(p);
	if (!err)
		return EXIT_DONE;
	pseudonyms_destroy(p);
	*ret = NULL;
	return err;
}

const char *pseudonym(struct pseudonyms *p, const char *name)
{
	uint32_t number;

	if (!*name)
		return "";
	number = words_get(&p->names, name);
	if (number < p->nr_hashes)
		return p->hashes[number];
	array_reserve(p->hashes, p->nr_hashes);
	/* it has succeeded in try(), so that only memory can be missing */
	if (!hash(p, name, p->hashes[p->nr_hashes]))
		die();
	return p->hashes[p->nr_hashes++];
}
