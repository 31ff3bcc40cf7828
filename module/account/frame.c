// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entries are in chunks of CHUNK frames, because physical memory has holes, which can
 * be larger than the memory.
 *
 * Notes on locking: add_mutex serialises the addition of chunks. Probes read the tables
 * without a lock. A chunk is zeroed before it is published. A longer array of chunks is
 * published before the count that covers it. Replaced arrays are kept until
 * kmt_frame_exit().
 *
 * survey_lock: see frame.h. kmt_frame_surveyed changes only while no probe is attached, or
 * after the survey's last change of an entry. So both agree on it.
 */
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/vmalloc.h>

#include "account/frame.h"
#include "account/tag.h"
#include "base/guard.h"

/* frames that a walk visits between two calls of cond_resched(); divides CHUNK */
#define FRAMES_AT_ONCE 16

#define CHUNK	    KMT_FRAME_CHUNK
#define CHUNK_BITS  KMT_FRAME_CHUNK_BITS
/* in a compressed entry */
#define SMALL_HEAD  0x8000
#define SMALL_BYTES (CHUNK * sizeof(u16))

/* with the index 0 only, and no entries */
static struct {
	struct kmt_frame_chunks chunks;
	struct kmt_frame *at;
} nothing;

struct kmt_frame **kmt_frame_chunks_simple = nothing.chunks.at;
static struct kmt_frame_chunks *chunks;
static unsigned long chunk_count;
static size_t entry_size __ro_after_init;
static u64 memory;
static DEFINE_MUTEX(add_mutex);

static bool is_compressed(void)
{
	return unlikely(entry_size != sizeof(struct kmt_frame));
}

static struct kmt_frame **chunk_slot(struct kmt_frame_chunks *c,
				     unsigned long chunk)
{
	unsigned long address = PAGE_OFFSET +
				(chunk << (CHUNK_BITS + PAGE_SHIFT));

	return &c->at[kmt_frame_chunk_index(c->at, address)];
}

/* Return: the entries of the chunk of a frame; NULL if it has none. */
static void *entries_of(unsigned long pfn)
{
	unsigned long chunk = pfn >> CHUNK_BITS;

	/* pairs with grow() and add_chunk() */
	if (unlikely(chunk >= smp_load_acquire(&chunk_count)))
		return NULL;
	return READ_ONCE(*chunk_slot(READ_ONCE(chunks), chunk));
}

struct kmt_frame *kmt_frame_at(unsigned long pfn)
{
	struct kmt_frame *entries = NULL;

	if (!is_compressed())
		entries = entries_of(pfn);
	return entries ? entries + (pfn & (CHUNK - 1)) : NULL;
}

/* Compressed entries of a chunk. Behind them are bits for KMT_FRAME_HASHED. */
static u16 *small_entries(unsigned long pfn)
{
	return entries_of(pfn);
}

static unsigned long *hashed_bits(u16 *entries)
{
	return (void *)entries + SMALL_BYTES;
}

static struct kmt_frame expand(u16 *entries, unsigned long at)
{
	u16 small = READ_ONCE(entries[at]);

	return kmt_frame_make((small & ~SMALL_HEAD) |
			      (small & SMALL_HEAD ? KMT_FRAME_HEAD : 0) |
			      (test_bit(at, hashed_bits(entries)) ?
				       KMT_FRAME_HASHED : 0), 0);
}

/* Set a small entry, but not its flag KMT_FRAME_HASHED. */
static void set_small(u16 *entries, unsigned long at, struct kmt_frame frame)
{
	WRITE_ONCE(entries[at], (frame.word & KMT_FRAME_COMPRESSED_MAX) |
			(frame.word & KMT_FRAME_HEAD ? SMALL_HEAD : 0));
}

static void compress(u16 *entries, unsigned long at, struct kmt_frame frame)
{
	unsigned long *hashed = hashed_bits(entries);

	set_small(entries, at, frame);
	if (frame.word & KMT_FRAME_HASHED)
		set_bit(at, hashed);
	else if (test_bit(at, hashed))
		clear_bit(at, hashed);
}

/* Entry @n of a chunk. */
static __always_inline struct kmt_frame
nth_entry(void *entries, unsigned long n, bool compressed)
{
	const struct kmt_frame *at = entries;

	if (compressed)
		return expand(entries, n);
	return (struct kmt_frame){ READ_ONCE(at[n].word) };
}

static void set_nth(void *entries, unsigned long n, struct kmt_frame frame)
{
	struct kmt_frame *at = entries;

	if (is_compressed())
		compress(entries, n, frame);
	else
		WRITE_ONCE(at[n].word, frame.word);
}

struct kmt_frame kmt_frame_get(unsigned long pfn)
{
	void *entries = entries_of(pfn);

