// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel calls the notifiers before any code of a module runs, and again after its
 * code has run for the last time. So the sequence numbers at these moments separate the
 * records of a module from those of the next module at the same address.
 */
#include <linux/kallsyms.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "base/compat.h"
#include "base/symbol.h"
#include "record/channel.h"
#include "record/mode.h"
#include "record/modlog.h"
#include "record/writer.h"

#define ENTRIES_MAX 512
/* bytes for the symbols of all entries */
#define SYMBOLS_MAX (1 << 20)

/* a place in the order that may be unknown: a sequence number, or a time stamp */
struct mark {
	bool known;
	u64 at;
};

/**
 * struct entry - one module, from loading to unloading
 * @node: in the log
 * @module: the module; NULL after it was unloaded
 * @name: its name
 * @text: addresses of its code
 * @init: addresses of its code that is freed after initialisation
 * @from: records of the module have this place or a later one; unknown: the module was
 *	loaded before the recording
 * @live: records of @init have earlier places
 * @to: records of the module have earlier places; unknown: the module is loaded
 * @symbols: lines "address t function"; NULL: dropped
 * @size: bytes of @symbols
 */
struct entry {
	struct list_head node;
	const struct module *module;
	char name[MODULE_NAME_LEN];
	struct kmt_text text;
	struct kmt_text init;
	struct mark from;
	struct mark live;
	struct mark to;
	char *symbols;
	size_t size;
};

/* All of these are under log_mutex. The oldest entry is the first. */
static LIST_HEAD(log);
static DEFINE_MUTEX(log_mutex);
static unsigned int entries;
static size_t symbol_bytes;
static u64 dropped; /* entries dropped since the recording started */

/* --- entries -------------------------------------------------------------- */

static void __drop_symbols(struct entry *e)
{
	kvfree(e->symbols);
	e->symbols = NULL;
	symbol_bytes -= e->size;
	e->size = 0;
}

static void __drop(struct entry *e)
{
	__drop_symbols(e);
	list_del(&e->node);
	kfree(e);
	entries--;
}

static void __drop_all(void)
{
	struct entry *e, *next;

	list_for_each_entry_safe(e, next, &log, node)
		__drop(e);
	dropped = 0;
}

static struct entry *__find(const struct module *module)
{
	struct entry *e;

	list_for_each_entry(e, &log, node)
		if (e->module == module)
			return e;
	return NULL;
}

/* Drop the oldest symbols and entries. */
static void __make_room(size_t size)
{
	struct entry *e;

	list_for_each_entry(e, &log, node) {
		if (symbol_bytes + size <= SYMBOLS_MAX)
			break;
		__drop_symbols(e);
	}
	while (entries >= ENTRIES_MAX) {
		__drop(list_first_entry(&log, struct entry, node));
		dropped++;
	}
}

/* --- symbols -------------------------------------------------------------- */

static bool is_in(const struct kmt_text *text, unsigned long addr)
{
	return addr >= text->start && addr < text->end;
}

/* Return: NULL for symbols that are not functions, such as local labels. */
static const char *function_name(const struct entry *e,
				 const struct mod_kallsyms *k, unsigned int i)
{
	const Elf_Sym *symbol = &k->symtab[i];
	const char *name = k->strtab + symbol->st_name;

	if (symbol->st_shndx == SHN_UNDEF || !*name || *name == '$' ||
	    *name == '.' || strpbrk(name, "\n\t "))
		return NULL;
	return is_in(&e->text, symbol->st_value) ||
			       is_in(&e->init, symbol->st_value) ?
		       name :
		       NULL;
}

/* Return: bytes of the lines, without the 0 at the end. */
static size_t print_symbols(const struct entry *e,
			    const struct mod_kallsyms *k, char *to, size_t room)
{
	size_t size = 0;
	unsigned int i;

	for (i = 0; i < k->num_symtab; i++) {
		const char *name = function_name(e, k, i);

		if (name)
			size += snprintf(to ? to + size : NULL,
					 to ? room - size : 0, "%lx t %s\n",
					 (unsigned long)k->symtab[i].st_value,
					 name);
	}
	return size;
}

