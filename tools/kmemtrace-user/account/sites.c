// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "account/sites.h"
#include "base/die.h"
#include "base/msg.h"

/* limit of ids: the module has fewer classes, and therefore fewer tags */
#define IDS_MAX (1u << 20)

static int by_location(const void *a, const void *b)
{
	const struct site_row *x = *(const struct site_row **)a;
	const struct site_row *y = *(const struct site_row **)b;

	return strcmp(x->location, y->location);
}

/* Return: the length of a location, without the mark of a module that is unloaded. */
static size_t length_of(const char *location)
{
	const char *tail = strstr(location, TAGS_UNLOADED);

	return tail ? (size_t)(tail - location) : strlen(location);
}

static bool is_same_site(const char *a, const char *b)
{
	size_t len = length_of(a);

	return len == length_of(b) && !memcmp(a, b, len);
}

static size_t count_ids(const struct tags *tags)
{
	size_t i, ids = 0;

	for (i = 0; i < tags->rows.count; i++)
		if (tags->rows.row[i].id >= ids && tags->rows.row[i].id < IDS_MAX)
			ids = tags->rows.row[i].id + 1;
	return ids;
}

/*
 * Rows without an id are skipped: nothing refers to sites that never allocated. If a module
 * is loaded, its row is before those of earlier loads, and gives the site its location.
 */
static void sites_number(struct sites *s, const struct site_row **sorted, size_t n)
{
	size_t i;

	s->location[SITE_UNKNOWN] = "(unknown: from before accounting)";
	s->location[SITE_NEWER] = "(a new site)";
	s->count = SITE_FIRST;
	for (i = 0; i < n; i++) {
		uint32_t id = sorted[i]->id;

		if (!id || id >= s->ids)
			continue;
		if (s->count == SITE_FIRST ||
		    !is_same_site(s->location[s->count - 1], sorted[i]->location))
			s->location[s->count++] = sorted[i]->location;
		s->site[id] = s->count - 1;
		s->row[id] = sorted[i] - s->tags.rows.row + 1;
	}
}

void sites_init(struct sites *s, const struct tags *tags)
{
	size_t i, n = tags->rows.count;
	const struct site_row **sorted = xcalloc(n + 1, sizeof(*sorted));

	*s = (struct sites){ .tags = *tags, .ids = count_ids(tags) };
	s->location = xcalloc(n + SITE_FIRST, sizeof(*s->location));
	s->site = xcalloc(s->ids + 1, sizeof(*s->site));
	s->row = xcalloc(s->ids + 1, sizeof(*s->row));
	tags_join_loads(&s->tags);
	for (i = 0; i < n; i++)
		sorted[i] = &s->tags.rows.row[i];
	qsort(sorted, n, sizeof(*sorted), by_location);
	sites_number(s, sorted, n);
	free(sorted);
}

int sites_read(struct sites *s)
{
	struct tags tags;
	int err = tags_read(&tags, NULL);

	sites_init(s, &tags);
	return err ? -1 : 0;
}

uint32_t sites_of(const struct sites *s, uint32_t id)
{
	if (!id)
		return SITE_UNKNOWN;
	return id < s->ids && s->site[id] ? s->site[id] : SITE_NEWER;
}

const struct site_row *sites_tag(const struct sites *s, uint32_t id)
{
	return id < s->ids && s->row[id] ? &s->tags.rows.row[s->row[id] - 1] : NULL;
}

void sites_free(struct sites *s)
{
	tags_free(&s->tags);
	free(s->location);
	free(s->site);
	free(s->row);
}