	return entries ? nth_entry(entries, pfn & (CHUNK - 1), is_compressed()) :
			 (struct kmt_frame){ 0 };
}

void kmt_frame_set(unsigned long pfn, struct kmt_frame frame)
{
	void *entries = entries_of(pfn);

	if (entries)
		set_nth(entries, pfn & (CHUNK - 1), frame);
}

/* --- the survey ----------------------------------------------------------- */

bool kmt_frame_surveyed;
/* of a type that lockdep does not check, because probes in an NMI take it as well */
static arch_spinlock_t survey_lock = __ARCH_SPIN_LOCK_UNLOCKED;

/*
 * Whether the survey may change an entry, or the slots that it leads to, until its owner takes
 * survey_lock. So owners rarely need the lock more than once for each frame.
 */
static bool is_shared(struct kmt_frame frame)
{
	return kmt_frame_class(frame) == KMT_CLASS_UNSEEN || frame.word & KMT_FRAME_SLOTS;
}

unsigned long kmt_frame_survey_lock(void)
{
	return kmt_guard_spin_lock(&survey_lock);
}

void kmt_frame_survey_unlock(unsigned long flags)
{
	kmt_guard_spin_unlock(&survey_lock, flags);
}

/* Return: @new with the flags of @old. An entry with slots has no room for the upper half. */
static u64 merge(u64 old, u64 new)
{
	if (old & KMT_FRAME_SLOTS)
		return (old & ~(KMT_FRAME_CLASS | KMT_FRAME_HEAD)) |
		       (new & (KMT_FRAME_CLASS | KMT_FRAME_HEAD));
	return new | (old & KMT_FRAME_HASHED);
}

/* Return: whether the entry had KMT_CLASS_UNSEEN. */
static bool settle(void *entries, unsigned long n, struct kmt_frame frame)
{
	struct kmt_frame old = nth_entry(entries, n, is_compressed());
	struct kmt_frame *at = entries;

	if (kmt_frame_class(old) != KMT_CLASS_UNSEEN)
		return false;
	/* owners of objects may add KMT_FRAME_HASHED meanwhile, with cmpxchg() as well */
	if (is_compressed()) {
		set_small(entries, n, frame);
		return true;
	}
	while (!try_cmpxchg(&at[n].word, &old.word, merge(old.word, frame.word)))
		;
	return true;
}

unsigned int kmt_frame_settle(unsigned long pfn, unsigned int count,
			      struct kmt_frame frame)
{
	unsigned long n = pfn & (CHUNK - 1), end = n + count;
	void *entries = entries_of(pfn);
	unsigned int done = 0;

	for (; entries && n < end; n++, frame.word &= ~KMT_FRAME_HEAD)
		done += settle(entries, n, frame);
	return done;
}

void kmt_frame_settle_free(unsigned long pfn, unsigned int count)
{
	unsigned long n = pfn & (CHUNK - 1), end = n + count;
	void *entries = entries_of(pfn);

	for (; entries && n < end; n++)
		if (kmt_frame_class(nth_entry(entries, n, is_compressed())) ==
		    KMT_CLASS_UNSEEN)
			set_nth(entries, n, (struct kmt_frame){ 0 });
}

/* --- exchanging entries --------------------------------------------------- */

static struct kmt_frame exchange(void *entries, unsigned long n, struct kmt_frame frame)
{
	struct kmt_frame *at = entries, old;

	if (is_compressed()) {
		old = expand(entries, n);
		compress(entries, n, frame);
	} else {
		old.word = xchg(&at[n].word, frame.word);
	}
	return old;
}

bool kmt_frame_exchange(unsigned long pfn, struct kmt_frame frame,
			struct kmt_frame *old, unsigned long flags)
{
	unsigned long n = pfn & (CHUNK - 1);
	void *entries = entries_of(pfn);
	bool locks;

	old->word = 0;
	if (!entries)
		return false;
	locks = kmt_frame_survey_runs() && is_shared(nth_entry(entries, n, is_compressed()));
	if (locks)
		kmt_guard_spin_wait(&survey_lock, flags);
	*old = exchange(entries, n, frame);
	if (locks)
		arch_spin_unlock(&survey_lock);
	return true;
}

bool kmt_frame_hash(unsigned long pfn)
{
	struct kmt_frame *at;
	u16 *entries;
	u64 word;

	if (is_compressed()) {
		entries = small_entries(pfn);
		if (entries && !test_bit(pfn & (CHUNK - 1),
					 hashed_bits(entries)))
			set_bit(pfn & (CHUNK - 1), hashed_bits(entries));
		return true;
	}
	at = kmt_frame_at(pfn);
	word = at ? READ_ONCE(at->word) : KMT_FRAME_HASHED;
	while (!(word & KMT_FRAME_SLOTS))
		if (word & KMT_FRAME_HASHED ||
		    try_cmpxchg(&at->word, &word, word | KMT_FRAME_HASHED))
			return true;
	return false;
}

