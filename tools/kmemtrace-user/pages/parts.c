// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include <linux/kmemtrace_pages.h>

#include "account/siterows.h"
#include "base/die.h"
#include "frames/pageflags.h"
#include "pages/pages.h"
#include "pages/parts.h"

/*
 * Buffers of network drivers are not smaller: a skb_shared_info alone has 320 bytes. Drivers
 * take at least 64 references to a page in advance (mlx5).
 */
#define PART_BYTES_MIN 256
/*
 * Blocks without parts may have more references for a while. A page that is sent over the
 * network has one from its owner and one from each of the packets that it was divided among.
 */
#define PARTS_MIN 3
#define PARTS_MIN_OF_PAGE 4

/* Its callers take parts of any size from a block, as large as the data of one call. */
static bool is_any_size(const struct sitename *name)
{
	return !*name->module && !strcmp(name->plain, "skb_page_frag_refill");
}

void parts_init(struct partwalk *w, const struct sites *sites)
{
	struct sitename name;
	size_t i;

	*w = (struct partwalk){ 0 };
	w->of = xcalloc((sites->count + 1) * PARTS_ORDERS, sizeof(*w->of));
	w->skip = xcalloc(sites->count + 1, sizeof(*w->skip));
	for (i = 0; i < sites->count; i++) {
		sitename_parse(&name, sites->location[i]);
		w->skip[i] = is_any_size(&name);
		sitename_free(&name);
	}
}

void parts_exit(struct partwalk *w)
{
	free(w->of);
	free(w->skip);
}

/* Blocks that do not match the filter also tell how many parts a block has. */
static void see_refs(struct parts *p, uint32_t refs, bool wanted)
{
	if (refs >= p->most) {
		p->full = p->most;
		p->most = refs;
		p->most_is_wanted = wanted;
	} else if (refs > p->full) {
		p->full = refs;
	}
}

void parts_end(struct partwalk *w)
{
	struct parts *p = &w->of[w->block.site * PARTS_ORDERS + w->block.order];
	uint32_t refs = w->refs;
	bool filling;

	w->refs = 0;
	if (!refs)
		return;
	filling = refs > (pages_bytes(1) << w->block.order) / PART_BYTES_MIN;
	if (!filling)
		see_refs(p, refs, w->block.wanted);
	if (!w->block.wanted)
		return;
	if (w->block.age != KMEMTRACE_AGE_UNKNOWN) {
		p->ages++;
		if (p->oldest < w->block.age)
			p->oldest = w->block.age;
	}
	if (filling) {
		p->filling++;
		return;
	}
	p->blocks++;
	p->refs += refs;
}

/* A block of more than one page must be a compound page, which has one reference count. */
static bool is_head(const struct page *page)
{
	const struct kmemtrace_page *owner = page->owner;

	return page->kind == KIND_KERNEL &&
	       (owner->flags & KMEMTRACE_PAGE_HEAD) &&
	       !(owner->flags & KMEMTRACE_PAGE_EARLIER) &&
	       owner->order < PARTS_ORDERS &&
	       !owner->order == !(page->flags & PAGEFLAG(COMPOUND_HEAD));
}

void parts_add(struct partwalk *w, const struct page *page, bool wanted)
{
	if (w->refs && page->pfn < w->block.end) {
		/* a page that is mapped has a reference for each mapping */
		if (page->count)
			w->refs = 0;
		return;
	}
	parts_end(w);
	if (!is_head(page) || page->count || w->skip[page->site])
		return;
	w->refs = page->owner->refs;
	w->block.end = page->pfn + (1ull << page->owner->order);
	w->block.site = page->site;
	w->block.age = page->owner->age;
	w->block.order = page->owner->order;
	w->block.wanted = wanted;
}

uint64_t parts_held(const struct parts *p, unsigned int order)
{
	return (p->blocks + p->filling) * (pages_bytes(1) << order);
}

uint64_t parts_used(const struct parts *p, unsigned int order)
{
	uint64_t block = pages_bytes(1) << order;
	uint64_t refs = p->refs;

	if (p->full < (order ? PARTS_MIN : PARTS_MIN_OF_PAGE))
		return parts_held(p, order);
	if (p->most_is_wanted)
		refs -= p->most - p->full; /* the block with @most counts as full */
	return p->filling * block + refs * block / p->full;
}
