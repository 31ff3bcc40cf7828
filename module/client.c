// SPDX-License-Identifier: GPL-2.0-only
#include <linux/jiffies.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/kmemtrace_tag.h>

#include "account.h"
#include "callsite.h"
#include "client.h"
#include "codetag.h"
#include "event.h"
#include "tag.h"

#define LEAKS_KEPT 64

/*
 * What modules left behind, to be told again in stats: the first ones.
 * Under leak_mutex.
 */
static struct leak {
	char text[192];
} kept[LEAKS_KEPT];
static DEFINE_MUTEX(leak_mutex);
static u64 leaks, leaked_bytes;

static bool in_module(unsigned long site, const void *module)
{
	return within_module(site, module);
}

static bool in_init(unsigned long site, const void *module)
{
	return within_module_init(site, module);
}

/* A name of KMT_DEFINE_ALLOC_TAG; the compiler may add a number. */
static bool is_tag_name(const char *name)
{
	static const char tag[] = "__kmt_alloc_tag";

	return !strncmp(name, tag, sizeof(tag) - 1) &&
	       (!name[sizeof(tag) - 1] || name[sizeof(tag) - 1] == '.');
}

/*
 * The linker gives no bounds to a section of a module. But a module that is
 * being loaded still has all of its symbols.
 */
static void add_tags(struct module *module)
{
	const struct mod_kallsyms *symbols;
	unsigned int i;

	symbols = rcu_dereference_raw(module->kallsyms);
	for (i = 0; symbols && i < symbols->num_symtab; i++) {
		const Elf_Sym *symbol = &symbols->symtab[i];

		if (symbol->st_size != sizeof(struct kmt_alloc_tag) ||
		    !is_tag_name(symbols->strtab + symbol->st_name))
			continue;
		if (kmt_codetag_add_client((void *)symbol->st_value))
			pr_warn("%s: no memory to list its tags\n",
				module->name);
	}
}

static void report_leak(const struct kmt_alloc_tag *tag,
			const struct kmt_sum *sum, unsigned long age)
{
	unsigned long seconds = age == ULONG_MAX ? 0 : age / HZ;

	mutex_lock(&leak_mutex);
	if (leaks < LEAKS_KEPT)
		scnprintf(kept[leaks].text, sizeof(kept[leaks].text),
			  "%lld bytes %lld objects oldest_s %lu %s:%u [%s] func:%s",
			  sum->bytes, sum->objects, seconds, tag->file,
			  tag->line, tag->module, tag->function);
	leaks++;
	leaked_bytes += sum->bytes;
	mutex_unlock(&leak_mutex);
	pr_warn("%s:%u module %s func:%s has %lld bytes in %lld objects allocated at module unload, the oldest for %lu s\n",
		tag->file, tag->line, tag->module, tag->function, sum->bytes,
		sum->objects, seconds);
}

/*
 * Only of static tags: other modules may well hand over what they allocate. Tags of a
 * module that is going are given up by kmt_tag_retire() alone, which comes after this;
 * hence no lock.
 */
static void report_leaks(const struct module *module)
{
	unsigned long *ages = NULL;
	u32 tag, flags, count = kmt_tag_count();
	struct kmt_sum sum;
	unsigned int kind;

	for (tag = 1; tag <= count; tag++) {
		unsigned long site = kmt_tag_site(tag, &kind, &flags);

		if (!site || (flags & KMT_SITE_GONE) ||
		    !within_module(site, module) ||
		    !kmt_codetag_is_client(site))
			continue;
		kmt_tag_sum(tag, &sum);
		if (!sum.objects && !sum.bytes)
			continue;
		if (!ages) {
			ages = kvmalloc_array(count + 1, sizeof(*ages),
					      GFP_KERNEL);
			if (ages)
				kmt_account_oldest(ages, count + 1);
		}
		report_leak((void *)site, &sum, ages ? ages[tag] : ULONG_MAX);
	}
	kvfree(ages);
}

static char *describe(unsigned long site)
{
	char *text = kmalloc(KMT_CODETAG_TEXT, GFP_KERNEL), *copy;

	if (!text)
		return NULL;
	kmt_codetag_describe(site, text, KMT_CODETAG_TEXT);
	copy = kstrdup(text, GFP_KERNEL);
	kfree(text);
	return copy;
}

static int notify(struct notifier_block *block, unsigned long event, void *arg)
{
	struct module *module = arg;

	switch (event) {
	case MODULE_STATE_COMING:
		kmt_callsite_forget();
		add_tags(module);
		if (kmt_event_hook_module())
			pr_warn("no memory to hook functions of %s: pages that it migrates will be unmatched\n",
				module->name);
		break;
	case MODULE_STATE_LIVE: /* its init section is about to go */
		if (kmt_account_ready())
			kmt_tag_retire(in_init, module, describe);
		kmt_callsite_forget();
		break;
	case MODULE_STATE_GOING:
		kmt_event_unhook_module(module);
		if (kmt_account_ready()) {
			report_leaks(module);
			kmt_tag_retire(in_module, module, describe);
		}
		kmt_codetag_remove(in_module, module);
		kmt_callsite_forget();
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = notify };

int __init kmt_client_init(void)
{
	return register_module_notifier(&notifier);
}

void kmt_client_exit(void)
{
	unregister_module_notifier(&notifier);
}

void kmt_client_show_leaks(struct seq_file *m)
{
	u64 i;

	mutex_lock(&leak_mutex);
	seq_printf(m, "unload_leaks %llu\n", leaks);
	seq_printf(m, "unload_leaked_bytes %llu\n", leaked_bytes);
	for (i = 0; i < min_t(u64, leaks, LEAKS_KEPT); i++)
		seq_printf(m, "unload_leak %s\n", kept[i].text);
	mutex_unlock(&leak_mutex);
}
