// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/die.h"
#include "base/msg.h"
#include "html/html.h"

static int ranking_compare(uint64_t x, uint64_t y, uint32_t a, uint32_t b)
{
	if (x != y)
		return x < y ? 1 : -1;
	return a < b ? -1 : a > b;
}

static int by_peak(const void *x, const void *y, void *arg)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	const struct ranked *items = arg;

	return ranking_compare(items[a].peak, items[b].peak, a, b);
}

static int by_alloc(const void *x, const void *y, void *arg)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	const struct ranked *items = arg;

	return ranking_compare(items[a].alloc, items[b].alloc, a, b);
}

static uint32_t *sorted(const struct ranked *items, size_t count,
			int (*order)(const void *x, const void *y, void *arg))
{
	uint32_t *numbers = xcalloc(count + 1, sizeof(*numbers));
	size_t i;

	for (i = 0; i < count; i++)
		numbers[i] = i;
	qsort_r(numbers, count, sizeof(*numbers), order, (void *)items);
	return numbers;
}

/* Takes from both orders in turn what was not taken before. */
static void interleave(uint32_t *to, const uint32_t *first,
		       const uint32_t *second,
		       bool *taken, size_t count)
{
	const uint32_t *next[2] = { first, second };
	size_t i;

	for (i = 0; i < count; i++) {
		const uint32_t **from = &next[i % 2];

		while (taken[**from])
			(*from)++;
		taken[**from] = true;
		to[i] = **from;
	}
}

uint32_t *ranking_make(const struct ranked *items, size_t count)
{
	uint32_t *peaks = sorted(items, count, by_peak);
	uint32_t *allocs = sorted(items, count, by_alloc);
	uint32_t *all = xcalloc(count + 1, sizeof(*all));
	bool *taken = xcalloc(count + 1, sizeof(*taken));

	interleave(all, peaks, allocs, taken, count);
	free(peaks);
	free(allocs);
	free(taken);
	return all;
}

void flows_add(struct flows *f, const struct timeline *t, size_t series)
{
	const struct timeline_series *s;
	size_t i;

	if (series >= t->nr_groups)
		return;
	s = &t->groups[series];
	for (i = 0; i < s->nr_flows; i++) {
		struct timeline_flow *to = &f->sum[i];

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

/* Return: the rows of the table, in the order in which they get series. */
static uint32_t *flows_rank(const struct report *r)
{
	struct ranked *items = xcalloc(r->list.shown + 1, sizeof(*items));
	uint32_t *order;
	size_t i;

	for (i = 0; i < r->list.shown; i++)
		items[i] = (struct ranked){
			.peak = r->no_live ? 0 :
					     peaks_of(&r->peaks, flows_group(r, i)),
			.alloc = r->rows[r->list.row[i]]->alloc,
		};
	order = ranking_make(items, r->list.shown);
	free(items);
	return order;
}

/* Adds all groups that are not among the @count first rows of @order. */
static void add_others(json_t *to, const struct report *r,
		       const struct timeline *t, const uint32_t *order,
		       size_t count)
{
	struct flows other[ANALYSIS_TYPES] = { 0 };
	bool *done = xcalloc(r->a.groups.count + 1, sizeof(*done));
	size_t i;

	for (i = 0; i < count; i++)
		done[flows_group(r, order[i])] = true;
	for (i = 0; i < r->a.groups.count; i++)
		if (!done[i])
			flows_add(&other[r->a.groups.groups[i].type], t, i);
	free(done);
	for (i = 0; i < ANALYSIS_TYPES; i++)
		json_array_append_new(to, flows_json(&other[i], -1,
						     analysis_types[i]));
}

json_t *flows_of_table(const struct report *r, const struct timeline *t)
{
	uint32_t *order = flows_rank(r);
	json_t *all = json_array();
	size_t count = r->list.shown < FLOWS_SERIES ? r->list.shown : FLOWS_SERIES;
	size_t i;

	for (i = 0; i < count; i++) {
		struct flows f = { 0 };
		size_t group = flows_group(r, order[i]);

		flows_add(&f, t, group);
		json_array_append_new(
			all, flows_json(&f, order[i],
					analysis_types[r->a.groups.groups[group].type]));
	}
	add_others(all, r, t, order, count);
	free(order);
	return all;
}