bool kmt_frame_keeps_birth(void)
{
	return !is_compressed();
}

static void move(void *to, unsigned long i, void *from, unsigned long j)
{
	struct kmt_frame source = nth_entry(from, j, is_compressed());
	struct kmt_frame target = nth_entry(to, i, is_compressed());

	if (!kmt_frame_class(target))
		target.word |= KMT_CLASS_UNSEEN;
	set_nth(to, i, source);
	set_nth(from, j, target);
}

bool kmt_frame_move(unsigned long to, unsigned long from, unsigned int count,
		    unsigned long flags)
{
	void *target = entries_of(to), *source = entries_of(from);
	unsigned int i;
	bool locks;

	if (unlikely(!target || !source))
		return false;
	locks = kmt_frame_survey_runs();
	if (locks)
		kmt_guard_spin_wait(&survey_lock, flags);
	to &= CHUNK - 1;
	from &= CHUNK - 1;
	for (i = 0; i < count; i++)
		move(target, to + i, source, from + i);
	if (locks)
		arch_spin_unlock(&survey_lock);
	return true;
}

/* Visit FRAMES_AT_ONCE frames of a chunk, from frame @pfn on. */
static __always_inline void
walk_some(void *entries, unsigned long pfn, bool compressed,
	  void (*visit)(unsigned long pfn, struct kmt_frame frame,
			struct kmt_frame before, void *arg),
	  void *arg)
{
	unsigned long n = pfn & (CHUNK - 1), end = n + FRAMES_AT_ONCE;
	struct kmt_frame before = { 0 }, frame;

	if (n)
		before = nth_entry(entries, n - 1, compressed);
	rcu_read_lock();
	for (; n < end; n++, pfn++) {
		frame = nth_entry(entries, n, compressed);
		if (frame.word)
			visit(pfn, frame, before, arg);
		before = frame;
	}
	rcu_read_unlock();
}

int kmt_frame_walk(void (*visit)(unsigned long pfn, struct kmt_frame frame,
				 struct kmt_frame before, void *arg),
		   void *arg, bool killable)
{
	unsigned long pfn = 0, end = smp_load_acquire(&chunk_count) << CHUNK_BITS;

	while (pfn < end) {
		void *entries = entries_of(pfn);

		if (killable && fatal_signal_pending(current))
			return -EINTR;
		if (!entries) {
			pfn += CHUNK;
			continue;
		}
		if (is_compressed())
			walk_some(entries, pfn, true, visit, arg);
		else
			walk_some(entries, pfn, false, visit, arg);
		cond_resched();
		pfn += FRAMES_AT_ONCE;
	}
	return 0;
}

static size_t chunk_bytes(void)
{
	return is_compressed() ? SMALL_BYTES + CHUNK / BITS_PER_BYTE :
				 CHUNK * sizeof(struct kmt_frame);
}

/* Mark @count frames from number @n of a chunk on. */
static void mark_all_unseen(void *entries, unsigned long n, unsigned long count)
{
	if (is_compressed())
		memset16((u16 *)entries + n, KMT_CLASS_UNSEEN, count);
	else
		memset64((u64 *)entries + n, KMT_CLASS_UNSEEN, count);
}

/*
 * The same, for entries without a class. They may have slots, if a probe has seen an object,
 * but not the slab's allocation. Probes may change them meanwhile.
 */
static void mark_some_unseen(void *entries, unsigned long n, unsigned long count)
{
	struct kmt_frame *at = entries;
	u16 *small = entries;
	u64 word;

	for (; count--; n++) {
		if (is_compressed()) {
			if (!READ_ONCE(small[n]))
				cmpxchg(&small[n], 0, KMT_CLASS_UNSEEN);
			continue;
		}
		word = READ_ONCE(at[n].word);
		while (!(word & KMT_FRAME_CLASS) &&
		       !try_cmpxchg(&at[n].word, &word, word | KMT_CLASS_UNSEEN))
			;
	}
}

void kmt_frame_mark_some_unseen(unsigned long pfn, unsigned int count)
{
	void *entries = entries_of(pfn);

	if (entries)
		mark_some_unseen(entries, pfn & (CHUNK - 1), count);
}

void kmt_frame_mark_unseen(bool only_zero)
{
	unsigned long pfn, end = smp_load_acquire(&chunk_count) << CHUNK_BITS;

	/* a section may begin with a hole */
	for (pfn = 0; pfn < end; pfn += PAGES_PER_SUBSECTION) {
		unsigned long n = pfn & (CHUNK - 1);
		void *entries = pfn_to_online_page(pfn) ? entries_of(pfn) : NULL;

		if (entries && only_zero)
			mark_some_unseen(entries, n, PAGES_PER_SUBSECTION);
		else if (entries)
			mark_all_unseen(entries, n, PAGES_PER_SUBSECTION);
		cond_resched();
	}
}

