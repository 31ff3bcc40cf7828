// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: an entry is found by open addressing. A CPU claims a slot with the
 * hash of the keys, writes its entry, and then publishes the entry in the slot. Another
 * CPU with the same hash waits for that; it has interrupts off, and so has the first one.
 * On one CPU, the guard (guard.h) prevents that an event interrupts another one. Nothing is
 * removed but by kmt_hist_clear(), for which no probe uses the table.
 *
 * Several CPUs may free parts of one block of pages at once. A CPU holds @parts_lock from
 * the moment that it takes the block out of the table until the rest of the block is in the
 * table. A CPU that finds no block searches again under the lock if @parts has changed.
 */
#include <linux/bits.h>
#include <linux/jhash.h>
#include <linux/kmemleak.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "steer/hist.h"

/* objects in the table of live objects, for each entry, and at least and at most */
#define OBJECTS_PER_ENTRY 32u
#define OBJECTS_MIN	  65536u
#define OBJECTS_MAX	  1048576u

/* blocks of the page allocator have at most this order */
#define ORDER_MAX 10

/**
 * struct kmt_hist_slot - where an entry is found
 * @hash: hash of its keys; 0: the slot is free
 * @entry: the entry; NULL until it is complete
 */
struct kmt_hist_slot {
	u32 hash;
	struct kmt_hist_entry *entry;
};

/* in a slot whose claim came too late: all entries were in use */
#define NO_ENTRY ((struct kmt_hist_entry *)1)

static u32 nr_slots(const struct kmt_hist *h)
{
	return 2 * h->spec.size;
}

/* A probe that goes on finds an empty table, not the one from before kmt_hist_clear(). */
static bool is_frozen(const struct kmt_hist *h)
{
	return smp_load_acquire(&h->frozen);
}

static struct kmt_hist_entry *entry_at(const struct kmt_hist *h, u32 i)
{
	return h->entries + i * h->entry_size;
}

/* --- keys ----------------------------------------------------------------- */

static bool is_known(const struct kmt_field *f, const struct kmt_extra *x)
{
	return !(f->group & ~x->have);
}

static void put_stack(u64 *to, const struct kmt_extra *x, bool known)
{
	unsigned int n = known ? min_t(unsigned int, x->depth, KMT_HIST_DEPTH)
			       : 0;

	memcpy(to, x->stack, n * sizeof(*to));
	memset(to + n, 0, (KMT_HIST_DEPTH - n) * sizeof(*to));
}

/* A field that is not known counts as 0, or as an empty text. */
static void put_key(const struct kmt_hist_field *key, struct kmt_context *c,
		    u64 *to)
{
	const struct kmt_field *f = key->field;
	bool known = is_known(f, &c->x);

	if (f->kind == KMT_FIELD_STACK)
		put_stack(to, &c->x, known);
	else if (kmt_field_is_string(f))
		strscpy_pad((char *)to, known ? kmt_field_string(f, &c->x) : "",
			    key->size);
	else
		*to = known ? kmt_hist_form_of(key, kmt_field_number(f, c->ev,
								     &c->x))
			    : 0;
}

static u32 make_key(const struct kmt_hist *h, struct kmt_context *c)
{
	const struct kmt_hist_spec *spec = &h->spec;
	unsigned int i;

	for (i = 0; i < spec->nr_keys; i++)
		put_key(&spec->keys[i], c,
			c->key + spec->keys[i].offset / sizeof(u64));
	return jhash2((u32 *)c->key, spec->key_size / sizeof(u32), 0) ?: 1;
}

/* --- entries -------------------------------------------------------------- */

/* Return: the entry; NULL if all are in use. */
static struct kmt_hist_entry *new_entry(struct kmt_hist *h,
					const struct kmt_context *c)
{
	u32 i = atomic_inc_return(&h->taken) - 1;
	struct kmt_hist_entry *e;

	if (i >= h->spec.size)
		return NULL;
	e = entry_at(h, i);
	if (c->x.have & KMT_FEATURE_TASK)
		memcpy(e->comm, c->x.comm, sizeof(e->comm));
	memcpy(e->key, c->key, h->spec.key_size);
	return e;
}

