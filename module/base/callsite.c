// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: walks take no lock, and run with interrupts off, which
 * makes them RCU readers. wrapper_mutex serialises changes of the wrappers.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched/task_stack.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>

#include "base/callsite.h"
#include "base/compat.h"
#include "base/symbol.h"
#include "base/tailcall.h"
#include "kmt_allocators.h"
#include "kmt_words.h"

#define WRAPPERS_MAX 512

#define NAME(name) name,

static const char *const kmalloc_names[] = {
	"__kmalloc_noprof",
	"__kmalloc_node_noprof",
	"__kmalloc_node_track_caller_noprof",
	"__kmalloc_flags_noprof",
	KMT_KVMALLOC_FUNCTIONS(NAME)
	NULL,
};

/*
 * The allocators, as far as they call one another: a caller from outside is
 * the call site. For slab objects the tracepoint names it; but a large kmalloc asks
 * for pages.
 */
static const char *const allocator_names[] = {
	KMT_PAGE_FUNCTIONS(NAME)
	KMT_PAGE_FREE_FUNCTIONS(NAME)
	KMT_PERCPU_FUNCTIONS(NAME)
	KMT_PERCPU_FREE_FUNCTIONS(NAME)
	KMT_LARGE_FUNCTIONS(NAME)
	KMT_KMALLOC_FUNCTIONS(NAME)
	NULL,
};

/* The compiler may have made a clone of a function, with fewer arguments. */
#define CLONES(name)                                                           \
	name, name ".isra.0", name ".constprop.0", name ".constprop.0.isra.0", \
		name ".isra.0.constprop.0", name ".part.0",

static const char *const slab_page_names[] = {
	KMT_SLAB_PAGE_FUNCTIONS(CLONES) NULL
};

static const char *const inner_names[] = {
	KMT_SLAB_PAGE_FUNCTIONS(CLONES) KMT_INNER_FUNCTIONS(NAME) NULL
};

static const char *const wrapper_names[] = {
	KMT_WRAPPERS(NAME) KMT_WRAPPERS_MORE(NAME) NULL
};

static const char *const pages_bulk_names[] = {
	"__alloc_pages_bulk", "alloc_pages_bulk_noprof", NULL
};

/**
 * struct texts - functions that an address may be in
 * @count: how many
 * @text: where they lie
 */
struct texts {
	unsigned int count;
	struct kmt_text text[];
};

static struct texts *kmalloc_texts, *allocator_texts, *slab_page_texts,
	*inner_texts, *pages_bulk_texts;

/* Replaced as a whole, under wrapper_mutex; read within a grace period. */
static struct texts __rcu *wrapper_texts;
static DEFINE_MUTEX(wrapper_mutex);

static struct texts *texts_alloc(unsigned int count)
{
	return kzalloc(struct_size((struct texts *)NULL, text, count),
		       GFP_KERNEL);
}

static struct texts *__init texts_find(const char *const *names,
				       unsigned int size)
{
	struct texts *texts = texts_alloc(size);
	int count = texts ? kmt_text_find_all(names, texts->text) : -ENOMEM;

	if (count < 0) {
		kfree(texts);
		return NULL;
	}
	texts->count = count;
	return texts;
}

static bool contains(const struct texts *texts, unsigned long ip)
{
	return kmt_text_contains(texts->text, texts->count, ip);
}

int __init kmt_callsite_init(void)
{
	struct texts *wrappers;

	kmalloc_texts = texts_find(kmalloc_names, ARRAY_SIZE(kmalloc_names));
	allocator_texts =
		texts_find(allocator_names, ARRAY_SIZE(allocator_names));
	slab_page_texts =
		texts_find(slab_page_names, ARRAY_SIZE(slab_page_names));
	inner_texts = texts_find(inner_names, ARRAY_SIZE(inner_names));
	pages_bulk_texts =
		texts_find(pages_bulk_names, ARRAY_SIZE(pages_bulk_names));
	wrappers = texts_find(wrapper_names, ARRAY_SIZE(wrapper_names));
	RCU_INIT_POINTER(wrapper_texts, wrappers);
	if (!kmalloc_texts || !allocator_texts || !slab_page_texts ||
	    !inner_texts || !pages_bulk_texts || !wrappers) {
		kmt_callsite_exit();
		return -ENOMEM;
	}
	return 0;
}

void kmt_callsite_exit(void)
{
	kfree(rcu_dereference_protected(wrapper_texts, true));
	kfree(pages_bulk_texts);
	kfree(inner_texts);
	kfree(slab_page_texts);
	kfree(allocator_texts);
	kfree(kmalloc_texts);
}

