/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The class of each page frame.
 *
 * Pages are allocated together, split, and freed in pieces. Each frame therefore has an
 * entry. A mark on the first of the frames that were allocated together represents the
 * allocation.
 */
#ifndef KMT_FRAME_H
#define KMT_FRAME_H

#include <asm/barrier.h>
#include <linux/bits.h>
#include <linux/container_of.h>
#include <linux/mm.h>
#include <linux/types.h>

/**
 * struct kmt_frame - the entry of a page frame
 * @word: KMT_FRAME_CLASS, the number of its class, or 0 if it is not known; and flags.
 *	With KMT_FRAME_SLOTS, the upper bits say where the slots of its objects are
 *	(slots.h). Else the upper 32 bits are kmt_tick_now() at its allocation; in the
 *	second frame of a large kmalloc(), the bytes that were not requested instead
 *
 * Belongs to the owner of the frame. When a page migrates, its entry moves with it. If
 * objects begin in the frame, each of their owners may set one of KMT_FRAME_SLOTS and
 * KMT_FRAME_HASHED, with cmpxchg().
 */
struct kmt_frame {
	u64 word;
};

#define KMT_FRAME_CLASS	 GENMASK_ULL(19, 0)
#define KMT_FRAME_HEAD	 BIT_ULL(20) /* the first frame of an allocation */
#define KMT_FRAME_SLOTS	 BIT_ULL(21) /* the objects that begin here have slots */
/* without KMT_FRAME_SLOTS */
#define KMT_FRAME_HASHED BIT_ULL(22) /* they are in the table of bucket.h */
#define KMT_FRAME_LARGE	 BIT_ULL(23) /* of a large kmalloc(); lost if compressed */
#define KMT_FRAME_FLAGS	 GENMASK_ULL(23, 20)
/* with KMT_FRAME_SLOTS: the upper bits are the offset in the direct map, >> 4, << 22 */
#define KMT_FRAME_SLOTS_SHIFT 18
#define KMT_FRAME_SLOTS_ALIGN 16

/**
 * kmt_frame_class() - number of the class of a frame
 * @frame: entry of the frame
 *
 * Context: any.
 * Return: the number; 0 if it is not known.
 */
static __always_inline u32 kmt_frame_class(struct kmt_frame frame)
{
	return frame.word & KMT_FRAME_CLASS;
}

/* Return: whether it is the first frame of an allocation. */
static __always_inline bool kmt_frame_is_head(struct kmt_frame frame)
{
	return frame.word & KMT_FRAME_HEAD;
}

/* Return: whether objects begin in the frame, and have no slots. */
static __always_inline bool kmt_frame_is_hashed(struct kmt_frame frame)
{
	return (frame.word & (KMT_FRAME_SLOTS | KMT_FRAME_HASHED)) ==
	       KMT_FRAME_HASHED;
}

/* Return: the upper half of an entry without KMT_FRAME_SLOTS. */
static __always_inline u32 kmt_frame_upper(struct kmt_frame frame)
{
	return frame.word >> 32;
}

/* @class: the number, with flags; @upper: see struct kmt_frame */
static __always_inline struct kmt_frame kmt_frame_make(u32 class, u32 upper)
{
	return (struct kmt_frame){ (u64)upper << 32 | class };
}

/* CHUNK frames have their entries in one piece of memory. */
#define KMT_FRAME_CHUNK_BITS 15
#define KMT_FRAME_CHUNK	     (1ul << KMT_FRAME_CHUNK_BITS)

/**
 * struct kmt_frame_chunks - the entries of all chunks
 * @replaced: the shorter array that was used before, or NULL
 * @mask: length of @at less one; the length is a power of two
 * @at: entries of each chunk, at kmt_frame_chunk_index(); NULL if it has no memory
 */
struct kmt_frame_chunks {
	struct kmt_frame_chunks *replaced;
	unsigned long mask;
	struct kmt_frame *at[];
};

