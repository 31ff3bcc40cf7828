// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "symbol.h"

/* sprint_symbol() writes "name+0xoffset/0xsize"; size is what is wanted. */
static unsigned long function_size(unsigned long addr)
{
	char text[KSYM_SYMBOL_LEN];
	unsigned long size;
	char *slash, *end;

	sprint_symbol(text, addr);
	slash = strchr(text, '/');
	if (!slash)
		return 0;
	end = strchr(slash, ' ');
	if (end)
		*end = '\0';
	return kstrtoul(slash + 1, 16, &size) ? 0 : size;
}

int kmt_symbol_find(const char *name, struct kmt_text *text)
{
	/* Disabled from the start: it is never armed, it only finds. */
	struct kprobe probe = {
		.symbol_name = name,
		.flags = KPROBE_FLAG_DISABLED,
	};
	unsigned long addr, size;

	if (register_kprobe(&probe))
		return -ENOENT;
	addr = (unsigned long)probe.addr;
	unregister_kprobe(&probe);

	size = function_size(addr);
	if (!size)
		return -ENOENT;
	text->start = addr;
	text->end = addr + size;
	return 0;
}

unsigned int kmt_text_find_all(const char *const *names, struct kmt_text *text)
{
	unsigned int count = 0;

	for (; *names; names++)
		if (!kmt_symbol_find(*names, &text[count]))
			count++;
	return count;
}
