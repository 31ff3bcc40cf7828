// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/die.h"
#include "trace/names.h"
#include "waste/slabfit.h"
#include "waste/wastes.h"

const char *const waste_kind_names[WASTE_KINDS] = {
	[WASTE_KMALLOC] = "kmalloc",
	[WASTE_CACHE] = "cache",
	[WASTE_LARGE] = "large",
	[WASTE_PERCPU] = "percpu",
};

const char *const waste_remedy_names[REMEDIES] = {
	[REMEDY_CACHE] = "cache",
	[REMEDY_LESS] = "less",
	[REMEDY_ALIGN] = "align",
	[REMEDY_EXACT] = "exact",
};

void wastes_init(struct wastes *w)
{
	*w = (struct wastes){ 0 };
	pairs_init(&w->keys);
	pairs_init(&w->size_keys);
}

void wastes_exit(struct wastes *w)
{
	pairs_exit(&w->keys);
	pairs_exit(&w->size_keys);
	free(w->row);
	free(w->objects);
	free(w->sizes);
}

static struct waste *find_row(struct wastes *w, uint32_t site,
			      enum waste_kind kind, uint64_t size)
{
	uint32_t number = pairs_get(&w->keys, (uint64_t)site << 8 | kind, size);
	struct waste *row;

	if (number < w->count)
		return &w->row[number];
	row = array_add(w->row, w->count);
	*row = (struct waste){ .site = site, .kind = kind, .size = size };
	return row;
}

void wastes_add_sum(struct wastes *w, uint32_t site, enum waste_kind kind,
		    uint64_t bytes, uint64_t requested, uint64_t objects)
{
	struct waste *row = find_row(w, site, kind, 0);

	row->bytes += bytes;
	row->requested += requested;
	row->objects += objects;
}

void wastes_add(struct wastes *w, uint32_t site, enum waste_kind kind,
		uint64_t size, uint64_t requested, uint64_t objects)
{
	struct waste *row = find_row(w, site, kind, size);
	uint32_t number;

	number = pairs_get(&w->size_keys, row - w->row, requested);
	array_reach(w->objects, w->nr_objects, number);
	row->bytes += size * objects;
	row->requested += requested * objects;
	row->objects += objects;
	row->nr_sizes += !w->objects[number];
	w->objects[number] += objects;
}

static int by_objects(const void *a, const void *b)
{
	const struct waste_size *x = a, *y = b;

	if (x->objects != y->objects)
		return x->objects < y->objects ? 1 : -1;
	return x->requested < y->requested ? 1 : -1;
}

/* Give each row its part of one array. */
static void share_sizes(struct wastes *w)
{
	size_t i, next = 0;
	struct waste *row;

	w->sizes = xcalloc(w->nr_objects + 1, sizeof(*w->sizes));
	for (i = 0; i < w->count; i++) {
		row = &w->row[i];
		row->sizes = w->sizes + next;
		next += row->nr_sizes;
		row->nr_sizes = 0;
	}
	for (i = 0; i < w->nr_objects; i++) {
		if (!w->objects[i])
			continue;
		row = &w->row[w->size_keys.pair[i].a];
		row->sizes[row->nr_sizes++] = (struct waste_size){
			.requested = w->size_keys.pair[i].b,
			.objects = w->objects[i],
		};
	}
}

void wastes_finish(struct wastes *w)
{
	size_t i;

	share_sizes(w);
	for (i = 0; i < w->count; i++)
		qsort(w->row[i].sizes, w->row[i].nr_sizes,
		      sizeof(*w->row[i].sizes), by_objects);
}

/* Debugging data makes objects larger than their cache is named. A request tells. */
static uint64_t bucket_of(const struct waste *row)
{
	return slabfit_bucket(row->size) == row->size || !row->nr_sizes ?
		       row->size :
		       slabfit_bucket(row->sizes[0].requested);
}

