// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks on entry use ftrace, because ftrace calls the handler in every context. For
 * example, an interrupt during the handler may free in bulk as well. A kprobe would
 * miss that call. Hooks on return have to use kretprobes; missed calls are counted.
 *
 * All hooks read arguments, so a function is hooked only if it has those of its source. A clone
 * such as NAME.isra.0 or NAME.constprop.0 may have others (kmt_allocators_hooked()).
 *
 * Notes on locking: the callers hold kmt_event_lock(), which serialises attach and
 * detach.
 */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/slab.h>

#include "base/allocators.h"
#include "base/cache.h"
#include "base/callsite.h"
#include "base/compat.h"
#include "base/tailcall.h"
#include "probe/hook.h"
#include "probe/probe.h"

/**
 * struct hook - one hook
 * @names: names of the function on different kernels
 * @handler: for a hook on entry; else NULL
 * @probe: for a hook on return; else NULL
 * @template: initial value of @probe, copied before each registration
 * @entry: the address of the function; 0 if the kernel itself lacks it. Then a hook on return
 *	looks for the function in modules
 * @filtered: for a hook on entry: ftrace's filter has @entry
 * @lacking: for a hook on return: neither the kernel nor a module had the function
 * @attached: whether the hook is attached; written under kmt_event_lock()
 */
struct hook {
	const char *names[3];
	void (*handler)(const struct hook *hook, unsigned long caller,
			struct pt_regs *regs);
	struct kretprobe *probe;
	struct kretprobe template;
	unsigned long entry;
	bool filtered;
	bool lacking;
	bool attached;
};

/* --- on entry ------------------------------------------------------------- */

/*
 * All hooks on entry share one ftrace_ops. Each registration makes ftrace look at every
 * function of the kernel, and each unregistration also waits until every task has been
 * scheduled.
 *
 * Probes run with preemption disabled, as in a tracepoint or kprobe: a mode change waits
 * for a grace period, and so does kmt_hook_detach().
 */
static bool enter(const struct hook *hook)
{
	preempt_disable_notrace();
	if (READ_ONCE(hook->attached))
		return true;
	preempt_enable_notrace();
	return false;
}

static void leave(void)
{
	preempt_enable_notrace();
}

/*
 * Objects that are handled without a chance to reschedule. kfree_rcu() frees up to 500
 * objects in one call.
 */
#define FREE_AT_ONCE ((size_t)16)

static void free_bulk(const struct hook *hook, unsigned long caller,
		      struct pt_regs *regs)
{
	struct kmem_cache *s = (void *)regs_get_kernel_argument(regs, 0);
	size_t count = regs_get_kernel_argument(regs, 1), done, some;
	void **objects = (void *)regs_get_kernel_argument(regs, 2);

	for (done = 0; done < count && enter(hook); done += some) {
		some = min(count - done, FREE_AT_ONCE);
		kmt_probe_free_bulk(caller, s, some, objects + done);
		leave();
	}
}

static void migrate(const struct hook *hook, unsigned long caller,
		    struct pt_regs *regs)
{
	if (!enter(hook))
		return;
	kmt_probe_migrate((void *)regs_get_kernel_argument(regs, 0),
			  (void *)regs_get_kernel_argument(regs, 1));
	leave();
}

/*
 * Compaction takes migration targets from the free lists without an allocation event.
 * It frees unused targets with a free event. This hook and the next one mark these
 * pages as unseen, so that their frees are not unmatched.
 */
static void compact_free(const struct hook *hook, unsigned long caller,
			 struct pt_regs *regs)
{
	struct folio *folio = (void *)regs_get_kernel_argument(regs, 0);

	if (!enter(hook))
		return;
	kmt_probe_unseen_pages(&folio->page, folio_nr_pages(folio));
	leave();
}

static void compact_release(const struct hook *hook, unsigned long caller,
			    struct pt_regs *regs)
{
	struct list_head *lists = (void *)regs_get_kernel_argument(regs, 0);
	struct page *page;
	int order;

