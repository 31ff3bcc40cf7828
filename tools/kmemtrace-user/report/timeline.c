// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/array.h"
#include "report/timeline.h"

/* --- buckets -------------------------------------------------------------- */

/* Merges each two points. The last one of an odd number stays: @live did not change. */
static void halve_series(struct timeline_series *s)
{
	size_t i;

	for (i = 0; i < s->count; i++) {
		const struct timeline_point p = s->points[i];

		if (i % 2 && s->points[i / 2].highest > p.highest)
			s->points[i / 2].live = p.live;
		else
			s->points[i / 2] = p;
	}
	s->count = (s->count + 1) / 2;
}

static void halve_flows(struct timeline_series *s)
{
	size_t i;

	for (i = 0; i < s->nr_flows; i++) {
		const struct timeline_flow f = s->flows[i];
		struct timeline_flow *to = &s->flows[i / 2];

		if (i % 2) {
			to->allocs += f.allocs;
			to->alloc += f.alloc;
			to->frees += f.frees;
			to->freed += f.freed;
		} else {
			*to = f;
		}
	}
	s->nr_flows = (s->nr_flows + 1) / 2;
}

static void halve_losses(struct timeline *t)
{
	size_t i;

	for (i = 0; i <= t->bucket; i++) {
		struct timeline_loss *l = &t->losses[i / 2];
		uint64_t lost = t->losses[i].lost + (i % 2 ? l->lost : 0);

		*l = t->losses[i];
		l->lost = lost;
	}
	for (i = t->bucket / 2 + 1; i <= t->bucket; i++)
		t->losses[i] = (struct timeline_loss){ 0 };
}

static void timeline_halve(struct timeline *t)
{
	size_t i;

	halve_series(&t->all);
	for (i = 0; i < ANALYSIS_TYPES; i++)
		halve_series(&t->kinds[i]);
	for (i = 0; i < t->nr_groups; i++) {
		halve_series(&t->groups[i]);
		halve_flows(&t->groups[i]);
	}
	halve_losses(t);
	t->bucket /= 2;
	t->shift++;
}

/* --- losses --------------------------------------------------------------- */

/*
 * The bounds of "Effect of lost events on live figures" in file-format.rst, for the sum of
 * all groups: a lost free frees at most as much as the largest allocation, and so does a
 * lost allocation allocate.
 */
static void note_bounds(struct timeline *t)
{
	struct timeline_loss *l = &t->losses[t->bucket];
	uint64_t sure = t->all.live - t->doubtful, error, memory = 0;
	int i;

	if (__builtin_mul_overflow(t->lost, t->largest, &error))
		error = UINT64_MAX;
	l->low = t->a->frees_unseen || error > sure ? 0 : sure - error;
	l->high = t->all.live + error < error ? UINT64_MAX :
						t->all.live + error;
	/* the objects of slabs are counted again as pages */
	for (i = 0; i < SITE_KINDS; i++)
		if (t->a->sums[i].largest && __builtin_add_overflow(memory, t->a->memory, &memory))
			memory = UINT64_MAX;
	if (l->high > memory)
		l->high = memory > t->all.live ? memory : t->all.live;
}

/* Goes to the bucket of a time. */
static void go_to(struct timeline *t, uint64_t time)
{
	uint64_t to;

	if (!t->has_start && t->a->has_time) {
		t->start = t->a->time_first;
		t->has_start = true;
	}
	while ((to = time > t->start ? (time - t->start) >> t->shift : 0) >= TIMELINE_BUCKETS)
		timeline_halve(t);
	/* a bucket without a record is like the end of the one before */
	while (t->bucket < to) {
		note_bounds(t);
		t->bucket++;
	}
}

/*
 * The events were lost after the last record. They may have been in its bucket, or in any
 * bucket up to the next record.
 */
static void timeline_lose(void *arg)
{
	struct timeline *t = arg;

	go_to(t, t->a->time_last);
	t->losses[t->bucket].lost += t->a->lost - t->lost;
	t->lost = t->a->lost;
}

/* --- series --------------------------------------------------------------- */

/* Extends a series to the current bucket. */
static void extend_series(const struct timeline *t, struct timeline_series *s)
{
	size_t count = s->count;

	array_reach(s->points, s->count, t->bucket);
	for (; count < s->count; count++)
		s->points[count] = (struct timeline_point){ s->live, s->live };
}

static void change_series(const struct timeline *t, struct timeline_series *s,
			  uint64_t live, uint64_t time)
{
	struct timeline_point *p;

	if (t->has_no_points && s != &t->all) {
		s->live = live;
		return;
	}
	extend_series(t, s);
	p = &s->points[t->bucket];
	s->live = p->live = live;
	if (live > p->highest)
		p->highest = live;
	if (live > s->peak) {
		s->peak = live;
		s->peak_time = time;
	}
}

