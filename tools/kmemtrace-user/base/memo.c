// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hash. The text of a number is in one of PLACES slots. If all of these are in use, the
 * first one is overwritten. Texts that do not fit into a slot are not kept.
 */
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/memo.h"
#include "base/table.h"

#define PLACES	 4
#define KEPT_MAX 246

/* tests use smaller caches, to fill them */
#ifndef MEMO_BITS
#define MEMO_BITS 14
#endif

struct slot {
	uint64_t key;
	uint16_t len; /* 0: the slot is empty */
	char text[KEPT_MAX];
};

struct memo {
	memo_make make;
	void *arg;
	char text[MEMO_TEXT_MAX];
	struct slot slots[(1 << MEMO_BITS) + PLACES];
};

struct memo *memo_create(memo_make make, void *arg)
{
	struct memo *m = xcalloc(1, sizeof(*m));

	m->make = make;
	m->arg = arg;
	return m;
}

void memo_destroy(struct memo *m)
{
	free(m);
}

/* Return: the slot that contains the text of a number, or the slot to use for it. */
static struct slot *find_slot(struct memo *m, uint64_t key)
{
	struct slot *s = &m->slots[key * 0x9e3779b97f4a7c15ull >> (64 - MEMO_BITS)];
	size_t i;

	for (i = 0; i < PLACES; i++)
		if (!s[i].len || s[i].key == key)
			return &s[i];
	return s;
}

const char *memo_get(struct memo *m, uint64_t key, size_t *len)
{
	struct slot *s = find_slot(m, key);

	if (s->len && s->key == key) {
		*len = s->len;
		return s->text;
	}
	m->make(m->arg, key, m->text, sizeof(m->text));
	table_clean(m->text);
	*len = strlen(m->text);
	if (*len >= sizeof(s->text))
		return m->text;
	s->key = key;
	s->len = *len;
	memcpy(s->text, m->text, *len + 1);
	return s->text;
}
