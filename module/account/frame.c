// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entries are in chunks of CHUNK frames, because physical memory has holes, which can
 * be larger than the memory.
 *
 * Notes on locking: add_mutex serialises the addition of chunks. Probes read the tables
 * without a lock. A chunk is zeroed before it is published. A longer array of chunks is
 * published before the count that covers it. Replaced arrays are kept until
 * kmt_frame_exit().
 */
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

#include "account/frame.h"

#define CHUNK_BITS 15
#define CHUNK	   (1ul << CHUNK_BITS)
#define SMALL_HEAD 0x8000

/**
 * struct chunks - all chunks, by number
 * @replaced: the shorter array that was used before, or NULL
 * @at: entries of each chunk; NULL if it has no memory
 */
struct chunks {
	struct chunks *replaced;
	void *at[];
};

static struct chunks *chunks;
static unsigned long chunk_count;
static size_t entry_size __ro_after_init;
static u64 memory;
bool kmt_frame_slabs_marked;
static DEFINE_MUTEX(add_mutex);

/* Return: entries of the chunk; NULL if it has none. */
static __always_inline void *chunk_at(unsigned long chunk)
{
	/* pairs with grow() */
	if (unlikely(chunk >= smp_load_acquire(&chunk_count)))
		return NULL;
	/* pairs with add_chunk() */
	return READ_ONCE(READ_ONCE(chunks)->at[chunk]);
}

static __always_inline void *entry(unsigned long pfn)
{
	void *at = chunk_at(pfn >> CHUNK_BITS);

	if (unlikely(!at))
		return NULL;
	return at + (pfn & (CHUNK - 1)) * entry_size;
}

/* An entry may change during a walk, so each is read once and as a whole. */
union entry {
	struct kmt_frame frame;
	u64 whole;
};

static __always_inline struct kmt_frame read_entry(const void *at)
{
	union entry e = { .whole = 0 };
	u16 small;

	if (likely(entry_size == sizeof(e))) {
		e.whole = READ_ONCE(*(const u64 *)at);
		return e.frame;
	}
	small = READ_ONCE(*(const u16 *)at);
	e.frame.class = (small & ~SMALL_HEAD) |
			(small & SMALL_HEAD ? KMT_FRAME_HEAD : 0);
	return e.frame;
}

static __always_inline void write_entry(void *at, struct kmt_frame frame)
{
	u16 small = (frame.class & KMT_FRAME_COMPRESSED_MAX) |
		    (frame.class & KMT_FRAME_HEAD ? SMALL_HEAD : 0);

	if (likely(entry_size == sizeof(union entry)))
		WRITE_ONCE(*(u64 *)at, (union entry){ .frame = frame }.whole);
	else
		WRITE_ONCE(*(u16 *)at, small);
}

struct kmt_frame kmt_frame_get(unsigned long pfn)
{
	const void *at = entry(pfn);

	return at ? read_entry(at) : (struct kmt_frame){ 0 };
}

void kmt_frame_set(unsigned long pfn, struct kmt_frame frame)
{
	void *at = entry(pfn);

	if (at)
		write_entry(at, frame);
}

bool kmt_frame_exchange(unsigned long pfn, struct kmt_frame frame,
			struct kmt_frame *old)
{
	void *at = entry(pfn);

	if (likely(at)) {
		*old = read_entry(at);
		write_entry(at, frame);
	} else {
		*old = (struct kmt_frame){ 0 };
	}
	return at;
}

bool kmt_frame_keeps_birth(void)
{
	return entry_size == sizeof(struct kmt_frame);
}

bool kmt_frame_move(unsigned long to, unsigned long from, u32 unseen)
{
	void *new = entry(to), *old = entry(from);
	struct kmt_frame target;

	if (unlikely(!new || !old))
		return false;
	target = read_entry(new);
	if (!kmt_frame_class(target))
		target.class = unseen;
	write_entry(new, read_entry(old));
	write_entry(old, target);
	return true;
}

void kmt_frame_walk(void (*visit)(struct kmt_frame frame,
				  struct kmt_frame before, void *arg),
		    void *arg)
{
	unsigned long chunk, count = smp_load_acquire(&chunk_count), i;

	for (chunk = 0; chunk < count; chunk++) {
		const void *at = chunk_at(chunk);
		struct kmt_frame before = { 0 };

		for (i = 0; at && i < CHUNK; i++) {
			struct kmt_frame frame =
				read_entry(at + i * entry_size);

			if (kmt_frame_class(frame))
				visit(frame, before, arg);
			before = frame;
		}
		cond_resched();
	}
}

