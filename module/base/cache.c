// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: lookups take no lock. insert_lock serialises insertions. A row and
 * its key are complete before smp_store_release() publishes its slot, and then never
 * change. A slot in use may get another row, but never becomes empty. If a lookup thereby
 * misses a cache, it takes insert_lock and searches again.
 */
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "base/cache.h"

#define SLOTS	  (1u << KMT_CACHE_SLOT_BITS)
#define NAME_SIZE KMT_CACHE_NAME_SIZE

/* row 0 is not used, because 0 is not a valid number */
struct row {
	u32 object_size;
	u32 size;
	char name[NAME_SIZE];
};

struct kmt_cache_layout kmt_cache_layout __ro_after_init;
struct kmt_cache_key kmt_cache_keys[KMT_CACHES_MAX];
u16 kmt_cache_slots[SLOTS];

static struct row *rows;
static unsigned int rows_used; /* written under insert_lock */
static unsigned long refused;  /* under insert_lock */
static DEFINE_RAW_SPINLOCK(insert_lock);

/* --- the table ----------------------------------------------------------- */

/* user space reads a name as a part of a line, so it must not contain a newline */
static void copy_name(char *to, const char *from)
{
	char *c;

	strscpy(to, from, NAME_SIZE);
	for (c = to; *c; c++)
		if (*c <= ' ' || *c > '~')
			*c = '_';
}

/*
 * Find a cache, from slot @slot on.
 *
 * @slot: set to its slot, or to an empty one
 * Return: its key; that of number 0 if it has none.
 */
static const struct kmt_cache_key *find_key(const struct kmem_cache *s, u32 *slot)
{
	const struct kmt_cache_key *key;

	while ((key = kmt_cache_key_at(*slot)) != kmt_cache_keys &&
	       !kmt_cache_is(s, key))
		*slot = (*slot + 1) % SLOTS;
	return key;
}

static void __set_slot(u32 slot, u16 id)
{
	/* pairs with kmt_cache_key_at() */
	smp_store_release(&kmt_cache_slots[slot],
			  id * sizeof(struct kmt_cache_key));
}

/* Return: number of a new row for a cache; 0 if there is none left. */
static u16 __add_row(const struct kmem_cache *s)
{
	struct kmt_cache_sizes sizes = kmt_cache_sizes_by_layout(s);
	const char *name_at = kmt_cache_name_at(s);
	u16 id = rows_used + 1;

	if (id == KMT_CACHES_MAX) {
		refused++;
		return 0;
	}
	rows[id].object_size = sizes.object_size;
	rows[id].size = sizes.size;
	copy_name(rows[id].name, name_at);
	kmt_cache_keys[id] = (struct kmt_cache_key){
		.cache = s,
		.name_at = name_at,
		.object_size = sizes.object_size,
		.id = id,
	};
	smp_store_release(&rows_used, id); /* pairs with kmt_cache_count() */
	return id;
}

/* Exchange a cache with the one in its first slot, if that was at the same address. */
static void __advance(const struct kmt_cache_key *key, u32 slot, u32 first)
{
	const struct kmt_cache_key *old = kmt_cache_key_at(first);

	if (slot == first || old->cache != key->cache)
		return;
	__set_slot(first, key->id);
	__set_slot(slot, old->id);
}

static u16 find_locked(const struct kmem_cache *s, u32 first)
{
	const struct kmt_cache_key *key;
	u32 slot = first;

	raw_spin_lock(&insert_lock);
	key = find_key(s, &slot);
	if (!key->id) {
		key = &kmt_cache_keys[__add_row(s)];
		__set_slot(slot, key->id);
	}
	if (key->id)
		__advance(key, slot, first);
	raw_spin_unlock(&insert_lock);
	return key->id;
}

u16 kmt_cache_id_slowly(const struct kmem_cache *s)
{
	const struct kmt_cache_key *key;
	u32 first = kmt_cache_slot(s), slot = first;

	if (!kmt_cache_layout.known)
		return 0;
	key = find_key(s, &slot);
	if (key->id && kmt_cache_key_at(first)->cache != s)
		return key->id;
	return find_locked(s, first);
}

void kmt_cache_show(struct seq_file *m)
{
	unsigned int id, last = kmt_cache_count();

	for (id = 1; id <= last; id++)
		seq_printf(m, "%u %u %u %s\n", id, rows[id].object_size,
			   rows[id].size, rows[id].name);
}

