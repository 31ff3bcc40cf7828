// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profile of the state of accounting: each code tag is a stack of one function.
 */
#include <stdio.h>
#include <stdlib.h>

#include "account/tags.h"
#include "account/trust.h"
#include "base/memtext.h"
#include "base/msg.h"
#include "base/table.h"
#include "export/profile.h"

/* A damaged file may have sums below 0. */
static uint64_t not_below_0(int64_t n)
{
	return n < 0 ? 0 : n;
}

static void print_name(const struct site_row *t, char *to, size_t size)
{
	const struct sitename *site = &t->name;
	const char *module = site->module;
	int used;

	/* a location without a known form */
	if (!*site->function) {
		snprintf(to, size, "%s", t->location);
		return;
	}
	used = snprintf(to, size, "%s", site->function);
	if (site->has_offset && used < (int)size)
		used += snprintf(to + used, size - used, "+0x%llx",
				 (unsigned long long)site->offset);
	if (*module && used < (int)size)
		used += snprintf(to + used, size - used, " [%s]", module);
	if (*site->tail && used < (int)size)
		snprintf(to + used, size - used, " %s", site->tail);
}

/* Return: the index of the tag's function. */
static uint32_t frame_of(struct profile *p, const struct site_row *t)
{
	char name[4096], source[4096] = "";

	print_name(t, name, sizeof(name));
	if (t->name.file)
		snprintf(source, sizeof(source), "%s:%llu", t->name.file,
			 (unsigned long long)t->name.line);
	table_clean(name);
	table_clean(source);
	return profile_frame(p, t->address, name, name, source);
}

static void add_tag(struct profile *p, const struct site_row *t)
{
	struct profile_row row = {
		.class = t->kind,
		.value[PROFILE_ALLOC_OBJECTS] = t->f.allocs,
		.value[PROFILE_LIVE_OBJECTS] = not_below_0(t->f.objects),
		.value[PROFILE_LIVE_BYTES] = not_below_0(t->f.bytes),
	};
	uint64_t frame;

	if (profile_is_empty(&row))
		return;
	frame = frame_of(p, t);
	profile_add(p, &row, &frame, 1);
}

/* The accuracy, in the words of allocinfo. */
static void add_notes(struct profile *p, const struct tags *tags)
{
	struct memtext text;
	FILE *out = memtext_open(&text);
	size_t below = 0, i;

	trust_write(tags, out);
	profile_note_lines(p, memtext_close(&text, NULL));
	profile_note(p, "%s", SITE_KINDS_NOTE);
	for (i = 0; i < tags->rows.count; i++)
		below += tags->rows.row[i].f.bytes < 0 || tags->rows.row[i].f.objects < 0;
	if (below)
		profile_note(p, "rows with a number below 0, which counts as 0: %zu; the file is damaged",
			     below);
}

static void profile_state_take(struct profile *p, const struct export *e,
			       const struct tags *tags)
{
	char release[256];
	size_t i;

	p->have = PROFILE_BIT(PROFILE_LIVE_BYTES) |
		  PROFILE_BIT(PROFILE_LIVE_OBJECTS) |
		  PROFILE_BIT(PROFILE_ALLOC_OBJECTS);
	for (i = 0; i < tags->rows.count; i++)
		if (export_has_class(e->classes, tags->rows.row[i].kind))
			add_tag(p, &tags->rows.row[i]);
	add_notes(p, tags);
	tags_word(tags, TAGS_KERNEL, release, sizeof(release));
	profile_set_title(p, e, release);
}

int profile_read_state(struct profile *p, const struct export *e)
{
	struct tags tags;
	int err = formats_read_tags(e, &tags);

	if (!err)
		profile_state_take(p, e, &tags);
	tags_free(&tags);
	return err ? EXIT_FAILED : EXIT_DONE;
}
