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

void slots_clear(struct slots *s, unsigned int bits, uint32_t used)
{
	s->bits = bits;
	s->base += used;
	if (s->base < UINT32_MAX - (2u << s->room))
		return;
	memset(s->slot, 0, sizeof(*s->slot) << s->room);
	s->base = 0;
}
