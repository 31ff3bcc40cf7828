// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdlib.h>

#include "html/flows.h"

size_t flows_step(const struct timeline *t)
{
	size_t step = 1;

	while (t->bucket / step >= FLOWS_STEPS)
		step *= 2;
	return step;
}

void flows_add(struct flows *f, const struct timeline *t, size_t series)
{
	const struct timeline_series *s;
	size_t i;

	if (series >= t->nr_groups)
		return;
	s = &t->groups[series];
	for (i = 0; i < s->nr_flows; i++) {
		struct timeline_flow *to = &f->sum[i / f->step];

		to->allocs += s->flows[i].allocs;
		to->alloc += s->flows[i].alloc;
		to->frees += s->flows[i].frees;
		to->freed += s->flows[i].freed;
	}
}

json_t *flows_json(const struct flows *f, int64_t row, const char *kind)
{
	json_t *at = json_array(), *allocs = json_array();
	json_t *alloc = json_array(), *frees = json_array();
	json_t *freed = json_array();
	size_t i;

	for (i = 0; i < FLOWS_STEPS; i++) {
		const struct timeline_flow *s = &f->sum[i];

		if (!(s->alloc || s->allocs || s->frees || s->freed))
			continue;
		json_array_append_new(at, json_integer(i));
		json_array_append_new(allocs, json_integer(s->allocs));
		json_array_append_new(alloc, json_integer(s->alloc));
		json_array_append_new(frees, json_integer(s->frees));
		json_array_append_new(freed, json_integer(s->freed));
	}
	return json_pack("{s:o,s:s,s:o,s:o,s:o,s:o,s:o}", "row",
			 row < 0 ? json_null() : json_integer(row), "kind", kind,
			 "at", at, "allocs", allocs, "alloc", alloc, "frees",
			 frees, "freed", freed);
}

size_t flows_group(const struct report *r, size_t row)
{
	return r->rows[r->list.row[row]] - r->a.groups.groups;
}

/* --- the rows of a table ------------------------------------------------------ */

/**
 * struct ranked - a row of the table
 * @row: its number
 * @alloc: bytes that it allocated
 */
struct ranked {
	size_t row;
	uint64_t alloc;
};

static int by_alloc(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	if (a->alloc != b->alloc)
		return a->alloc < b->alloc ? 1 : -1;
	return a->row < b->row ? -1 : a->row > b->row;
}

/* Half of the series have the highest peaks; the others allocated most of the rest. */
static struct ranked *rank(const struct report *r)
{
	struct ranked *all = calloc(r->list.shown + 1, sizeof(*all));
	size_t first = FLOWS_SERIES / 2, i;

	for (i = 0; all && i < r->list.shown; i++)
		all[i] = (struct ranked){ i, r->rows[r->list.row[i]]->alloc };
	if (all && r->list.shown > first)
		qsort(all + first, r->list.shown - first, sizeof(*all), by_alloc);
	return all;
}

/* Adds all groups that are not among the @count first rows of @ranked. */
static void add_others(json_t *to, const struct report *r,
		       const struct timeline *t, const struct ranked *ranked,
		       size_t count)
{
	struct flows other[ANALYSIS_TYPES] = { 0 };
	bool *done = calloc(r->a.groups.count + 1, sizeof(*done));
	size_t i;

	for (i = 0; i < ANALYSIS_TYPES; i++)
		other[i].step = flows_step(t);
	for (i = 0; done && i < count; i++)
		done[flows_group(r, ranked[i].row)] = true;
	for (i = 0; done && i < r->a.groups.count; i++)
		if (!done[i])
			flows_add(&other[r->a.groups.groups[i].type], t, i);
	free(done);
	for (i = 0; i < ANALYSIS_TYPES; i++)
		json_array_append_new(to, flows_json(&other[i], -1,
						     analysis_types[i]));
}

json_t *flows_of_table(const struct report *r, const struct timeline *t)
{
	struct ranked *ranked = rank(r);
	json_t *all = json_array();
	size_t count = r->list.shown < FLOWS_SERIES ? r->list.shown : FLOWS_SERIES;
	size_t i;

	for (i = 0; ranked && i < count; i++) {
		struct flows f = { .step = flows_step(t) };
		size_t group = flows_group(r, ranked[i].row);

		flows_add(&f, t, group);
		json_array_append_new(
			all, flows_json(&f, ranked[i].row,
					analysis_types[r->a.groups.groups[group].type]));
	}
	if (ranked)
		add_others(all, r, t, ranked, count);
	free(ranked);
	return all;
}
