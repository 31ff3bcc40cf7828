// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks on entry use ftrace, because ftrace calls the handler in every context. For
 * example, an interrupt during the handler may free in bulk as well. A kprobe would
 * miss that call. Hooks on return have to use kretprobes; missed calls are counted.
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

#include "base/callsite.h"
#include "base/compat.h"
#include "base/symbol.h"
#include "probe/hook.h"
#include "probe/probe.h"

/* --- on entry ------------------------------------------------------------- */

/*
 * Objects that are handled without a chance to reschedule. kfree_rcu() frees up to 500
 * objects in one call.
 */
#define FREE_AT_ONCE ((size_t)16)

static void free_bulk(unsigned long ip, unsigned long caller,
		      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);

	struct kmem_cache *s;
	size_t count, done, some;
	void **objects;

	if (!regs)
		return;
	s = (void *)regs_get_kernel_argument(regs, 0);
	count = regs_get_kernel_argument(regs, 1);
	objects = (void *)regs_get_kernel_argument(regs, 2);
	for (done = 0; done < count; done += some) {
		some = min(count - done, FREE_AT_ONCE);
		/* as in a tracepoint or kprobe: a mode change waits for a grace period */
		preempt_disable_notrace();
		kmt_probe_free_bulk(caller, s, some, objects + done);
		preempt_enable_notrace();
	}
}

static void migrate(unsigned long ip, unsigned long caller,
		    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);

	if (regs)
		kmt_probe_migrate((void *)regs_get_kernel_argument(regs, 0),
				  (void *)regs_get_kernel_argument(regs, 1));
}

/*
 * Compaction takes migration targets from the free lists without an allocation event.
 * It frees unused targets with a free event. This hook and the next one mark these
 * pages as unseen, so that their frees are not unmatched.
 */
static void compact_free(unsigned long ip, unsigned long caller,
			 struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);
	struct folio *folio;

	if (!regs)
		return;
	folio = (void *)regs_get_kernel_argument(regs, 0);
	kmt_probe_unseen_pages(&folio->page, folio_nr_pages(folio));
}

static void compact_release(unsigned long ip, unsigned long caller,
			    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);
	struct list_head *lists;
	struct page *page;
	int order;

	if (!regs)
		return;
	lists = (void *)regs_get_kernel_argument(regs, 0);
	for (order = 0; order < KMT_COMPACTION_LISTS; order++)
		list_for_each_entry(page, &lists[order], lru)
			kmt_probe_unseen_pages(page, 1ul << order);
}

static struct ftrace_ops free_bulk_ops = {
	.func = free_bulk,
	.flags = FTRACE_OPS_FL_SAVE_REGS,
};

static struct ftrace_ops migrate_ops = {
	.func = migrate,
	.flags = FTRACE_OPS_FL_SAVE_REGS,
};

static struct ftrace_ops compact_free_ops = {
	.func = compact_free,
	.flags = FTRACE_OPS_FL_SAVE_REGS,
};

static struct ftrace_ops compact_release_ops = {
	.func = compact_release,
	.flags = FTRACE_OPS_FL_SAVE_REGS,
};

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
 * So the module treats this call as the free, although no allocation can get the object
 * yet. If there is no room, the function returns false, and kfree_rcu() frees the object
 * as before v6.18.
 */
struct free_sheaf_call {
	unsigned long call_site;
	void *object;
};

static int free_sheaf_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct free_sheaf_call *call = (void *)ri->data;

	call->call_site = caller_of(regs);
	call->object = (void *)regs_get_kernel_argument(regs, 1);
	return 0;
}

static int free_sheaf_return(struct kretprobe_instance *ri,
			     struct pt_regs *regs)
{
	struct free_sheaf_call *call = (void *)ri->data;

