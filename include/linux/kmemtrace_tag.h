/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code tags for other modules, on kernels without code tags of their own.
 *
 * By default, kmemtrace charges an allocation to the code that called the allocator. A
 * module can charge it to another place:
 *
 *	p = kmt_alloc_hooks(make_thing(GFP_KERNEL));
 *
 * charges all allocations of make_thing() to this line of this file. To charge the
 * callers of a helper instead of the helper, rename the helper, and define a macro with
 * its name, as the kernel does:
 *
 *	#define make_thing(...) kmt_alloc_hooks(make_thing_noprof(__VA_ARGS__))
 *
 * A data structure can store the tag of the code that initialised it. Later allocations
 * for the data structure can be charged to this tag:
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
 * The semantics are those of alloc_hooks() in the kernel's
 * Documentation/mm/allocation-profiling.rst. Hooks nest, and the innermost hook is in
 * effect. A hook applies to the allocations of the task until the call returns, on any
 * CPU, but not to those of interrupts in the meantime. A hook in an interrupt applies to
 * this interrupt only. Memory that an allocator needs for itself, for example the pages
 * of slabs, keeps its own tag.
 *
 * /proc/allocinfo lists each tag as soon as the module is loaded. If the module is
 * unloaded while memory is live, kmemtrace logs a message. The module depends on the
 * symbols of kmemtrace, so kmemtrace must be loaded first.
 *
 * Names begin with kmt_, because a kernel may have its own alloc_hooks().
 */
#ifndef LINUX_KMEMTRACE_TAG_H
#define LINUX_KMEMTRACE_TAG_H

#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/types.h>

/**
 * struct kmt_alloc_tag - a place in the source code, to which allocations are charged
 * @module: name of the module
 * @function: name of the function
 * @file: name of the source file
 * @line: line in the file
 */
struct kmt_alloc_tag {
	const char *module;
	const char *function;
	const char *file;
	unsigned int line;
} __aligned(8);

/**
 * struct kmt_alloc_scope - a hook in effect; private
 * @outer: next scope in the list of its hash
 * @tag: tag to charge
 * @task: the task whose allocations are charged
 * @level: context: task, soft interrupt or hard interrupt
 */
struct kmt_alloc_scope {
	struct kmt_alloc_scope *outer;
	struct kmt_alloc_tag *tag;
	struct task_struct *task;
	unsigned int level;
};

/**
 * kmt_alloc_scope_enter() - charge the following allocations to a tag; private
 * @scope: on the stack; in use until kmt_alloc_scope_leave()
 * @tag: the tag; NULL: the tag in effect does not change
 *
 * Context: any but NMI.
 */
void kmt_alloc_scope_enter(struct kmt_alloc_scope *scope,
			   struct kmt_alloc_tag *tag);

/**
 * kmt_alloc_scope_leave() - undo kmt_alloc_scope_enter(); private
 * @scope: entered by the same task, in the same context
 *
 * Context: any but NMI.
 */
void kmt_alloc_scope_leave(struct kmt_alloc_scope *scope);

/**
 * kmt_alloc_tag_current() - get the tag in effect
 *
 * Context: any but NMI.
 * Return: the tag of the innermost hook; NULL if no hook is in effect.
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
 * kmt_alloc_hooks_tag() - charge the allocations of a call to a tag
 * @_tag: struct kmt_alloc_tag *, for example from kmt_alloc_tag_record(), or NULL
 * @_do_alloc: the call
 *
 * Context: any but NMI.
 * Return: the result of the call.
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
 * kmt_alloc_hooks() - charge the allocations of a call to this line
 * @_do_alloc: the call
 *
 * Context: any but NMI.
 * Return: the result of the call.
 */
#define kmt_alloc_hooks(_do_alloc)                                             \
	({                                                                     \
		KMT_DEFINE_ALLOC_TAG;                                          \
		kmt_alloc_hooks_tag(&__kmt_alloc_tag, _do_alloc);              \
	})

/**
 * kmt_alloc_tag_record() - store the tag in effect
 * @_p: variable of type struct kmt_alloc_tag *; set to the tag, or NULL
 *
 * The tag is valid until the module with the hook is unloaded.
 *
 * Context: any but NMI.
 */
#define kmt_alloc_tag_record(_p) ((_p) = kmt_alloc_tag_current())

#endif /* LINUX_KMEMTRACE_TAG_H */
