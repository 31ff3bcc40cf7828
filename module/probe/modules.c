// SPDX-License-Identifier: GPL-2.0-only
#include <linux/jiffies.h>
#include <linux/kallsyms.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <linux/kmemtrace_tag.h>

#include "account/codetag.h"
#include "account/live.h"
#include "account/tables.h"
#include "account/tag.h"
#include "base/callsite.h"
#include "probe/attach.h"
#include "probe/modules.h"
#include "steer/event.h"

#define LEAKS_KEPT 64
/*
 * A module may pass objects to kfree_rcu() while it is being unloaded. The kernel
 * collects these for up to 5 s (KFREE_DRAIN_JIFFIES) and frees them one grace period
 * later.
 */
#define LEAK_DELAY (10 * HZ)

/* The last LEAKS_KEPT leaks, for stats. Under leak_mutex, like the sums. */
static struct leak {
	char text[192];
} kept[LEAKS_KEPT];
static DEFINE_MUTEX(leak_mutex);
static u64 leaks, leaked_bytes;

/**
 * struct unloading - a module that was unloaded and may have left live memory
 * @node: in unloadings, the oldest first
 * @number: from kmt_tag_unload()
 * @due: time in jiffies; memory that is still live then is reported as a leak
 * @switches: kmt_event_account_switches() at that moment: accounting was on
 */
struct unloading {
	struct list_head node;
	u32 number;
	unsigned long due;
	u32 switches;
};

/* Under leak_mutex. The number is that of those in the list, and of one that is being reported. */
static LIST_HEAD(unloadings);
static unsigned int pending;

static bool in_module(unsigned long site, const void *module)
{
	return within_module(site, module);
}

static bool in_init(unsigned long site, const void *module)
{
	return within_module_init(site, module);
}

/* A name made by KMT_DEFINE_ALLOC_TAG. The compiler may append a dot and a number. */
static bool is_tag_name(const char *name)
{
	static const char tag[] = "__kmt_alloc_tag";

	return !strncmp(name, tag, sizeof(tag) - 1) &&
	       (!name[sizeof(tag) - 1] || name[sizeof(tag) - 1] == '.');
}

/*
 * A module has no symbols for the bounds of its sections. While a module is being
 * loaded, all of its symbols are available, so tags are found by symbol.
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

/*
 * The message has the form of mainline's: "file:line [module] func:name" becomes
 * "file:line module ...".
 */
static void log_leak(const char *location, const struct kmt_sum *sum,
		     unsigned long seconds)
{
	const char *module = strstr(location, " ["), *func;

	func = module ? strstr(module, "] func:") : NULL;
	if (!func)
		return;
	pr_warn("%.*s module %.*s%s has %lld bytes in %lld objects allocated at module unload, the oldest for %lu s\n",
		(int)(module - location), location, (int)(func - module - 2),
		module + 2, func + 1, sum->bytes, sum->objects, seconds);
}

static void report_leak(const char *location, const struct kmt_sum *sum,
			unsigned long age)
{
	unsigned long seconds = age == ULONG_MAX ? 0 : age / HZ;

	mutex_lock(&leak_mutex);
	scnprintf(kept[leaks++ % LEAKS_KEPT].text, sizeof(kept->text),
		  "%lld bytes %lld objects oldest_s %lu %s", sum->bytes,
		  sum->objects, seconds, location);
	leaked_bytes += sum->bytes;
	mutex_unlock(&leak_mutex);
	log_leak(location, sum, seconds);
}

/*
 * Return: whether @tag was retired by this unloading and has live memory. If so, @text
 * is set to its location and @sum to its figures.
 */
static bool is_leak(u32 tag, u32 unloading, struct kmt_sum *sum, char *text,
		    size_t size)
{
	const char *location;
	unsigned long site;
	unsigned int kind;
	u32 flags;
	bool is;

	rcu_read_lock();
	site = kmt_tag_read(tag, &kind, &flags, sum);
	is = site && flags >> KMT_SITE_UNLOAD_SHIFT == unloading &&
	     (sum->objects || sum->bytes);
	location = is ? kmt_tag_location(tag, site) : NULL;
	is = location;
	if (is)
		strscpy(text, location, size);
	rcu_read_unlock();
	return is;
}

/*
 * A module may have handed its memory over to other code on purpose. It is listed
 * nevertheless, as in mainline.
 */
