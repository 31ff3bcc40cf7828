// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "trace/window.h"

/*
 * The second half of the memory is for records whose places in the first half are already
 * taken.
 */
bool window_init(struct window *w, bool records)
{
	memset(w, 0, sizeof(*w));
	w->events = malloc(2 * WINDOW_SIZE * sizeof(*w->events));
	if (records)
		w->records = malloc(2 * WINDOW_SIZE * KMT_RECORD_MAX);
	if (w->events && (w->records || !records))
		return true;
	window_exit(w);
	return false;
}

void window_exit(struct window *w)
{
	free(w->events);
	free(w->records);
	memset(w, 0, sizeof(*w));
}
