// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: lookups take no lock. insert_lock serialises all changes. Its holder has
 * interrupts off and the CPU's guard, so that no probe in an NMI waits for it. A key and its
 * row are complete before smp_store_release() links the key. After it was unlinked, it is
 * used for another cache only after a grace period. Lookups have interrupts off, and
 * therefore finish before. If a key is linked again meanwhile, a lookup may miss a cache. It
 * then takes insert_lock and searches again.
 */
#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>
#include <linux/kmemtrace.h>

#include "base/cache.h"
#include "base/guard.h"
#include "base/peek.h"

#define NAME_SIZE KMT_CACHE_NAME_SIZE

/**
 * struct row - the rest of what is known of a cache, by its index
 * @unused: in the list unused, if the cache was destroyed, or may have been; else empty
 * @again: in the list of unused_at for its address, if it is in the list unused
 * @since: get_state_synchronize_rcu() when it was put into that list
 * @size: bytes that one object occupies
 * @reclaimable: the cache is SLAB_RECLAIM_ACCOUNT
 * @name: its name
 */
struct row {
	struct list_head unused;
	struct hlist_node again;
	unsigned long since;
	u32 size;
	bool reclaimable;
	char name[NAME_SIZE];
};

struct kmt_cache_layout kmt_cache_layout __ro_after_init;
struct kmt_cache_key kmt_cache_keys[KMT_CACHES_MAX];
u16 kmt_cache_slots[1 << KMT_CACHE_SLOT_BITS];

static struct row *rows; /* that of index 0 is not used */
/* of a type that lockdep does not check, because probes in an NMI take it as well */
static arch_spinlock_t insert_lock = __ARCH_SPIN_LOCK_UNLOCKED;
/* the following are written under insert_lock */
static unsigned int rows_used;
static LIST_HEAD(unused); /* the row that was used last is at the end */
static unsigned int unused_count;
static struct hlist_head unused_at[KMT_CACHES_MAX]; /* by hash; the last one is at the start */
static DECLARE_BITMAP(numbers, KMEMTRACE_CACHE_OFF); /* those of all rows */
static unsigned int last_number;

static DEFINE_PER_CPU(unsigned long, refused);

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

static struct kmt_cache_key *key_of(u16 offset)
{
	return (void *)kmt_cache_keys + offset;
}

static u16 offset_of(const struct kmt_cache_key *key)
{
	return (void *)key - (void *)kmt_cache_keys;
}

static struct row *row_of(const struct kmt_cache_key *key)
{
	return &rows[key - kmt_cache_keys];
}

/* Return: the key of a cache; that of index 0 if it has none. */
static struct kmt_cache_key *find_key(const struct kmem_cache *s)
{
	u16 at = READ_ONCE(kmt_cache_slots[kmt_cache_slot(s)]);

	while (at && !kmt_cache_is(s, key_of(at)))
		at = READ_ONCE(key_of(at)->next);
	return key_of(at);
}

/* Return: the key of a cache that is, or was, at this address; else that of index 0. */
static struct kmt_cache_key *find_address(const struct kmem_cache *s)
{
	u16 at = READ_ONCE(kmt_cache_slots[kmt_cache_slot(s)]);

	while (at && key_of(at)->cache != s)
		at = READ_ONCE(key_of(at)->next);
	return key_of(at);
}

static void __link(struct kmt_cache_key *key)
{
	u16 *slot = &kmt_cache_slots[kmt_cache_slot(key->cache)];

	WRITE_ONCE(key->next, *slot);
	/* pairs with kmt_cache_key_at() */
	smp_store_release(slot, offset_of(key));
}

static void __unlink(const struct kmt_cache_key *key)
{
	u16 *at = &kmt_cache_slots[kmt_cache_slot(key->cache)];

	while (*at != offset_of(key))
		at = &key_of(*at)->next;
	WRITE_ONCE(*at, key->next);
}

static struct hlist_head *unused_list(const struct kmem_cache *s)
{
	return &unused_at[kmt_cache_slot(s) % KMT_CACHES_MAX];
}

/* Let other caches use the row of a key, which is linked. */
static void __give_up(struct kmt_cache_key *key)
{
	struct row *row = row_of(key);

	__unlink(key);
	row->since = get_state_synchronize_rcu();
	list_add_tail(&row->unused, &unused);
	hlist_add_head(&row->again, unused_list(key->cache));
	WRITE_ONCE(unused_count, unused_count + 1);
}

