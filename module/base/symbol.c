// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/string.h>

#include "base/compat.h"
#include "base/symbol.h"

/* sprint_symbol() writes "name+0xoffset/0xsize [module]". */
int kmt_symbol_around(unsigned long addr, struct kmt_text *text)
{
	char name[KSYM_SYMBOL_LEN];
	unsigned long offset, size;
	const char *plus;

	sprint_symbol(name, addr);
	plus = strrchr(name, '+');
	if (!plus || sscanf(plus, "+0x%lx/0x%lx", &offset, &size) != 2 || !size)
		return -ENOENT;
	text->start = addr - offset;
	text->end = text->start + size;
	return 0;
}

static int no_symbols(int (*visit)(KMT_SYMBOL_ARGS), void *data)
{
	return -ENOENT;
}

/*
 * This calls kallsyms_on_each_symbol(). Through a pointer, the call would fault on kernels
 * that have removed the landing pads of functions that they only call directly
 * (CONFIG_X86_KERNEL_IBT).
 */
DEFINE_STATIC_CALL(kmt_on_each_symbol, no_symbols);

/* A static call in an __init function would not be updated. */
static noinline int on_each_symbol(int (*visit)(KMT_SYMBOL_ARGS), void *data)
{
	return static_call(kmt_on_each_symbol)(visit, data);
}

/*
 * A kprobe looks up the address of its symbol. It is registered as disabled, so that it is
 * never armed. To register it takes a million instructions or more.
 */
static int find_exactly(const char *name, struct kmt_text *text)
{
	struct kprobe *probe = kzalloc(sizeof(*probe), GFP_KERNEL);
	int err;

	if (!probe)
		return -ENOMEM;
	probe->symbol_name = name;
	probe->flags = KPROBE_FLAG_DISABLED;
	err = register_kprobe(probe);
	if (!err) {
		err = kmt_symbol_around((unsigned long)probe->addr, text);
		unregister_kprobe(probe);
	} else if (err != -ENOMEM) {
		err = -ENOENT;
	}
	kfree(probe);
	return err;
}

/**
 * struct clone - a function to find by the name of its source
 * @name: the name
 * @addr: address of the last clone that was found
 * @count: number of clones
 */
struct clone {
	const char *name;
	unsigned long addr;
	unsigned int count;
};

static int visit_clone(KMT_SYMBOL_ARGS)
{
	struct clone *clone = data;
	size_t len = strlen(clone->name);

	if (strncmp(name, clone->name, len) || name[len] != '.' ||
	    strstr(name + len, ".cold"))
		return 0;
	clone->addr = addr;
	return ++clone->count > 1;
}

/* A part that is rarely executed (.cold) is no function of its own. */
static int find_clone(const char *name, struct kmt_text *text)
{
	struct clone clone = { .name = name };
	int err = on_each_symbol(visit_clone, &clone);

	return err || !clone.count ? -ENOENT : kmt_symbol_around(clone.addr, text);
}

int kmt_symbol_find(const char *name, struct kmt_text *text)
{
	int err = find_exactly(name, text);

	return err == -ENOENT && *name ? find_clone(name, text) : err;
}

int __init kmt_symbol_each(int (*visit)(KMT_SYMBOL_ARGS), void *data)
{
	struct kmt_text each;
	int err = find_exactly("kallsyms_on_each_symbol", &each);

	if (err) {
		pr_err("cannot find the functions of this kernel: error %d on looking for kallsyms_on_each_symbol\n",
		       err);
		return err;
	}
	static_call_update(kmt_on_each_symbol, (void *)each.start);
	return on_each_symbol(visit, data);
}
