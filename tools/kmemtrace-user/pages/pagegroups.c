// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "frames/pageflags.h"
#include "pages/pagegroups.h"

const char *const page_key_names[PAGE_KEYS] = {
	"site", "kind",	       "flags",	  "order", "zone",
	"node", "migratetype", "process", "age", "cgroup",
};

/* The other flags are left out. page-types, too, shows them only on request. */
#define SHOWN_FLAGS ((1ull << 32) - 1)

static const struct {
	uint32_t below; /* in units of 10 ms */
	const char *name;
} ages[] = {
	{ 100, "below 1s" },	   { 1000, "below 10s" },
	{ 6000, "below 1m" },	   { 60000, "below 10m" },
	{ 360000, "below 1h" },	   { 8640000, "below 1d" },
	{ UINT32_MAX, "1d or more" },
};

#define AGES (sizeof(ages) / sizeof(ages[0]))

/* --- keys -------------------------------------------------------------------- */

static int find_key(const char *name, size_t len)
{
	int i;

	for (i = 0; i < PAGE_KEYS; i++)
		if (!strncmp(page_key_names[i], name, len) &&
		    !page_key_names[i][len])
			return i;
	return -1;
}

int pagegroups_parse_by(const char *text, enum page_key by[PAGE_KEYS_MAX])
{
	size_t len;
	int n, key;

	for (n = 0; n < PAGE_KEYS_MAX; n++) {
		len = strcspn(text, ",");
		key = find_key(text, len);
		if (key < 0 || (n && by[0] == (enum page_key)key))
			return 0;
		by[n] = key;
		text += len;
		if (!*text)
			return n + 1;
		text++;
	}
	return 0;
}

static uint64_t age_class(uint32_t age)
{
	uint64_t i = 0;

	if (age == KMEMTRACE_AGE_UNKNOWN)
		return AGES;
	while (age >= ages[i].below)
		i++;
	return i;
}

static uint64_t key_of(enum page_key key, const struct page *page, int pid)
{
	const uint64_t keys[PAGE_KEYS] = {
		[PAGES_BY_SITE] = page->site,
		[PAGES_BY_KIND] = page->kind,
		[PAGES_BY_FLAGS] = page->flags & SHOWN_FLAGS,
		[PAGES_BY_ORDER] = page->owner->order,
		[PAGES_BY_ZONE] = page->owner->zone,
		[PAGES_BY_NODE] = page->owner->node,
		[PAGES_BY_MIGRATETYPE] = page->owner->migratetype,
		[PAGES_BY_PROCESS] = pid,
		[PAGES_BY_AGE] = age_class(page->owner->age),
		[PAGES_BY_CGROUP] = page->cgroup,
	};

	return keys[key];
}

/* Writes the name, or the number if it has no name. */
static void numbered(const char *name, uint64_t number, char *to, size_t size)
{
	if (name && *name)
		snprintf(to, size, "%s", name);
	else
		snprintf(to, size, "%" PRIu64, number);
}

void pagegroups_name(const struct pagegroups *g, const struct survey *w,
		     size_t group, int key, char *to, size_t size)
{
	const struct pair *pair = &g->keys.pair[group];
	uint64_t n = key ? pair->b : pair->a;

	switch (g->by[key]) {
	case PAGES_BY_SITE:
		snprintf(to, size, "%s", w->sites.location[n]);
		break;
	case PAGES_BY_KIND:
		snprintf(to, size, "%s", kind_names[n]);
		break;
	case PAGES_BY_FLAGS:
		pageflags_long(pageflags_names(NULL), n, to, size);
		if (!n)
			snprintf(to, size, "-");
		break;
	case PAGES_BY_ZONE:
		numbered(n < ZONES_MAX ? w->zones.zone[n] : NULL, n, to, size);
		break;
	case PAGES_BY_MIGRATETYPE:
		numbered(n < MIGRATETYPES_MAX ? w->zones.migratetype[n] : NULL,
			 n, to, size);
		break;
	case PAGES_BY_CGROUP:
		cgroups_name(&w->cgroups, n, to, size);
		break;
	case PAGES_BY_AGE:
		snprintf(to, size, "%s", n < AGES ? ages[n].name : "not known");
		break;
	default:
		snprintf(to, size, "%" PRIu64, n);
	}
}

/* --- sums -------------------------------------------------------------------- */

static void add_to(struct page_sums *s, const struct page *page)
{
	uint32_t age = page->owner->age;

	s->pages++;
	s->mapped += page->count > 0;
	s->maps += page->count;
	s->kinds[page->kind]++;
	if (age == KMEMTRACE_AGE_UNKNOWN)
		return;
	if (!s->ages || age > s->oldest)
		s->oldest = age;
	if (!s->ages || age < s->youngest)
		s->youngest = age;
	s->ages++;
}

enum frame_kind page_sums_kind(const struct page_sums *s)
{
	enum frame_kind kind, most = 0;

	for (kind = 1; kind < KINDS; kind++)
		if (s->kinds[kind] > s->kinds[most])
			most = kind;
	return most;
}

void pagegroups_init(struct pagegroups *g, const enum page_key *by, int nr_by)
{
	*g = (struct pagegroups){ .nr_by = nr_by };
	memcpy(g->by, by, nr_by * sizeof(*by));
	pairs_init(&g->keys);
}

void pagegroups_add(struct pagegroups *g, const struct page *page, int pid)
{
	uint64_t second = g->nr_by > 1 ? key_of(g->by[1], page, pid) : 0;
	uint32_t group = pairs_get(&g->keys, key_of(g->by[0], page, pid),
				   second);
	struct page_sums *sums;

	sums = pairs_fit(&g->keys, g->sums, &g->room, sizeof(*sums));
	g->sums = sums;
	add_to(&g->sums[group], page);
	add_to(&g->all, page);
}

void pagegroups_exit(struct pagegroups *g)
{
	pairs_exit(&g->keys);
	free(g->sums);
}