/* @address: of the chunk's memory in the direct map; PAGE_OFFSET need not begin a chunk */
static __always_inline unsigned long
kmt_frame_chunk_index(struct kmt_frame *const *at, unsigned long address)
{
	unsigned long mask =
		container_of(at, struct kmt_frame_chunks, at[0])->mask;

	return address >> (KMT_FRAME_CHUNK_BITS + PAGE_SHIFT) & mask;
}

/* the entries of all memory; without any, if they are compressed, or memory was short */
extern struct kmt_frame **kmt_frame_chunks_simple; /* kmt_frame_chunks.at */

/*
 * READ_ONCE() and smp_load_acquire(). For their volatile accesses, gcc computes the address
 * of an element with an instruction of its own; for these it does not.
 */
#define kmt_frame_load(p)	  __atomic_load_n(p, __ATOMIC_RELAXED)
#define kmt_frame_load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)

/* Return: the entries of the chunk with an address; NULL if there are none. */
static __always_inline struct kmt_frame *kmt_frame_chunk_simple(unsigned long ptr)
{
	/* pairs with grow() and add_chunk() */
	struct kmt_frame *const *chunks =
		smp_load_acquire(&kmt_frame_chunks_simple);

	return kmt_frame_load(&chunks[kmt_frame_chunk_index(chunks, ptr)]);
}

/* Return: the number of the entry for an address among those of its chunk. */
static __always_inline unsigned long kmt_frame_in_chunk(unsigned long ptr)
{
	return ptr >> PAGE_SHIFT & (KMT_FRAME_CHUNK - 1);
}

/**
 * kmt_frame_at_simple() - find the entry of the frame that contains an address
 * @ptr: the address, in the direct map
 *
 * Context: any.
 * Return: the entry; NULL if there is none, or kmt_frame_at() must be called.
 */
static __always_inline struct kmt_frame *kmt_frame_at_simple(unsigned long ptr)
{
	struct kmt_frame *entries = kmt_frame_chunk_simple(ptr);

	return likely(entries) ? entries + kmt_frame_in_chunk(ptr) : NULL;
}

/**
 * kmt_frame_simple() - read the entry of the frame that contains an address
 * @ptr: the address, in the direct map
 *
 * Context: any.
 * Return: the entry; 0 if there is none, or kmt_frame_at() must be called.
 */
static __always_inline struct kmt_frame kmt_frame_simple(unsigned long ptr)
{
	const struct kmt_frame *entries = kmt_frame_chunk_simple(ptr);

	if (unlikely(!entries))
		return (struct kmt_frame){ 0 };
	/* pairs with kmt_slots_create() */
	return (struct kmt_frame){
		kmt_frame_load_acquire(&entries[kmt_frame_in_chunk(ptr)].word),
	};
}

/**
 * kmt_frame_at() - find the entry of a frame, unless entries are compressed
 * @pfn: number of the frame; may be any number
 *
 * The entries of the frames of one allocation follow each other.
 *
 * Context: any.
 * Return: the entry, which others may change; NULL if there is none.
 */
struct kmt_frame *kmt_frame_at(unsigned long pfn);

/**
 * kmt_frame_of_object() - number of the frame in which an object begins
 * @ptr: its address, in the direct map; or a per-CPU pointer
 *
 * Context: any.
 * Return: the number; for a per-CPU pointer, a number that no frame has.
 */
static __always_inline unsigned long kmt_frame_of_object(unsigned long ptr)
{
	return (ptr - PAGE_OFFSET) >> PAGE_SHIFT;
}

/**
 * kmt_frame_get() - read the entry of a frame
 * @pfn: number of the frame
 *
 * Context: any.
 * Return: the entry; all 0 if the frame has none.
 */
struct kmt_frame kmt_frame_get(unsigned long pfn);

/**
 * kmt_frame_set() - write the entry of a frame
 * @pfn: number of the frame
 * @frame: the new entry; dropped if the frame has none
 *
 * Context: any.
 */
