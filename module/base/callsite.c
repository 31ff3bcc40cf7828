// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: walks take no lock. They run with preemption disabled, which makes them
 * RCU readers of the wrappers. What they write for each CPU, an interrupt may write as well.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>
#include <linux/workqueue.h>

#include "base/allocators.h"
#include "base/callsite.h"
#include "base/compat.h"
#include "base/tailcall.h"
#include "kmt_words.h"

/* --- walking the stack ---------------------------------------------------- */

/**
 * struct walk - state of one walk up the stack
 * @in_allocator: the walk has passed a function of an allocator, or a wrapper
 * @in_pages_bulk: the walk has passed the bulk allocation of pages
 */
struct walk {
	bool in_allocator;
	bool in_pages_bulk;
};

/* A walk passes this module and the tracepoint, then the allocator, and then stops. */
static bool is_call_site(struct walk *walk, unsigned long ip)
{
	u32 kinds = kmt_site_kinds(ip);

	if (kinds & KMT_FUNCTION_PAGES_BULK)
		walk->in_pages_bulk = true;
	if (kinds & KMT_FUNCTION_ALLOCATOR || kmt_site_is_wrapper(ip)) {
		walk->in_allocator = true;
		return false;
	}
	return walk->in_allocator;
}

#if defined(CONFIG_X86_64) && defined(CONFIG_UNWINDER_ORC)

#include <asm/unwind.h>

/*
 * The unwinder takes thousands of instructions. But at one call instruction, the stack
 * frame of a function has the same size each time, and the unwinder looks this size up by
 * the return address. So a table of frames stores, for each return address that a walk
 * has met, the distance to the next return address on the stack. If a return address is
 * not in the table, the unwinder walks the stack.
 *
 * There are two tables. In the table sites, an address that is not in an allocator ends
 * the walk. In the table deep, for whole stacks, only the last address of the stack does.
 *
 * Some functions of the allocators realign their stacks to 16 bytes. They have two
 * distances, which differ by 8 bytes, so that either of two words may be the return
 * address. If only one of them is an address of code, and the table has it, it is the
 * return address. The other word is often an address of code as well, left by a call that
 * has returned. So the table choices stores the unwinder's choice for each pair of such
 * words.
 *
 * One walk in KMT_CALLSITE_CHECK_EVERY uses both ways. If the results differ, this is
 * counted, and a worker clears the tables.
 *
 * An entry is one word, so that CPUs share a table without a lock. It is in its slot, or
 * in another slot of the same cache line (kmt_words.h). A walk searches the line as soon
 * as a slot has another key. The kernel and its modules are in the topmost 2 GiB, so the
 * low half of an address is enough as a key.
 */
#define DEEP_BITS   13
#define CHOICE_BITS 9
#define HOPS_MAX    16
#define ADVANCE_EVERY 32
/* instead of a distance, as KMT_CALLSITE_END */
#define SITE	 KMT_CALLSITE_END
#define LAST	 0xfffffffeu /* the last address, if user space is above */
#define UNSTABLE 0x7fffffffu /* no constant distance: use the unwinder */
/* a flag of the lower of two distances, 8 bytes apart */
#define EITHER	 0x40000000u

/**
 * struct frames - a table of frames
 * @bits: there are 1 << @bits entries
 * @entries: low half: the return address, which is the key; high half: the distance in
 *	bytes
 */
struct frames {
	unsigned int bits;
	u64 *entries;
};

/* the slot of address 0: an entry that is no address's, so that an empty one is not found */
#define NO_FRAME ((u64)SITE << 32 | 1)

u64 kmt_callsite_entries[1 << KMT_CALLSITE_BITS] __aligned(KMT_WORDS_LINE) = {
	NO_FRAME
};
static u64 deep_entries[1 << DEEP_BITS] __aligned(KMT_WORDS_LINE);
/* high half: return address; low half: the other word; the key is both */
static u64 choices[1 << CHOICE_BITS] __aligned(KMT_WORDS_LINE);
static const struct frames sites = { KMT_CALLSITE_BITS, kmt_callsite_entries };
static const struct frames deep = { DEEP_BITS, deep_entries };
DEFINE_PER_CPU(u32, kmt_callsite_walks);
/* where this CPU's stack for interrupts ends; known once the unwinder was there */
static DEFINE_PER_CPU(unsigned long, irq_stack_end);
static atomic_long_t mismatches;

