// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: the functions do not change after loading, except for the wrappers.
 * wrapper_mutex serialises their changes; their readers are RCU readers.
 */
#include <linux/bsearch.h>
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

static const char *const slab_page_names[] = {
	KMT_SLAB_PAGE_FUNCTIONS(NAME) NULL
};

static const char *const backing_names[] = {
	KMT_SLAB_PAGE_FUNCTIONS(NAME) KMT_INNER_FUNCTIONS(NAME) NULL
};

static const char *const area_names[] = {
	KMT_AREA_FUNCTIONS(NAME) NULL
};

static const char *const wrapper_names[] = {
	KMT_WRAPPERS(NAME) KMT_WRAPPERS_MORE(NAME) NULL
};

static const char *const hooked_names[] = {
	KMT_HOOKED_FUNCTIONS(NAME) NULL
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
static unsigned long hooked[ARRAY_SIZE(hooked_names)]; /* addresses, as in hooked_names; or 0 */
static const char **missing; /* names that this kernel does not have; NULL follows */

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
 * @kind: KMT_FUNCTION_*
 */
struct list {
	const char *const *names;
	u32 kind;
};

static const struct list lists[] __initconst = {
	{ kmalloc_names, KMT_FUNCTION_KMALLOC },
	{ allocator_names, KMT_FUNCTION_ALLOCATOR },
	{ slab_page_names, KMT_FUNCTION_SLAB },
	{ backing_names, KMT_FUNCTION_INNER | KMT_FUNCTION_BACKING },
	{ area_names, KMT_FUNCTION_INNER },
	{ pages_bulk_names, KMT_FUNCTION_PAGES_BULK },
	{ wrapper_names, KMT_FUNCTION_WRAPPER },
	{ hooked_names, KMT_FUNCTION_HOOKED },
};

/**
 * struct wanted - a function to find
 * @name: the function
 * @kinds: mask of KMT_FUNCTION_*
 * @found: the kernel has it, or a clone
 * @cloned: it has a clone with other arguments
 * @same: number of those with the same arguments
 * @addr: address of the last one of these
 */
struct wanted {
	const char *name;
	u32 kinds;
	bool found;
	bool cloned;
	unsigned int same;
	unsigned long addr;
};

/**
 * struct search - the functions to find, and those that were found
 * @count: number of functions to find
 * @wanted: the functions to find, sorted by name
 * @starts: hashes of the beginnings of their names; most symbols of the kernel begin otherwise
 * @found: the functions that were found
 */
struct search {
	unsigned int count;
	DECLARE_BITMAP(starts, 1024);
	struct wanted *wanted;
	struct functions *found;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct wanted *)a)->name,
		      ((const struct wanted *)b)->name);
}

static unsigned int hash_start(const char *name)
{
	unsigned int i, hash = 0;

	for (i = 0; i < 4 && name[i]; i++)
		hash = hash * 31 + name[i];
	return hash % 1024;
}

/* A name that occurs in several lists is merged into one. */
static void __init add_names(struct search *search)
{
	const char *const *name;
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(lists); i++)
		for (name = lists[i].names; *name; name++)
			search->wanted[search->count++] =
				(struct wanted){ .name = *name,
						 .kinds = lists[i].kind };
	sort(search->wanted, search->count, sizeof(search->wanted[0]), by_name, NULL);
	for (i = 0; i < search->count; i++)
		if (n && !by_name(&search->wanted[n - 1], &search->wanted[i]))
			search->wanted[n - 1].kinds |= search->wanted[i].kinds;
		else
			search->wanted[n++] = search->wanted[i];
	search->count = n;
	for (i = 0; i < n; i++)
		set_bit(hash_start(search->wanted[i].name), search->starts);
}

/*
 * The compiler may have made clones of a function, whose names have a suffix, such as
 * .isra.0, .constprop.0, .part.0, .cold, and .llvm.1234 with clang's ThinLTO.
 */
static int compare_base(const void *key, const void *element)
{
	const char *name = key, *base = ((const struct wanted *)element)->name;

	while (*name == *base && *base)
		name++, base++;
	if (!*base && *name == '.')
		return 0;
	return (unsigned char)*name - (unsigned char)*base;
}

/* Whether a function with this suffix has the arguments of its source. */
static bool has_same_arguments(const char *suffix)
{
	if (!*suffix)
		return true;
	return (strstarts(suffix, ".llvm.") || strstarts(suffix, ".lto_priv.")) &&
	       !strstr(suffix, ".isra.") && !strstr(suffix, ".constprop.");
}

