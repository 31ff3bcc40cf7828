// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "trace/window.h"

/*
 * The second half of the memory is for records whose places in the first half are already
 * taken.
 */
void window_init(struct window *w, bool records)
{
	memset(w, 0, sizeof(*w));
	w->events = xmalloc(2 * WINDOW_SIZE * sizeof(*w->events));
	if (records)
		w->records = xmalloc(2 * WINDOW_SIZE * KMT_RECORD_MAX);
}

void window_exit(struct window *w)
{
	free(w->events);
	free(w->records);
	memset(w, 0, sizeof(*w));
}

/*
 * Pages are divided by large blocks. Other addresses are divided by a hash, because the
 * objects of one slab may be most of the load.
 */
static uint64_t is_second(const struct kmt_event *ev, unsigned int page_shift)
{
	uint64_t place = ev->type_id == KMEMTRACE_TYPE_PAGES ?
				 ev->ptr >> (page_shift + WINDOW_ORDER_MAX) :
				 ev->ptr * 0x9e3779b97f4a7c15ull >> 40;

	return place & 1;
}

void window_divide(struct window *w, uint64_t page_size)
{
	unsigned int page_shift = __builtin_ctzll(page_size);
	uint32_t lost = 0;
	size_t i;

	memset(w->second, 0, sizeof(w->second));
	for (i = 0; i < w->count; i++) {
		const struct merged *m = &w->events[i];

		w->second[i / 64] |= is_second(&m->ev, page_shift) << i % 64;
		lost |= m->lost;
	}
	w->gaps = lost;
}
