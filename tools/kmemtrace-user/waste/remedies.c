// SPDX-License-Identifier: GPL-2.0-only
#include "waste/remedies.h"
#include "waste/slabfit.h"

static uint64_t largest(const struct waste *row)
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
	struct slabfit fit = slabfit_of(slabfit_aligned(largest(row)), rules->cpus,
					rules->page_size);

	if (!now.objects || !fit.objects || row->nr_sizes > REMEDY_SIZES)
		return;
	remedies_add(row,
		     (struct remedy){ .remedy = remedy,
			     .size = largest(row),
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

static void find(struct waste *row, const struct slab_rules *rules)
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
		find(&w->row[i], rules);
}