/* A probe may write the entry at any time. Its value must not be overwritten. */
static void mark_if_unknown(void *at, struct kmt_frame frame)
{
	if (entry_size == sizeof(union entry))
		cmpxchg((u64 *)at, 0, (union entry){ .frame = frame }.whole);
	else
		cmpxchg((u16 *)at, 0, SMALL_HEAD);
}

/*
 * Return: number of free pages from this page on; 0 if it does not begin a free block.
 * No lock is held, so the order is valid only if the block is still free afterwards.
 */
static unsigned long free_pages_from(struct page *page)
{
	unsigned long order;

	if (!PageBuddy(page))
		return 0;
	order = READ_ONCE(page->private);
	smp_rmb();
	if (!PageBuddy(page) || order > ilog2(MAX_ORDER_NR_PAGES))
		return 0;
	return 1ul << order;
}

static void mark_slabs_of(unsigned long chunk)
{
	unsigned long pfn = chunk << CHUNK_BITS, end = pfn + CHUNK, skip;

	for (; pfn < end; pfn += skip) {
		struct page *page = pfn_to_online_page(pfn);

		skip = 1;
		if (!page)
			continue;
		if (!PageTail(page) && PageSlab(page))
			mark_if_unknown(entry(pfn), (struct kmt_frame){
				.class = KMT_FRAME_SLAB });
		else
			skip = max(skip, free_pages_from(page));
		if (pfn % 1024 == 0)
			cond_resched();
	}
}

void kmt_frame_mark_slabs(void)
{
	unsigned long chunk, count = smp_load_acquire(&chunk_count);

	for (chunk = 0; chunk < count; chunk++) {
		if (chunk_at(chunk))
			mark_slabs_of(chunk);
		cond_resched();
	}
	/* the marks become visible before the flag */
	smp_store_release(&kmt_frame_slabs_marked, true);
}

void kmt_frame_reset(void)
{
	unsigned long chunk, count = smp_load_acquire(&chunk_count);

	WRITE_ONCE(kmt_frame_slabs_marked, false);
	for (chunk = 0; chunk < count; chunk++) {
		void *at = chunk_at(chunk);

		if (at)
			memset(at, 0, CHUNK * entry_size);
		cond_resched();
	}
}

static bool has_memory(unsigned long chunk)
{
	unsigned long pfn = chunk << CHUNK_BITS, end = pfn + CHUNK;

	for (; pfn < end; pfn += PAGES_PER_SECTION)
		if (pfn_valid(pfn))
			return true;
	return false;
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
	struct chunks *new;

	count = max(count, 2 * chunk_count);
	new = vzalloc(struct_size(new, at, count));
	if (!new)
		return -ENOMEM;
	if (chunks)
		memcpy(new->at, chunks->at, chunk_count * sizeof(new->at[0]));
	new->replaced = chunks;
	smp_store_release(&chunks, new);
	smp_store_release(&chunk_count, count);
	WRITE_ONCE(memory, memory + struct_size(new, at, count));
	return 0;
}

static int add_chunk(unsigned long chunk)
{
	void *entries;

	if (chunk >= chunk_count && grow(chunk + 1))
		return -ENOMEM;
	if (chunks->at[chunk])
		return 0;
	entries = vzalloc(CHUNK * entry_size);
	if (!entries)
		return -ENOMEM;
	smp_store_release(&chunks->at[chunk], entries);
	WRITE_ONCE(memory, memory + CHUNK * entry_size);
	return 0;
}

int kmt_frame_add(unsigned long pfn, unsigned long count)
{
	unsigned long chunk = pfn >> CHUNK_BITS;
	int err = 0;

	mutex_lock(&add_mutex);
	for (; chunk << CHUNK_BITS < pfn + count && !err; chunk++)
		err = add_chunk(chunk);
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
	int err;

	mutex_lock(&add_mutex);
	err = count > chunk_count ? grow(count) : 0;
	for (chunk = 0; chunk < count && !err; chunk++)
		if (has_memory(chunk))
			err = add_chunk(chunk);
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
		vfree(chunks->at[chunk]);
	chunk_count = 0; /* from now on no frame has an entry */
	while (chunks) {
		struct chunks *replaced = chunks->replaced;

		vfree(chunks);
		chunks = replaced;
	}
}
