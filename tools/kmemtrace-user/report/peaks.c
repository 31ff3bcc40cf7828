// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/peaks.h"

#define ALL ((1u << SITE_KINDS) - 1)

int peaks_class(const char *text, unsigned int *classes)
{
	static const char *const names[SITE_KINDS] = { "peak:slab", "peak:pages",
						    "peak:percpu" };
	int i;

	*classes = ALL;
	if (!strcmp(text, "peak"))
		return 0;
	for (i = 0; i < SITE_KINDS; i++) {
		if (strcmp(text, names[i]))
			continue;
		*classes = 1u << i;
		return 0;
	}
	return -EINVAL;
}

static void peaks_add_alloc(void *arg, const struct analysis_change *c)
{
	struct peaks *p = arg;
	const struct group *g = &p->a->groups.groups[c->group];
	uint64_t live = group_live(g);

	array_reach(p->peak, p->count, c->group);
	if (live > p->peak[c->group])
		p->peak[c->group] = live;
	if (!(p->classes >> c->class & 1))
		return;
	p->live += c->bytes;
	p->seen |= 1u << c->class;
	if (p->live <= p->highest)
		return;
	p->highest = p->live;
	p->at = p->now;
	p->time = c->time;
	p->lost = p->a->lost;
}

static void peaks_add_free(void *arg, const struct analysis_change *c)
{
	struct peaks *p = arg;

	if (p->classes >> c->class & 1)
		p->live -= c->bytes;
}

void peaks_init(struct peaks *p, struct analysis *a)
{
	*p = (struct peaks){
		.classes = p->classes ? p->classes : ALL,
		.now = p->now,
		.a = a,
		.watch = { .alloc = peaks_add_alloc, .free = peaks_add_free, .arg = p },
	};
	analysis_watch(a, &p->watch);
}

void peaks_exit(struct peaks *p)
{
	free(p->peak);
}

bool peaks_mix(const struct peaks *p)
{
	return p->seen >> SITE_SLAB & 1 && p->seen >> SITE_PAGE & 1;
}

uint64_t peaks_of(const struct peaks *p, size_t group)
{
	return group < p->count ? p->peak[group] : 0;
}

void peaks_bounds(const struct peaks *p, size_t group, uint64_t *low,
		  uint64_t *high)
{
	const struct group *g = &p->a->groups.groups[group];
	uint64_t peak = peaks_of(p, group), error;
	struct analysis_bounds now;

	if (__builtin_mul_overflow(p->a->lost, g->largest, &error))
		error = UINT64_MAX;
	*high = analysis_highest(p->a, peak, g->largest);
	*low = peak > error && !g->implicit && !p->a->frees_unseen ?
		       peak - error :
		       0;
	/* the peak is not below what is live at the end */
	analysis_bounds(p->a, g, &now);
	if (now.low > *low)
		*low = now.low;
}
