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

void tags_subtract(struct tags *tags, struct tags *old)
{
	struct site_rows rows = { 0 };
	struct changes c;
	size_t i;

	changes_make(&c, &old->rows, &tags->rows, !tags_incomparable(tags, old),
		     tags_same_kernel(tags, old));
	/* allocate the array also for 0 rows: qsort() must not get NULL */
	array_reserve(rows.row, rows.count);
	for (i = 0; i < c.count; i++) {
		const struct site_row *now = c.row[i].now, *any = now ? now : c.row[i].old;
		struct site_row *row = site_rows_add(&rows, any->kind, xstrdup(any->location));

		row->address = now ? now->address : 0;
		row->id = now ? now->id : 0;
		row->f = c.row[i].by;
	}
	changes_free(&c);
	site_rows_free(&tags->rows);
	tags->rows = rows;
}