	for (order = 0; order < KMT_COMPACTION_LISTS; order++)
		list_for_each_entry(page, &lists[order], lru) {
			if (!enter(hook))
				return;
			kmt_probe_unseen_pages(page, 1ul << order);
			leave();
		}
}

static void release_cache(const struct hook *hook, unsigned long caller,
			  struct pt_regs *regs)
{
	if (!enter(hook))
		return;
	kmt_cache_released((void *)regs_get_kernel_argument(regs, 0));
	leave();
}

/* --- on return ------------------------------------------------------------ */

/*
 * Find the call site on entry. On return, the stack no longer holds the return address
 * at which the stack walk starts.
 */
static unsigned long caller_of(struct pt_regs *regs)
{
	unsigned long *sp = (unsigned long *)kernel_stack_pointer(regs);

	return kmt_callsite_of_caller(*sp, (unsigned long)(sp + 1),
				      instruction_pointer(regs));
}

struct alloc_bulk_call {
	unsigned long call_site;
	struct kmem_cache *cache;
	gfp_t gfp;
	size_t count;
	void **objects;
};

static int alloc_bulk_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct alloc_bulk_call *call = (void *)ri->data;

	call->call_site = caller_of(regs);
	call->cache = (void *)regs_get_kernel_argument(regs, 0);
	call->gfp = (__force gfp_t)regs_get_kernel_argument(regs, 1);
	call->count = regs_get_kernel_argument(regs, 2);
	call->objects = (void *)regs_get_kernel_argument(regs, 3);
	return 0;
}

static int alloc_bulk_return(struct kretprobe_instance *ri,
			     struct pt_regs *regs)
{
	const struct alloc_bulk_call *call = (void *)ri->data;
	bool success = kmt_bulk_was_allocated(regs_return_value(regs));

	if (success)
		kmt_probe_alloc_bulk(call->call_site, call->cache, call->gfp,
				     call->count, call->objects);
	return 0;
}

/*
 * Since v6.18, kfree_rcu() puts an object into a sheaf of the CPU. After a grace
 * period, the allocator hands the object out again without a call of another function.
 * So the module treats this call as the free. The function may be preempted before it
 * returns, and the object may have its next owner then. If there is no room, the function
 * returns false, and kfree_rcu() frees the object as before v6.18.
 */
struct free_sheaf_call {
	unsigned long call_site;
	void *object;
	u64 value;
};

static int free_sheaf_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct free_sheaf_call *call = (void *)ri->data;

	call->call_site = caller_of(regs);
	call->object = (void *)regs_get_kernel_argument(regs, 1);
	call->value = kmt_probe_free_begin(call->call_site, call->object);
	return 0;
}

static int free_sheaf_return(struct kretprobe_instance *ri,
			     struct pt_regs *regs)
{
	struct free_sheaf_call *call = (void *)ri->data;

	kmt_probe_free_end(call->call_site, call->object, call->value,
			   (u8)regs_return_value(regs));
	return 0;
}

/*
 * alloc_pages_bulk fills the empty slots of an array, or adds pages to the head of a
 * list. The entry handler remembers for the first PAGES_MAX slots whether they are empty.
 */
#define PAGES_MAX 512

/* Calls with a used slot beyond PAGES_MAX: pages beyond PAGES_MAX are not seen. */
static atomic64_t bulks_cut = ATOMIC64_INIT(0);

struct pages_bulk_call {
	unsigned long call_site;
	gfp_t gfp;
	unsigned int count;
	struct list_head *list;
	struct list_head *first; /* first entry of the list before the call */
	struct page **pages;
	DECLARE_BITMAP(filled, PAGES_MAX); /* slots in use before the call */
	bool rest_empty; /* all slots beyond PAGES_MAX were empty before the call */
};