static void timeline_change(struct timeline *t, const struct analysis_change *c, bool is_free)
{
	uint64_t bytes = is_free ? -c->bytes : c->bytes;
	struct timeline_series *kind = &t->kinds[t->a->groups.groups[c->group].type];
	size_t step = t->bucket / TIMELINE_FLOW;
	struct timeline_series *s;

	array_reach(t->groups, t->nr_groups, c->group);
	s = &t->groups[c->group];
	change_series(t, s, s->live + bytes, c->time);
	if (t->has_kinds)
		change_series(t, kind, kind->live + bytes, c->time);
	change_series(t, &t->all, t->all.live + bytes, c->time);
	if (!t->has_flows)
		return;
	array_reach(s->flows, s->nr_flows, step);
	*(is_free ? &s->flows[step].frees : &s->flows[step].allocs) += c->whole;
	*(is_free ? &s->flows[step].freed : &s->flows[step].alloc) += c->bytes;
}

static bool timeline_counts(struct timeline *t, const struct analysis_change *c)
{
	if (!(t->classes >> c->class & 1))
		return false;
	go_to(t, c->time);
	return true;
}

static void timeline_add_alloc(void *arg, const struct analysis_change *c)
{
	struct timeline *t = arg;

	if (!timeline_counts(t, c))
		return;
	if (c->bytes > t->largest)
		t->largest = c->bytes;
	if (t->a->groups.groups[c->group].implicit)
		t->doubtful += c->bytes;
	timeline_change(t, c, false);
}

/* From its first implicit free on, what is live of a group is doubtful. */
static void timeline_add_free(void *arg, const struct analysis_change *c)
{
	struct timeline *t = arg;
	const struct group *g = &t->a->groups.groups[c->group];

	if (!timeline_counts(t, c))
		return;
	if (c->implicit && g->implicit == 1)
		t->doubtful += t->groups[c->group].live - c->bytes;
	else if (g->implicit)
		t->doubtful -= c->bytes;
	timeline_change(t, c, true);
}

void timeline_init(struct timeline *t, struct analysis *a)
{
	*t = (struct timeline){
		.classes = t->classes ? t->classes : (1u << SITE_KINDS) - 1,
		.has_flows = t->has_flows,
		.has_kinds = t->has_kinds,
		.has_no_points = t->has_no_points,
		.a = a,
		.watch = { .alloc = timeline_add_alloc, .free = timeline_add_free, .lose = timeline_lose,
			   .arg = t },
	};
	analysis_watch(a, &t->watch);
}

void timeline_exit(struct timeline *t)
{
	size_t i;

	for (i = 0; i < t->nr_groups; i++) {
		free(t->groups[i].points);
		free(t->groups[i].flows);
	}
	for (i = 0; i < ANALYSIS_TYPES; i++)
		free(t->kinds[i].points);
	free(t->groups);
	free(t->all.points);
}

void timeline_finish(struct timeline *t)
{
	size_t i;

	go_to(t, t->a->time_last);
	note_bounds(t);
	for (i = 0; i < t->nr_groups; i++)
		extend_series(t, &t->groups[i]);
	for (i = 0; i < ANALYSIS_TYPES; i++)
		extend_series(t, &t->kinds[i]);
	extend_series(t, &t->all);
}

/* --- parts of the time ---------------------------------------------------- */

static uint64_t timeline_duration(const struct timeline *t)
{
	uint64_t ns = t->a->time_last - t->start;

	return ns == UINT64_MAX ? ns : ns + 1;
}

/* Return: the bucket that has the beginning of a part. */
static size_t bucket_of(const struct timeline *t, size_t part, size_t parts)
{
	unsigned __int128 ns = (unsigned __int128)timeline_duration(t) * part / parts;
	size_t bucket = ns >> t->shift;

	return bucket < t->bucket ? bucket : t->bucket;
}

/* Return: the bucket behind the last one that has only times of a part. */
static size_t bucket_behind(const struct timeline *t, size_t part, size_t parts)
{
	return part + 1 == parts ? t->bucket + 1 : bucket_of(t, part + 1, parts);
}

uint64_t timeline_highest(const struct timeline *t,
			  const struct timeline_series *s, size_t part,
			  size_t parts)
{
	size_t i = bucket_of(t, part, parts);
	size_t end = bucket_behind(t, part, parts);
	uint64_t highest = s->points[i].highest;

	for (i++; i < end; i++)
		if (s->points[i].highest > highest)
			highest = s->points[i].highest;
	return highest;
}

uint64_t timeline_lost(const struct timeline *t, size_t part, size_t parts)
{
	size_t i = bucket_of(t, part, parts);
	size_t end = bucket_behind(t, part, parts);
	uint64_t lost = t->losses[i].lost;

	for (i++; i < end; i++)
		lost += t->losses[i].lost;
	return lost;
}

size_t timeline_part(const struct timeline *t, uint64_t time, size_t parts)
{
	size_t part;

	/* the first records may have no times */
	if (time < t->start)
		return 0;
	part = (unsigned __int128)(time - t->start) * parts / timeline_duration(t);
	return part < parts ? part : parts - 1;
}

uint64_t timeline_end(const struct timeline *t, size_t bucket)
{
	uint64_t end = t->start + ((bucket + 1ull) << t->shift) - 1;

	return end < t->a->time_last ? end : t->a->time_last;
}