static void __take_back(struct row *row)
{
	list_del_init(&row->unused);
	hlist_del(&row->again);
	WRITE_ONCE(unused_count, unused_count - 1);
}

/* Whether a key is that of a cache. The kernel raises object_size if it merges another one. */
static bool is_same(const struct kmt_cache_key *key, const struct kmem_cache *s, u32 size)
{
	char name[NAME_SIZE];

	if (key->cache != s || key->name_at != kmt_cache_name_at(s) ||
	    row_of(key)->size != size)
		return false;
	copy_name(name, kmt_cache_name_at(s));
	return !strcmp(row_of(key)->name, name);
}

/* rows that are searched with interrupts off; others with the same hash were used before these */
#define UNUSED_MAX 16

static struct kmt_cache_key *__find_unused(const struct kmem_cache *s, u32 size)
{
	unsigned int tries = UNUSED_MAX;
	struct row *row;

	hlist_for_each_entry(row, unused_list(s), again) {
		struct kmt_cache_key *key = &kmt_cache_keys[row - rows];

		if (is_same(key, s, size))
			return key;
		if (!--tries)
			break;
	}
	return NULL;
}

/*
 * Find the key that a cache had before kmt_cache_doubt(), or before a merge. Any other key at
 * this address is one of a cache that was destroyed.
 *
 * Return: the key, which is linked; NULL if there is none.
 */
static struct kmt_cache_key *__find_again(const struct kmem_cache *s)
{
	struct kmt_cache_sizes sizes = kmt_cache_sizes_by_layout(s);
	struct kmt_cache_key *key = find_address(s);
	bool is_linked = key->cache && is_same(key, s, sizes.size);

	if (key->cache && !is_linked)
		__give_up(key);
	if (!is_linked)
		key = __find_unused(s, sizes.size);
	if (!key)
		return NULL;
	WRITE_ONCE(key->object_size, sizes.object_size);
	if (!is_linked) {
		__take_back(row_of(key));
		__link(key);
	}
	return key;
}

/* Return: a number that no row has: the next one, so that it is new to who reads records. */
static u16 __new_number(void)
{
	unsigned int n = find_next_zero_bit(numbers, KMEMTRACE_CACHE_OFF,
					    last_number + 1);

	if (n == KMEMTRACE_CACHE_OFF)
		n = find_next_zero_bit(numbers, KMEMTRACE_CACHE_OFF, 1);
	__set_bit(n, numbers);
	last_number = n;
	return n;
}

/* Return: the key of a row that no lookup uses; NULL if there is none. */
static struct kmt_cache_key *__free_key(void)
{
	struct kmt_cache_key *key;
	struct row *row;

	if (rows_used + 1 < KMT_CACHES_MAX)
		return &kmt_cache_keys[rows_used + 1];
	row = list_first_entry_or_null(&unused, struct row, unused);
	if (!row || !poll_state_synchronize_rcu(row->since))
		return NULL;
	__take_back(row);
	key = &kmt_cache_keys[row - rows];
	__clear_bit(key->id, numbers);
	return key;
}

/* Return: a key for a new cache; that of index 0 if there is none. */
static struct kmt_cache_key *__add_key(const struct kmem_cache *s)
{
	struct kmt_cache_sizes sizes = kmt_cache_sizes_by_layout(s);
	const char *name_at = kmt_cache_name_at(s);
	struct kmt_cache_key *key = __free_key();
	struct row *row;

	if (!key) {
		__this_cpu_inc(refused);
		return kmt_cache_keys;
	}
	row = row_of(key);
	INIT_LIST_HEAD(&row->unused);
	row->size = sizes.size;
	row->reclaimable = kmt_cache_reclaimable_known() &&
			   *(u32 *)((char *)s + kmt_cache_layout.flags) &
				   (__force u32)SLAB_RECLAIM_ACCOUNT;
	copy_name(row->name, name_at);
	*key = (struct kmt_cache_key){
		.cache = s,
		.name_at = name_at,
		.object_size = sizes.object_size,
		.id = __new_number(),
	};
	__link(key);
	if (row > &rows[rows_used]) /* pairs with kmt_cache_count() */
		smp_store_release(&rows_used, rows_used + 1);
	return key;
}