static int pages_bulk_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct pages_bulk_call *call = (void *)ri->data;
	unsigned int i;

	call->call_site = caller_of(regs);
	call->gfp = (__force gfp_t)regs_get_kernel_argument(regs, 0);
	call->count = max(0, (int)regs_get_kernel_argument(regs, 3));
	call->list = KMT_PAGES_BULK_LIST_ARG < 0 ?
			     NULL :
			     (void *)regs_get_kernel_argument(
				     regs, KMT_PAGES_BULK_LIST_ARG);
	call->first = call->list ? READ_ONCE(call->list->next) : NULL;
	call->pages = (void *)regs_get_kernel_argument(
		regs, KMT_PAGES_BULK_ARRAY_ARG);
	bitmap_zero(call->filled, PAGES_MAX);
	call->rest_empty = true;
	for (i = 0; call->pages && i < call->count; i++) {
		if (!call->pages[i])
			continue;
		if (i < PAGES_MAX)
			__set_bit(i, call->filled);
		else
			call->rest_empty = false;
	}
	return 0;
}

static int pages_bulk_return(struct kretprobe_instance *ri,
			     struct pt_regs *regs)
{
	const struct pages_bulk_call *call = (void *)ri->data;
	struct page *page;
	unsigned int i;

	for (i = 0; call->pages && i < call->count; i++) {
		if (!call->pages[i])
			continue;
		if (i < PAGES_MAX ? !test_bit(i, call->filled) :
				    call->rest_empty)
			kmt_probe_page_of_bulk(call->call_site, call->pages[i],
					       call->gfp);
	}
	if (!call->rest_empty)
		atomic64_inc(&bulks_cut);
	if (call->list) {
		list_for_each_entry(page, call->list, lru) {
			if (&page->lru == call->first)
				break;
			kmt_probe_page_of_bulk(call->call_site, page, call->gfp);
		}
	}
	return 0;
}

/*
 * A driver migrates one of its own pages. Its caller keeps both pages referenced and
 * locked until the function has returned.
 */
struct migrate_page_call {
	struct page *to;
	struct page *from;
};

static int migrate_page_entry(struct kretprobe_instance *ri,
			      struct pt_regs *regs)
{
	struct migrate_page_call *call = (void *)ri->data;

	call->to = (void *)regs_get_kernel_argument(regs, 0);
	call->from = (void *)regs_get_kernel_argument(regs, 1);
	return 0;
}

static int migrate_page_return(struct kretprobe_instance *ri,
			       struct pt_regs *regs)
{
	const struct migrate_page_call *call = (void *)ri->data;

	if (!(int)regs_return_value(regs))
		kmt_probe_migrate(page_folio(call->to),
				  page_folio(call->from));
	return 0;
}

#define MIGRATE_PAGE                                                           \
	{                                                                      \
		.handler = migrate_page_return,                                \
		.entry_handler = migrate_page_entry,                           \
		.data_size = sizeof(struct migrate_page_call),                 \
	}

static struct kretprobe migrate_zsmalloc_probe, migrate_balloon_probe;
static struct kretprobe free_sheaf_probe, alloc_bulk_probe, pages_bulk_probe;

/* --- the hooks ------------------------------------------------------------- */