unsigned long kmt_frame_find_unseen(unsigned long pfn, unsigned long end)
{
	while (pfn < end) {
		unsigned long n = pfn & (CHUNK - 1), start = pfn - n;
		unsigned long stop = min(end - start, CHUNK);
		void *entries = entries_of(pfn);

		for (; entries && n < stop; n++)
			if (kmt_frame_class(nth_entry(entries, n,
						      is_compressed())) ==
			    KMT_CLASS_UNSEEN)
				return start + n;
		pfn = start + stop;
	}
	return end;
}

void kmt_frame_reset(void)
{
	unsigned long chunk, count = smp_load_acquire(&chunk_count);

	for (chunk = 0; chunk < count; chunk++) {
		void *at = entries_of(chunk << CHUNK_BITS);

		if (at)
			memset(at, 0, chunk_bytes());
		cond_resched();
	}
}

/*
 * The kernel initializes the struct pages of memory that is plugged in when the memory comes
 * online.
 *
 * Return: the node of the first online memory of a chunk; NUMA_NO_NODE if there is none.
 */
static int node_of(unsigned long chunk)
{
	unsigned long pfn = chunk << CHUNK_BITS, end = pfn + CHUNK;
	struct page *page;

	for (; pfn < end; pfn += PAGES_PER_SUBSECTION) {
		page = pfn_to_online_page(pfn);
		if (page)
			return page_to_nid(page);
	}
	return NUMA_NO_NODE;
}

u64 kmt_frame_end(void)
{
	unsigned long end = 0;
	int node;

	for_each_online_node(node)
		end = max(end, data_race(pgdat_end_pfn(NODE_DATA(node))));
	return end;
}

/* Make space for at least @count chunks. The caller holds add_mutex. */
static int grow(unsigned long count)
{
	struct kmt_frame_chunks *new;
	unsigned long i;

	count = roundup_pow_of_two(count);
	new = vzalloc(struct_size(new, at, count));
	if (!new) {
		/* its index would be that of another chunk */
		smp_store_release(&kmt_frame_chunks_simple,
				  nothing.chunks.at);
		return -ENOMEM;
	}
	new->mask = count - 1;
	for (i = 0; i < chunk_count; i++)
		*chunk_slot(new, i) = *chunk_slot(chunks, i);
	new->replaced = chunks;
	smp_store_release(&chunks, new);
	smp_store_release(&chunk_count, count);
	if (!is_compressed())
		smp_store_release(&kmt_frame_chunks_simple, new->at);
	WRITE_ONCE(memory, memory + struct_size(new, at, count));
	return 0;
}

static int add_chunk(unsigned long chunk, int node)
{
	void *entries;

	if (chunk >= chunk_count && grow(chunk + 1))
		return -ENOMEM;
	if (*chunk_slot(chunks, chunk))
		return 0;
	entries = vzalloc_node(chunk_bytes(), node);
	if (!entries)
		return -ENOMEM;
	smp_store_release(chunk_slot(chunks, chunk), entries);
	WRITE_ONCE(memory, memory + chunk_bytes());
	return 0;
}

int kmt_frame_add(unsigned long pfn, unsigned long count)
{
	unsigned long chunk = pfn >> CHUNK_BITS;
	int err = 0, node = page_to_nid(pfn_to_page(pfn));

	mutex_lock(&add_mutex);
	for (; chunk << CHUNK_BITS < pfn + count && !err; chunk++)
		err = add_chunk(chunk, node);
	mutex_unlock(&add_mutex);
	return err;
}

void kmt_frame_init(bool compressed)
{
	entry_size = compressed ? sizeof(u16) : sizeof(struct kmt_frame);
}

int kmt_frame_add_present(void)
{
	unsigned long chunk, count = DIV_ROUND_UP(kmt_frame_end(), CHUNK);
	int err, node;

	mutex_lock(&add_mutex);
	err = count > chunk_count ? grow(count) : 0;
	for (chunk = 0; chunk < count && !err; chunk++) {
		node = node_of(chunk);
		if (node != NUMA_NO_NODE)
			err = add_chunk(chunk, node);
	}
	mutex_unlock(&add_mutex);
	return err;
}

u64 kmt_frame_memory(void)
{
	return READ_ONCE(memory);
}

void kmt_frame_exit(void)
{
	unsigned long chunk;

	for (chunk = 0; chunk < chunk_count; chunk++)
		vfree(*chunk_slot(chunks, chunk));
	/* from now on no frame has an entry */
	chunk_count = 0;
	kmt_frame_chunks_simple = nothing.chunks.at;
	while (chunks) {
		struct kmt_frame_chunks *replaced = chunks->replaced;

		vfree(chunks);
		chunks = replaced;
	}
}