/* Wait until the CPU that has claimed the slot has published its entry. */
static struct kmt_hist_entry *published(struct kmt_hist_slot *slot)
{
	struct kmt_hist_entry *e;

	while (!(e = smp_load_acquire(&slot->entry)))
		cpu_relax();
	return e;
}

/* Return: the entry; NULL if it is new and all are in use. */
static struct kmt_hist_entry *find_entry(struct kmt_hist *h,
					 const struct kmt_context *c, u32 hash)
{
	u32 mask = nr_slots(h) - 1, i = hash & mask, tries = nr_slots(h), there;
	struct kmt_hist_entry *e;
	struct kmt_hist_slot *slot;

	for (; tries; tries--, i = (i + 1) & mask) {
		slot = &h->slots[i];
		there = READ_ONCE(slot->hash);
		if (!there) {
			if (atomic_read(&h->taken) >= h->spec.size)
				return NULL;
			there = cmpxchg(&slot->hash, 0, hash);
			if (!there) {
				e = new_entry(h, c);
				smp_store_release(&slot->entry, e ?: NO_ENTRY);
				return e;
			}
		}
		if (there != hash)
			continue;
		e = published(slot);
		if (e == NO_ENTRY)
			return NULL;
		if (!memcmp(e->key, c->key, h->spec.key_size))
			return e;
	}
	return NULL;
}

struct kmt_hist_entry *kmt_hist_entry(const struct kmt_hist *h, u32 i)
{
	struct kmt_hist_entry *e = entry_at(h, i);

	/* the first event of an entry increments hitcount after the entry is complete */
	return atomic64_read_acquire(kmt_hist_sums(h, e)) ? e : NULL;
}

/* Add to the sums of live memory. */
static void add_live(struct kmt_hist *h, struct kmt_hist_entry *e, s64 bytes,
		     int count)
{
	atomic64_t *sums = kmt_hist_sums(h, e);
	unsigned int i;

	for (i = 1; i < h->spec.nr_values; i++) {
		if (h->spec.values[i].source == KMT_HIST_LIVE)
			atomic64_add(bytes, &sums[i]);
		else if (h->spec.values[i].source == KMT_HIST_LIVE_COUNT)
			atomic64_add(count, &sums[i]);
	}
}

static void add_sums(struct kmt_hist *h, struct kmt_hist_entry *e,
		     const struct kmt_context *c)
{
	atomic64_t *sums = kmt_hist_sums(h, e);
	const struct kmt_hist_field *v;
	unsigned int i;

	for (i = 1; i < h->spec.nr_values; i++) {
		v = &h->spec.values[i];
		if (v->source == KMT_HIST_HITS)
			atomic64_inc(&sums[i]);
		else if (v->source == KMT_HIST_FIELD &&
			 is_known(v->field, &c->x))
			atomic64_add(kmt_field_number(v->field, c->ev, &c->x),
				     &sums[i]);
	}
	/* pairs with kmt_hist_entry() */
	atomic64_fetch_add_release(1, &sums[0]);
}

/* --- live objects --------------------------------------------------------- */

static u64 word_of(const struct kmt_hist *h, const struct kmt_hist_entry *e,
		   u32 bytes)
{
	u64 i = ((void *)e - h->entries) / h->entry_size;

	return (i + 1) << 32 | bytes;
}

static struct kmt_hist_entry *entry_of(const struct kmt_hist *h, u64 word)
{
	return entry_at(h, (word >> 32) - 1);
}

/* An object leaves the table. */
static void forget(struct kmt_hist *h, u64 word)
{
	/* after the change of @parts, if there is one; pairs with free_pages_of() */
	if (h->pages && (u32)word > PAGE_SIZE)
		atomic_dec_return_release(&h->blocks);
	add_live(h, entry_of(h, word), -(s64)(u32)word, -1);
}

