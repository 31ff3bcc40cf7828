// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>

#include "waste/slabfit.h"

/* slub_max_order: PAGE_ALLOC_COSTLY_ORDER */
#define MAX_ORDER 3
/* a slab has no more objects: MAX_OBJS_PER_PAGE */
#define OBJECTS_MAX 32767
/* the page allocator has no larger blocks: MAX_PAGE_ORDER */
#define MAX_PAGE_ORDER 10

static unsigned int order_of(uint64_t bytes, uint64_t page_size)
{
	unsigned int order = 0;

	while (order <= MAX_PAGE_ORDER && page_size << order < bytes)
		order++;
	return order;
}

/* the position of the highest bit that is set, from 1 */
static unsigned int fls(unsigned int n)
{
	return n ? 32 - __builtin_clz(n) : 0;
}

/* Return: the smallest order that wastes at most this fraction of the slab. */
static unsigned int least_waste(uint64_t size, unsigned int from,
				unsigned int fraction, uint64_t page_size)
{
	unsigned int order;

	for (order = from; order <= MAX_ORDER; order++) {
		uint64_t bytes = page_size << order;

		if (bytes % size <= bytes / fraction)
			break;
	}
	return order;
}

static unsigned int choose_order(uint64_t size, unsigned int cpus,
				 uint64_t page_size)
{
	uint64_t most = (page_size << MAX_ORDER) / size;
	uint64_t objects = 4 * (fls(cpus) + 1);
	unsigned int from, order, fraction;

	if (!most)
		most = 1;
	if (objects > most)
		objects = most;
	from = order_of(objects * size, page_size);
	if ((page_size << from) / size > OBJECTS_MAX) {
		order = order_of(size * OBJECTS_MAX, page_size);
		return order ? order - 1 : 0;
	}
	for (fraction = 16; fraction > 1; fraction /= 2) {
		order = least_waste(size, from, fraction, page_size);
		if (order <= MAX_ORDER)
			return order;
	}
	return order_of(size, page_size);
}

struct slabfit slabfit_of(uint64_t size, unsigned int cpus, uint64_t page_size)
{
	struct slabfit f = { 0 };
	unsigned int order;

	if (!size || size > page_size << MAX_PAGE_ORDER)
		return f;
	order = choose_order(size, cpus, page_size);
	f.bytes = page_size << order;
	f.objects = f.bytes / size;
	return f;
}

uint64_t slabfit_aligned(uint64_t size)
{
	return size + -size % sizeof(uint64_t);
}

uint64_t slabfit_share(const struct slabfit *f, uint64_t objects)
{
	/* in two parts: the product may exceed 64 bits */
	return objects / f->objects * f->bytes +
	       objects % f->objects * f->bytes / f->objects;
}

uint64_t slabfit_whole(const struct slabfit *f, uint64_t objects)
{
	return (objects / f->objects + !!(objects % f->objects)) * f->bytes;
}

static const uint64_t buckets[] = { 8,	 16,  32,  64,	 96,   128,  192,
				    256, 512, 1024, 2048, 4096, 8192 };

uint64_t slabfit_bucket(uint64_t requested)
{
	size_t i;

	for (i = 0; i < sizeof(buckets) / sizeof(*buckets); i++)
		if (buckets[i] >= requested)
			return buckets[i];
	return 0;
}

uint64_t slabfit_below(uint64_t size)
{
	uint64_t below = 0;
	size_t i;

	for (i = 0; i < sizeof(buckets) / sizeof(*buckets); i++)
		if (buckets[i] < size)
			below = buckets[i];
	return below;
}