const char *waste_bucket(const struct waste *row, char *to, size_t size)
{
	if (row->kind == WASTE_KMALLOC && row->size)
		names_bucket(NULL, bucket_of(row), to, size);
	else if (row->size)
		snprintf(to, size, "%s-%" PRIu64, waste_kind_names[row->kind],
			 row->size);
	else
		snprintf(to, size, "%s", waste_kind_names[row->kind]);
	return to;
}

static uint64_t largest_requested(const struct waste *row)
{
	uint64_t most = 0;
	size_t i;

	for (i = 0; i < row->nr_sizes; i++)
		if (row->sizes[i].requested > most)
			most = row->sizes[i].requested;
	return most;
}

static void remedies_add(struct waste *row, struct remedy r, uint64_t before,
			 uint64_t after)
{
	int i = row->nr_remedies;

	if (before <= after || row->nr_remedies == WASTE_REMEDIES)
		return;
	r.saved = before - after;
	for (; i && row->remedy[i - 1].saved < r.saved; i--)
		row->remedy[i] = row->remedy[i - 1];
	row->remedy[i] = r;
	row->nr_remedies++;
}

/* A kmem_cache whose objects have the largest requested size. */
static void add_cache(struct waste *row, enum waste_remedy remedy,
		      const struct slab_rules *rules)
{
	struct slabfit now = slabfit_of(row->size, rules->cpus, rules->page_size);
	struct slabfit fit = slabfit_of(slabfit_aligned(largest_requested(row)), rules->cpus,
					rules->page_size);

	if (!now.objects || !fit.objects || row->nr_sizes > REMEDY_SIZES)
		return;
	remedies_add(row,
		     (struct remedy){ .remedy = remedy,
			     .size = largest_requested(row),
			     .objects = row->objects,
			     .slab_objects = fit.objects,
			     .slab_bytes = fit.bytes },
	    slabfit_share(&now, row->objects), slabfit_whole(&fit, row->objects));
}

/* Objects that are slightly too large for the next smaller cache of kmalloc(). */
static void add_less(struct waste *row, const struct slab_rules *rules)
{
	uint64_t below = slabfit_below(row->size), objects = 0;
	struct slabfit now = slabfit_of(row->size, rules->cpus, rules->page_size);
	struct slabfit fit = slabfit_of(below, rules->cpus, rules->page_size);
	size_t i;

	if (!now.objects || !fit.objects)
		return;
	for (i = 0; i < row->nr_sizes; i++) {
		uint64_t size = row->sizes[i].requested;

		if (size > below && size - below <= size / REMEDY_SHRINK)
			objects += row->sizes[i].objects;
	}
	remedies_add(row,
		     (struct remedy){ .remedy = REMEDY_LESS,
			     .size = below,
			     .objects = objects },
	    slabfit_share(&now, objects), slabfit_share(&fit, objects));
}

static uint64_t whole_pages(uint64_t bytes, uint64_t page_size)
{
	return bytes + -bytes % page_size;
}

/* Each object takes at most one byte less than a page more than was requested. */
static void add_exact(struct waste *row, uint64_t page_size)
{
	uint64_t after = 0;
	size_t i;

	for (i = 0; i < row->nr_sizes; i++)
		after += whole_pages(row->sizes[i].requested, page_size) *
			 row->sizes[i].objects;
	if (!row->nr_sizes)
		after = row->requested + row->objects * (page_size - 1);
	remedies_add(row,
		     (struct remedy){ .remedy = REMEDY_EXACT,
			     .at_least = !row->nr_sizes,
			     .objects = row->objects },
	    row->bytes, after);
}

static void remedies_of_row(struct waste *row, const struct slab_rules *rules)
{
	if (row->kind == WASTE_LARGE) {
		add_exact(row, rules->page_size);
	} else if (row->kind == WASTE_KMALLOC && !rules->padded) {
		add_cache(row, REMEDY_CACHE, rules);
		add_less(row, rules);
	} else if (row->kind == WASTE_CACHE && !rules->padded) {
		add_cache(row, REMEDY_ALIGN, rules);
	}
}

void remedies_find(struct wastes *w, const struct slab_rules *rules)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		remedies_of_row(&w->row[i], rules);
}