static struct hook hooks[KMT_HOOKS] = {
	[KMT_HOOK_FREE_BULK] = {
		.names = { "kmem_cache_free_bulk" },
		.handler = free_bulk,
	},
	[KMT_HOOK_FREE_SHEAF] = {
		.names = { "__kfree_rcu_sheaf" },
		.probe = &free_sheaf_probe,
		.template = {
			.handler = free_sheaf_return,
			.entry_handler = free_sheaf_entry,
			.data_size = sizeof(struct free_sheaf_call),
		},
	},
	[KMT_HOOK_ALLOC_BULK] = {
		.names = { "kmem_cache_alloc_bulk_noprof",
			   "kmem_cache_alloc_bulk" },
		.probe = &alloc_bulk_probe,
		.template = {
			.handler = alloc_bulk_return,
			.entry_handler = alloc_bulk_entry,
			.data_size = sizeof(struct alloc_bulk_call),
		},
	},
	[KMT_HOOK_PAGES_BULK] = {
		.names = { "alloc_pages_bulk_noprof", "__alloc_pages_bulk" },
		.probe = &pages_bulk_probe,
		.template = {
			.handler = pages_bulk_return,
			.entry_handler = pages_bulk_entry,
			.data_size = sizeof(struct pages_bulk_call),
		},
	},
	[KMT_HOOK_MIGRATE] = {
		.names = { "folio_migrate_flags" },
		.handler = migrate,
	},
	[KMT_HOOK_MIGRATE_ZSMALLOC] = {
		.names = { "zs_page_migrate" },
		.probe = &migrate_zsmalloc_probe,
		.template = MIGRATE_PAGE,
	},
	[KMT_HOOK_MIGRATE_BALLOON] = {
		.names = { "balloon_page_migrate" },
		.probe = &migrate_balloon_probe,
		.template = MIGRATE_PAGE,
	},
	[KMT_HOOK_COMPACT_FREE] = {
		.names = { "compaction_free" },
		.handler = compact_free,
	},
	[KMT_HOOK_COMPACT_RELEASE] = {
		.names = { KMT_COMPACTION_RELEASE },
		.handler = compact_release,
	},
	[KMT_HOOK_CACHE_RELEASE] = {
		.names = { "slab_kmem_cache_release" },
		.handler = release_cache,
	},
};

static void on_entry(unsigned long ip, unsigned long caller, struct ftrace_ops *op,
		     struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);
	const struct hook *hook;

	if (!regs)
		return;
	for (hook = hooks; hook < hooks + KMT_HOOKS; hook++)
		if (hook->handler && ip - hook->entry < KMT_ENTRY_MAX) {
			hook->handler(hook, caller, regs);
			break;
		}
}

static struct ftrace_ops entry_ops = {
	.func = on_entry,
	.flags = FTRACE_OPS_FL_SAVE_REGS,
};

int __init kmt_hook_init(void)
{
	struct hook *hook;
	int i;

	for (hook = hooks; hook < hooks + KMT_HOOKS; hook++)
		for (i = 0; hook->names[i] && !hook->entry; i++)
			hook->entry = kmt_allocators_hooked(hook->names[i]);
	return 0;
}

/* Return: those of the hooks @which that are on entry, or on return, and attached or not. */
static u32 select(u32 which, bool on_entry, bool attached)
{
	u32 selected = 0;
	int i;

	for (i = 0; i < KMT_HOOKS; i++)
		if (!hooks[i].probe == on_entry && hooks[i].attached == attached)
			selected |= which & BIT(i);
	return selected;
}

static void set_attached(enum kmt_hook which, bool on)
{
	WRITE_ONCE(hooks[which].attached, on);
	if (which == KMT_HOOK_PAGES_BULK)
		kmt_probe_expect_pages_of_bulk(on);
	if (which == KMT_HOOK_CACHE_RELEASE && on)
		kmt_cache_doubt();
}

/* While ftrace calls the hooks, each change of the filter takes effect at once. */
static int filter_entry(struct hook *hook)
{
	bool any = false;
	int i, err;

	if (!hook->entry)
		return -ENOENT;
	for (i = 0; i < KMT_HOOKS; i++)
		any |= hooks[i].filtered;
	err = hook->filtered ? 0 :
		ftrace_set_filter_ip(&entry_ops, hook->entry, 0, !any);
	if (!err)
		hook->filtered = true;
	return err;
}

/*
 * A hook stays in the filter until no hook on entry is attached, because an empty filter
 * is one for all functions.
 */
static int attach_entries(u32 which)
{
	u32 filtered = 0;
	int i, err = 0;

	for (i = 0; i < KMT_HOOKS && err != -ENOMEM; i++) {
		if (!(which & BIT(i)))
			continue;
		err = filter_entry(&hooks[i]);
		if (!err)
			filtered |= BIT(i);
	}
	if (err == -ENOMEM || !filtered)
		return err;
	/* it is registered while a hook on entry is attached */
	err = select(~0u, true, true) ? 0 : register_ftrace_function(&entry_ops);
	if (err)
		return err;
	for (i = 0; i < KMT_HOOKS; i++)
		if (filtered & BIT(i))
			set_attached(i, true);
	return 0;
}

