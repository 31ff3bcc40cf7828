// SPDX-License-Identifier: GPL-2.0-only
/*
 * struct slab, which lies over struct page, is closed to modules; where in it
 * the pointer to the cache is depends on the kernel, so it is looked for.
 */
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "account.h"
#include "cache.h"
#include "charge.h"
#include "object.h"
#include "slab.h"
#include "tag.h"

static int slab_cache_offset __ro_after_init = -1;
static bool starts_at_page __ro_after_init; /* the first object of a slab */

/* Return: a mask of the words of an object's page that point to its cache. */
static unsigned long __init words_that_point(struct kmem_cache *cache,
					     void *object)
{
	unsigned long mask = 0, i, **words;

	words = (unsigned long **)virt_to_head_page(object);
	starts_at_page = !((object - page_address((struct page *)words)) %
			   kmt_cache_sizes(cache).size);
	for (i = 0; i < sizeof(struct page) / sizeof(*words); i++)
		if ((void *)READ_ONCE(words[i]) == cache)
			mask |= BIT(i);
	return mask;
}

int __init kmt_slab_init(void)
{
	struct kmem_cache *cache;
	unsigned long mask;
	void *object;

	cache = kmem_cache_create("kmemtrace_slab", 200, 0,
				  SLAB_TYPESAFE_BY_RCU, NULL);
	object = cache ? kmem_cache_alloc(cache, GFP_KERNEL) : NULL;
	if (object) {
		mask = words_that_point(cache, object);
		if (hweight_long(mask) == 1)
			slab_cache_offset = __ffs(mask) * sizeof(long);
		kmem_cache_free(cache, object);
	}
	kmem_cache_destroy(cache);
	return object ? 0 : -ENOMEM;
}

unsigned int kmt_slab_distance(struct page *page, unsigned long bytes)
{
	struct kmem_cache *cache;
	u32 size;

	if (slab_cache_offset < 0 || !starts_at_page || !kmt_cache_layout.known)
		return 0;
	cache = READ_ONCE(*(struct kmem_cache **)((void *)page +
						  slab_cache_offset));
	if (!virt_addr_valid(cache) ||
	    copy_from_kernel_nofault(&size,
				     (void *)cache + kmt_cache_layout.size,
				     sizeof(size)) ||
	    size < sizeof(void *) || size > bytes || size % sizeof(void *))
		return 0;
	return size;
}

/**
 * struct live - what is live in one cache
 * @objects: how many
 * @bytes: as allocated
 */
struct live {
	u64 objects;
	u64 bytes;
};

/*
 * The object's bucket is locked: should it be freed meanwhile, its free waits
 * in the probe, and slab and cache stay. Should it be no object any more since
 * a free was missed, the copy does not fault.
 */
static void visit(unsigned long ptr, u64 value, void *arg)
{
	const struct kmt_class *class = &kmt_classes[kmt_charge_class(value)];
	struct kmem_cache *cache;
	struct live *live = arg;
	struct page *page;
	u16 id;

	if (kmt_class_kind(class) != KMT_KIND_SLAB ||
	    !virt_addr_valid((void *)ptr))
		return;
	page = virt_to_head_page((void *)ptr);
	if (!PageSlab(page) ||
	    copy_from_kernel_nofault(&cache, (void *)page + slab_cache_offset,
				     sizeof(cache)) ||
	    !virt_addr_valid(cache))
		return;
	id = kmt_cache_id(cache);
	live[id].objects++;
	live[id].bytes += kmt_class_bytes(class);
}

size_t kmt_slab_show_size(void)
{
	/* a name and two numbers */
	return kmt_cache_count() * (KMT_CACHE_NAME_SIZE + 2 * 21 + 1);
}

int kmt_slab_show(struct seq_file *m)
{
	struct live *live;
	unsigned int id;

	if (slab_cache_offset < 0 || !kmt_cache_layout.known ||
	    !kmt_account_ready())
		return -ENODATA;
	live = kvcalloc(KMT_CACHES_MAX, sizeof(*live), GFP_KERNEL);
	if (!live)
		return -ENOMEM;
	kmt_object_walk_locked(visit, live);
	for (id = 1; id <= kmt_cache_count(); id++)
		if (live[id].objects)
			seq_printf(m, "%s %llu %llu\n", kmt_cache_name(id),
				   live[id].objects, live[id].bytes);
	kvfree(live);
	return 0;
}
