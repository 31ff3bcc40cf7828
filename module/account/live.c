// SPDX-License-Identifier: GPL-2.0-only
#include <linux/irqflags.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "account/account.h"
#include "account/bucket.h"
#include "account/frame.h"
#include "account/live.h"
#include "account/object.h"
#include "account/tables.h"
#include "account/tag.h"
#include "base/cache.h"
#include "base/guard.h"

struct wanted {
	unsigned long ptr;
	bool found;
};

static void look_for(unsigned long ptr, u64 value, u16 cache, void *arg)
{
	struct wanted *wanted = arg;

	wanted->found |= ptr == wanted->ptr;
}

/* The object may be freed at any time, so its slot is not read as its owner would. */
bool kmt_live_knows(const void *ptr)
{
	struct wanted wanted = { .ptr = (unsigned long)ptr };
	unsigned long pfn = kmt_frame_of_object(wanted.ptr), flags;
	struct kmt_frame frame;

	local_irq_save(flags);
	frame = kmt_frame_get(pfn);
	if (frame.word & KMT_FRAME_SLOTS) {
		kmt_slots_visit(pfn, frame, look_for, &wanted);
	} else if (kmt_guard_enter()) {
		wanted.found = kmt_bucket_find(&kmt_objects, wanted.ptr);
		kmt_guard_leave();
	}
	local_irq_restore(flags);
	return wanted.found;
}

bool kmt_live_knows_page(struct page *page)
{
	return kmt_frame_class(kmt_frame_get(page_to_pfn(page))) >
	       KMT_CLASS_UNSEEN;
}

bool kmt_live_knows_slab(struct page *page)
{
	u32 id = kmt_frame_class(kmt_frame_get(page_to_pfn(page)));

	return READ_ONCE(kmt_classes[id].flags) & KMT_SITE_SLAB;
}

struct ages {
	unsigned long *jiffies;
	u32 count;
};

static void grow_old(struct ages *ages, u32 class, u32 born)
{
	unsigned long age = kmt_tick_age(born);
	u32 tag = kmt_tag_of_class(class);

	if (tag < ages->count && (ages->jiffies[tag] == ULONG_MAX ||
				  ages->jiffies[tag] < age))
		ages->jiffies[tag] = age;
}

static void visit_object(unsigned long ptr, u64 value, u16 cache, void *arg)
{
	grow_old(arg, kmt_account_class(value), kmt_account_born(value));
}

static void visit_frame(unsigned long pfn, struct kmt_frame frame,
			struct kmt_frame before, void *arg)
{
	if (kmt_frame_is_head(frame))
		grow_old(arg, kmt_frame_class(frame),
			 kmt_slots_born(pfn, frame));
}

int kmt_live_oldest(unsigned long *oldest, u32 count)
{
	struct ages ages = { oldest, count };
	u32 i;

	for (i = 0; i < count; i++)
		oldest[i] = ULONG_MAX;
	return kmt_object_walk(visit_object,
			       kmt_frame_keeps_birth() ? visit_frame : NULL,
			       &ages);
}

/* --- by node --------------------------------------------------------------- */

/**
 * struct places - where the live bytes of each tag are
 * @bytes: by tag and node
 * @count: number of tags
 * @nodes: number of nodes
 */
struct places {
	u64 *bytes;
	u32 count;
	u32 nodes;
};

/* The walk is in an RCU section, so that the page stays if it is online (pagefiles.c). */
static void add_place(struct places *p, unsigned long pfn, u32 class, u32 bytes)
{
	struct page *page = pfn_to_online_page(pfn);
	u32 tag = kmt_tag_of_class(class), node;

	if (!page || tag >= p->count)
		return;
	node = page_to_nid(page);
	if (node < p->nodes)
		p->bytes[(size_t)tag * p->nodes + node] += bytes;
}

static void place_object(unsigned long ptr, u64 value, u16 cache, void *arg)
{
	u32 id = kmt_account_class(value);
	const struct kmt_class *class = &kmt_classes[id];

	if (kmt_class_kind(class) == KMT_KIND_SLAB)
		add_place(arg, kmt_frame_of_object(ptr), id, kmt_class_bytes(class));
}

static void place_frame(unsigned long pfn, struct kmt_frame frame,
			struct kmt_frame before, void *arg)
{
	if (kmt_frame_class(frame) > KMT_CLASS_UNSEEN)
		add_place(arg, pfn, kmt_frame_class(frame), PAGE_SIZE);
}

int kmt_live_nodes(u64 *bytes, u32 count, u32 nodes)
{
	struct places places = { bytes, count, nodes };

	memset(bytes, 0, array3_size(count, nodes, sizeof(*bytes)));
	return kmt_object_walk(place_object, place_frame, &places);
}

/* --- by slab cache --------------------------------------------------------- */

/**
 * struct live - live objects of one cache
 * @objects: number of objects
 * @bytes: bytes allocated
 */
struct live {
	u64 objects;
	u64 bytes;
};

/*
 * If the free of the object was missed, its slab may be freed at any moment, and its cache may
 * have been destroyed, while a page of KFENCE still points to it. So the pointer is only
 * compared with those of the caches that are known.
 */
u16 kmt_live_cache_index(unsigned long ptr)
{
	struct page *page;

	if (!virt_addr_valid((void *)ptr))
		return 0;
	page = virt_to_head_page((void *)ptr);
	return PageSlab(page) ? kmt_cache_find(kmt_cache_of_slab(page)) : 0;
}

static void visit(unsigned long ptr, u64 value, u16 cache, void *arg)
{
	const struct kmt_class *class = &kmt_classes[kmt_account_class(value)];
	struct live *live = arg;

	if (kmt_class_kind(class) != KMT_KIND_SLAB)
		return;
	if (cache == KMT_OBJECT_NO_CACHE)
		cache = kmt_live_cache_index(ptr);
	live[cache].objects++;
	live[cache].bytes += kmt_class_bytes(class);
}

size_t kmt_live_show_caches_size(void)
{
	/* a name and two numbers with up to 20 digits, each with a separator */
	return (kmt_cache_count() + 1) * (KMT_CACHE_NAME_SIZE + 2 * 21 + 1);
}

int kmt_live_show_caches(struct seq_file *m)
{
	struct kmt_cache_info info = { .name = "(other)" };
	struct live *live;
	unsigned int i;
	int err;

	if (!kmt_cache_slabs_known() || !kmt_cache_layout.known ||
	    !kmt_tables_ready())
		return -ENODATA;
	live = kvcalloc(KMT_CACHES_MAX, sizeof(*live), GFP_KERNEL);
	if (!live)
		return -ENOMEM;
	err = kmt_object_walk(visit, NULL, live);
	for (i = 0; !err && i <= kmt_cache_count(); i++) {
		if (!live[i].objects)
			continue;
		if (i)
			kmt_cache_read(i, &info);
		seq_printf(m, "%s %llu %llu\n", info.name, live[i].objects,
			   live[i].bytes);
	}
	kvfree(live);
	return err;
}