bool kmt_callsite_is_kmalloc(unsigned long call_site)
{
	return contains(kmalloc_texts, call_site);
}

bool kmt_callsite_is_slab(unsigned long site)
{
	return contains(slab_page_texts, site);
}

bool kmt_callsite_is_inner(unsigned long site)
{
	return contains(inner_texts, site);
}

bool kmt_callsite_is_wrapper(unsigned long site)
{
	/* interrupts are off, or wrapper_mutex is held */
	return contains(rcu_dereference_raw(wrapper_texts), site);
}

/* --- the wrappers --------------------------------------------------------- */

static void __replace_wrappers(struct texts *new)
{
	struct texts *old = rcu_dereference_protected(
		wrapper_texts, lockdep_is_held(&wrapper_mutex));

	rcu_assign_pointer(wrapper_texts, new);
	synchronize_rcu();
	kfree(old);
	kmt_callsite_forget();
}

static int __add_wrapper(const struct texts *old, const char *name)
{
	struct kmt_text text;
	struct texts *new;
	int err;

	err = kmt_symbol_find(name, &text);
	if (err)
		return err;
	if (kmt_text_contains(old->text, old->count, text.start + 1))
		return 0;
	if (old->count >= WRAPPERS_MAX)
		return -ENOSPC;
	new = texts_alloc(old->count + 1);
	if (!new)
		return -ENOMEM;
	new->count = old->count + 1;
	memcpy(new->text, old->text, old->count * sizeof(text));
	new->text[old->count] = text;
	__replace_wrappers(new);
	return 0;
}

static int __remove_wrapper(const struct texts *old, const char *name)
{
	struct kmt_text text;
	struct texts *new;
	unsigned int i;
	int err;

	err = kmt_symbol_find(name, &text);
	if (err)
		return err;
	new = texts_alloc(old->count);
	if (!new)
		return -ENOMEM;
	for (i = 0; i < old->count; i++)
		if (old->text[i].start != text.start)
			new->text[new->count++] = old->text[i];
	if (new->count == old->count) {
		kfree(new);
		return -ENOENT;
	}
	__replace_wrappers(new);
	return 0;
}

int kmt_callsite_set_wrapper(const char *name)
{
	const struct texts *old;
	int err;

	mutex_lock(&wrapper_mutex);
	old = rcu_dereference_protected(wrapper_texts,
					lockdep_is_held(&wrapper_mutex));
	err = *name == '!' ? __remove_wrapper(old, name + 1) :
			     __add_wrapper(old, name);
	mutex_unlock(&wrapper_mutex);
	return err;
}

int kmt_callsite_clear_wrappers(void)
{
	struct texts *none = texts_alloc(0);

	if (!none)
		return -ENOMEM;
	mutex_lock(&wrapper_mutex);
	__replace_wrappers(none);
	mutex_unlock(&wrapper_mutex);
	return 0;
}

void kmt_callsite_show_wrappers(struct seq_file *m)
{
	const struct texts *texts;
	unsigned int i;

	mutex_lock(&wrapper_mutex);
	texts = rcu_dereference_protected(wrapper_texts,
					  lockdep_is_held(&wrapper_mutex));
	for (i = 0; i < texts->count; i++)
		seq_printf(m, "%ps\n", (void *)texts->text[i].start);
	mutex_unlock(&wrapper_mutex);
}

/* --- walking the stack ---------------------------------------------------- */

/**
 * struct walk - how far up the stack a walk has come
 * @in_allocator: a function of the allocator has been passed
 * @in_pages_bulk: the one that allocates pages in bulk has been passed
 */
struct walk {
	bool in_allocator;
	bool in_pages_bulk;
};

/* Past this module and the tracepoint, past the allocator, then stop. */
static bool is_call_site(struct walk *walk, unsigned long ip)
{
	if (contains(pages_bulk_texts, ip))
		walk->in_pages_bulk = true;
	if (contains(allocator_texts, ip) || kmt_callsite_is_wrapper(ip)) {
		walk->in_allocator = true;
		return false;
	}
	return walk->in_allocator;
}

#if defined(CONFIG_X86_64) && defined(CONFIG_UNWINDER_ORC)

#include <asm/unwind.h>

