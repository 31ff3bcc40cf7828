// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "trace/interrupts.h"

static bool begins_with(const struct symbol *s, const char *text)
{
	size_t len = strlen(text);

	return s->name_len >= len && !memcmp(s->name, text, len);
}

/* The compiler may append a dot and more. */
static bool is_called(const struct symbol *s, const char *name)
{
	size_t len = strlen(name);

	return begins_with(s, name) && (s->name_len == len || s->name[len] == '.');
}

/* Functions of x86 in Linux 6.1 to 7.3. Page faults are no interrupts: the task causes them. */
static bool is_entry(const struct symbol *s)
{
	static const char *const names[] = {
		"handle_softirqs", "__do_softirq", "common_interrupt", "asm_common_interrupt",
		"spurious_interrupt", "asm_spurious_interrupt", "exc_nmi", "asm_exc_nmi",
		"fred_extint", "fred_exc_nmi",
	};
	size_t i;

	if (s->module)
		return false;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (is_called(s, names[i]))
			return true;
	return begins_with(s, "sysvec_") || begins_with(s, "asm_sysvec_");
}

void interrupts_init(struct interrupts *i, const struct symtab *symbols)
{
	size_t k;

	*i = (struct interrupts){ 0 };
	for (k = 0; k < symbols->count; k++) {
		const struct symbol *s = &symbols->symbols[k];
		uint64_t size;

		if (!is_entry(s) || (i->count && i->entry[i->count - 1].start == s->addr))
			continue;
		array_reserve(i->entry, i->count);
		size = symtab_distance(symbols, s);
		i->entry[i->count++] = (struct entry){
			s->addr, size > UINT64_MAX - s->addr ? UINT64_MAX : s->addr + size
		};
	}
}

void interrupts_exit(struct interrupts *i)
{
	free(i->entry);
	*i = (struct interrupts){ 0 };
}

/* A return address is behind a call: not the start of a function, but maybe its end. */
static bool is_in_entry(const struct interrupts *i, uint64_t address)
{
	size_t low = 0, high = i->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (address <= i->entry[mid].start)
			high = mid;
		else if (address > i->entry[mid].end)
			low = mid + 1;
		else
			return true;
	}
	return false;
}

size_t interrupts_depth(const struct interrupts *i, const uint64_t *stack, size_t depth)
{
	size_t k;

	for (k = 0; i && i->count && k < depth; k++)
		if (is_in_entry(i, stack[k]))
			return k + 1;
	return depth;
}
