// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "control/eventfiles.h"
#include "control/frees.h"

#define ALLOC(type)                                                            \
	(1u << KMT_EVENT_KIND(KMEMTRACE_EVENT_ALLOC, KMEMTRACE_TYPE_##type))

/* Each event that allocates objects, and the events that free these objects. */
static const struct {
	u32 alloc;
	u32 frees;
} pairs[] = {
	{ ALLOC(KMALLOC), FREES_KIND(KMALLOC) },
	/* kfree() of an object of a cache is legal */
	{ ALLOC(CACHE), FREES_KIND(CACHE) | FREES_KIND(KMALLOC) },
	{ ALLOC(PAGES), FREES_KIND(PAGES) },
	{ ALLOC(PERCPU), FREES_KIND(PERCPU) },
};

static bool is_common(const struct kmt_filter_term *t)
{
	u32 need = t->need & ~KMT_GROUP_NONE;

	if (need & (KMT_FEATURE_CACHE | KMT_GROUP_CACHE_NAME))
		return true;
	return !need && t->base == KMT_IN_EVENT &&
	       t->offset == offsetof(struct kmt_event, ptr);
}

bool frees_pass(const char *text)
{
	struct kmt_filter *f = xmalloc(kmt_filter_room(strlen(text)));
	struct kmt_filter_error error;
	bool passes;
	u32 i;

	passes = eventfiles_compile(f, text, ~0u, &error);
	for (i = 0; passes && i < f->nr_terms; i++)
		passes = is_common(&f->term[i]);
	free(f);
	return passes;
}

u32 frees_narrow(const char *text, u32 able, u32 kinds)
{
	if (!(able & kinds & ~FREES_KINDS) || frees_pass(text))
		return able;
	return able & ~FREES_KINDS;
}

bool frees_are_filtered(u32 able, u32 kinds, const char *text)
{
	return able & kinds & FREES_KINDS && kinds & ~FREES_KINDS &&
	       !frees_pass(text);
}

bool frees_are_complete(u32 kinds)
{
	size_t i;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (kinds & pairs[i].alloc &&
		    (kinds & pairs[i].frees) != pairs[i].frees)
			return false;
	return true;
}