static __always_inline u64 frame_in_slot(const struct frames *frames,
					 unsigned long ip)
{
	return READ_ONCE(frames->entries[hash_32(ip, frames->bits)]);
}

static __always_inline u64 frame_find(const struct frames *frames,
				      unsigned long ip)
{
	return kmt_words_find(frames->entries, hash_32(ip, frames->bits),
			      (u32)ip, U32_MAX);
}

/* kmt_words_put() needs any number that changes. */
static u32 chance(void)
{
	return get_cycles() >> 4;
}

static bool is_text(unsigned long ip)
{
	return ip >= __START_KERNEL_map;
}

static unsigned long word_at(unsigned long sp)
{
	return READ_ONCE_NOCHECK(*(unsigned long *)sp);
}

/* Whether the value of an entry is the lower of two distances. */
static bool is_either(u32 value)
{
	return value >= EITHER && value < UNSTABLE;
}

/* Return: the value of an entry that was @old, if the distance is now @distance. */
static u32 with_distance(u32 old, u32 distance)
{
	u32 low = old & ~EITHER;

	if (old == distance)
		return old;
	if (is_either(old) && (distance == low || distance == low + 8))
		return old;
	if (old < EITHER && (distance == old + 8 || distance + 8 == old))
		return min(old, distance) | EITHER;
	return UNSTABLE;
}

/* Return: the value that the entry has now. */
static u32 frame_store(const struct frames *frames, unsigned long ip, u32 distance)
{
	u64 entry = frame_find(frames, ip);
	u32 value = distance;

	if (!is_text(ip) || !distance)
		return UNSTABLE;
	if (entry)
		value = with_distance(entry >> 32, distance);
	if (entry && entry >> 32 == value)
		return value;
	kmt_words_put(frames->entries, hash_32(ip, frames->bits),
		      (u64)value << 32 | (u32)ip, U32_MAX, chance());
	return value;
}

/*
 * Move some of the entries that are not in their slots there. An entry that is needed
 * often then is in its slot most of the time.
 */
static void frame_advance(const struct frames *frames, unsigned long ip)
{
	if (!(chance() % ADVANCE_EVERY))
		kmt_words_advance(frames->entries, hash_32(ip, frames->bits),
				  (u32)ip, U32_MAX);
}

/* --- functions that realign their stacks ------------------------------------ */

static bool choice_knows(u64 choice)
{
	return kmt_words_find(choices, hash_64(choice, CHOICE_BITS), choice,
			      U64_MAX);
}

static u64 choice_of(unsigned long caller, unsigned long other)
{
	return (u64)(u32)caller << 32 | (u32)other;
}

static bool is_caller(const struct frames *frames, unsigned long word,
		      unsigned long other)
{
	return is_text(word) && frame_find(frames, word) &&
	       (!is_text(other) || choice_knows(choice_of(word, other)));
}

/*
 * Go to the caller of a function that realigns its stack.
 * Return: 0 if the tables do not show which word is the return address.
 */
static noinline unsigned long either_caller(const struct frames *frames,
					    unsigned long *sp)
{
	unsigned long near = word_at(*sp - sizeof(long)), far = word_at(*sp);

	if (is_caller(frames, near, far))
		return near;
	*sp += sizeof(long);
	return is_caller(frames, far, near) ? far : 0;
}

/*
 * Store that the unwinder went to @caller, at a distance to @sp that is the lower or the
 * higher one of two.
 */
static void choice_store(unsigned long caller, unsigned long sp, bool is_lower)
{
	unsigned long other;
	u64 choice;

	if (!is_lower)
		other = word_at(sp - 2 * sizeof(long));
	else
		other = sp & ~PAGE_MASK ? word_at(sp) : 0;
	choice = choice_of(caller, other);
	if (is_text(other))
		kmt_words_put(choices, hash_64(choice, CHOICE_BITS), choice,
			      U64_MAX, chance());
}

