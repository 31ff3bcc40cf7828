/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Histograms: a table of sums for each value of the keys, as the trigger hist of event
 * tracing makes them. histfile.h prints them.
 *
 * With the values live and live_count, a histogram also knows the objects that it has
 * counted and that are not freed yet. The frees of its event must then be passed to
 * kmt_hist_free().
 */
#ifndef KMT_MODULE_HIST_H
#define KMT_MODULE_HIST_H

#include <linux/atomic.h>

#include "account/bucket.h"
#include "kmt_hist.h"
#include "steer/context.h"

struct kmt_hist_slot;

/**
 * struct kmt_hist_entry - the sums of one value of the keys
 * @comm: name of the thread whose event was the first; if a key needs KMT_FEATURE_TASK
 * @key: the keys, then the sums (kmt_hist_sums())
 */
struct kmt_hist_entry {
	char comm[KMT_COMM_LEN];
	u64 key[];
};

/**
 * struct kmt_hist - a histogram
 * @spec: what it counts
 * @paused: it counts no allocations; frees of those that it has counted still count
 * @frozen: it counts nothing
 * @pages: its objects are blocks of pages, which may be freed in parts
 * @taken: number of entries in use; may exceed spec.size
 * @hits: events counted
 * @dropped: events that found no entry
 * @untracked: allocations that found no space in @live
 * @untracked_bytes: their bytes
 * @unfreed: allocations whose address was allocated again, without a free
 * @parts: odd while a block of pages is divided; grows with each
 * @parts_lock: held while a block of pages is divided
 * @blocks: number of blocks in @live with more than one page
 * @slots: finds entries by the hash of the keys; twice as many as entries
 * @entries: the entries, each of @entry_size bytes
 * @entry_size: bytes of an entry with its keys and sums
 * @live: the objects, if spec.live: number of the entry and one in the upper half of a
 *	word, bytes in the lower half
 */
struct kmt_hist {
	struct kmt_hist_spec spec;
	bool paused;
	bool frozen;
	bool pages;
	atomic_t taken;
	atomic64_t hits;
	atomic64_t dropped;
	atomic64_t untracked;
	atomic64_t untracked_bytes;
	atomic64_t unfreed;
	atomic_t parts;
	arch_spinlock_t parts_lock;
	atomic_t blocks;
	struct kmt_hist_slot *slots;
	void *entries;
	size_t entry_size;
	struct kmt_bucket_table live;
};

/**
 * kmt_hist_make() - create a histogram
 * @spec: what it counts
 * @kind: KMT_EVENT_KIND() of the event
 *
 * Context: may sleep.
 * Return: the histogram; NULL if there is not enough memory.
 */
struct kmt_hist *kmt_hist_make(const struct kmt_hist_spec *spec,
			       unsigned int kind);

/**
 * kmt_hist_destroy() - free a histogram
 * @h: the histogram; NULL does nothing
 *
 * Context: may sleep; a grace period has passed since probes could find it.
 */
void kmt_hist_destroy(struct kmt_hist *h);

/**
 * kmt_hist_count() - count an event
 * @h: the histogram
 * @c: the event
 *
 * Context: any that an allocation can happen in, with interrupts off; the caller has
 * the CPU's guard (guard.h).
 */
void kmt_hist_count(struct kmt_hist *h, struct kmt_context *c);

/**
 * kmt_hist_free() - if the histogram has counted the allocation of an object, take it out
 * @h: the histogram; its spec.live is set
 * @ev: the free of the object
 *
 * Context: as kmt_hist_count().
 */
void kmt_hist_free(struct kmt_hist *h, const struct kmt_event *ev);

/**
 * kmt_hist_clear() - remove all entries
 * @h: the histogram
 *
 * Context: may sleep; serialised by the caller. Waits for a grace period.
 */
void kmt_hist_clear(struct kmt_hist *h);

/**
 * kmt_hist_frees() - get the events that free what an event allocates
 * @kind: KMT_EVENT_KIND() of an allocation
 *
 * Context: any.
 * Return: mask of BIT(KMT_EVENT_KIND()).
 */
u32 kmt_hist_frees(unsigned int kind);

/** kmt_hist_sums() - get the sums of an entry, in the order of the values; context: any */
static inline atomic64_t *kmt_hist_sums(const struct kmt_hist *h,
					struct kmt_hist_entry *e)
{
	return (atomic64_t *)((u8 *)e->key + h->spec.key_size);
}

/** kmt_hist_entries() - get the number of entries in use; context: any */
static inline u32 kmt_hist_entries(const struct kmt_hist *h)
{
	return min_t(u32, atomic_read(&h->taken), h->spec.size);
}

/**
 * kmt_hist_entry() - get an entry by its number
 * @h: the histogram
 * @i: number below kmt_hist_entries()
 *
 * Context: any.
 * Return: the entry; NULL if its event is being counted for the first time.
 */
struct kmt_hist_entry *kmt_hist_entry(const struct kmt_hist *h, u32 i);

#endif /* KMT_MODULE_HIST_H */