/* Parts (.cold, .part.0) are called by the function itself. */
static void note_clone(struct wanted *wanted, const char *suffix, unsigned long addr)
{
	wanted->found = true;
	if (strstr(suffix, ".cold") || strstr(suffix, ".part."))
		return;
	if (has_same_arguments(suffix)) {
		wanted->same++;
		wanted->addr = addr;
	} else {
		wanted->cloned = true;
	}
}

static int visit_symbol(KMT_SYMBOL_ARGS)
{
	struct search *search = data;
	struct functions *more = search->found;
	struct wanted *wanted;

	if (!test_bit(hash_start(name), search->starts))
		return 0;
	wanted = bsearch(name, search->wanted, search->count,
			 sizeof(search->wanted[0]), compare_base);
	if (!wanted)
		return 0;
	note_clone(wanted, name + strlen(wanted->name), addr);
	if (!(more->count & (more->count - 1))) {
		more = krealloc(more, struct_size(more, function, more->count * 2 + 1),
				GFP_KERNEL);
		if (!more)
			return -ENOMEM;
		search->found = more;
	}
	more->function[more->count++] =
		(struct function){ { .start = addr }, wanted->kinds };
	return 0;
}

/* Keep those of @all that are wrappers, or are not, with the end of each. */
static struct functions *__init keep(const struct functions *all, bool wrapping)
{
	struct functions *kept = functions_alloc(all->count);
	unsigned int i;

	for (i = 0; kept && i < all->count; i++) {
		struct function *f = &kept->function[kept->count];

		*f = all->function[i];
		f->kinds &= wrapping ? KMT_FUNCTION_WRAPPER :
				       ~(KMT_FUNCTION_WRAPPER | KMT_FUNCTION_HOOKED);
		if (f->kinds && !kmt_symbol_around(f->text.start, &f->text))
			kept->count++;
	}
	if (kept)
		arrange(kept);
	return kept;
}

static bool __init is_missing(const struct wanted *wanted)
{
	if (wanted->kinds & KMT_FUNCTION_HOOKED && (wanted->same != 1 || wanted->cloned))
		return true;
	return !wanted->found;
}

static const char **__init keep_missing(const struct search *search)
{
	const char **names = kcalloc(search->count + 1, sizeof(*names), GFP_KERNEL);
	unsigned int i, n = 0;

	for (i = 0; names && i < search->count; i++)
		if (is_missing(&search->wanted[i]))
			names[n++] = search->wanted[i].name;
	return names;
}

static void __init keep_hooked(const struct search *search)
{
	const struct wanted *wanted;
	unsigned int i;

	for (i = 0; hooked_names[i]; i++) {
		wanted = bsearch(hooked_names[i], search->wanted, search->count,
				 sizeof(search->wanted[0]), compare_base);
		hooked[i] = wanted->same == 1 ? wanted->addr : 0;
	}
}

unsigned long kmt_allocators_hooked(const char *name)
{
	unsigned int i;

	for (i = 0; hooked_names[i]; i++)
		if (!strcmp(hooked_names[i], name))
			return hooked[i];
	return 0;
}

static unsigned int __init count_names(void)
{
	const char *const *name;
	unsigned int i, total = 0;

	for (i = 0; i < ARRAY_SIZE(lists); i++)
		for (name = lists[i].names; *name; name++)
			total++;
	return total;
}

int __init kmt_allocators_init(void)
{
	struct search search = { .found = functions_alloc(0) };
	int err = -ENOMEM;

	search.wanted = kcalloc(count_names(), sizeof(*search.wanted), GFP_KERNEL);
	if (search.wanted && search.found) {
		add_names(&search);
		err = kmt_symbol_each(visit_symbol, &search);
	}
	if (!err) {
		functions = keep(search.found, false);
		RCU_INIT_POINTER(wrappers, keep(search.found, true));
		missing = keep_missing(&search);
		keep_hooked(&search);
		err = functions && rcu_access_pointer(wrappers) && missing ?
			      0 : -ENOMEM;
	}
	kfree(search.found);
	kfree(search.wanted);
	if (err)
		kmt_allocators_exit();
	return err;
}

void kmt_allocators_exit(void)
{
	kfree(rcu_dereference_protected(wrappers, true));
	kfree(functions);
	kfree(missing);
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

void kmt_allocators_show_missing(struct seq_file *m)
{
	const char **name;

	seq_puts(m, "functions_not_found");
	for (name = missing; *name; name++)
		seq_printf(m, "%c%s", name == missing ? ' ' : ',', *name);
	seq_putc(m, '\n');
}

unsigned int kmt_allocators_count(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < functions->count; i++)
		n += !!(functions->function[i].kinds & KMT_FUNCTION_ALLOCATOR);
	return n;
}
