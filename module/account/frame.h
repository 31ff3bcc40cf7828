/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page frames: which class each allocated page belongs to.
 *
 * Pages are allocated together, split, and freed in pieces; hence an entry for
 * every frame, and a mark on the first of those that were allocated together,
 * which stands for the allocation.
 */
#ifndef KMT_FRAME_H
#define KMT_FRAME_H

#include <linux/types.h>

/**
 * struct kmt_frame - one page frame
 * @class: number of its class, with KMT_FRAME_HEAD; 0 is not known
 * @born: kmt_account_now() when it was allocated; in the second frame of a
 *	large kmalloc, the bytes of that which were not requested
 *
 * Belongs to the owner of the frame; swapped when a page migrates.
 */
struct kmt_frame {
	u32 class;
	u32 born;
};

#define KMT_FRAME_HEAD (1u << 31)

/* as @class: nothing is known of the frame, but that a slab begins there */
#define KMT_FRAME_SLAB KMT_FRAME_HEAD

/**
 * kmt_frame_class() - number of the class of a frame
 * @frame: the frame
 *
 * Context: any.
 * Return: the number; 0 if it is not known.
 */
static inline u32 kmt_frame_class(struct kmt_frame frame)
{
	return frame.class & ~KMT_FRAME_HEAD;
}

/**
 * kmt_frame_get() - what is known of a frame
 * @pfn: its number
 *
 * Context: any.
 * Return: zeroes for a frame that has no entry.
 */
struct kmt_frame kmt_frame_get(unsigned long pfn);

/**
 * kmt_frame_set() - write down what is known of a frame
 * @pfn: its number
 * @frame: what is known; dropped for a frame that has no entry
 *
 * Context: any.
 */
void kmt_frame_set(unsigned long pfn, struct kmt_frame frame);

/**
 * kmt_frame_exchange() - kmt_frame_get() and kmt_frame_set()
 * @pfn: its number
 * @frame: what is known now
 * @old: gets what was known before
 *
 * Context: any.
 * Return: whether the frame has an entry.
 */
bool kmt_frame_exchange(unsigned long pfn, struct kmt_frame frame,
			struct kmt_frame *old);

/**
 * kmt_frame_move() - the content of a page is in another frame now
 * @to: number of that frame; gets the entry
 * @from: number of the frame it was in; gets the entry that @to had
 * @unseen: number of the class for @from if @to was not known
 *
 * Context: any.
 * Return: false, and nothing was done, if one of them has no entry.
 */
bool kmt_frame_move(unsigned long to, unsigned long from, u32 unseen);

/**
 * kmt_frame_keeps_birth() - whether entries have room for @born
 *
 * Context: any.
 */
bool kmt_frame_keeps_birth(void);

/**
 * kmt_frame_walk() - look at every allocation of pages that is known
 * @visit: called with the first frame of each
 * @arg: passed to @visit
 *
 * Context: may sleep.
 */
void kmt_frame_walk(void (*visit)(struct kmt_frame frame, void *arg),
		    void *arg);

/**
 * kmt_frame_mark_slabs() - mark the slabs that are older than the probes
 *
 * Each slab whose allocation no probe has seen gets KMT_FRAME_SLAB. Looks at
 * every page of the machine that is not free.
 *
 * Context: may sleep; the probes of pages are attached.
 */
void kmt_frame_mark_slabs(void);

/**
 * kmt_frame_may_be_slab() - whether an unknown frame may be the first of a slab
 * @frame: what is known of the frame; without a class
 *
 * Context: any.
 * Return: true for KMT_FRAME_SLAB, and for all until kmt_frame_mark_slabs() is
 * through.
 */
bool kmt_frame_may_be_slab(struct kmt_frame frame);

/**
 * kmt_frame_reset() - forget all
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_frame_reset(void);

/**
 * kmt_frame_add() - make room for the entries of memory that is plugged in
 * @pfn: number of its first frame
 * @count: how many frames it has
 *
 * Context: may sleep. Probes may run.
 * Return: 0, or -ENOMEM.
 */
int kmt_frame_add(unsigned long pfn, unsigned long count);

/**
 * kmt_frame_init() - choose what an entry holds
 * @compressed: two bytes for each, without its birth, instead of eight
 *
 * Context: may sleep; before there is any entry.
 */
void kmt_frame_init(bool compressed);

/**
 * kmt_frame_add_present() - make room for the entries of all memory there is
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM; kmt_frame_exit() is due in either case.
 */
int kmt_frame_add_present(void);

/**
 * kmt_frame_end() - number after that of the machine's last frame
 *
 * Context: any.
 */
u64 kmt_frame_end(void);

/**
 * kmt_frame_memory() - bytes of memory that the entries take
 *
 * Context: any.
 */
u64 kmt_frame_memory(void);

/**
 * kmt_frame_exit() - free the entries
 *
 * Context: may sleep; no probe is attached.
 */
void kmt_frame_exit(void);

/* The highest number of a class that fits in a compressed entry. */
#define KMT_FRAME_COMPRESSED_MAX 0x7fff

#endif /* KMT_FRAME_H */