const char *kmt_cache_name(u16 id)
{
	return rows[id].name;
}

const struct kmem_cache *kmt_cache_of_id(u16 id, u32 *size)
{
	*size = rows[id].size;
	return kmt_cache_keys[id].cache;
}

unsigned int kmt_cache_count(void)
{
	return smp_load_acquire(&rows_used); /* pairs with __add_row() */
}

unsigned long kmt_cache_refused(void)
{
	return READ_ONCE(refused);
}

void kmt_cache_unmerged(void *object)
{
}

/* --- the layout ---------------------------------------------------------- */

/* bytes of a struct kmem_cache that are searched; the struct is never smaller */
#define SEARCH_BYTES 160
#define SAMPLES	     24

struct specimen {
	const char *name;
	unsigned int object_size;
	slab_flags_t flags;
	struct kmem_cache *cache;
	unsigned int size; /* distance of two objects in bytes; 0: not found */
};

/*
 * The alignment to 64 rounds these odd sizes up, so that size and object_size differ. The
 * caches differ in one flag, which shows the offset of the flags.
 */
static struct specimen specimens[] __initdata = {
	{ .name = "kmemtrace_specimen_a", .object_size = 1301,
	  .flags = SLAB_HWCACHE_ALIGN },
	{ .name = "kmemtrace_specimen_b", .object_size = 725,
	  .flags = SLAB_HWCACHE_ALIGN | SLAB_RECLAIM_ACCOUNT },
};

/*
 * Two neighbours in a slab have a distance of one size, and any two objects of a slab a
 * multiple of it. So this function takes the smallest distance.
 * Return: 0 or -ENOMEM.
 */
static int __init measure_size(struct specimen *sp)
{
	void *objects[SAMPLES];
	unsigned long best = 0;
	int i, j, n, err;

	for (n = 0; n < SAMPLES; n++) {
		objects[n] = kmem_cache_alloc(sp->cache, GFP_KERNEL);
		if (!objects[n])
			break;
	}
	for (i = 0; i < n; i++) {
		for (j = 0; j < n; j++) {
			unsigned long a = (unsigned long)objects[i];
			unsigned long b = (unsigned long)objects[j];

			if (a <= b || virt_to_head_page(objects[i]) !=
					      virt_to_head_page(objects[j]))
				continue;
			if (!best || a - b < best)
				best = a - b;
		}
	}
	err = n < SAMPLES ? -ENOMEM : 0;
	while (n--)
		kmem_cache_free(sp->cache, objects[n]);
	sp->size = best;
	return err;
}

static bool __init u32_is(const struct specimen *sp, unsigned int offset,
			  u32 value)
{
	return *(u32 *)((char *)sp->cache + offset) == value;
}

static bool __init name_is(const struct specimen *sp, unsigned int offset)
{
	const char *at = *(const char **)((char *)sp->cache + offset);
	size_t len = strlen(sp->name) + 1;
	char name[32];

	if (copy_from_kernel_nofault(name, at, len))
		return false;
	return !memcmp(name, sp->name, len);
}

/* both have the same flags, including those of the kernel, except for one */
static bool __init flags_are(const struct specimen *a, const struct specimen *b,
			     unsigned int offset)
{
	u32 x = *(u32 *)((char *)a->cache + offset);
	u32 y = *(u32 *)((char *)b->cache + offset);

	return (x & (__force u32)a->flags) == (__force u32)a->flags &&
	       (x ^ y) == (__force u32)(a->flags ^ b->flags);
}

static bool __init find_layout(struct kmt_cache_layout *layout)
{
	const struct specimen *a = &specimens[0], *b = &specimens[1];
	unsigned int i;

	memset(layout, 0xff, sizeof(*layout));
	for (i = 0; i < SEARCH_BYTES; i += sizeof(u32)) {
		if (layout->size == -1U && u32_is(a, i, a->size) &&
		    u32_is(b, i, b->size))
			layout->size = i;
		if (layout->object_size == -1U &&
		    u32_is(a, i, a->object_size) &&
		    u32_is(b, i, b->object_size))
			layout->object_size = i;
		if (layout->flags == -1U && flags_are(a, b, i))
			layout->flags = i;
		if (layout->name == -1U && i % sizeof(void *) == 0 &&
		    name_is(a, i) && name_is(b, i))
			layout->name = i;
	}
	layout->known = layout->size != -1U && layout->object_size != -1U &&
			layout->name != -1U;
	return layout->known;
}

