// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <linux/kmemtrace_pages.h>

#include "base/die.h"
#include "pages/shares.h"

/* The objects or pages of one site in the current block. */
struct holder {
	uint32_t site;
	uint32_t items;
	uint32_t ages;
	uint32_t oldest;
	uint64_t bytes;
};

void shares_init(struct shares *s, size_t sites)
{
	*s = (struct shares){ .count = sites };
	s->share = xcalloc(sites + 1, sizeof(*s->share));
	s->holder = xcalloc(sites + 1, sizeof(*s->holder));
	s->place = xcalloc(sites + 1, sizeof(*s->place));
}

void shares_exit(struct shares *s)
{
	free(s->share);
	free(s->holder);
	free(s->place);
}

void shares_hold(struct shares *s, uint32_t site, uint64_t bytes, uint32_t age)
{
	struct holder *h;

	if (!s->place[site]) {
		s->holder[s->nr_holders++] = (struct holder){ .site = site };
		s->place[site] = s->nr_holders;
	}
	h = &s->holder[s->place[site] - 1];
	h->items++;
	h->bytes += bytes;
	if (age == KMEMTRACE_AGE_UNKNOWN)
		return;
	h->ages++;
	if (h->oldest < age)
		h->oldest = age;
}

static void take_over(struct share *share, const struct holder *h)
{
	share->items += h->items;
	share->bytes += h->bytes;
}

static void take_ages(struct share *share, const struct holder *h)
{
	share->ages += h->ages;
	if (share->oldest < h->oldest)
		share->oldest = h->oldest;
}

void shares_settle(struct shares *s, uint64_t cost)
{
	size_t i, n = s->nr_holders;

	if (!n)
		return;
	s->blocks++;
	s->cost += cost;
	for (i = 0; i < n; i++) {
		const struct holder *h = &s->holder[i];
		struct share *share = &s->share[h->site];

		take_over(share, h);
		take_ages(share, h);
		if (n == 1) {
			share->alone++;
			share->cost_alone += cost;
		} else {
			share->together++;
			/* the parts of all holders add up to exactly the cost */
			share->cost_shared += cost / n + (i < cost % n);
		}
	}
	shares_drop(s);
}

void shares_use(struct shares *s)
{
	size_t i;

	for (i = 0; i < s->nr_holders; i++)
		take_over(&s->share[s->holder[i].site], &s->holder[i]);
	shares_drop(s);
}

void shares_drop(struct shares *s)
{
	while (s->nr_holders)
		s->place[s->holder[--s->nr_holders].site] = 0;
}
