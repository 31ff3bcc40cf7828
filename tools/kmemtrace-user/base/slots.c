// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/slots.h"

void slots_init(struct slots *s, unsigned int bits)
{
	*s = (struct slots){ xcalloc(1ul << bits, sizeof(*s->slot)), bits, bits, 0 };
}

void slots_exit(struct slots *s)
{
	free(s->slot);
}

void slots_rebuild(struct slots *s, unsigned int bits, uint32_t from,
		   uint32_t to, slots_hash hash, const void *arg)
{
	struct slots new;
	uint32_t i, at, other;

	slots_init(&new, bits);
	for (i = from; i < to; i++) {
		slots_find(&new, hash(arg, i), at, other, false);
		slots_set(&new, at, i);
	}
	slots_exit(s);
	*s = new;
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