static void detach_entries(u32 which)
{
	int i;

	for (i = 0; i < KMT_HOOKS; i++)
		if (which & BIT(i))
			set_attached(i, false);
	if (select(~0u, true, true)) {
		synchronize_rcu();
		return;
	}
	unregister_ftrace_function(&entry_ops);
	for (i = 0; i < KMT_HOOKS; i++)
		hooks[i].filtered = false;
}

/* --- attach and detach ---------------------------------------------------- */

/* @name: a function of a module; NULL: hook->entry */
static int attach_at(struct hook *hook, const char *name)
{
	*hook->probe = hook->template;
	hook->probe->kp.symbol_name = name;
	if (!name)
		hook->probe->kp.addr = (void *)hook->entry;
	/* calls at the same time; further calls are missed */
	hook->probe->maxactive = max(64u, 4 * num_possible_cpus());
	return register_kretprobe(hook->probe);
}

/* Try the next name only if no module has the function. */
static int attach_return(struct hook *hook)
{
	int i, err = hook->entry ? attach_at(hook, NULL) : -ENOENT;

	for (i = 0; !hook->entry && hook->names[i] && err == -ENOENT; i++)
		err = attach_at(hook, hook->names[i]);
	WRITE_ONCE(hook->lacking, err == -ENOENT);
	return err;
}

static void detach_returns(u32 which)
{
	struct kretprobe *registered[KMT_HOOKS];
	int i, n = 0;

	for (i = 0; i < KMT_HOOKS; i++)
		if (which & BIT(i))
			registered[n++] = hooks[i].probe;
	unregister_kretprobes(registered, n);
	for (i = 0; i < KMT_HOOKS; i++)
		if (which & BIT(i))
			set_attached(i, false);
}

#ifdef KMT_DEBUG
static ulong open_holes;
module_param(open_holes, ulong, 0644);
MODULE_PARM_DESC(open_holes, "mask of hooks that are not attached, as if the kernel lacked the function");
#else
static const ulong open_holes;
#endif

int kmt_hook_attach(u32 which)
{
	u32 entries, returns;
	int i, err = 0;

	which &= ~READ_ONCE(open_holes);
	entries = select(which, true, false);
	returns = select(which, false, false);
	if (entries)
		err = attach_entries(entries);
	for (i = 0; i < KMT_HOOKS && err != -ENOMEM; i++) {
		if (!(returns & BIT(i)))
			continue;
		err = attach_return(&hooks[i]);
		set_attached(i, !err);
	}
	return err == -ENOMEM ? err : 0;
}

void kmt_hook_detach(u32 which)
{
	u32 entries = select(which, true, true);
	u32 returns = select(which, false, true);

	if (returns)
		detach_returns(returns);
	if (entries)
		detach_entries(entries);
}

void kmt_hook_detach_module(const struct module *module)
{
	u32 which = 0;
	int i;

	for (i = 0; i < KMT_HOOKS; i++)
		if (hooks[i].attached && hooks[i].probe &&
		    within_module((unsigned long)hooks[i].probe->kp.addr,
				  module))
			which |= BIT(i);
	kmt_hook_detach(which);
}

/* Only at unload: afterwards, the ops may hold pointers to hashes that were freed. */
void kmt_hook_exit(void)
{
	ftrace_free_filter(&entry_ops);
}

bool kmt_hook_attached(enum kmt_hook which)
{
	return READ_ONCE(hooks[which].attached);
}

bool kmt_hook_lacking(enum kmt_hook which)
{
	return READ_ONCE(hooks[which].lacking);
}

u64 kmt_hook_missed(void)
{
	u64 missed = atomic64_read(&bulks_cut);
	int i;

	for (i = 0; i < KMT_HOOKS; i++)
		if (hooks[i].probe && READ_ONCE(hooks[i].attached))
			missed += READ_ONCE(hooks[i].probe->nmissed) +
				  READ_ONCE(hooks[i].probe->kp.nmissed);
	return missed;
}