	if ((u8)regs_return_value(regs))
		kmt_probe_free_bulk(call->call_site, NULL, 1, &call->object);
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

/* --- attach and detach ---------------------------------------------------- */

/**
 * struct hook - one hook
 * @names: names of the function on different kernels. ftrace uses the first one only
 * @ops: for a hook on entry; else NULL
 * @probe: for a hook on return; else NULL
 * @template: initial value of @probe, copied before each registration
 * @entry: for a hook on entry: the address of the function; 0 if the kernel lacks it
 * @attached: whether the hook is attached; written under kmt_event_lock()
 */
struct hook {
	const char *names[3];
	struct ftrace_ops *ops;
	struct kretprobe *probe;
	struct kretprobe template;
	unsigned long entry;
	bool attached;
};

static struct hook hooks[KMT_HOOKS] = {
	[KMT_HOOK_FREE_BULK] = {
		.names = { "kmem_cache_free_bulk" },
		.ops = &free_bulk_ops,
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
		.ops = &migrate_ops,
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
		.ops = &compact_free_ops,
	},
	[KMT_HOOK_COMPACT_RELEASE] = {
		.names = { KMT_COMPACTION_RELEASE },
		.ops = &compact_release_ops,
	},
};

/* None of these functions is in a module, so it is enough to look for them once. */
int __init kmt_hook_init(void)
{
	const char *names[KMT_HOOKS + 1] = { NULL };
	struct kmt_text text[KMT_HOOKS];
	int i, n = 0, err;

	for (i = 0; i < KMT_HOOKS; i++)
		if (hooks[i].ops)
			names[n++] = hooks[i].names[0];
	err = kmt_text_find_all(names, text);
	for (i = 0, n = 0; i < KMT_HOOKS && !err; i++)
		if (hooks[i].ops)
			hooks[i].entry = text[n++].start;
	return err;
}

static int attach_entry(struct hook *hook)
{
	int err;

	if (!hook->entry)
		return -ENOENT;
	err = ftrace_set_filter_ip(hook->ops, hook->entry, 0, 1);
	if (err)
		return err;
	return register_ftrace_function(hook->ops);
}

/* Try the next name only if the kernel lacks the function. */
static int attach_return(struct hook *hook)
{
	int i, err = -ENOENT;

	for (i = 0; hook->names[i] && err == -ENOENT; i++) {
		*hook->probe = hook->template;
		hook->probe->kp.symbol_name = hook->names[i];
		/* calls at the same time; further calls are missed */
		hook->probe->maxactive = max(64u, 4 * num_possible_cpus());
		err = register_kretprobe(hook->probe);
	}
	return err;
}

#ifdef KMT_DEBUG
static ulong open_holes;
module_param(open_holes, ulong, 0644);
MODULE_PARM_DESC(open_holes, "mask of hooks that are not attached, as if the kernel lacked the function");
#else
static const ulong open_holes;
#endif

static void set_attached(enum kmt_hook which, bool on)
{
	WRITE_ONCE(hooks[which].attached, on);
	if (which == KMT_HOOK_PAGES_BULK)
		kmt_probe_expect_pages_of_bulk(on);
}

int kmt_hook_attach(enum kmt_hook which)
{
	struct hook *hook = &hooks[which];
	int err;

	if (hook->attached)
		return 0;
	if (READ_ONCE(open_holes) & BIT(which))
		return -ENOENT;
	err = hook->ops ? attach_entry(hook) : attach_return(hook);
	set_attached(which, !err);
	return err;
}

void kmt_hook_detach(enum kmt_hook which)
{
	struct hook *hook = &hooks[which];

	if (!hook->attached)
		return;
	if (hook->ops)
		unregister_ftrace_function(hook->ops);
	else
		unregister_kretprobe(hook->probe);
	set_attached(which, false);
}

void kmt_hook_detach_module(const struct module *module)
{
	int i;

	for (i = 0; i < KMT_HOOKS; i++)
		if (hooks[i].attached && hooks[i].probe &&
		    within_module((unsigned long)hooks[i].probe->kp.addr,
				  module))
			kmt_hook_detach(i);
}

/* Only at unload: afterwards, the ops may hold pointers to hashes that were freed. */
void kmt_hook_exit(void)
{
	int i;

	for (i = 0; i < KMT_HOOKS; i++)
		if (hooks[i].ops)
			ftrace_free_filter(hooks[i].ops);
}

bool kmt_hook_attached(enum kmt_hook which)
{
	return READ_ONCE(hooks[which].attached);
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