/* An object comes into the table. */
static void keep(struct kmt_hist *h, unsigned long ptr, u64 word)
{
	struct kmt_hist_entry *e = entry_of(h, word);
	u32 bytes = word;
	u64 old;

	/* first, so that a sum is never negative */
	if (h->pages && bytes > PAGE_SIZE)
		atomic_inc(&h->blocks);
	add_live(h, e, bytes, 1);
	old = kmt_bucket_insert(&h->live, ptr, word);
	if (!old)
		return;
	if (old == KMT_BUCKET_FULL) {
		forget(h, word);
		atomic64_inc(&h->untracked);
		atomic64_add(bytes, &h->untracked_bytes);
	} else {
		forget(h, old);
		atomic64_inc(&h->unfreed);
	}
}

static void keep_event(struct kmt_hist *h, struct kmt_hist_entry *e,
		       const struct kmt_event *ev)
{
	if (!ev->ptr || !ev->bytes_alloc)
		return; /* it failed, or has no memory */
	if (ev->bytes_alloc > U32_MAX) {
		atomic64_inc(&h->untracked);
		atomic64_add(ev->bytes_alloc, &h->untracked_bytes);
		return;
	}
	keep(h, ev->ptr, word_of(h, e, ev->bytes_alloc));
}

static void free_object(struct kmt_hist *h, unsigned long ptr)
{
	u64 word = kmt_bucket_remove(&h->live, ptr);

	if (word)
		forget(h, word);
}

/* Find the block of pages that contains a block. Return: its word, or 0. */
static u64 find_block(const struct kmt_hist *h, unsigned long ptr,
		      unsigned int order, unsigned long *start)
{
	u64 word;

	for (; order <= ORDER_MAX; order++) {
		*start = ptr & ~((PAGE_SIZE << order) - 1);
		word = kmt_bucket_find(&h->live, *start);
		if ((u32)word >= PAGE_SIZE << order)
			return word;
	}
	return 0;
}

/* Keep the part of a block that is not freed: halves, quarters and so on. */
static void keep_rest(struct kmt_hist *h, u64 word, unsigned long start,
		      unsigned long ptr, unsigned long size)
{
	unsigned long half;

	for (half = (u32)word / 2; half >= size; half /= 2) {
		if (ptr >= start + half) {
			keep(h, start, word >> 32 << 32 | half);
			start += half;
		} else {
			keep(h, start + half, word >> 32 << 32 | half);
		}
	}
}

/* A block of pages is freed that is not in the table as such. */
static void free_part(struct kmt_hist *h, unsigned long ptr, unsigned int order)
{
	unsigned long start, size = PAGE_SIZE << order;
	u64 word;

	arch_spin_lock(&h->parts_lock);
	atomic_inc_return_acquire(&h->parts);
	if (find_block(h, ptr, order, &start)) {
		/* another block may be there by now, if a free was not seen */
		word = kmt_bucket_remove(&h->live, start);
		if ((u32)word >= ptr - start + size)
			keep_rest(h, word, start, ptr, size);
		else if (word)
			keep(h, start, word);
		if (word)
			forget(h, word);
	}
	atomic_inc_return_release(&h->parts);
	arch_spin_unlock(&h->parts_lock);
}

static void free_pages_of(struct kmt_hist *h, const struct kmt_event *ev)
{
	int parts = atomic_read_acquire(&h->parts);
	unsigned long start;
	u64 word = kmt_bucket_find(&h->live, ev->ptr);

	if ((u32)word == PAGE_SIZE << ev->order) {
		free_object(h, ev->ptr);
		return;
	}
	if (ev->order > ORDER_MAX)
		return;
	word = atomic_read(&h->blocks) ?
		       find_block(h, ev->ptr, ev->order, &start) :
		       0;
	smp_rmb(); /* the search, and the look at @blocks, come before this look at @parts */
	if (word || parts % 2 || atomic_read(&h->parts) != parts)
		free_part(h, ev->ptr, ev->order);
}

