// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

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