/* The kernel frees the module only after its notifiers have returned. */
static void __add_symbols(struct entry *e, const struct module *module)
{
	const struct mod_kallsyms *k = rcu_dereference_raw(module->kallsyms);
	size_t size = k ? print_symbols(e, k, NULL, 0) : 0;

	__make_room(size);
	if (!size || size > SYMBOLS_MAX)
		return;
	e->symbols = kvmalloc(size + 1, GFP_KERNEL);
	if (!e->symbols)
		return;
	print_symbols(e, k, e->symbols, size + 1);
	e->size = size;
	symbol_bytes += size;
}

/* --- events of modules ---------------------------------------------------- */

static struct kmt_text text_at(const void *base, size_t size)
{
	return (struct kmt_text){ (unsigned long)base,
				  (unsigned long)base + size };
}

static struct entry *__add(const struct module *module)
{
	struct entry *e = kzalloc(sizeof(*e), GFP_KERNEL);

	if (!e) {
		dropped++;
		return NULL;
	}
	e->module = module;
	strscpy(e->name, module->name, sizeof(e->name));
	e->text = text_at(kmt_module_text(module),
			  kmt_module_text_size(module));
	e->init = text_at(kmt_module_init_text(module),
			  kmt_module_init_text_size(module));
	__add_symbols(e, module);
	list_add_tail(&e->node, &log);
	entries++;
	return e;
}

static void __note(struct mark *mark)
{
	*mark = (struct mark){ true, kmt_writer_place() };
}

/* The buffers may contain unread records, also after the recording. */
static bool is_needed(void)
{
	return !kmt_mode_quiet() || READ_ONCE(kmt_channel);
}

static void __module_coming(const struct module *module)
{
	struct entry *e = __add(module);

	if (e)
		__note(&e->from);
}

static void __module_live(const struct module *module)
{
	struct entry *e = __find(module);

	if (e)
		__note(&e->live);
}

static void __module_going(const struct module *module)
{
	struct entry *e = __find(module);

	if (!e && is_needed())
		e = __add(module);
	if (!e)
		return;
	__note(&e->to);
	e->module = NULL;
}

static int notify(struct notifier_block *block, unsigned long event, void *arg)
{
	const struct module *module = arg;

	mutex_lock(&log_mutex);
	switch (event) {
	case MODULE_STATE_COMING:
		if (is_needed())
			__module_coming(module);
		break;
	case MODULE_STATE_LIVE:
		__module_live(module);
		break;
	case MODULE_STATE_GOING:
		__module_going(module);
		break;
	}
	mutex_unlock(&log_mutex);
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = notify };

void kmt_modlog_start(void)
{
	mutex_lock(&log_mutex);
	if (!READ_ONCE(kmt_channel_overwrite))
		__drop_all();
	mutex_unlock(&log_mutex);
}

static void __move(struct mark *mark, u64 at)
{
	if (mark->known)
		mark->at = at;
}

void kmt_modlog_reorder(void)
{
	u64 at = kmt_writer_place();
	struct entry *e;

	mutex_lock(&log_mutex);
	list_for_each_entry(e, &log, node) {
		__move(&e->from, at);
		__move(&e->live, at);
		__move(&e->to, at);
	}
	mutex_unlock(&log_mutex);
}

int __init kmt_modlog_init(void)
{
	return register_module_notifier(&notifier);
}

void kmt_modlog_exit(void)
{
	unregister_module_notifier(&notifier);
	mutex_lock(&log_mutex);
	__drop_all();
	mutex_unlock(&log_mutex);
}

/* --- the file ------------------------------------------------------------- */

static void show_mark(struct seq_file *m, const struct mark *mark)
{
	if (mark->known)
		seq_printf(m, " %llu", mark->at);
	else
		seq_puts(m, " -");
}

static void show_text(struct seq_file *m, const struct kmt_text *text)
{
	seq_printf(m, " 0x%lx %lu", text->start, text->end - text->start);
}

void kmt_modlog_show(struct seq_file *m)
{
	const struct entry *e;

	mutex_lock(&log_mutex);
	list_for_each_entry(e, &log, node) {
		seq_printf(m, "module %s", e->name);
		show_mark(m, &e->from);
		show_mark(m, &e->live);
		show_mark(m, &e->to);
		show_text(m, &e->text);
		show_text(m, &e->init);
		seq_putc(m, '\n');
		if (e->symbols)
			seq_write(m, e->symbols, e->size);
	}
	if (dropped)
		seq_printf(m, "dropped %llu\n", dropped);
	mutex_unlock(&log_mutex);
}
