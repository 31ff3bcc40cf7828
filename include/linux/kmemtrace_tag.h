/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code tags for other modules, on kernels that have none of their own.
 *
 * kmemtrace charges an allocation to the place that called the allocator. A
 * module that wants it charged elsewhere includes this:
 *
 *	p = kmt_alloc_hooks(make_thing(GFP_KERNEL));
 *
 * charges what make_thing() allocates to this line of this file. To charge the
 * users of a helper rather than the helper, rename it and give its name to a
 * macro, as the kernel does with its own:
 *
 *	#define make_thing(...) kmt_alloc_hooks(make_thing_noprof(__VA_ARGS__))
 *
 * A tag can be kept in a data structure, and what is allocated later on behalf
 * of it be charged to who set it up:
 *
 *	int ring_init_noprof(struct ring *r)
 *	{
 *		kmt_alloc_tag_record(r->tag);
 *		...
 *	}
 *	#define ring_init(r) kmt_alloc_hooks(ring_init_noprof(r))
 *
 *	e = kmt_alloc_hooks_tag(r->tag, kmalloc(sizeof(*e), GFP_ATOMIC));
 *
 * The meaning is that of alloc_hooks() in the kernel's
 * Documentation/mm/allocation-profiling.rst: hooks nest, and the innermost is
 * the one in effect. It covers what the task allocates until the call returns,
 * on whatever CPU, but nothing that an interrupt allocates meanwhile; a hook in
 * an interrupt covers that interrupt alone. What the allocator needs for
 * itself (slab pages and the like) keeps its own tag.
 *
 * Each place is listed in /proc/allocinfo as soon as the module is loaded. If
 * it is unloaded while something is live, kmemtrace says so in the log. The
 * module depends on kmemtrace by its symbols.
 *
 * Names begin with kmt_, since a kernel may have alloc_hooks() of its own.
 */
#ifndef LINUX_KMEMTRACE_TAG_H
#define LINUX_KMEMTRACE_TAG_H

#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/types.h>

/**
 * struct kmt_alloc_tag - a place that allocations are charged to
 * @module: name of its module
 * @function: where it is
 * @file: where it is
 * @line: where it is
 */
struct kmt_alloc_tag {
	const char *module;
	const char *function;
	const char *file;
	unsigned int line;
} __aligned(8);

/**
 * struct kmt_alloc_scope - a hook in effect; private
 * @outer: next in the list of its hash
 * @tag: what it charges
 * @task: whose allocations
 * @level: in which context: task, soft or hard interrupt
 */
struct kmt_alloc_scope {
	struct kmt_alloc_scope *outer;
	struct kmt_alloc_tag *tag;
	struct task_struct *task;
	unsigned int level;
};

/**
 * kmt_alloc_scope_enter() - charge what is allocated from here on; private
 * @scope: on the stack, until kmt_alloc_scope_leave()
 * @tag: what to charge; NULL changes nothing
 *
 * Context: any but NMI.
 */
void kmt_alloc_scope_enter(struct kmt_alloc_scope *scope,
			   struct kmt_alloc_tag *tag);

/**
 * kmt_alloc_scope_leave() - end what kmt_alloc_scope_enter() began; private
 * @scope: of the same task and context
 *
 * Context: any but NMI.
 */
void kmt_alloc_scope_leave(struct kmt_alloc_scope *scope);

/**
 * kmt_alloc_tag_current() - the tag that is charged here and now
 *
 * Context: any but NMI.
 * Return: the tag of the innermost hook; NULL outside of all.
 */
struct kmt_alloc_tag *kmt_alloc_tag_current(void);

/* kmemtrace finds the tags of a module by this name. */
#define KMT_DEFINE_ALLOC_TAG                                                   \
	static struct kmt_alloc_tag __used __kmt_alloc_tag = {                 \
		.module = KBUILD_MODNAME,                                      \
		.function = __func__,                                          \
		.file = __FILE__,                                              \
		.line = __LINE__,                                              \
	}

/**
 * kmt_alloc_hooks_tag() - charge what a call allocates to a tag
 * @_tag: struct kmt_alloc_tag *, as of kmt_alloc_tag_record(), or NULL
 * @_do_alloc: the call
 *
 * Context: any but NMI.
 * Return: what the call returns.
 */
#define kmt_alloc_hooks_tag(_tag, _do_alloc)                                   \
	({                                                                     \
		struct kmt_alloc_scope __kmt_scope;                            \
		typeof(_do_alloc) __kmt_result;                                \
		kmt_alloc_scope_enter(&__kmt_scope, _tag);                     \
		__kmt_result = _do_alloc;                                      \
		kmt_alloc_scope_leave(&__kmt_scope);                           \
		__kmt_result;                                                  \
	})

/**
 * kmt_alloc_hooks() - charge what a call allocates to this line
 * @_do_alloc: the call
 *
 * Context: any but NMI.
 * Return: what the call returns.
 */
#define kmt_alloc_hooks(_do_alloc)                                             \
	({                                                                     \
		KMT_DEFINE_ALLOC_TAG;                                          \
		kmt_alloc_hooks_tag(&__kmt_alloc_tag, _do_alloc);              \
	})

/**
 * kmt_alloc_tag_record() - keep the tag that is charged here and now
 * @_p: struct kmt_alloc_tag * to keep it in
 *
 * The tag is valid as long as the module that the hook is in.
 *
 * Context: any but NMI.
 */
#define kmt_alloc_tag_record(_p) ((_p) = kmt_alloc_tag_current())

#endif /* LINUX_KMEMTRACE_TAG_H */