/* --- both kinds of walks ------------------------------------------------------ */

/*
 * Even if an entry is wrong, a walk only reads the stack of the task, or this CPU's stack
 * for interrupts, where soft interrupts run as well.
 * Return: the end of the stack; 0 if @sp is in neither.
 */
static noinline unsigned long end_of_stack_at(unsigned long sp)
{
	unsigned long start = (unsigned long)task_stack_page(current);
	unsigned long irq_end = __this_cpu_read(irq_stack_end);

	if (sp - start <= THREAD_SIZE)
		return start + THREAD_SIZE;
	return irq_end - sp < IRQ_STACK_SIZE ? irq_end : 0;
}

/*
 * Go to the caller of the function whose frame begins at @sp and has @distance.
 * @end: end of what may be read; moved if it is the end of a page only
 * Return: the return address; 0 if it cannot be found.
 */
static __always_inline unsigned long
next_frame(const struct frames *frames, u32 distance, unsigned long *sp,
	   unsigned long *end)
{
	unsigned long room = *end - *sp;

	*sp += distance & ~EITHER;
	/* either_caller() also reads the word at sp */
	if (unlikely((distance & ~EITHER) >= room)) {
		*end = end_of_stack_at(*sp);
		if (*sp >= *end)
			return 0;
	}
	return unlikely(distance & EITHER) ? either_caller(frames, sp) :
					     word_at(*sp - sizeof(long));
}

static __always_inline void start_unwinder(struct unwind_state *state)
{
	unwind_start(state, current, NULL, NULL);
	if (state->stack_info.type == STACK_TYPE_IRQ)
		__this_cpu_write(irq_stack_end,
				 (unsigned long)state->stack_info.end);
}

/*
 * The distance to a frame cannot be stored if there is an interrupt in between, or if the
 * stack holds the address of a tracer's trampoline.
 */
static bool is_plain_call(const struct unwind_state *state, unsigned long addr)
{
	return !state->signal && word_at(state->sp - sizeof(long)) == addr;
}

/* Store that the unwinder went from @ip and @sp to @addr. */
static void learn(const struct frames *frames, unsigned long ip,
		  unsigned long sp, const struct unwind_state *state,
		  unsigned long addr)
{
	u32 distance = state->sp - sp, value;

	if (!is_plain_call(state, addr))
		return;
	value = frame_store(frames, ip, distance);
	if (is_either(value))
		choice_store(addr, state->sp, distance == (value & ~EITHER));
}

/* --- wrong entries ---------------------------------------------------------------- */

/* Clearing takes tens of thousands of instructions: too long for a probe. */
static void forget_work(struct work_struct *work)
{
	kmt_callsite_forget();
}

static DECLARE_WORK(forgetting, forget_work);

static void start_forgetting(struct irq_work *work)
{
	schedule_work(&forgetting);
}

static DEFINE_IRQ_WORK(forget_irq_work, start_forgetting);

static noinline void mismatch(void)
{
	atomic_long_inc(&mismatches);
	irq_work_queue(&forget_irq_work);
}

void kmt_callsite_exit(void)
{
	irq_work_sync(&forget_irq_work);
	cancel_work_sync(&forgetting);
}

/* --- the call site -------------------------------------------------------------- */

/* kmt_callsite_simple(), but also in the other cases. Return: 0 if the tables lack an entry. */
static unsigned long walk_memo(unsigned long ip, unsigned long sp)
{
	unsigned long end = PAGE_ALIGN(sp);
	int i;

	for (i = 0; i < HOPS_MAX; i++) {
		u64 entry = frame_find(&sites, ip);

		if (!entry || !is_text(ip))
			return 0;
		if (entry != frame_in_slot(&sites, ip))
			frame_advance(&sites, ip);
		if (entry >> 32 == SITE)
			return ip;
		ip = next_frame(&sites, entry >> 32, &sp, &end);
		if (!ip)
			return 0;
	}
	return 0;
}

/* Walk with the unwinder from the frame at ip and sp, and store the distances. */
static noinline unsigned long walk_unwinder(unsigned long ip, unsigned long sp,
					    struct walk *walk)
{
	struct unwind_state state;
	unsigned long last_ip = 0, last_sp = 0;

