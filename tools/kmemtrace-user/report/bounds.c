// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/array.h"
#include "base/pairs.h"
#include "report/bounds.h"
#include "report/report.h"

/**
 * struct site - the sums of a call site and a type of allocation
 * @class: its class
 * @live: live bytes
 * @implicit: implicit frees
 */
struct site {
	enum analysis_class class;
	uint64_t live;
	uint64_t implicit;
};

/**
 * struct bounds - the call sites of a report
 * @places: numbers of call sites: an address, and its place
 * @known: numbers of @site: a number in @places, and the type
 * @site: the call sites
 * @count: number of @site
 */
struct bounds {
	struct pairs places;
	struct pairs known;
	struct site *site;
	size_t count;
};

static void add_group(struct bounds *b, const struct group *g, uint64_t address,
		      uint16_t place)
{
	uint32_t number = pairs_get(&b->places, address, place);

	number = pairs_get(&b->known, number, g->type);
	if (number == b->count) {
		array_reserve(b->site, b->count);
		b->site[b->count++] = (struct site){
			.class = analysis_class_of(g->type)
		};
	}
	b->site[number].live += group_live(g);
	b->site[number].implicit += g->implicit;
}

static void add_groups(struct bounds *b, const struct report *r, size_t key)
{
	const struct group_table *t = &r->a.groups;
	uint64_t address;
	uint16_t place;
	size_t i;

	for (i = 0; i < t->count; i++) {
		address = keys_site(&r->keys, &t->groups[i], key, &place);
		add_group(b, &t->groups[i], address, place);
	}
}

static void set_sums(const struct bounds *b, struct analysis_class_sums *sums)
{
	size_t i;

	for (i = 0; i < CLASSES; i++)
		sums[i].uncertain = 0;
	for (i = 0; i < b->count; i++)
		if (b->site[i].implicit)
			sums[b->site[i].class].uncertain += b->site[i].live;
}

void bounds_by_site(struct report *r)
{
	struct bounds b = { 0 };
	size_t key;

	for (key = 0; key < r->keys.count && r->keys.by[key] != BY_SITE;)
		key++;
	/* with one key, each group is a call site */
	if (r->keys.count == 1 || key == r->keys.count)
		return;
	pairs_init(&b.places);
	pairs_init(&b.known);
	add_groups(&b, r, key);
	set_sums(&b, r->a.sums);
	pairs_exit(&b.places);
	pairs_exit(&b.known);
	free(b.site);
}