/*
 * The unwinder costs thousands of instructions. But where a function makes a
 * call, its stack frame has one size: the unwinder looks up that very number,
 * by the return address. So it is remembered here, for each return address
 * that was met inside the allocator, how far above it the next one lies; and
 * for each that was met outside, that the walk ends there.
 *
 * A return address that is not remembered, whatever it is, sends the walk to
 * the unwinder. One walk in CHECK_EVERY goes both ways; should they ever
 * disagree, it is counted and all is forgotten.
 *
 * An entry is one word, so that CPUs share the table without a lock, and lies in its
 * slot or in another one of the same cache line (kmt_words.h). A walk looks there as
 * soon as a slot has something else. Kernel and modules lie in the topmost 2 GiB: the
 * low half of an address is enough.
 */
#define MEMO_BITS   11
#define HOPS_MAX    16
#define CHECK_EVERY 4096
/* instead of a distance */
#define SITE	 0xffffffffu /* the walk ends here */
#define UNSTABLE 0x7fffffffu /* leads out of any stack: ask the unwinder */

/* low half: address, the key; high half: distance */
static u64 memo[1 << MEMO_BITS] __aligned(KMT_WORDS_LINE);
static DEFINE_PER_CPU(u32, walks);
static atomic_long_t mismatches;

static __always_inline u64 memo_find(unsigned long ip)
{
	return kmt_words_find(memo, hash_32(ip, MEMO_BITS), (u32)ip, U32_MAX);
}

/* Any number that changes will do. */
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

/* A function that realigns its stack has no one distance. */
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

/* Whatever was remembered, only the stack is read. */
static noinline unsigned long end_of_stack_at(unsigned long sp)
{
	unsigned long start = (unsigned long)task_stack_page(current);

	return sp - start <= THREAD_SIZE ? start + THREAD_SIZE : 0;
}

static unsigned long walk_memo_anywhere(unsigned long ip, unsigned long sp);

/* @anywhere: look for what is not in its slot as well; that is rare, and slower */
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
 * Whether the way to the frame that the unwinder has come to can be remembered:
 * not across an interrupt, nor where the stack holds a tracer's trampoline.
 */
static bool is_plain_call(const struct unwind_state *state, unsigned long addr)
{
	return !state->signal && word_at(state->sp - sizeof(long)) == addr;
}

/* Walk with the unwinder from the frame at ip and sp, and remember. */
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
			continue; /* not yet at the probe's caller */
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
 * The same for all of the stack, with a table of its own: here no address ends
 * the walk but the last one. And it goes through the allocator's own functions,
 * some of which realign their stack, to 16 bytes. These have two distances,
 * eight bytes apart: of the two words that may be the return address, it is the
 * one that is known, if the other is no address of code. Often it is one, of a
 * call that has returned long ago. So what the unwinder says of two such words is
 * remembered as well.
 */
#define DEEP_BITS   13
#define CHOICE_BITS 9
/* instead of a distance: it has no caller, if it came from user space */
#define LAST	  0xfffffffeu
/* with the lower of two distances */
#define EITHER	  0x40000000u

static u64 deep[1 << DEEP_BITS] __aligned(KMT_WORDS_LINE);
/* high half: the return address; low half: the other word; both are the key */
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

/* Go to the caller of a function that realigned its stack. Return: 0 if it is not clear. */
static noinline unsigned long either_caller(unsigned long *sp)
{
	unsigned long near = word_at(*sp - sizeof(long)), far = word_at(*sp);

	if (is_caller(near, far))
		return near;
	*sp += sizeof(long);
	return is_caller(far, near) ? far : 0;
}

/* Remember the caller of the function at @ip, if that is not always as clear. */
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

/* Whether there is nothing above but what user space had in its registers. */
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
		/* one word more may be looked at */
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

/* Return: 0 where something is not remembered. */
static unsigned int stack_memo(unsigned long ip, unsigned long sp,
			       unsigned long *stack, unsigned int depth)
{
	return stack_remembered(ip, sp, stack, depth, false);
}

/* As walk_unwinder(), for as long as there is room. */
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
			/* user space; else the unwinder is at a loss */
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

/* An entry as a whole, as walks read it. */
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

/* Deep enough for a tracepoint inside the longest chain of the allocator. */
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
MODULE_PARM_DESC(lose_walks, "find no call site, as if the stack could not be walked");
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
	/* as if it returned there */
	unsigned long site = kmt_tail_caller(ip, entry) + 1;

	if (site > 1 && !contains(allocator_texts, site) &&
	    !kmt_callsite_is_wrapper(site))
		return site;
	site = walk_stack(ip, sp, true).site;
	return site ? site : ip;
}

unsigned int kmt_callsite_functions(void)
{
	return allocator_texts->count;
}