#ifdef KMT_DEBUG
static bool hide_layout;
module_param(hide_layout, bool, 0444);
MODULE_PARM_DESC(hide_layout, "for tests: treat the layout of struct kmem_cache as unknown");
#else
#define hide_layout false
#endif

static int __init learn_layout(void)
{
	bool ready = !hide_layout;
	int i, err = 0;

	for (i = 0; i < ARRAY_SIZE(specimens) && !err; i++) {
		struct specimen *sp = &specimens[i];

		sp->cache = kmem_cache_create(sp->name, sp->object_size, 64,
					      sp->flags, kmt_cache_unmerged);
		err = sp->cache ? measure_size(sp) : -ENOMEM;
		ready = ready && sp->size > sp->object_size;
	}
	if (!err && (!ready || !find_layout(&kmt_cache_layout))) {
		kmt_cache_layout.known = false;
		pr_warn("cannot find the members of struct kmem_cache: records of caches lack the name of the cache and its waste\n");
	}
	for (i = 0; i < ARRAY_SIZE(specimens); i++)
		kmem_cache_destroy(specimens[i].cache);
	return err;
}

/* --- slabs ---------------------------------------------------------------- */

/*
 * Modules cannot see struct slab, which overlays struct page. The offset of the pointer
 * to the cache differs between kernels, so the module searches for it at load.
 */
static int slab_cache_offset __ro_after_init = -1;
static bool starts_at_page __ro_after_init; /* slabs start with their first object */

/*
 * Return: a mask of the words in the struct page of an object that point to its cache.
 */
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

static int __init learn_slabs(void)
{
	struct kmem_cache *cache;
	unsigned long mask;
	void *object;

	cache = kmem_cache_create("kmemtrace_slab", 200, 0, 0,
				  kmt_cache_unmerged);
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

bool kmt_cache_slabs_known(void)
{
	return slab_cache_offset >= 0;
}

struct kmem_cache *kmt_cache_of_slab(struct page *page)
{
	struct kmem_cache *cache;

	if (slab_cache_offset < 0)
		return NULL;
	cache = READ_ONCE(*(struct kmem_cache **)((void *)page +
						  slab_cache_offset));
	return virt_addr_valid(cache) ? cache : NULL;
}

unsigned int kmt_cache_struct_size(const struct kmem_cache *s)
{
	struct kmem_cache *of =
		virt_addr_valid(s) ? kmt_cache_of_slab(virt_to_head_page(s)) : NULL;
	u32 size;

	if (!of || copy_from_kernel_nofault(
			   &size, (void *)of + kmt_cache_layout.object_size, sizeof(size)))
		return 0;
	return size;
}

bool kmt_cache_is_kmalloc(const struct kmem_cache *s)
{
	size_t type, i;

	for (type = 0; s && type < ARRAY_SIZE(kmalloc_caches); type++)
		for (i = 0; i < ARRAY_SIZE(kmalloc_caches[type]); i++)
			if (kmalloc_caches[type][i] == s)
				return true;
	return false;
}

/* if a cache has a red zone (slub_debug=Z), its objects begin later in the slab */
static bool has_red_zone(const struct kmem_cache *cache)
{
	u32 flags;

	if (kmt_cache_layout.flags == -1U)
		return !starts_at_page;
	return copy_from_kernel_nofault(&flags,
					(void *)cache + kmt_cache_layout.flags,
					sizeof(flags)) ||
	       flags & (__force u32)SLAB_RED_ZONE;
}

unsigned int kmt_cache_distance(struct page *page, unsigned long bytes)
{
	struct kmem_cache *cache = kmt_cache_of_slab(page);
	u32 size;

	if (!cache || !kmt_cache_layout.known ||
	    copy_from_kernel_nofault(&size,
				     (void *)cache + kmt_cache_layout.size,
				     sizeof(size)) ||
	    size < sizeof(void *) || size > bytes || size % sizeof(void *) ||
	    has_red_zone(cache))
		return 0;
	return size;
}

int __init kmt_cache_init(void)
{
	int err;

	rows = kvcalloc(KMT_CACHES_MAX, sizeof(*rows), GFP_KERNEL);
	err = rows ? learn_layout() : -ENOMEM;
	if (!err)
		err = learn_slabs();
	if (err)
		kmt_cache_exit();
	return err;
}

void kmt_cache_exit(void)
{
	kvfree(rows);
}