	for (start_unwinder(&state);
	     !unwind_done(&state) && !unwind_error(&state);
	     unwind_next_frame(&state)) {
		unsigned long addr = unwind_get_return_address(&state);

		if (!addr)
			break;
		if (!last_ip && (addr != ip || state.sp != sp))
			continue; /* not yet at the caller of the probe */
		if (last_ip)
			learn(&sites, last_ip, last_sp, &state, addr);
		if (is_call_site(walk, addr)) {
			frame_store(&sites, addr, SITE);
			return addr;
		}
		last_ip = addr;
		last_sp = state.sp;
	}
	return 0;
}

/* Return: whether this walk is one that is repeated with the unwinder. */
static bool is_checked(void)
{
	u32 n = this_cpu_inc_return(kmt_callsite_walks);

	return kmt_callsite_is_checked(n - 1);
}

static noinline struct kmt_callsite walk_slowly(unsigned long ip,
						unsigned long sp,
						bool in_allocator)
{
	struct walk walk = { .in_allocator = in_allocator };
	unsigned long site = walk_memo(ip, sp), checked;

	if (likely(site) && !is_checked())
		return (struct kmt_callsite){ site, false };
	checked = walk_unwinder(ip, sp, &walk);
	if (site && checked && site != checked)
		mismatch();
	return (struct kmt_callsite){ checked, walk.in_pages_bulk };
}

static __always_inline struct kmt_callsite
walk_stack(unsigned long ip, unsigned long sp, bool in_allocator)
{
	unsigned long site;

	if (likely(kmt_callsite_simple(ip, sp, &site)))
		return (struct kmt_callsite){ site, false };
	return walk_slowly(ip, sp, in_allocator);
}

/* --- whole stacks --------------------------------------------------------- */

/* Check whether only the registers of user space are above @sp. */
static bool is_bottom(unsigned long sp)
{
	return (unsigned long)task_pt_regs(current) - sp <= 8 * sizeof(long);
}

static unsigned int stack_memo_anywhere(unsigned long ip, unsigned long sp,
					unsigned long *stack,
					unsigned int depth);

/* @anywhere: search the cache line of each slot; needed rarely, and slower */
static __always_inline unsigned int
stack_remembered(unsigned long ip, unsigned long sp, unsigned long *stack,
		 unsigned int depth, bool anywhere)
{
	unsigned long end = PAGE_ALIGN(sp);
	unsigned int n = 0, rest;

	for (;;) {
		u64 entry = anywhere ? frame_find(&deep, ip) :
				       frame_in_slot(&deep, ip);

		stack[n++] = ip;
		if (n == depth)
			return n;
		if ((u32)entry != (u32)ip || !is_text(ip)) {
			if (anywhere)
				return 0;
			n--;
			rest = stack_memo_anywhere(ip, sp, stack + n,
						   depth - n);
			return rest ? n + rest : 0;
		}
		if (entry >> 32 == LAST)
			return is_bottom(sp) ? n : 0;
		ip = next_frame(&deep, entry >> 32, &sp, &end);
		if (!ip)
			return 0;
	}
}

static noinline unsigned int stack_memo_anywhere(unsigned long ip,
						 unsigned long sp,
						 unsigned long *stack,
						 unsigned int depth)
{
	return stack_remembered(ip, sp, stack, depth, true);
}

/* Return: 0 if the tables lack an entry. */
static unsigned int stack_memo(unsigned long ip, unsigned long sp,
			       unsigned long *stack, unsigned int depth)
{
	return stack_remembered(ip, sp, stack, depth, false);
}

