// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/progress.h"
#include "frames/pageflags.h"
#include "memory/tally.h"

/* a limit of the number of tags; the contents of files are not trusted */
#define SITES_MAX (1u << 20)

/*
 * Frames of one read. Their flags and owners are read one after the other. With fewer
 * frames, less changes between the two. Larger reads are not faster.
 */
#ifndef BATCH
#define BATCH 8192
#endif

#define COMPOUND (PAGEFLAG(COMPOUND_HEAD) | PAGEFLAG(COMPOUND_TAIL))

static void add_site(struct tally *t, uint32_t tag, enum frame_kind kind)
{
	if (kind <= KIND_RESERVED)
		return;
	if (tag >= SITES_MAX)
		tag = 0;
	array_reach(t->site, t->nr_sites, tag);
	t->site[tag].kind[kind]++;
}

void tally_end(struct tally *t)
{
	unsigned int order = 0;

	if (!t->run)
		return;
	while (order < TALLY_ORDERS - 1 && 1ull << order < t->run)
		order++;
	t->node[t->run_node].unknown[t->run_zone][order] += t->run;
	t->run = 0;
}

/* Counts a frame of KIND_UNKNOWN by zone and order. */
static void add_place(struct tally *t, uint64_t pfn, uint64_t flags,
		      const struct kmemtrace_page *owner,
		      struct tally_node *node)
{
	unsigned int zone = owner->zone < ZONES_MAX ? owner->zone : 0;

	if (t->run && flags & PAGEFLAG(COMPOUND_TAIL) && pfn == t->run_end) {
		t->run++;
		t->run_end++;
		return;
	}
	tally_end(t);
	if (flags & COMPOUND) {
		t->run = 1;
		t->run_end = pfn + 1;
		t->run_node = node - t->node;
		t->run_zone = zone;
	} else if (flags || owner->refs) {
		node->unknown[zone][0]++;
	} else {
		node->idle[zone]++;
	}
}

void tally_add(struct tally *t, uint64_t pfn, uint64_t flags,
	      const struct kmemtrace_page *owner, enum frame_kind kind)
{
	unsigned int n;

	t->kind[kind]++;
	if (kind == KIND_UNKNOWN && flags & COMPOUND)
		t->compound++;
	else if (kind == KIND_UNKNOWN && !flags && !(owner && owner->refs))
		t->idle++;
	if (!owner || !(owner->flags & KMEMTRACE_PAGE_EXISTS))
		return;
	n = owner->node < NODES_MAX ? owner->node : 0;
	array_reach(t->node, t->nr_nodes, n);
	t->node[n].kind[kind]++;
	if (kind == KIND_UNKNOWN)
		add_place(t, pfn, flags, owner, &t->node[n]);
	add_site(t, owner->tag, kind);
}

static void add_batch(struct tally *t, struct kinds *k, const struct frames *f)
{
	size_t i;

	for (i = 0; i < f->n; i++) {
		const struct kmemtrace_page *owner = f->owner ? &f->owner[i] :
								NULL;

		tally_add(t, f->pfn + i, f->flags[i], owner,
			  kind_of_frame(k, f->pfn + i, f->flags[i], owner));
	}
}

int tally_warm(struct frames *f)
{
	return frames_read(f, 0, BATCH) < 0 ? -1 : 0;
}

int tally_walk(struct tally *t, struct frames *f,
	       const struct vmallocs *vmallocs, const struct ram *ram)
{
	struct kinds k = { .vmallocs = vmallocs, .ram = ram };
	struct progress progress;
	int ret;

	memset(t, 0, sizeof(*t));
	progress_start(&progress, "pages", f->end);
	while ((ret = frames_next(f, BATCH)) > 0) {
		progress_step(&progress, f->pfn);
		add_batch(t, &k, f);
	}
	progress_end(&progress);
	tally_end(t);
	return ret;
}

void tally_free(struct tally *t)
{
	free(t->node);
	free(t->site);
	memset(t, 0, sizeof(*t));
}
