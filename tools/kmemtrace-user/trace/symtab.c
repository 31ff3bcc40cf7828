// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/die.h"
#include "trace/symtab.h"

static size_t count_lines(const char *text)
{
	size_t n = 1;

	while ((text = strchr(text, '\n'))) {
		n++;
		text++;
	}
	return n;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static bool is_sorted(const struct symtab *t)
{
	size_t i;

	for (i = 1; i < t->count; i++)
		if (t->symbols[i].addr < t->symbols[i - 1].addr)
			return false;
	return true;
}

/*
 * The kernel lists its own symbols by address, and then those of modules in another order.
 * Symbols with the same address are in the order of the text.
 */
static void symtab_sort(struct symtab *t)
{
	size_t own = 0;

	while (own < t->count && !t->symbols[own].module)
		own++;
	qsort(t->symbols + own, t->count - own, sizeof(*t->symbols), by_address);
	if (!is_sorted(t))
		qsort(t->symbols, t->count, sizeof(*t->symbols), by_address);
}

void symtab_init(struct symtab *t, const char *text, size_t size)
{
	const char *line, *end;

	*t = (struct symtab){ .text = xstrndup(text, size) };
	t->symbols = xcalloc(count_lines(t->text), sizeof(*t->symbols));
	for (line = t->text; *line; line = *end ? end + 1 : end) {
		struct symbol *s = &t->symbols[t->count];

		end = strchrnul(line, '\n');
		t->count += kallsyms_parse(line, end, s);
	}
	symtab_sort(t);
}

void symtab_exit(struct symtab *t)
{
	free(t->symbols);
	free(t->text);
	*t = (struct symtab){ 0 };
}

/* Return: the number of symbols below an address. */
static size_t count_below(const struct symtab *t, uint64_t addr)
{
	size_t low = 0, high = t->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->symbols[mid].addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct symbol *symtab_find(const struct symtab *t, uint64_t addr)
{
	size_t count = addr == UINT64_MAX ? t->count : count_below(t, addr + 1);

	if (!count)
		return NULL;
	return &t->symbols[count_below(t, t->symbols[count - 1].addr)];
}

static bool is_text(const char *text, size_t len, const char *name, size_t n)
{
	return text && len == n && !memcmp(text, name, n);
}

const struct symbol *symtab_name(const struct symtab *t, const char *name,
				 size_t len, const char *module,
				 size_t module_len)
{
	const struct symbol *found = NULL;
	size_t i;

	for (i = 0; i < t->count; i++) {
		const struct symbol *s = &t->symbols[i];

		if (!is_text(s->name, s->name_len, name, len) ||
		    (module &&
		     !is_text(s->module, s->module_len, module, module_len)))
			continue;
		if (!s->module)
			return s;
		if (!found)
			found = s;
	}
	return found;
}

uint64_t symtab_distance(const struct symtab *t, const struct symbol *s)
{
	size_t next = s->addr == UINT64_MAX ? t->count :
					      count_below(t, s->addr + 1);

	return next < t->count ? t->symbols[next].addr - s->addr : UINT64_MAX;
}

/* --- interrupts ----------------------------------------------------------- */

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
