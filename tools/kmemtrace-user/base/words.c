// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "base/slots.h"
#include "base/words.h"

#define BITS_AT_FIRST 8

void words_init(struct words *w)
{
	*w = (struct words){ 0 };
	slots_init(&w->slots, BITS_AT_FIRST);
}

void words_exit(struct words *w)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		free(w->word[i]);
	free(w->word);
	slots_exit(&w->slots);
	*w = (struct words){ 0 };
}

static uint64_t hash_of(const void *arg, uint32_t number)
{
	const struct words *w = arg;

	return hash_text(HASH_START, w->word[number]);
}

static bool words_look_up(const struct words *w, const char *text, uint32_t *at,
			  uint32_t *number)
{
	return slots_find(&w->slots, hash_text(HASH_START, text), *at, *number,
			  !strcmp(w->word[*number], text));
}

uint32_t words_get(struct words *w, const char *text)
{
	uint32_t at, number;

	if (words_look_up(w, text, &at, &number))
		return number;
	if (w->count >= (1ul << w->slots.bits) / 2) {
		slots_rebuild(&w->slots, w->slots.bits + 1, 0, w->count, hash_of, w);
		words_look_up(w, text, &at, &number);
	}
	slots_set(&w->slots, at, w->count);
	*array_add(w->word, w->count) = xstrdup(text);
	return w->count - 1;
}
