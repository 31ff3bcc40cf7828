// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/array.h"
#include "report/temporary.h"

static void temporary_add_alloc(void *arg, const struct analysis_change *c)
{
	struct temporary *t = arg;

	array_reach(t->allocs, t->nr_cpus, c->cpu);
	births_add(&t->births, c, ++t->allocs[c->cpu]);
}

static void temporary_add_free(void *arg, const struct analysis_change *c)
{
	struct temporary *t = arg;
	uint64_t before;

	/* the time of a free without a record is not known */
	if (!births_take(&t->births, c, &before) || c->implicit ||
	    t->allocs[c->from] - before >= t->within)
		return;
	array_reach(t->groups, t->nr_groups, c->group);
	t->groups[c->group].count++;
	t->groups[c->group].bytes += c->bytes;
}

void temporary_init(struct temporary *t, struct analysis *a, uint64_t within)
{
	*t = (struct temporary){
		.within = within,
		.watch = { .alloc = temporary_add_alloc, .free = temporary_add_free, .arg = t },
	};
	analysis_watch(a, &t->watch);
	births_init(&t->births);
}

void temporary_exit(struct temporary *t)
{
	births_exit(&t->births);
	free(t->allocs);
	free(t->groups);
}

struct temporary_sums temporary_of(const struct temporary *t, size_t group)
{
	return group < t->nr_groups ? t->groups[group] :
				      (struct temporary_sums){ 0 };
}