void kmt_hist_free(struct kmt_hist *h, const struct kmt_event *ev)
{
	if (is_frozen(h))
		return;
	if (h->pages)
		free_pages_of(h, ev);
	else
		free_object(h, ev->ptr);
}

u32 kmt_hist_frees(unsigned int kind)
{
	u32 kmalloc = BIT(
		KMT_EVENT_KIND(KMEMTRACE_EVENT_FREE, KMEMTRACE_TYPE_KMALLOC));
	u32 cache =
		BIT(KMT_EVENT_KIND(KMEMTRACE_EVENT_FREE, KMEMTRACE_TYPE_CACHE));

	/* kfree() also frees objects of caches */
	return BIT(kind | 1) & (kmalloc | cache) ? kmalloc | cache
						 : BIT(kind | 1);
}

/* --- histograms ----------------------------------------------------------- */

void kmt_hist_count(struct kmt_hist *h, struct kmt_context *c)
{
	struct kmt_hist_entry *e;

	if (READ_ONCE(h->paused) || is_frozen(h))
		return;
	kmt_context_fetch(&c->x, c->ev, h->spec.groups & ~c->x.have);
	e = find_entry(h, c, make_key(h, c));
	if (!e) {
		atomic64_inc(&h->dropped);
		return;
	}
	atomic64_inc(&h->hits);
	add_sums(h, e, c);
	if (h->spec.live)
		keep_event(h, e, c->ev);
}

void kmt_hist_clear(struct kmt_hist *h)
{
	WRITE_ONCE(h->frozen, true);
	synchronize_rcu();
	memset(h->slots, 0, nr_slots(h) * sizeof(*h->slots));
	memset(h->entries, 0, h->spec.size * h->entry_size);
	atomic_set(&h->taken, 0);
	atomic_set(&h->blocks, 0);
	atomic64_set(&h->hits, 0);
	atomic64_set(&h->dropped, 0);
	atomic64_set(&h->untracked, 0);
	atomic64_set(&h->untracked_bytes, 0);
	atomic64_set(&h->unfreed, 0);
	if (h->spec.live)
		kmt_bucket_reset(&h->live);
	/* pairs with is_frozen() */
	smp_store_release(&h->frozen, false);
}

struct kmt_hist *kmt_hist_make(const struct kmt_hist_spec *spec,
			       unsigned int kind)
{
	struct kmt_hist *h = kzalloc(sizeof(*h), GFP_KERNEL);
	u32 objects =
		clamp(spec->size * OBJECTS_PER_ENTRY, OBJECTS_MIN, OBJECTS_MAX);

	if (!h)
		return NULL;
	h->spec = *spec;
	h->paused = spec->pause;
	h->pages = kind / 2 == KMEMTRACE_TYPE_PAGES;
	h->parts_lock = (arch_spinlock_t)__ARCH_SPIN_LOCK_UNLOCKED;
	h->entry_size = sizeof(struct kmt_hist_entry) + spec->key_size +
			spec->nr_values * sizeof(atomic64_t);
	h->slots = vzalloc(nr_slots(h) * sizeof(*h->slots));
	h->entries = vzalloc(spec->size * h->entry_size);
	/* addresses among the keys would hide leaks from kmemleak */
	if (h->entries)
		kmemleak_no_scan(h->entries);
	if (h->slots && h->entries &&
	    (!spec->live || !kmt_bucket_init(&h->live, objects)))
		return h;
	kmt_hist_destroy(h);
	return NULL;
}

void kmt_hist_destroy(struct kmt_hist *h)
{
	if (!h)
		return;
	kmt_bucket_exit(&h->live);
	vfree(h->entries);
	vfree(h->slots);
	kfree(h);
}
