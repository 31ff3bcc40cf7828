// SPDX-License-Identifier: GPL-2.0-only
#include "watch/history.h"

unsigned int history_advance(struct history_clock *c, uint64_t ns)
{
	uint64_t slot = (ns - c->start_ns) / HISTORY_SLOT_NS, began;

	began = slot > c->slot ? slot - c->slot : 0;
	c->slot += began;
	return began < HISTORY_SLOTS ? began : HISTORY_SLOTS;
}

void history_put(struct history *h, const struct history_clock *c,
		 unsigned int began, int64_t before, int64_t value)
{
	while (began-- > 1)
		h->value[(c->slot - began) % HISTORY_SLOTS] = before;
	h->value[c->slot % HISTORY_SLOTS] = value;
}

void history_add(int64_t *to, const struct history *h,
		 const struct history_clock *c)
{
	size_t known = history_known(c), i;

	for (i = 0; i < known; i++)
		to[i] = (uint64_t)to[i] +
			(uint64_t)h->value[(c->slot + 1 - known + i) %
					   HISTORY_SLOTS];
}
