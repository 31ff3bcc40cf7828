// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: walks take no lock. They run with interrupts off, which makes them
 * RCU readers of the wrappers.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>

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
	if (kmt_site_is_pages_bulk(ip))
		walk->in_pages_bulk = true;
	if (kmt_site_is_allocator(ip) || kmt_site_is_wrapper(ip)) {
		walk->in_allocator = true;
		return false;
	}
	return walk->in_allocator;
}

#if defined(CONFIG_X86_64) && defined(CONFIG_UNWINDER_ORC)

#include <asm/unwind.h>

/*
 * The unwinder takes thousands of instructions. But at one call instruction, the stack
 * frame of a function always has the same size, and the unwinder looks this size up by
 * the return address. So the table memo stores, for each return address inside the
 * allocator that a walk has met, the distance to the next return address on the stack.
 * For a return address outside, it stores that the walk ends there.
 *
 * If a return address is not in the table, the unwinder walks the stack. One walk in
 * CHECK_EVERY uses both ways. If the results differ, this is counted, and the tables are
 * cleared.
 *
 * An entry is one word, so that CPUs share the table without a lock. It is in its slot,
 * or in another slot of the same cache line (kmt_words.h). A walk searches the line as
 * soon as a slot has another key. The kernel and its modules are in the topmost 2 GiB,
 * so the low half of an address is enough as a key.
 */
#define MEMO_BITS   11
#define HOPS_MAX    16
#define CHECK_EVERY 4096
/* instead of a distance */
#define SITE	 0xffffffffu /* the walk ends here */
#define UNSTABLE 0x7fffffffu /* no constant distance: use the unwinder */

/* low half: the return address, which is the key; high half: the distance in bytes */
static u64 memo[1 << MEMO_BITS] __aligned(KMT_WORDS_LINE);
static DEFINE_PER_CPU(u32, walks);
static atomic_long_t mismatches;