static void report_leaks(u32 unloading)
{
	char *text = kmalloc(KMT_CODETAG_TEXT, GFP_KERNEL);
	u32 tag, count = kmt_tag_count();
	unsigned long *ages = NULL;
	struct kmt_sum sum;

	for (tag = 1; text && tag <= count; tag++) {
		cond_resched();
		if (!is_leak(tag, unloading, &sum, text, KMT_CODETAG_TEXT))
			continue;
		if (!ages) {
			ages = kvmalloc_array(count + 1, sizeof(*ages),
					      GFP_KERNEL);
			if (ages && kmt_live_oldest(ages, count + 1)) {
				kvfree(ages); /* rmmod was killed */
				ages = NULL;
			}
		}
		report_leak(text, &sum, ages ? ages[tag] : ULONG_MAX);
	}
	kvfree(ages);
	kfree(text);
}

/*
 * Remove the oldest unloading from the list if it is due, or if @also_early.
 *
 * Return: the unloading, or NULL.
 */
static struct unloading *take_unloading(bool also_early)
{
	struct unloading *u;

	mutex_lock(&leak_mutex);
	u = list_first_entry_or_null(&unloadings, struct unloading, node);
	if (u && !also_early && time_before(jiffies, u->due))
		u = NULL;
	if (u)
		list_del(&u->node);
	mutex_unlock(&leak_mutex);
	return u;
}

static void report_unloadings(bool also_early)
{
	struct unloading *u;

	while ((u = take_unloading(also_early))) {
		/* else a free may not have been seen */
		if (u->switches == kmt_event_account_switches())
			report_leaks(u->number);
		kfree(u);
		mutex_lock(&leak_mutex);
		pending--;
		mutex_unlock(&leak_mutex);
	}
}

static void report_due(struct work_struct *work);
static DECLARE_DELAYED_WORK(leak_work, report_due);

/* Runs every second until all unloadings are reported. */
static void report_due(struct work_struct *work)
{
	report_unloadings(false);
	mutex_lock(&leak_mutex);
	if (!list_empty(&unloadings))
		schedule_delayed_work(&leak_work, HZ);
	mutex_unlock(&leak_mutex);
}

/* While accounting is off, it is not known what the module has freed. */
static void report_later(u32 unloading)
{
	u32 switches = kmt_event_account_switches();
	struct unloading *u;

	if (!kmt_event_accounting())
		return;
	u = kmalloc(sizeof(*u), GFP_KERNEL);

	if (!u) {
		report_leaks(unloading);
		return;
	}
	u->number = unloading;
	u->due = jiffies + LEAK_DELAY;
	u->switches = switches;
	mutex_lock(&leak_mutex);
	list_add_tail(&u->node, &unloadings);
	pending++;
	schedule_delayed_work(&leak_work, LEAK_DELAY);
	mutex_unlock(&leak_mutex);
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
		if (kmt_attach_module())
			pr_warn("no memory to hook functions of %s: pages that it migrates will be unmatched\n",
				module->name);
		break;
	case MODULE_STATE_LIVE: /* the kernel is about to free its init section */
		if (kmt_tables_ready())
			kmt_tag_retire(in_init, module, describe);
		kmt_callsite_forget();
		break;
	case MODULE_STATE_GOING:
		kmt_attach_forget_module(module);
		if (kmt_tables_ready())
			report_later(kmt_tag_unload(in_module, module,
						    describe, module->name));
		kmt_codetag_remove(in_module, module);
		kmt_callsite_forget();
		break;
	}
	kmt_codetag_changed();
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = notify };

int __init kmt_modules_init(void)
{
	return register_module_notifier(&notifier);
}

void kmt_modules_exit(void)
{
	unregister_module_notifier(&notifier);
	cancel_delayed_work_sync(&leak_work);
	report_unloadings(true);
}

void kmt_modules_show_leaks(struct seq_file *m)
{
	u64 i;

	mutex_lock(&leak_mutex);
	seq_printf(m, "unloads_pending %u\n", pending);
	seq_printf(m, "unload_leaks %llu\n", leaks);
	seq_printf(m, "unload_leaked_bytes %llu\n", leaked_bytes);
	for (i = leaks - min_t(u64, leaks, LEAKS_KEPT); i < leaks; i++)
		seq_printf(m, "unload_leak %s\n", kept[i % LEAKS_KEPT].text);
	mutex_unlock(&leak_mutex);
}
