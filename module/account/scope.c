// SPDX-License-Identifier: GPL-2.0-only
/*
 * A scope is found by its task and its level of context. It thus follows the task from
 * CPU to CPU, and does not cover an interrupt. The innermost scope comes first in the
 * list.
 *
 * Notes on locking: each list has a lock. Its holder has interrupts off and the CPU's
 * guard (guard.h), so that no probe in an NMI waits for it. The locks are of a type that
 * lockdep does not check, because probes in an NMI take them as well.
 */
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/kmemtrace_tag.h>

#include "account/scope.h"
#include "base/guard.h"
#include "record/mode.h"

struct kmt_scope_list kmt_scope_lists[1 << KMT_SCOPE_LIST_BITS] = {
	[0 ... (1 << KMT_SCOPE_LIST_BITS) - 1] = {
		.lock = __ARCH_SPIN_LOCK_UNLOCKED,
	},
};

bool kmt_scope_used;

static struct kmt_alloc_tag *__innermost(struct kmt_scope_list *list)
{
	unsigned int level = interrupt_context_level();
	const struct kmt_alloc_scope *scope;

	for (scope = list->first; scope; scope = scope->outer)
		if (scope->task == current && scope->level == level)
			return scope->tag;
	return NULL;
}

static struct kmt_alloc_tag *innermost(void)
{
	struct kmt_scope_list *list = kmt_scope_list();
	struct kmt_alloc_tag *tag;

	arch_spin_lock(&list->lock);
	tag = __innermost(list);
	arch_spin_unlock(&list->lock);
	return tag;
}

unsigned long kmt_scope_site(void)
{
	return (unsigned long)innermost();
}

struct kmt_alloc_tag *kmt_alloc_tag_current(void)
{
	struct kmt_alloc_tag *tag = NULL;
	unsigned long flags;

	local_irq_save(flags);
	if (kmt_guard_enter()) {
		tag = innermost();
		kmt_guard_leave();
	}
	local_irq_restore(flags);
	return tag;
}
EXPORT_SYMBOL_GPL(kmt_alloc_tag_current);

/*
 * From now on, probes look for hooks. Other CPUs may see this late: a hook covers its own
 * task and context only. If two CPUs come here, both set all.
 */
static noinline void begin_to_look(void)
{
	kmt_mode_hook();
	smp_store_release(&kmt_scope_used, true);
}

void kmt_alloc_scope_enter(struct kmt_alloc_scope *scope,
			   struct kmt_alloc_tag *tag)
{
	struct kmt_scope_list *list = kmt_scope_list();
	unsigned long flags;

	scope->tag = tag;
	scope->task = current;
	scope->level = interrupt_context_level();
	local_irq_save(flags);
	if (!tag || !kmt_guard_enter()) {
		scope->tag = NULL; /* the scope is not in the list */
	} else {
		/* if it is true, this CPU sees KMT_MODE_HOOKED as well */
		if (!smp_load_acquire(&kmt_scope_used))
			begin_to_look();
		arch_spin_lock(&list->lock);
		scope->outer = list->first;
		WRITE_ONCE(list->first, scope);
		arch_spin_unlock(&list->lock);
		kmt_guard_leave();
	}
	local_irq_restore(flags);
}
EXPORT_SYMBOL_GPL(kmt_alloc_scope_enter);

void kmt_alloc_scope_leave(struct kmt_alloc_scope *scope)
{
	struct kmt_scope_list *list = kmt_scope_list();
	struct kmt_alloc_scope **link;
	unsigned long flags;

	if (!scope->tag)
		return;
	local_irq_save(flags);
	kmt_guard_enter();
	arch_spin_lock(&list->lock);
	for (link = &list->first; *link != scope; link = &(*link)->outer)
		;
	WRITE_ONCE(*link, scope->outer);
	arch_spin_unlock(&list->lock);
	kmt_guard_leave();
	local_irq_restore(flags);
}
EXPORT_SYMBOL_GPL(kmt_alloc_scope_leave);
