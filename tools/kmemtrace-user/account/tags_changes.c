// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "account/changes.h"
#include "account/tags.h"
#include "base/array.h"
#include "base/die.h"
#include "base/msg.h"
#include "base/textfile.h"

/* Return: the length of a word in the counters; 0 if it is not known. */
static size_t word(const struct tags *tags, const char *name, const char **value)
{
	*value = textfile_value(tags->stats, name, strlen(name), ' ');
	return *value ? strcspn(*value, "\n") : 0;
}

/* Return: 1 if both have the word, and it is the same; 0 if it differs; -1: not known. */
static int is_same(const struct tags *a, const struct tags *b, const char *name)
{
	const char *x, *y;
	size_t m = word(a, name, &x), n = word(b, name, &y);

	if (!m || !n)
		return -1;
	return m == n && !memcmp(x, y, n);
}

const char *tags_incomparable(const struct tags *now, const struct tags *old)
{
	if (!is_same(now, old, "boot_id"))
		return "the machine was booted in between";
	if (!is_same(now, old, TAGS_SINCE))
		return "accounting was restarted, or the module loaded again, in between";
	return NULL;
}

/* Return: as is_same(); the build id is better, because a release can be built twice. */
static int is_same_kernel(const struct tags *a, const struct tags *b)
{
	int build = is_same(a, b, TAGS_BUILD_ID);

	return build < 0 ? is_same(a, b, TAGS_KERNEL) : build;
}

const char *tags_other_base(const struct tags *now, const struct tags *old)
{
	return is_same_kernel(now, old) ? tags_incomparable(now, old) : NULL;
}

bool tags_same_kernel(const struct tags *now, const struct tags *old)
{
	return is_same(now, old, TAGS_BOOT) == 1 || is_same_kernel(now, old) == 1;
}

void tags_holdings(const struct tags *tags, struct holdings *h)
{
	struct holding *row;
	size_t i;

	*h = (struct holdings){ 0 };
	for (i = 0; i < tags->count; i++) {
		const struct tag *t = &tags->tag[i];

		row = holdings_add(h, tag_kind_names[t->kind], t->location, true);
		row->address = t->address;
		row->id = t->id;
		row->bytes = t->bytes;
		row->objects = t->objects;
		row->requested = t->requested;
		row->allocs = t->allocs;
		row->frees = t->frees;
		row->oldest_ms = t->oldest_ms;
		holding_exact(row);
	}
}

static enum tag_kind kind_of(const struct holding *row)
{
	int kind = 0;

	while (row->kind != tag_kind_names[kind])
		kind++;
	return kind;
}

/* Return: the figures of a list, without its location. */
static struct tag figures(const struct holding *row)
{
	return (struct tag){ .bytes = row->bytes,
			     .objects = row->objects,
			     .requested = row->requested,
			     .allocs = row->allocs,
			     .frees = row->frees };
}

/* Append a row with a change. */
static void add_change(struct tags *tags, const struct change *c)
{
	const struct holding *any = c->now ? c->now : c->old;
	struct tag *tag = array_add(tags->tag, tags->count), sum;

	*tag = (struct tag){ .kind = kind_of(any), .oldest_ms = -1 };
	if (c->now) {
		tag->oldest_ms = any->oldest_ms;
		tag->address = any->address;
		tag->id = any->id;
		sum = figures(c->now);
		tag_add(tag, &sum, 1);
	}
	if (c->old) {
		sum = figures(c->old);
		tag_add(tag, &sum, -1);
	}
	tag->location = xstrdup(any->location);
}

static void add_changes(struct tags *tags, const struct changes *c)
{
	size_t i;

	for (i = 0; i < tags->count; i++)
		free(tags->tag[i].location);
	free(tags->tag);
	tags->tag = NULL;
	tags->count = 0;
	for (i = 0; i < c->count; i++)
		add_change(tags, &c->row[i]);
	/* allocate the array also for 0 rows: qsort() must not get NULL */
	array_reserve(tags->tag, tags->count);
}

void tags_subtract(struct tags *tags, const struct tags *old)
{
	struct holdings now = { 0 }, before = { 0 };
	struct changes c = { 0 };

	tags_holdings(tags, &now);
	tags_holdings(old, &before);
	changes_make(&c, &before, &now, !tags_incomparable(tags, old),
		     tags_same_kernel(tags, old));
	add_changes(tags, &c);
	changes_free(&c);
	holdings_free(&before);
	holdings_free(&now);
}