static __always_inline u64 memo_find(unsigned long ip)
{
	return kmt_words_find(memo, hash_32(ip, MEMO_BITS), (u32)ip, U32_MAX);
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

/* A function that realigns its stack has no constant distance. */
static void memo_store(unsigned long ip, u32 distance)
{
	u64 old = memo_find(ip);

	if (!is_text(ip))
		return;
	if (old && old >> 32 != distance)
		distance = UNSTABLE;
	kmt_words_put(memo, hash_32(ip, MEMO_BITS),
		      (u64)distance << 32 | (u32)ip, U32_MAX, chance());
}

/*
 * Even if an entry is wrong, a walk only reads the stack of the task.
 * Return: the end of the stack; 0 if @sp is not in it.
 */
static noinline unsigned long end_of_stack_at(unsigned long sp)
{
	unsigned long start = (unsigned long)task_stack_page(current);

	return sp - start <= THREAD_SIZE ? start + THREAD_SIZE : 0;
}

static unsigned long walk_memo_anywhere(unsigned long ip, unsigned long sp);

/* @anywhere: search the cache line of each slot; needed rarely, and slower */
static __always_inline unsigned long
walk_remembered(unsigned long ip, unsigned long sp, bool anywhere)
{
	unsigned long end = PAGE_ALIGN(sp);
	int i;

	for (i = 0; i < HOPS_MAX; i++) {
		u64 entry = anywhere ? memo_find(ip) :
				       READ_ONCE(memo[hash_32(ip, MEMO_BITS)]);

		if ((u32)entry != (u32)ip || !is_text(ip))
			return anywhere ? 0 : walk_memo_anywhere(ip, sp);
		if (entry >> 32 == SITE)
			return ip;
		sp += entry >> 32;
		if (unlikely(sp > end)) {
			end = end_of_stack_at(sp);
			if (!end)
				return 0;
		}
		ip = word_at(sp - sizeof(long));
	}
	return 0;
}

static noinline unsigned long walk_memo_anywhere(unsigned long ip,
						 unsigned long sp)
{
	return walk_remembered(ip, sp, true);
}

static unsigned long walk_memo(unsigned long ip, unsigned long sp)
{
	return walk_remembered(ip, sp, false);
}

/*
 * The distance to a frame cannot be stored if there is an interrupt in between, or if the
 * stack holds the address of a tracer's trampoline.
 */
static bool is_plain_call(const struct unwind_state *state, unsigned long addr)
{
	return !state->signal && word_at(state->sp - sizeof(long)) == addr;
}

/* Walk with the unwinder from the frame at ip and sp, and store the distances. */
static noinline unsigned long walk_unwinder(unsigned long ip, unsigned long sp,
					    struct walk *walk)
{
	struct unwind_state state;
	unsigned long last_ip = 0, last_sp = 0;

	for (unwind_start(&state, current, NULL, NULL);
	     !unwind_done(&state) && !unwind_error(&state);
	     unwind_next_frame(&state)) {
		unsigned long addr = unwind_get_return_address(&state);

		if (!addr)
			break;
		if (!last_ip && (addr != ip || state.sp != sp))
			continue; /* not yet at the caller of the probe */
		if (last_ip && is_plain_call(&state, addr))
			memo_store(last_ip, state.sp - last_sp);
		if (is_call_site(walk, addr)) {
			memo_store(addr, SITE);
			return addr;
		}
		last_ip = addr;
		last_sp = state.sp;
	}
	return 0;
}

static noinline struct kmt_callsite walk_slowly(unsigned long ip,
						unsigned long sp,
						unsigned long site,
						bool in_allocator)
{
	struct walk walk = { .in_allocator = in_allocator };
	unsigned long checked = walk_unwinder(ip, sp, &walk);

	if (site && checked && site != checked) {
		atomic_long_inc(&mismatches);
		kmt_callsite_forget();
	}
	return (struct kmt_callsite){ checked, walk.in_pages_bulk };
}

static __always_inline struct kmt_callsite
walk_stack(unsigned long ip, unsigned long sp, bool in_allocator)
{
	unsigned long site = walk_memo(ip, sp);

	if (likely(site && __this_cpu_inc_return(walks) % CHECK_EVERY))
		return (struct kmt_callsite){ site, false };
	return walk_slowly(ip, sp, site, in_allocator);
}

/* --- whole stacks --------------------------------------------------------- */

/*
 * The same for whole stacks, with tables of their own. Here only the last address of the
 * stack ends a walk.
 *
 * These walks pass functions of the allocators that realign their stacks to 16 bytes.
 * Such a function has two distances, which differ by 8 bytes, so that either of two words
 * may be the return address. If only one of them is an address of code, and the table has
 * it, it is the return address. The other word is often an address of code as well, left
 * by a call that has returned. So the table choices stores the unwinder's choice for each
 * pair of such words.
 */
#define DEEP_BITS   13
#define CHOICE_BITS 9
/* instead of a distance: the last one, if user space is above */
#define LAST	  0xfffffffeu
/* a flag of the lower of two distances, 8 bytes apart */
#define EITHER	  0x40000000u

static u64 deep[1 << DEEP_BITS] __aligned(KMT_WORDS_LINE);
/* high half: return address; low half: the other word; the key is both */
static u64 choices[1 << CHOICE_BITS] __aligned(KMT_WORDS_LINE);

static __always_inline u64 deep_find(unsigned long ip)
{
	return kmt_words_find(deep, hash_32(ip, DEEP_BITS), (u32)ip, U32_MAX);
}

static bool deep_knows(unsigned long ip)
{
	return is_text(ip) && deep_find(ip);
}

static void deep_store(unsigned long ip, u32 distance)
{
	u64 entry = deep_find(ip);
	u32 old = entry >> 32, low = old & ~EITHER;

	if (!is_text(ip))
		return;
	if (!entry || old == distance)
		old = distance;
	else if ((old & EITHER) && (distance == low || distance == low + 8))
		return;
	else if (distance == old + 8 || distance + 8 == old)
		old = min(old, distance) | EITHER;
	else
		old = UNSTABLE;
	kmt_words_put(deep, hash_32(ip, DEEP_BITS), (u64)old << 32 | (u32)ip,
		      U32_MAX, chance());
}

static bool choice_knows(u64 choice)
{
	return kmt_words_find(choices, hash_64(choice, CHOICE_BITS), choice,
			      U64_MAX);
}

static u64 choice_of(unsigned long caller, unsigned long other)
{
	return (u64)(u32)caller << 32 | (u32)other;
}

static bool is_caller(unsigned long word, unsigned long other)
{
	u64 choice = choice_of(word, other);

	return deep_knows(word) && (!is_text(other) || choice_knows(choice));
}

/*
 * Go to the caller of a function that realigns its stack.
 * Return: 0 if the tables do not show which word is the return address.
 */
static noinline unsigned long either_caller(unsigned long *sp)
{
	unsigned long near = word_at(*sp - sizeof(long)), far = word_at(*sp);

	if (is_caller(near, far))
		return near;
	*sp += sizeof(long);
	return is_caller(far, near) ? far : 0;
}

/* Store the choice of the unwinder, if the function at @ip has two distances. */
static void choice_store(unsigned long ip, unsigned long caller,
			 unsigned long sp, u32 distance)
{
	u32 known = deep_find(ip) >> 32;
	unsigned long other;
	u64 choice;

	if (!(known & EITHER) || known == UNSTABLE || known == LAST)
		return;
	if (distance != (known & ~EITHER))
		other = word_at(sp - 2 * sizeof(long));
	else
		other = sp & ~PAGE_MASK ? word_at(sp) : 0;
	choice = choice_of(caller, other);
	if (is_text(other))
		kmt_words_put(choices, hash_64(choice, CHOICE_BITS), choice,
			      U64_MAX, chance());
}

/* Check whether only the registers of user space are above @sp. */
static bool is_bottom(unsigned long sp)
{
	return (unsigned long)task_pt_regs(current) - sp <= 8 * sizeof(long);
}

static unsigned int stack_memo_anywhere(unsigned long ip, unsigned long sp,
					unsigned long *stack,
					unsigned int depth);

/* @anywhere: as in walk_remembered() */
static __always_inline unsigned int
stack_remembered(unsigned long ip, unsigned long sp, unsigned long *stack,
		 unsigned int depth, bool anywhere)
{
	unsigned long end = PAGE_ALIGN(sp);
	unsigned int n = 0, rest;

	for (;;) {
		u64 entry = anywhere ? deep_find(ip) :
				       READ_ONCE(deep[hash_32(ip, DEEP_BITS)]);
		u32 distance = entry >> 32;

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
		if (distance == LAST)
			return is_bottom(sp) ? n : 0;
		sp += distance & ~EITHER;
		/* either_caller() also reads the word at sp */
		if (unlikely(sp >= end)) {
			end = end_of_stack_at(sp);
			if (sp >= end)
				return 0;
		}
		ip = unlikely(distance & EITHER) ? either_caller(&sp) :
						   word_at(sp - sizeof(long));
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

	for (unwind_start(&state, current, NULL, NULL);
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
		if (n && is_plain_call(&state, addr)) {
			deep_store(stack[n - 1], state.sp - last_sp);
			choice_store(stack[n - 1], addr, state.sp,
				     state.sp - last_sp);
		}
		stack[n++] = addr;
		last_sp = state.sp;
	}
	ends |= unwind_done(&state) && !unwind_error(&state);
	if (n && n < depth && ends && is_bottom(last_sp))
		deep_store(stack[n - 1], LAST);
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

	if (likely(n && __this_cpu_inc_return(walks) % CHECK_EVERY))
		return n;
	was = sum(stack, n);
	checked = stack_unwinder(ip, sp, stack, depth);
	if (n && sum(stack, checked) != was) {
		atomic_long_inc(&mismatches);
		kmt_callsite_forget();
	}
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
	forget(memo, ARRAY_SIZE(memo));
	forget(deep, ARRAY_SIZE(deep));
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

	if (site > 1 && !kmt_site_is_allocator(site) &&
	    !kmt_site_is_wrapper(site))
		return site;
	site = walk_stack(ip, sp, true).site;
	return site ? site : ip;
}
