// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: the functions do not change after loading, except for the wrappers.
 * wrapper_mutex serialises their changes; their readers are RCU readers.
 */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "base/allocators.h"
#include "base/compat.h"
#include "base/symbol.h"
#include "kmt_allocators.h"

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
 * The functions of the allocators that call each other. The first caller outside of
 * them is the call site. The tracepoints of slab objects name their caller, but a large
 * kmalloc() allocates pages.
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
 * struct function - a function of the kernel
 * @text: its addresses
 * @kinds: mask of KMT_FUNCTION_*
 */
struct function {
	struct kmt_text text;
	u32 kinds;
};

/**
 * struct functions - some functions, sorted by address
 * @count: number of functions
 * @function: the functions
 */
struct functions {
	unsigned int count;
	struct function function[];
};

static struct functions *functions; /* all but the wrappers */

/* Replaced as a whole, under wrapper_mutex; read by RCU readers. */
static struct functions __rcu *wrappers;
static DEFINE_MUTEX(wrapper_mutex);

static struct functions *functions_alloc(unsigned int count)
{
	return kzalloc(struct_size((struct functions *)NULL, function, count),
		       GFP_KERNEL);
}

static int by_address(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->text.start != y->text.start)
		return x->text.start < y->text.start ? -1 : 1;
	return 0;
}

/* Sort the functions. A function that occurs again is merged into one. */
static void arrange(struct functions *all)
{
	unsigned int i, n = 0;

	sort(all->function, all->count, sizeof(all->function[0]), by_address,
	     NULL);
	for (i = 0; i < all->count; i++) {
		struct function *f = &all->function[i];

		if (n && !by_address(&all->function[n - 1], f))
			all->function[n - 1].kinds |= f->kinds;
		else
			all->function[n++] = *f;
	}
	all->count = n;
}