void kmt_frame_set(unsigned long pfn, struct kmt_frame frame);

/**
 * kmt_frame_exchange() - read the entry of a frame, and write it
 * @pfn: number of the frame
 * @frame: the new entry; dropped if the frame has none
 * @old: set to the old entry; all 0 if the frame has none
 * @flags: from local_irq_save(); interrupts may come in while the survey uses the entry
 *
 * Atomic, unless entries are compressed.
 *
 * Context: any, interrupts off; the caller has the CPU's guard (guard.h).
 * Return: whether the frame has an entry.
 */
bool kmt_frame_exchange(unsigned long pfn, struct kmt_frame frame,
			struct kmt_frame *old, unsigned long flags);

/**
 * kmt_frame_run() - number of frames whose entries follow each other
 * @pfn: number of the first frame
 * @count: number of frames
 *
 * Context: any.
 * Return: how many of the frames are in the chunk of the first one.
 */
static __always_inline unsigned int kmt_frame_run(unsigned long pfn,
						  unsigned long count)
{
	return min(count, KMT_FRAME_CHUNK - (pfn & (KMT_FRAME_CHUNK - 1)));
}

/**
 * kmt_frame_move() - exchange the entries of frames, when pages migrate
 * @to: number of the first target frame
 * @from: number of the first source frame
 * @count: number of frames, at most kmt_frame_run() of both
 * @flags: as for kmt_frame_exchange(), before the first frame
 *
 * A source frame gets KMT_CLASS_UNSEEN if the class of its target was not known.
 *
 * Context: as kmt_frame_exchange().
 * Return: false if nothing was done, because one of the chunks has no entries.
 */
bool kmt_frame_move(unsigned long to, unsigned long from, unsigned int count,
		    unsigned long flags);

/**
 * kmt_frame_keeps_birth() - whether entries have the time of allocation
 *
 * Context: any.
 * Return: false if entries are compressed.
 */
bool kmt_frame_keeps_birth(void);

/**
 * kmt_frame_walk() - visit all frames whose entry is not 0
 * @visit: called with the number and the entry of each, and the entry of the frame before
 *	it; under rcu_read_lock()
 * @arg: passed to @visit
 * @killable: end if the task is killed
 *
 * Context: may sleep.
 * Return: 0; -EINTR if the task was killed.
 */
int kmt_frame_walk(void (*visit)(unsigned long pfn, struct kmt_frame frame,
				 struct kmt_frame before, void *arg),
		   void *arg, bool killable);

/**
 * kmt_frame_hash() - set KMT_FRAME_HASHED in the entry of a frame
 * @pfn: number of the frame
 *
 * Context: any.
 * Return: false if it has KMT_FRAME_SLOTS. Nothing is done then, and nothing if the frame
 * has no entry.
 */
bool kmt_frame_hash(unsigned long pfn);

/*
 * The survey (survey.h) charges frames that were allocated before accounting was switched
 * on. Their entries have KMT_CLASS_UNSEEN until the survey or an event comes. The owner of
 * such a frame changes its entry with kmt_frame_exchange() or kmt_frame_move(), which take
 * survey_lock while the survey runs. The survey changes no other entries, and holds the lock
 * while it does. It also holds the lock while it uses the slots of a page, so the owner of the page
 * takes the lock before it takes them away.
 *
 * A probe cannot leave out the change of an entry, so it waits for the lock. It lets interrupts in
 * meanwhile. Once a frame was allocated or freed, its owner needs the lock for a slab only. So the
 * CPUs do not wait for each other in all of their events.
 */

extern bool kmt_frame_surveyed; /* the survey runs */

/*
 * Whether the survey runs. Pairs with its end: an owner that finds that it has ended reads the
 * last changes by it.
 */
static __always_inline bool kmt_frame_survey_runs(void)
{
	return unlikely(smp_load_acquire(&kmt_frame_surveyed));
}

