// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

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

#define LEVELS 8

static size_t level(int64_t value, int64_t least, int64_t most)
{
	double range = (double)most - (double)least;

	if (!(range > 0))
		return 0;
	return ((double)value - (double)least) / range * (LEVELS - 1) + 0.5;
}

static size_t put_level(char *to, size_t level, bool utf8)
{
	static const char ascii[LEVELS + 1] = "_.-:=+*#";

	if (!utf8) {
		*to = ascii[level];
		return 1;
	}
	memcpy(to, "\xe2\x96\x81", 3); /* U+2581, the lowest block */
	to[2] += level;
	return 3;
}

void history_draw(char *to, const int64_t *value, size_t count, size_t width,
		  bool utf8)
{
	int64_t least = INT64_MAX, most = INT64_MIN;
	size_t i;

	if (count > width) {
		value += count - width;
		count = width;
	}
	for (i = 0; i < count; i++) {
		least = value[i] < least ? value[i] : least;
		most = value[i] > most ? value[i] : most;
	}
	memset(to, ' ', width - count);
	to += width - count;
	for (i = 0; i < count; i++)
		to += put_level(to, level(value[i], least, most), utf8);
	*to = '\0';
}
