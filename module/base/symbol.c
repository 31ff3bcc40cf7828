// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/string.h>

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

/*
 * A kprobe looks up the address of its symbol. It is registered as disabled, so that it is
 * never armed. To register it takes a million instructions or more.
 */
int kmt_symbol_find(const char *name, struct kmt_text *text)
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

static unsigned long not_found(const char *name)
{
	return 0;
}

/*
 * This calls kallsyms_lookup_name(). Through a pointer, the call would fault on kernels that
 * have removed the landing pads of functions that they only call directly
 * (CONFIG_X86_KERNEL_IBT).
 */
DEFINE_STATIC_CALL(kmt_lookup_name, not_found);

/* A static call in an __init function would not be updated. */
static noinline unsigned long lookup_name(const char *name)
{
	return static_call(kmt_lookup_name)(name);
}

int __init kmt_text_find_all(const char *const *names, struct kmt_text *text)
{
	static struct kmt_text lookup __initdata;
	unsigned long addr;
	int err;

	if (!lookup.end) {
		err = kmt_symbol_find("kallsyms_lookup_name", &lookup);
		if (err) {
			pr_err("cannot find the functions of this kernel: error %d on looking for kallsyms_lookup_name\n",
			       err);
			return err;
		}
		static_call_update(kmt_lookup_name, (void *)lookup.start);
	}
	for (; *names; names++, text++) {
		memset(text, 0, sizeof(*text));
		addr = lookup_name(*names);
		if (addr)
			kmt_symbol_around(addr, text);
	}
	return 0;
}
