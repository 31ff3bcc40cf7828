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
#include <linux/types.h>

/**
 * struct kmt_frame - the entry of a page frame
 * @class: number of its class, with KMT_FRAME_HEAD; 0 if it is not known
 * @born: kmt_account_now() at its allocation; in the second frame of a large kmalloc(),
 *	the bytes that were not requested instead
 *
 * Belongs to the owner of the frame. When a page migrates, its entry moves with it.
 */
struct kmt_frame {
	u32 class;
	u32 born;
};

#define KMT_FRAME_HEAD (1u << 31)

/*
 * in @class, without a number: the first frame of a slab of which nothing else is known
 */
#define KMT_FRAME_SLAB KMT_FRAME_HEAD

/**
 * kmt_frame_class() - number of the class of a frame
 * @frame: entry of the frame
 *
 * Context: any.
 * Return: the number; 0 if it is not known.
 */
static inline u32 kmt_frame_class(struct kmt_frame frame)
{
	return frame.class & ~KMT_FRAME_HEAD;
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
 * kmt_frame_exchange() - read the entry of a frame, then write it
 * @pfn: number of the frame
 * @frame: the new entry; dropped if the frame has none
 * @old: set to the old entry; all 0 if the frame has none
 *
 * Not atomic.
 *
 * Context: any.
 * Return: whether the frame has an entry.
 */
bool kmt_frame_exchange(unsigned long pfn, struct kmt_frame frame,
			struct kmt_frame *old);

/**
 * kmt_frame_move() - exchange the entries of two frames, when a page migrates
 * @to: number of the target frame
 * @from: number of the source frame
 * @unseen: class for @from if the class of @to was not known
 *
 * Context: any.
 * Return: false if nothing was done, because one of the frames has no entry.
 */
bool kmt_frame_move(unsigned long to, unsigned long from, u32 unseen);

/**
 * kmt_frame_keeps_birth() - whether entries have kmt_frame.born
 *
 * Context: any.
 * Return: false if entries are compressed.
 */
bool kmt_frame_keeps_birth(void);

/**
 * kmt_frame_walk() - visit all frames with a known class
 * @visit: called with the entry of each, and that of the frame before it
 * @arg: passed to @visit
 *
 * Context: may sleep.
 */
void kmt_frame_walk(void (*visit)(struct kmt_frame frame,
				  struct kmt_frame before, void *arg),
		    void *arg);

/**
 * kmt_frame_mark_slabs() - mark slabs that were allocated before probes were attached
 *
 * The first frame of each slab gets KMT_FRAME_SLAB if nothing is known of it. Looks at
 * all pages of the machine that are not free.
 *
 * Context: may sleep; the probes of pages are attached.
 */
void kmt_frame_mark_slabs(void);

extern bool kmt_frame_slabs_marked; /* for kmt_frame_slabs_known() */

/**
 * kmt_frame_slabs_known() - whether kmt_frame_mark_slabs() has finished
 *
 * If it has, an entry that is read later has the mark if its frame needs one. So this must
 * be called before the entry is read.
 *
 * Context: any.
 */
static __always_inline bool kmt_frame_slabs_known(void)
{
	/* pairs with kmt_frame_mark_slabs() */
	return smp_load_acquire(&kmt_frame_slabs_marked);
}

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
 * @compressed: two bytes for each entry, without kmt_frame.born; else eight bytes
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
