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
 * @text: the text, or NULL
 */
struct known {
	unsigned long site;
	char *text;
};

/* guards all of the below */
static DEFINE_MUTEX(known_mutex);
static struct known *known; /* by tag */
static u32 nr_known;
static u64 text_bytes;
static unsigned int as_of; /* kmt_codetag_changes() when the texts were made */

static void __forget(void)
{
	u32 i;

	for (i = 0; i < nr_known; i++)
		kfree(known[i].text);
	kvfree(known);
	known = NULL;
	nr_known = 0;
	text_bytes = 0;
}

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

static void __keep(u32 tag, unsigned long site, const char *text)
{
	struct known *k = __element(tag);

	if (!k)
		return;
	if (k->text)
		text_bytes -= strlen(k->text) + 1;
	kfree(k->text);
	k->site = site;
	k->text = kstrdup(text, GFP_KERNEL);
	if (k->text)
		text_bytes += strlen(k->text) + 1;
}

void kmt_location_get(u32 tag, unsigned long site, char *text, size_t size)
{
	/* read first: a change after this makes the new text void as well */
	unsigned int changes = kmt_codetag_changes();

	if (!tag) {
		kmt_codetag_describe(site, text, size);
		return;
	}
	mutex_lock(&known_mutex);
	if (as_of != changes)
		__forget();
	as_of = changes;
	if (tag < nr_known && known[tag].text && known[tag].site == site) {
		strscpy(text, known[tag].text, size);
	} else {
		kmt_codetag_describe(site, text, size);
		__keep(tag, site, text);
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
	__forget();
}
