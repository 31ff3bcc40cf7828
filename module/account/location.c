// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "account/codetag.h"
#include "account/location.h"
#include "account/tag.h"

/**
 * struct known - the location of a tag
 * @site: its site when the text was made; the tag may be that of another one now
 * @as_of: kmt_codetag_changes() before the text was made
 * @text: the text, or NULL
 */
struct known {
	unsigned long site;
	unsigned int as_of;
	char *text;
};

/* guards all of the below */
static DEFINE_MUTEX(known_mutex);
static struct known *known; /* by tag */
static u32 nr_known;
static u64 text_bytes;

/* Return: the element of a tag; NULL if there is no memory for it. */
static struct known *__element(u32 tag)
{
	struct known *more;
	u32 room;

	if (tag < nr_known)
		return &known[tag];
	room = max(2 * nr_known, max(tag, kmt_tag_count()) + 1);
	more = kvcalloc(room, sizeof(*more), GFP_KERNEL);
	if (!more)
		return NULL;
	if (known)
		memcpy(more, known, nr_known * sizeof(*more));
	kvfree(known);
	known = more;
	nr_known = room;
	return &known[tag];
}

static void __forget(struct known *k)
{
	if (!k->text)
		return;
	text_bytes -= strlen(k->text) + 1;
	kfree(k->text);
	k->text = NULL;
}

/* BPF programs and trampolines of ftrace come and go, and no one tells the module. */
static bool may_change(const char *text)
{
	return strstr(text, " [bpf]") || strstr(text, " [__builtin__");
}

static void __keep(u32 tag, const struct known *new, const char *text)
{
	struct known *k = may_change(text) ? NULL : __element(tag);

	if (!k)
		return;
	__forget(k);
	*k = *new;
	k->text = kstrdup(text, GFP_KERNEL);
	if (k->text)
		text_bytes += strlen(k->text) + 1;
}

void kmt_location_get(u32 tag, unsigned long site, char *text, size_t size)
{
	struct known new = { .site = site };
	const struct known *k;

	if (!tag) {
		kmt_codetag_describe(site, text, size);
		return;
	}
	mutex_lock(&known_mutex);
	/* before the text is made: a change from now on makes it void */
	new.as_of = kmt_codetag_changes();
	k = tag < nr_known ? &known[tag] : NULL;
	if (k && k->text && k->site == site && k->as_of == new.as_of) {
		strscpy(text, k->text, size);
	} else {
		kmt_codetag_describe(site, text, size);
		__keep(tag, &new, text);
	}
	mutex_unlock(&known_mutex);
}

u64 kmt_location_memory(void)
{
	u64 bytes;

	mutex_lock(&known_mutex);
	bytes = nr_known * sizeof(*known) + text_bytes;
	mutex_unlock(&known_mutex);
	return bytes;
}

void kmt_location_exit(void)
{
	u32 i;

	for (i = 0; i < nr_known; i++)
		kfree(known[i].text);
	kvfree(known);
}