/* Return: the function that contains the call before @addr, or NULL. */
static const struct function *function_at(const struct functions *all,
					  unsigned long addr)
{
	unsigned int low = 0, high = all->count;
	const struct function *f;

	while (low < high) {
		unsigned int middle = (low + high) / 2;

		if (all->function[middle].text.start < addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	f = &all->function[low - 1];
	return kmt_text_contains(&f->text, addr) ? f : NULL;
}

/**
 * struct list - a list of names
 * @names: the names; NULL follows
 * @count: number of names
 * @kind: KMT_FUNCTION_*
 */
struct list {
	const char *const *names;
	unsigned int count;
	u32 kind;
};

#define LIST(names, kind) { names, ARRAY_SIZE(names) - 1, kind }

static const struct list lists[] __initconst = {
	LIST(kmalloc_names, KMT_FUNCTION_KMALLOC),
	LIST(allocator_names, KMT_FUNCTION_ALLOCATOR),
	LIST(slab_page_names, KMT_FUNCTION_SLAB),
	LIST(inner_names, KMT_FUNCTION_INNER),
	LIST(pages_bulk_names, KMT_FUNCTION_PAGES_BULK),
	LIST(wrapper_names, KMT_FUNCTION_WRAPPER),
};

/* Add the functions that were found among those of a list. */
static void __init add_found(struct functions *to, const struct kmt_text *text,
			     const struct list *list)
{
	unsigned int i;

	for (i = 0; i < list->count; i++)
		if (text[i].end)
			to->function[to->count++] =
				(struct function){ text[i], list->kind };
}

static unsigned int __init count_names(void)
{
	unsigned int i, total = 0;

	for (i = 0; i < ARRAY_SIZE(lists); i++)
		total += lists[i].count;
	return total;
}

/* @text: the addresses of the names of all lists */
static int __init set_functions(const struct kmt_text *text)
{
	struct functions *found = functions_alloc(count_names());
	struct functions *wrapping = functions_alloc(ARRAY_SIZE(wrapper_names));
	unsigned int i;

	functions = found;
	RCU_INIT_POINTER(wrappers, wrapping);
	if (!found || !wrapping)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(lists); text += lists[i++].count)
		add_found(lists[i].kind == KMT_FUNCTION_WRAPPER ? wrapping :
								  found,
			  text, &lists[i]);
	arrange(found);
	arrange(wrapping);
	return 0;
}

int __init kmt_allocators_init(void)
{
	unsigned int i, total = count_names(), n = 0;
	struct kmt_text *text;
	const char **names;
	int err = -ENOMEM;

	names = kcalloc(total + 1, sizeof(*names), GFP_KERNEL);
	text = kcalloc(total, sizeof(*text), GFP_KERNEL);
	if (names && text) {
		for (i = 0; i < ARRAY_SIZE(lists); n += lists[i++].count)
			memcpy(names + n, lists[i].names,
			       lists[i].count * sizeof(*names));
		err = kmt_text_find_all(names, text);
	}
	if (!err)
		err = set_functions(text);
	kfree(text);
	kfree(names);
	if (err)
		kmt_allocators_exit();
	return err;
}

void kmt_allocators_exit(void)
{
	kfree(rcu_dereference_protected(wrappers, true));
	kfree(functions);
}

u32 kmt_site_kinds(unsigned long site)
{
	const struct function *f = function_at(functions, site);

	return f ? f->kinds : 0;
}

bool kmt_site_is_wrapper(unsigned long site)
{
	/* interrupts or preemption are off, or wrapper_mutex is held */
	return function_at(rcu_dereference_raw(wrappers), site);
}

/* --- wrappers -------------------------------------------------------------- */

static void __replace_wrappers(struct functions *new)
{
	struct functions *old = rcu_dereference_protected(
		wrappers, lockdep_is_held(&wrapper_mutex));

	rcu_assign_pointer(wrappers, new);
	synchronize_rcu();
	kfree(old);
}

static int __add_wrapper(const struct functions *old, const char *name)
{
	struct functions *new;
	struct kmt_text text;
	int err;

	err = kmt_symbol_find(name, &text);
	if (err)
		return err;
	if (function_at(old, text.start + 1))
		return 0;
	if (old->count >= WRAPPERS_MAX)
		return -ENOSPC;
	new = functions_alloc(old->count + 1);
	if (!new)
		return -ENOMEM;
	new->count = old->count + 1;
	memcpy(new->function, old->function,
	       old->count * sizeof(old->function[0]));
	new->function[old->count] =
		(struct function){ text, KMT_FUNCTION_WRAPPER };
	arrange(new);
	__replace_wrappers(new);
	return 0;
}

static int __remove_wrapper(const struct functions *old, const char *name)
{
	struct functions *new;
	struct kmt_text text;
	unsigned int i;
	int err;

	err = kmt_symbol_find(name, &text);
	if (err)
		return err;
	new = functions_alloc(old->count);
	if (!new)
		return -ENOMEM;
	for (i = 0; i < old->count; i++)
		if (old->function[i].text.start != text.start)
			new->function[new->count++] = old->function[i];
	if (new->count == old->count) {
		kfree(new);
		return -ENOENT;
	}
	__replace_wrappers(new);
	return 0;
}

int kmt_wrapper_set(const char *name)
{
	const struct functions *old;
	int err;

	mutex_lock(&wrapper_mutex);
	old = rcu_dereference_protected(wrappers,
					lockdep_is_held(&wrapper_mutex));
	err = *name == '!' ? __remove_wrapper(old, name + 1) :
			     __add_wrapper(old, name);
	mutex_unlock(&wrapper_mutex);
	return err;
}

int kmt_wrappers_clear(void)
{
	struct functions *none = functions_alloc(0);

	if (!none)
		return -ENOMEM;
	mutex_lock(&wrapper_mutex);
	__replace_wrappers(none);
	mutex_unlock(&wrapper_mutex);
	return 0;
}

void kmt_wrappers_show(struct seq_file *m)
{
	const struct functions *all;
	unsigned int i;

	mutex_lock(&wrapper_mutex);
	all = rcu_dereference_protected(wrappers,
					  lockdep_is_held(&wrapper_mutex));
	for (i = 0; i < all->count; i++)
		seq_printf(m, "%ps\n", (void *)all->function[i].text.start);
	mutex_unlock(&wrapper_mutex);
}

unsigned int kmt_allocators_count(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < functions->count; i++)
		n += !!(functions->function[i].kinds & KMT_FUNCTION_ALLOCATOR);
	return n;
}
