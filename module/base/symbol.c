// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/slab.h>
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

int kmt_symbol_find(const char *name, struct kmt_text *text)
{
	const char *const names[] = { name, NULL };
	int err = kmt_text_find_all(names, text);

	return err ? err : text->end ? 0 : -ENOENT;
}

static struct kmt_text *found_before(const char *const *names, unsigned int i,
				     struct kmt_text *text)
{
	unsigned int j;

	for (j = 0; j < i; j++)
		if (!strcmp(names[j], names[i]))
			return &text[j];
	return NULL;
}

/*
 * register_kprobe() looks up the address of a symbol. The kprobes are registered as
 * disabled, so that they are never armed. They are unregistered together, because
 * each unregistration waits for a grace period. A name that occurs again is not looked
 * up again, because registering a kprobe takes about a million instructions.
 */
int kmt_text_find_all(const char *const *names, struct kmt_text *text)
{
	struct kprobe *probes, **registered;
	unsigned int i, n = 0, found = 0;
	const struct kmt_text *before;
	int err = 0;

	while (names[n])
		n++;
	memset(text, 0, n * sizeof(*text));
	probes = kvcalloc(n, sizeof(*probes), GFP_KERNEL);
	registered = kcalloc(n, sizeof(*registered), GFP_KERNEL);
	if (!probes || !registered)
		err = -ENOMEM;
	for (i = 0; i < n && err != -ENOMEM; i++) {
		before = found_before(names, i, text);
		if (before) {
			text[i] = *before;
			continue;
		}
		probes[i].symbol_name = names[i];
		probes[i].flags = KPROBE_FLAG_DISABLED;
		err = register_kprobe(&probes[i]);
		if (err)
			continue;
		registered[found++] = &probes[i];
		kmt_symbol_around((unsigned long)probes[i].addr, &text[i]);
	}
	if (found)
		unregister_kprobes(registered, found);
	kfree(registered);
	kvfree(probes);
	return err == -ENOMEM ? err : 0;
}
