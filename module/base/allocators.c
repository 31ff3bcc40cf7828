// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes on locking: the lists of functions do not change after loading, except that of
 * the wrappers. wrapper_mutex serialises its changes; its readers are RCU readers.
 */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
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
 * struct texts - a list of functions
 * @count: number of functions
 * @text: addresses of each function
 */
struct texts {
	unsigned int count;
	struct kmt_text text[];
};

static struct texts *kmalloc_texts, *allocator_texts, *slab_page_texts,
	*inner_texts, *pages_bulk_texts;

/* Replaced as a whole, under wrapper_mutex; read by RCU readers. */
static struct texts __rcu *wrapper_texts;
static DEFINE_MUTEX(wrapper_mutex);

static struct texts *texts_alloc(unsigned int count)
{
	return kzalloc(struct_size((struct texts *)NULL, text, count),
		       GFP_KERNEL);
}

/* Return: the functions that were found among the @count ones at @text, or NULL. */
static struct texts *__init texts_found(const struct kmt_text *text,
					unsigned int count)
{
	struct texts *texts = texts_alloc(count);
	unsigned int i;

	for (i = 0; texts && i < count; i++)
		if (text[i].end)
			texts->text[texts->count++] = text[i];
	return texts;
}

static bool contains(const struct texts *texts, unsigned long ip)
{
	return kmt_text_contains(texts->text, texts->count, ip);
}

/**
 * struct list - a list of names, and where to put the functions
 * @names: the names; NULL follows
 * @count: number of names
 * @texts: set to the functions
 */
struct list {
	const char *const *names;
	unsigned int count;
	struct texts **texts;
};

#define LIST(names, texts) { names, ARRAY_SIZE(names) - 1, texts }
#define LISTS 6

/* Find the functions of all lists at once, because each search waits for a grace period. */
static int __init find_lists(const struct list *list)
{
	unsigned int i, total = 0;
	struct kmt_text *text;
	const char **names;
	int err = -ENOMEM;

	for (i = 0; i < LISTS; i++)
		total += list[i].count;
	names = kcalloc(total + 1, sizeof(*names), GFP_KERNEL);
	text = kcalloc(total, sizeof(*text), GFP_KERNEL);
	if (names && text) {
		for (i = 0, total = 0; i < LISTS; total += list[i++].count)
			memcpy(names + total, list[i].names,
			       list[i].count * sizeof(*names));
		err = kmt_text_find_all(names, text);
	}
	for (i = 0, total = 0; i < LISTS && !err; total += list[i++].count) {
		*list[i].texts = texts_found(text + total, list[i].count);
		if (!*list[i].texts)
			err = -ENOMEM;
	}
	kfree(text);
	kfree(names);
	return err;
}

int __init kmt_allocators_init(void)
{
	struct texts *wrappers = NULL;
	const struct list lists[LISTS] = {
		LIST(kmalloc_names, &kmalloc_texts),
		LIST(allocator_names, &allocator_texts),
		LIST(slab_page_names, &slab_page_texts),
		LIST(inner_names, &inner_texts),
		LIST(pages_bulk_names, &pages_bulk_texts),
		LIST(wrapper_names, &wrappers),
	};
	int err = find_lists(lists);

	RCU_INIT_POINTER(wrapper_texts, wrappers);
	if (err)
		kmt_allocators_exit();
	return err;
}

void kmt_allocators_exit(void)
{
	kfree(rcu_dereference_protected(wrapper_texts, true));
	kfree(pages_bulk_texts);
	kfree(inner_texts);
	kfree(slab_page_texts);
	kfree(allocator_texts);
	kfree(kmalloc_texts);
}

bool kmt_site_is_kmalloc(unsigned long call_site)
{
	return contains(kmalloc_texts, call_site);
}

bool kmt_site_is_allocator(unsigned long site)
{
	return contains(allocator_texts, site);
}

bool kmt_site_is_pages_bulk(unsigned long site)
{
	return contains(pages_bulk_texts, site);
}

bool kmt_site_is_slab(unsigned long site)
{
	return contains(slab_page_texts, site);
}

bool kmt_site_is_inner(unsigned long site)
{
	return contains(inner_texts, site);
}

bool kmt_site_is_wrapper(unsigned long site)
{
	/* interrupts are off, or wrapper_mutex is held */
	return contains(rcu_dereference_raw(wrapper_texts), site);
}

/* --- wrappers -------------------------------------------------------------- */

static void __replace_wrappers(struct texts *new)
{
	struct texts *old = rcu_dereference_protected(
		wrapper_texts, lockdep_is_held(&wrapper_mutex));

	rcu_assign_pointer(wrapper_texts, new);
	synchronize_rcu();
	kfree(old);
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

int kmt_wrapper_set(const char *name)
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

int kmt_wrappers_clear(void)
{
	struct texts *none = texts_alloc(0);

	if (!none)
		return -ENOMEM;
	mutex_lock(&wrapper_mutex);
	__replace_wrappers(none);
	mutex_unlock(&wrapper_mutex);
	return 0;
}

void kmt_wrappers_show(struct seq_file *m)
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

unsigned int kmt_allocators_count(void)
{
	return allocator_texts->count;
}