const struct kmt_cache_key *kmt_cache_key_slowly(const struct kmem_cache *s)
{
	struct kmt_cache_key *key;

	if (!kmt_cache_layout.known)
		return kmt_cache_keys;
	key = find_key(s);
	if (key->cache)
		return key;
	/* without a free row, CPUs must not wait for each other */
	if (READ_ONCE(rows_used) + 1 == KMT_CACHES_MAX && !READ_ONCE(unused_count) &&
	    !find_address(s)->cache) {
		__this_cpu_inc(refused);
		return key;
	}
	arch_spin_lock(&insert_lock);
	key = find_key(s);
	if (!key->cache)
		key = __find_again(s) ?: __add_key(s);
	arch_spin_unlock(&insert_lock);
	return key;
}

void kmt_cache_released(const struct kmem_cache *s)
{
	unsigned long flags = kmt_guard_spin_lock(&insert_lock);
	struct kmt_cache_key *key = find_address(s);

	if (key->cache)
		__give_up(key);
	kmt_guard_spin_unlock(&insert_lock, flags);
}

void kmt_cache_doubt(void)
{
	unsigned int i, count = kmt_cache_count();

	for (i = 1; i <= count; i++) {
		unsigned long flags = kmt_guard_spin_lock(&insert_lock);

		if (list_empty(&rows[i].unused))
			__give_up(&kmt_cache_keys[i]);
		kmt_guard_spin_unlock(&insert_lock, flags);
	}
}

void kmt_cache_read(u16 index, struct kmt_cache_info *info)
{
	unsigned long flags = kmt_guard_spin_lock(&insert_lock);
	const struct kmt_cache_key *key = &kmt_cache_keys[index];
	const struct row *row = &rows[index];

	info->cache = list_empty(&row->unused) ? key->cache : NULL;
	info->object_size = key->object_size;
	info->size = row->size;
	info->id = key->id;
	info->reclaimable = row->reclaimable;
	memcpy(info->name, row->name, NAME_SIZE);
	kmt_guard_spin_unlock(&insert_lock, flags);
}

u16 kmt_cache_find(const struct kmem_cache *s)
{
	return find_address(s) - kmt_cache_keys;
}

void kmt_cache_show(struct seq_file *m)
{
	unsigned int i, count = kmt_cache_count();
	struct kmt_cache_info info;

	for (i = 1; i <= count; i++) {
		kmt_cache_read(i, &info);
		seq_printf(m, "%u %u %u %s%s\n", info.id, info.object_size, info.size,
			   info.name, info.reclaimable ? " reclaimable" : "");
	}
}

bool kmt_cache_reclaimable_known(void)
{
	return kmt_cache_layout.known && kmt_cache_layout.flags != -1U;
}

bool kmt_cache_is_reclaimable(u16 index)
{
	return READ_ONCE(rows[index].reclaimable);
}

const char *kmt_cache_name(const struct kmt_cache_key *key)
{
	return row_of(key)->name;
}

unsigned int kmt_cache_count(void)
{
	return smp_load_acquire(&rows_used); /* pairs with __add_key() */
}

unsigned int kmt_cache_destroyed(void)
{
	return READ_ONCE(unused_count);
}

unsigned long kmt_cache_refused(void)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(&refused, cpu));
	return sum;
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

	if (kmt_peek(name, at, len))
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

u16 kmt_cache_index_of(unsigned long object)
{
	struct page *page = virt_to_head_page((void *)object);
	struct kmem_cache *cache = PageSlab(page) ? kmt_cache_of_slab(page) : NULL;

	return cache ? kmt_cache_index(cache) : 0;
}

unsigned int kmt_cache_struct_size(const struct kmem_cache *s)
{
	struct kmem_cache *of =
		virt_addr_valid(s) ? kmt_cache_of_slab(virt_to_head_page(s)) : NULL;
	u32 size;

	if (!of ||
	    kmt_peek(&size, (void *)of + kmt_cache_layout.object_size, sizeof(size)))
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
	return kmt_peek(&flags, (void *)cache + kmt_cache_layout.flags, sizeof(flags)) ||
	       flags & (__force u32)SLAB_RED_ZONE;
}

unsigned int kmt_cache_distance(struct page *page, unsigned long bytes)
{
	struct kmem_cache *cache = kmt_cache_of_slab(page);
	u32 size;

	if (!cache || !kmt_cache_layout.known ||
	    kmt_peek(&size, (void *)cache + kmt_cache_layout.size, sizeof(size)) ||
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
