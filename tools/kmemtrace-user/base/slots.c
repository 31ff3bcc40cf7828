// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/slots.h"

bool slots_init(struct slots *s, unsigned int bits)
{
	uint32_t *slot = calloc(1ul << bits, sizeof(*slot));

	if (slot)
		*s = (struct slots){ slot, bits, bits, 0 };
	return slot;
}

void slots_exit(struct slots *s)
{
	free(s->slot);
}

bool slots_rebuild(struct slots *s, unsigned int bits, uint32_t from,
		   uint32_t to, slots_hash hash, const void *arg)
{
	struct slots new;
	uint32_t i, at, other;

	if (!slots_init(&new, bits))
		return false;
	for (i = from; i < to; i++) {
		slots_find(&new, hash(arg, i), at, other, false);
		slots_set(&new, at, i);
	}
	slots_exit(s);
	*s = new;
	return true;
}

void slots_clear(struct slots *s, unsigned int bits, uint32_t used)
{
	s->bits = bits;
	s->base += used;
	if (s->base < UINT32_MAX - (2u << s->room))
		return;
	memset(s->slot, 0, sizeof(*s->slot) << s->room);
	s->base = 0;
}