/* As walk_unwinder(), but up to @depth return addresses. */
static noinline unsigned int stack_unwinder(unsigned long ip, unsigned long sp,
					    unsigned long *stack,
					    unsigned int depth)
{
	struct unwind_state state;
	unsigned long last_sp = 0, addr;
	unsigned int n = 0;
	bool ends = false;

	for (start_unwinder(&state);
	     n < depth && !unwind_done(&state) && !unwind_error(&state);
	     unwind_next_frame(&state)) {
		addr = unwind_get_return_address(&state);
		if (!addr) {
			/* without user space, the unwinder failed */
			ends = state.regs && user_mode(state.regs);
			break;
		}
		if (!n && (addr != ip || state.sp != sp))
			continue;
		if (n)
			learn(&deep, stack[n - 1], last_sp, &state, addr);
		stack[n++] = addr;
		last_sp = state.sp;
	}
	ends |= unwind_done(&state) && !unwind_error(&state);
	if (n && n < depth && ends && is_bottom(last_sp))
		frame_store(&deep, stack[n - 1], LAST);
	return n;
}

static unsigned long sum(const unsigned long *stack, unsigned int n)
{
	unsigned long sum = n;

	while (n--)
		sum = sum * 31 + stack[n];
	return sum;
}

unsigned int kmt_callsite_stack(unsigned long ip, unsigned long sp,
				unsigned long *stack, unsigned int depth)
{
	unsigned int n = stack_memo(ip, sp, stack, depth), checked;
	unsigned long was;

	if (likely(n) && !is_checked())
		return n;
	was = sum(stack, n);
	checked = stack_unwinder(ip, sp, stack, depth);
	if (n && sum(stack, checked) != was)
		mismatch();
	return checked ? checked : stack_trace_save(stack, depth, 1);
}

/* Walks read the entries meanwhile, so each is written as a whole. */
static void forget(u64 *entries, unsigned int count)
{
	while (count--)
		WRITE_ONCE(entries[count], 0);
}

void kmt_callsite_forget(void)
{
	forget(kmt_callsite_entries + 1, ARRAY_SIZE(kmt_callsite_entries) - 1);
	WRITE_ONCE(kmt_callsite_entries[0], NO_FRAME);
	forget(deep_entries, ARRAY_SIZE(deep_entries));
	forget(choices, ARRAY_SIZE(choices));
}

unsigned long kmt_callsite_mismatches(void)
{
	return atomic_long_read(&mismatches);
}

#else

/* enough for a tracepoint inside the longest call chain of an allocator */
#define FRAMES 16

static struct kmt_callsite walk_stack(unsigned long ip, unsigned long sp,
				      bool in_allocator)
{
	struct walk walk = { .in_allocator = in_allocator };
	unsigned long frames[FRAMES];
	unsigned int depth, i;

	depth = stack_trace_save(frames, FRAMES, 1);
	for (i = 0; i < depth && frames[i] != ip; i++)
		;
	for (; i < depth; i++)
		if (is_call_site(&walk, frames[i]))
			return (struct kmt_callsite){ frames[i],
						      walk.in_pages_bulk };
	return (struct kmt_callsite){ 0 };
}

unsigned int kmt_callsite_stack(unsigned long ip, unsigned long sp,
				unsigned long *stack, unsigned int depth)
{
	return stack_trace_save(stack, depth, 1);
}

void kmt_callsite_forget(void)
{
}

void kmt_callsite_exit(void)
{
}

unsigned long kmt_callsite_mismatches(void)
{
	return 0;
}

#endif

#ifdef KMT_DEBUG
static bool lose_walks;
module_param(lose_walks, bool, 0644);
MODULE_PARM_DESC(lose_walks, "for tests: find no call site, as if the stack could not be walked");
#else
static const bool lose_walks;
#endif

struct kmt_callsite kmt_callsite_of_stack(unsigned long ip, unsigned long sp)
{
	if (unlikely(lose_walks))
		return (struct kmt_callsite){ 0 };
	return walk_stack(ip, sp, false);
}

noinline void kmt_unknown_call_site(void)
{
}

unsigned long kmt_callsite_of_caller(unsigned long ip, unsigned long sp,
				     unsigned long entry)
{
	/* as if a call returned there */
	unsigned long site = kmt_tail_caller(ip, entry) + 1;

	if (site > 1 && !(kmt_site_kinds(site) & KMT_FUNCTION_ALLOCATOR) &&
	    !kmt_site_is_wrapper(site))
		return site;
	site = walk_stack(ip, sp, true).site;
	return site ? site : ip;
}