/**
 * kmt_frame_survey_lock() - keep the entries with KMT_CLASS_UNSEEN as they are
 *
 * Context: the survey; as kmt_guard_spin_lock().
 * Return: flags for kmt_frame_survey_unlock().
 */
unsigned long kmt_frame_survey_lock(void);

/**
 * kmt_frame_survey_unlock() - undo kmt_frame_survey_lock()
 * @flags: return value of kmt_frame_survey_lock()
 *
 * Context: the caller holds the lock.
 */
void kmt_frame_survey_unlock(unsigned long flags);

/**
 * kmt_frame_settle() - replace KMT_CLASS_UNSEEN in the entries of frames
 * @pfn: number of the first frame
 * @count: number of frames, at most kmt_frame_run()
 * @frame: the new entry, of which only the first frame gets KMT_FRAME_HEAD; flags for the
 *	objects of a frame stay
 *
 * Context: the caller holds survey_lock.
 * Return: number of frames that had KMT_CLASS_UNSEEN. The others keep their entries.
 */
unsigned int kmt_frame_settle(unsigned long pfn, unsigned int count,
			      struct kmt_frame frame);

/**
 * kmt_frame_settle_free() - clear the entries of free frames, if they have KMT_CLASS_UNSEEN
 * @pfn: number of the first frame
 * @count: number of frames, at most kmt_frame_run()
 *
 * Context: the caller holds survey_lock.
 */
void kmt_frame_settle_free(unsigned long pfn, unsigned int count);

/**
 * kmt_frame_mark_some_unseen() - set entries without a class to KMT_CLASS_UNSEEN
 * @pfn: number of the first frame
 * @count: number of frames, at most kmt_frame_run()
 *
 * Context: any.
 */
void kmt_frame_mark_some_unseen(unsigned long pfn, unsigned int count);

/**
 * kmt_frame_mark_unseen() - set the entries of all online memory to KMT_CLASS_UNSEEN
 * @only_zero: only those that have no class
 *
 * Context: may sleep; without @only_zero, no probe is attached.
 */
void kmt_frame_mark_unseen(bool only_zero);

/**
 * kmt_frame_find_unseen() - find a frame with KMT_CLASS_UNSEEN
 * @pfn: number of the first frame to look at
 * @end: number of the frame after the last
 *
 * Context: any.
 * Return: the number of the first such frame; @end, or more, if there is none.
 */
unsigned long kmt_frame_find_unseen(unsigned long pfn, unsigned long end);

/**
 * kmt_frame_reset() - clear all entries
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_frame_reset(void);

/**
 * kmt_frame_add() - add entries for memory that is plugged in
 * @pfn: number of the first frame
 * @count: number of frames
 *
 * Context: may sleep; takes add_mutex. Probes may run.
 * Return: 0 or -ENOMEM. Some of the frames may have entries then.
 */
int kmt_frame_add(unsigned long pfn, unsigned long count);

/**
 * kmt_frame_init() - choose the format of entries
 * @compressed: two bytes for each entry, without the upper half; else eight bytes
 *
 * Context: may sleep; no entry exists yet.
 */
void kmt_frame_init(bool compressed);

/**
 * kmt_frame_add_present() - add entries for all present memory
 *
 * Context: may sleep; takes add_mutex.
 * Return: 0 or -ENOMEM; kmt_frame_exit() must be called in either case.
 */
int kmt_frame_add_present(void);

/**
 * kmt_frame_end() - the end of all frames
 *
 * Context: any.
 * Return: one more than the number of the machine's last frame.
 */
u64 kmt_frame_end(void);

/**
 * kmt_frame_memory() - memory of the entries
 *
 * Context: any.
 * Return: bytes.
 */
u64 kmt_frame_memory(void);

/**
 * kmt_frame_exit() - free the entries
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_frame_exit(void);

/* highest number of a class that fits in a compressed entry */
#define KMT_FRAME_COMPRESSED_MAX 0x7fff

#endif /* KMT_FRAME_H */
